// Every byte of an entry flipped, every length that a file of it can be cut to: found when it is loaded, and
// replaced by the service; in a document of it found by verify, and removed by its repair.
#include "stress.h"

namespace kiln::stress {
namespace {

constexpr std::size_t kBytes = 20'000;

class Damager {
 public:
  explicit Damager(const Options& options) : place_(options), wanted_(test::make_specialization("damaged")) {
    heal();
    const CacheKey key = make_cache_key(wanted_, compiler_);
    entry_ = EntryStore(*place_.files, root(), EntryStore::Owners::kSelfAndRoot).directory(key.digest);
  }

  [[nodiscard]] std::vector<std::string> file_names() const {
    return {"binary", "entry.json", "log.txt", "preimage.txt", "source.cu"};
  }
  [[nodiscard]] std::string read(const std::string& name) {
    return place_.files->read_file(entry_ / name).value_or("");
  }

  /// Writes the file so, and asks two processes' services for the kernel one after the other.
  void damage(const std::string& name, const std::string& bytes) {
    ++damaged;
    place_.files->write_file(entry_ / name, bytes, false);
    if (name == "preimage.txt" || name == "source.cu") return damage_document();
    if (get() == Origin::kCompiled) ++detected;
    if (get() == Origin::kDisk) ++healed;
  }

  int damaged = 0, detected = 0, healed = 0;

 private:
  void damage_document() {
    test::RecordingLog log;
    DiskCache disk(*place_.files, *place_.clock, log, root());
    if (get() == Origin::kDisk && disk.verify(true).repaired == 1) ++detected;
    if (get() == Origin::kCompiled && get() == Origin::kDisk) ++healed;
  }
  [[nodiscard]] std::filesystem::path root() const { return place_.path("cache"); }

  Origin get() {
    test::RecordingLog log;
    DiskCache disk(*place_.files, *place_.clock, log, root());
    KernelService service(&disk, *place_.clock);
    const auto result = std::get<ServiceResult>(service.get(wanted_, compiler_, nullptr));
    const bool sound = result.code->code().binary == counted_binary(wanted_, kBytes);
    return sound ? result.origin : Origin::kWaited;
  }
  void heal() { static_cast<void>(get()); }

  Place place_;
  Specialization wanted_;
  CountingCompiler compiler_{*place_.files, place_.path("count"), kBytes, 0};
  std::filesystem::path entry_;
};

Row row(const std::string& what, const Damager& damager) {
  const bool holds = damager.detected == damager.damaged && damager.healed == damager.damaged;
  return {what,
          std::to_string(damager.damaged) + " damaged, " + std::to_string(damager.detected) + " detected, " +
              std::to_string(damager.healed) + " healed",
          holds_if(holds && damager.damaged > 0)};
}

}  // namespace

Rows damage(const Options& options) {
  const std::size_t flip_step = options.quick ? 97 : 1;
  const std::size_t cut_step = options.quick ? 997 : 7;  // of files above 2000 bytes
  Damager flips(options);
  for (const std::string& name : flips.file_names()) {
    for (std::size_t at = 0; at < flips.read(name).size(); at += flip_step) {
      std::string bytes = flips.read(name);
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << (at % 8)));
      flips.damage(name, bytes);
    }
  }
  Damager cuts(options);
  for (const std::string& name : cuts.file_names()) {
    const std::size_t full = cuts.read(name).size();
    for (std::size_t size = 0; size<full; size += full> 2000 ? cut_step : 1)
      cuts.damage(name, cuts.read(name).substr(0, size));
  }
  const std::string flip_text = options.quick ? "a byte of every 97" : "every byte";
  const std::string cut_text = options.quick ? "some lengths" : "every length (large files: every 7th)";
  return {row("one bit of " + flip_text + " of an entry flipped", flips),
          row("each file of an entry cut to " + cut_text, cuts)};
}

}  // namespace kiln::stress
