#include <algorithm>
#include <memory>
#include <set>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cache/bundle.h"
#include "cli/cache_commands.h"
#include "cli/help.h"
#include "device/backend_kind.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

struct BundleArguments {
  std::string archs, output;
  std::vector<std::string> file;
};

/// "cuda:sm_90" is meant by its name, by "sm_90" and by "cuda"; "hip:gfx90a:xnack-" by "gfx90a", too.
bool means(const std::string& wanted, const std::string& target) {
  const std::string arch = target.substr(std::min(target.find(':') + 1, target.size()));
  const auto begins = [&](const std::string& text) {
    return text == wanted || text.starts_with(wanted + ":");
  };
  return begins(target) || begins(arch);
}

/// "native" becomes the target of this machine's CPU.
std::vector<std::string> parse_archs(World& world, const std::string& text) {
  std::vector<std::string> archs;
  for (const std::string& part : split(text, ',')) {
    const std::string arch(trim(part));
    if (arch.empty()) continue;
    archs.push_back(arch != "native"
                        ? arch
                        : world.engine().compilers().at(host_kind().name)->target_for(arch).to_string());
  }
  return archs;
}

void require_each_found(const std::vector<std::string>& archs, const std::vector<CacheEntryInfo>& entries) {
  std::set<std::string> targets;
  for (const CacheEntryInfo& entry : entries) targets.insert(entry.target);
  for (const std::string& arch : archs) {
    const bool found = std::any_of(targets.begin(), targets.end(),
                                   [&](const std::string& target) { return means(arch, target); });
    if (!found) {
      throw bad_input("--arch " + arch + ": the cache has no entry for it" +
                      suggestion(arch, {targets.begin(), targets.end()}));
    }
  }
}

bool is_folder(World& world, const std::string& output) {
  const auto status = world.files().status(Path(output) / ".");
  return output.ends_with('/') || (status && status->type == FileStatus::Type::kDirectory);
}

BundleSummary pack_into(World& world, const EntryStore& store, const EntryFilter& wanted,
                        const std::string& output) {
  try {
    return is_folder(world, output) ? pack_folder(world.files(), store, wanted, output)
                                    : pack_bundle(world.files(), store, wanted, output);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("--output: '" + output + "' cannot be written: " + error.code().message());
  }
}

int pack(World& world, const BundleArguments& arguments) {
  if (arguments.output.empty())
    throw bad_input("name the output with -o: a file, or a folder that ends with '/'");
  const std::vector<std::string> archs = parse_archs(world, arguments.archs);
  const auto entries = ask_cache(world, [](DiskCache& cache) { return cache.list(); });
  if (entries.empty()) throw bad_input("the cache has no entries to pack; 'kiln compile' makes some");
  require_each_found(archs, entries);
  const EntryFilter wanted = [&](const CacheEntryInfo& entry) {
    return archs.empty() || std::any_of(archs.begin(), archs.end(),
                                        [&](const std::string& arch) { return means(arch, entry.target); });
  };
  const EntryStore store(world.files(), world.engine().cache().root(), EntryStore::Owners::kSelfAndRoot);
  const BundleSummary summary = pack_into(world, store, wanted, arguments.output);
  for (const std::string& skipped : summary.skipped) world.log().warn("not packed, damaged: " + skipped);
  world.out() << entries_text(summary.entries) << ", " << format_bytes(summary.bytes) << " packed into "
              << arguments.output << "\n";
  return summary.skipped.empty() ? kExitDone : kExitFailed;
}

int unpack(World& world, const BundleArguments& arguments) {
  if (arguments.file.size() != 1) throw bad_input("name one bundle: kiln cache unpack FILE");
  const std::string& file = arguments.file.front();
  const Path root = arguments.output.empty() ? world.engine().cache().root() : Path(arguments.output);
  const EntryStore store(world.files(), root, EntryStore::Owners::kSelfAndRoot);
  if (const auto distrust = store.distrust()) {
    throw environment_error("folder '" + distrust->folder.string() + "' cannot be used: " + distrust->why);
  }
  const BundleSource bundle = bundle_in_file(world.files(), file);
  try {
    const BundleSummary summary = unpack_bundle(world.files(), bundle, root);
    world.out() << entries_text(summary.entries) << ", " << format_bytes(summary.bytes) << " unpacked into "
                << root.string() << "\n";
  } catch (const Error& error) {
    throw Error(error.kind(),
                "bundle '" + file + "' is refused: " + error.message() + "; nothing was unpacked");
  }
  return kExitDone;
}

}  // namespace

Subcommand add_cache_pack_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand("pack", "Write entries into a bundle for other machines");
  const auto arguments = std::make_shared<BundleArguments>();
  command
      ->add_option("--arch", arguments->archs,
                   "Only entries for these architectures: 'sm_90,gfx90a', 'native' or 'cuda'; default: all")
      ->type_name("ARCH,...");
  command
      ->add_option("-o,--output", arguments->output,
                   "A tar file, or a folder (with '/' at its end) that can be used in place")
      ->type_name("FILE|DIR");
  command->footer(examples({"kiln cache pack --arch sm_90,sm_100 -o kernels.tar",
                            "kiln cache pack --arch native -o /site/kiln/"}));
  return {command, [arguments](World& world) { return pack(world, *arguments); }};
}

Subcommand add_cache_unpack_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand(
      "unpack", "Put the entries of a bundle into the cache, or into a folder for cache_read_only");
  const auto arguments = std::make_shared<BundleArguments>();
  command->add_option("FILE", arguments->file, "The bundle that 'kiln cache pack' wrote");
  command->add_option("-o,--output", arguments->output, "Folder; default: the cache's own")->type_name("DIR");
  command->footer(
      examples({"kiln cache unpack kernels.tar",
                "kiln cache unpack kernels.tar -o /site/kiln && export KILN_CACHE_READ_ONLY=/site/kiln"}) +
      "\nA bundle is code that will run as you: unpack only bundles that you trust.");
  return {command, [arguments](World& world) { return unpack(world, *arguments); }};
}

}  // namespace kiln
