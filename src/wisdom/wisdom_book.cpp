#include "wisdom/wisdom_book.h"

#include <optional>
#include <set>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/text.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

Path file_in(const WisdomSource& source, const std::string& workload, FileSystem& files) {
  const auto status = files.target_status(source.path);
  const bool folder = status && status->type == FileStatus::Type::kDirectory;
  return folder ? source.path / wisdom_file_name(workload) : source.path;
}

std::vector<WisdomRecord> read_source(FileSystem& files, const WisdomSource& source,
                                      const std::string& workload, Log& log) {
  const Path path = file_in(source, workload, files);
  const auto status = files.target_status(path);
  if (!status && !source.named) return {};
  const auto skip = [&](const std::string& why) -> std::vector<WisdomRecord> {
    log.warn("wisdom of " + in_quotes(path.string()) + " is not used: " + why);
    return {};
  };
  if (status && !source.named) {
    if (const auto why = find_distrust(*status, source.owners)) return skip("it " + *why);
  }
  try {
    return read_wisdom_file(files, path);
  } catch (const Error& error) {
    if (source.named) throw;
    return skip(error.what());
  }
}

}  // namespace

std::vector<WisdomSource> usual_wisdom(const Workload& workload, const std::string& job_file,
                                       const WisdomFolders& folders) {
  const TrustedOwners own{0, current_user_id()};
  std::vector<WisdomSource> sources;
  if (!job_file.empty()) sources.push_back({std::filesystem::absolute(job_file).parent_path(), own});
  if (!folders.own.empty()) sources.push_back({folders.own, own});
  for (const Path& folder : folders.read_only) sources.push_back({folder, {}});
  sources.push_back({workload.directory, {}});  // whose kernels are run anyway
  std::set<Path> seen;
  std::erase_if(sources, [&](const WisdomSource& source) {
    return !seen.insert(source.path.lexically_normal()).second;
  });
  return sources;
}

WisdomSource named_wisdom(FileSystem& files, const Path& path, const SourceLocation& where) {
  const Path full = path.is_relative() && where.line > 0 ? Path(where.file).parent_path() / path : path;
  if (files.target_status(full)) return {full, {}, true};
  throw bad_input("wisdom: no such file or folder: " + in_quotes(full.string()), where);
}

std::vector<WisdomRecord> load_wisdom(FileSystem& files, const std::vector<WisdomSource>& sources,
                                      const std::string& workload, Log& log) {
  std::vector<WisdomRecord> records;
  for (const WisdomSource& source : sources) {
    for (WisdomRecord& record : read_source(files, source, workload, log)) {
      if (record.key.workload == workload) records.push_back(std::move(record));
    }
  }
  return merge_wisdom(std::move(records));
}

std::string wisdom_source_digest(const Workload& workload, FileSystem& files) {
  std::set<std::string> names;
  for (const KernelSpec& kernel : workload.kernels) names.insert(kernel.source);
  for (const std::string& name : files.list(workload.directory)) {
    if (name.ends_with(".h") || name.ends_with(".cuh") || name.ends_with(".hpp")) names.insert(name);
  }
  FieldHasher hasher;
  hasher.field("workload", workload.text);
  for (const std::string& name : names) {
    const auto text = files.read_file(workload.directory / name);
    hasher.field("source:" + name, text.value_or(""));
  }
  return "sha256:" + hasher.hex();
}

}  // namespace kiln
