// Folders that fail or must not be trusted: the job finishes all the same, with one clear line.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "stress.h"

namespace kiln::stress {
namespace {

constexpr std::size_t kBytes = 20'000;
constexpr int kKernels = 6;
constexpr uid_t kOther = 65534;

/// Thrown where this machine cannot make the fault.
struct CannotMake {
  std::string why;
};

struct Report {
  int done = 0;
  std::vector<std::string> lines;  ///< warnings
};

/// Asks for some kernels, twice, as two processes would.
Report run_job(Place& place, const std::filesystem::path& root) {
  test::RecordingLog log;
  Report report;
  CountingCompiler compiler(*place.files, "/dev/null", kBytes, 0);
  for (int round = 0; round < 2; ++round) {
    {
      DiskCache disk(*place.files, *place.clock, log, root);
      KernelService service(&disk, *place.clock);
      for (int i = 0; i < kKernels; ++i) {
        const Specialization wanted = test::make_specialization("kernel " + std::to_string(i));
        const auto result = service.get(wanted, compiler, nullptr);
        const auto* got = std::get_if<ServiceResult>(&result);
        if (got != nullptr && got->code->code().binary == counted_binary(wanted, kBytes)) ++report.done;
      }
    }
    // The service has written what it compiled, or has said why not.
    if (round == 0) report.lines = log.warnings();
  }
  return report;
}

struct Fault {
  std::string what;
  std::string expected;  ///< in the warning
  /// Makes the fault at `root`; runs in a process of its own.
  std::function<void(Place&, const std::filesystem::path& root)> make;
};

void require_root() {
  if (::geteuid() != 0) throw CannotMake{"needs root"};
}

/// Seen by this process only, and gone with it.
void mount_small_disk(const std::filesystem::path& root, unsigned long flags) {
  require_root();
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", root.c_str(), "tmpfs", flags, "size=96k,mode=0700") != 0) {
    throw CannotMake{std::string("mounting a tmpfs: ") + std::strerror(errno)};
  }
}

void own(const std::filesystem::path& root, uid_t owner) {
  require_root();
  if (::chown(root.c_str(), owner, owner) != 0) throw CannotMake{std::strerror(errno)};
}

/// As another user without permission to write there.
void close_folder(Place& place, const std::filesystem::path& root) {
  ::chmod(root.c_str(), 0500);
  if (::geteuid() != 0) return;
  own(root, kOther);
  ::chmod(place.path("").c_str(), 0755);
  if (::setresuid(kOther, kOther, kOther) != 0) throw CannotMake{std::strerror(errno)};
}

/// An entry, or its binary, is a link to what lies outside.
void link_out(Place& place, const std::filesystem::path& root, bool whole_entry) {
  static_cast<void>(run_job(place, root));
  test::FakeCompiler compiler;
  const std::string digest = make_cache_key(test::make_specialization("kernel 0"), compiler).digest;
  auto path = EntryStore(*place.files, root, EntryStore::Owners::kSelfAndRoot).directory(digest);
  if (!whole_entry) path /= "binary";
  place.files->remove_all(path);
  std::filesystem::create_symlink(place.path(whole_entry ? "outside" : "outside/file"), path);
}

const std::vector<Fault>& all_faults() {
  using Root = const std::filesystem::path&;
  static const std::vector<Fault> faults = {
      {"a full disk (ENOSPC)", "No space left on device",
       [](Place&, Root root) { mount_small_disk(root, 0); }},
      {"a read-only file system (EROFS)", "Read-only file system",
       [](Place&, Root root) { mount_small_disk(root, MS_RDONLY); }},
      {"a folder without permission to write (EACCES)", "Permission denied", close_folder},
      {"a folder of another user", "it belongs to user 12345", [](Place&, Root root) { own(root, 12345); }},
      {"a folder that anyone may write to", "anyone may write to it",
       [](Place&, Root root) { ::chmod(root.c_str(), 0777); }},
      {"a file in place of the folder", "it is not a directory",
       [](Place& place, Root root) {
         place.files->remove_all(root);
         place.files->write_file(root, "a file", false);
       }},
      {"a symbolic link in place of an entry", "it is not a directory",
       [](Place& place, Root root) { link_out(place, root, true); }},
      {"a symbolic link in place of a file of an entry", "binary is not a plain file",
       [](Place& place, Root root) { link_out(place, root, false); }}};
  return faults;
}

/// Bytes that the child says to its parent: "done\nline\nline".
int tell(int pipe, Place& place, const Fault& fault, const std::filesystem::path& root) {
  std::string text;
  try {
    fault.make(place, root);
    const Report report = run_job(place, root);
    text = std::to_string(report.done) + "\n" + join(report.lines, "\n");
  } catch (const CannotMake& cannot) {
    text = "skipped\n" + cannot.why;
  }
  return ::write(pipe, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = ::read(pipe, chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  return text;
}

Row run(const Options& options, const Fault& fault) {
  Place place(options);
  const auto root = place.path("cache");
  place.files->make_directories(root, true);
  place.files->make_directories(place.path("outside"), true);
  place.files->write_file(place.path("outside/file"), "untouched", false);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {fault.what, "no pipe", Row::Verdict::kFails};
  const pid_t child = start_child([&] { return tell(ends[1], place, fault, root); });
  ::close(ends[1]);
  const std::vector<std::string> lines = split(read_all(ends[0]), '\n');
  ::close(ends[0]);
  const int code = wait_for(child);
  if (lines[0] == "skipped") return {fault.what, "skipped: " + lines.at(1), Row::Verdict::kSkipped};
  const bool clean = place.files->list(place.path("outside")).size() == 1 &&
                     place.files->read_file(place.path("outside/file")) == "untouched";
  const bool one_line = lines.size() == 2 && lines[1].find(fault.expected) != std::string::npos;
  const bool done = lines[0] == std::to_string(2 * kKernels);
  return {fault.what,
          (done ? "job finished, " : "JOB NOT FINISHED, ") + std::to_string(lines.size() - 1) +
              " warning: \"" + fault.expected + "\"" +
              (clean ? "; nothing outside written" : "; OUTSIDE WRITTEN"),
          holds_if(code == 0 && done && one_line && clean)};
}

}  // namespace

Rows faults(const Options& options) {
  Rows rows;
  for (const Fault& fault : all_faults()) rows.push_back(run(options, fault));
  return rows;
}

}  // namespace kiln::stress
