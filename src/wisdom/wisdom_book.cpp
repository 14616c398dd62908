#include "wisdom/wisdom_book.h"

#include <algorithm>
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

std::string not_used(const std::string& file, const std::string& why) {
  return "wisdom of " + in_quotes(file) + " is not used: " + why;
}

/// A line of a file that Kiln wrote, which begins a record: "- key:    {...}". Its key, else empty.
std::string_view key_of(std::string_view line) {
  constexpr std::string_view kBegin = "- key:";
  if (!line.starts_with(kBegin)) return {};
  const std::string_view key = trim(line.substr(kBegin.size()));
  return key.starts_with('{') && key.ends_with('}') ? key : std::string_view();
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

WisdomBook::WisdomBook(FileSystem& files, const std::vector<WisdomSource>& sources,
                       const std::string& workload, Log& log)
    : log_(&log) {
  for (const WisdomSource& source : sources) read(files, source, workload);
}

WisdomBook::WisdomBook(const std::vector<WisdomRecord>& records) {
  for (const WisdomRecord& record : records) add(record.key, Entry{record.where.file, 1, "", true, record});
}

void WisdomBook::read(FileSystem& files, const WisdomSource& source, const std::string& workload) {
  const Path path = file_in(source, workload, files);
  const auto status = files.target_status(path);
  if (!status && !source.named) return;
  const auto distrust = status && !source.named ? find_distrust(*status, source.owners) : std::nullopt;
  if (distrust) return log_->warn(not_used(path.string(), "it " + *distrust));
  try {
    const Entry file{path.string(), 1, read_input(files, path), source.named};
    if (add_blocks(file, workload)) return;
    for (WisdomRecord& record : parse_wisdom(file.text, file.file)) {
      if (record.key.workload == workload) add(record.key, Entry{file.file, 1, "", source.named, record});
    }
  } catch (const Error& error) {
    if (source.named) throw;
    log_->warn(not_used(path.string(), error.what()));
  }
}

/// False, and nothing is added, for a file that has another form than what Kiln writes.
bool WisdomBook::add_blocks(const Entry& file, const std::string& workload) {
  std::vector<std::pair<std::string_view, Entry>> blocks;
  int number = 0;
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    ++number;
    if (const std::string_view key = key_of(line); !key.empty()) {
      blocks.emplace_back(key, Entry{file.file, number, std::string(line), file.named});
    } else if (line.starts_with("  ") && !blocks.empty()) {
      blocks.back().second.text += line;
    } else if (!line.starts_with('#') && !trim(line).empty()) {
      return false;
    }
  }
  std::vector<std::pair<std::string_view, int>> texts;  // each once
  std::map<std::string_view, std::optional<std::size_t>> places;
  for (const auto& [text, entry] : blocks) {
    if (places.emplace(text, std::nullopt).second) texts.emplace_back(text, entry.line);
  }
  const std::vector<WisdomKey> keys = parse_wisdom_keys(texts, file.file);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].workload == workload) places[texts[i].first] = place_of(keys[i]);
  }
  for (auto& [text, entry] : blocks) {
    if (const auto place = places[text]) entries_[*place].push_back(std::move(entry));
  }
  return true;
}

std::size_t WisdomBook::place_of(const WisdomKey& key) {
  const auto [place, is_new] = key_by_text_.try_emplace(wisdom_key_text(key), keys_.size());
  if (is_new) {
    keys_.push_back(key);
    entries_.emplace_back();
  }
  return place->second;
}

void WisdomBook::add(const WisdomKey& key, Entry entry) {
  entries_[place_of(key)].push_back(std::move(entry));
}

std::vector<WisdomRecord> WisdomBook::read(const Entry& entry) const {
  if (entry.record) return {*entry.record};
  try {
    const std::string above(static_cast<std::size_t>(entry.line - 1), '\n');
    return parse_wisdom(above + entry.text, entry.file);
  } catch (const Error& error) {
    if (entry.named) throw;
    log_->warn(not_used(entry.file, error.what()));
    return {};
  }
}

std::vector<WisdomRecord> WisdomBook::records(std::size_t key, std::size_t most) const {
  const std::vector<Entry>& entries = entries_.at(key);
  const bool one_file = std::all_of(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.file == entries.front().file; });
  bool in_order = one_file;  // as Kiln writes them
  std::vector<WisdomRecord> records;
  for (const Entry& entry : entries) {
    if (in_order && records.size() >= most) return records;
    for (WisdomRecord& record : read(entry)) {
      in_order = in_order && record.result.rank == records.size() + 1;
      records.push_back(std::move(record));
    }
  }
  return merge_wisdom(std::move(records));
}

std::string wisdom_source_digest(const Workload& workload, FileSystem& files) {
  std::set<std::string> names;
  for (const KernelSpec& kernel : workload.kernels) {
    names.insert(kernel.source);
    names.insert(kernel.more_sources.begin(), kernel.more_sources.end());
  }
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
