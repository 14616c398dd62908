#include "merge/merge_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/folder_lock.h"
#include "base/input_file.h"
#include "base/process_identity.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/record_json.h"
#include "record/study_lines.h"
#include "tune/tune_journal.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using Kind = MergeGroup::Kind;

/// How files of a kind are called and begin.
struct KindRow {
  Kind kind;
  std::string_view stem, beginning;
};
constexpr std::array<KindRow, 3> kKinds = {{{Kind::kRecords, "records", kRecordBeginning},
                                            {Kind::kJournal, "tune", TuneJournal::kBeginning},
                                            {Kind::kStudy, "study", kStudyBeginning}}};

const KindRow& row_of(Kind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& row) { return row.kind == kind; });
}

/// By its name, of a file in a folder: records of any name that readers take, journals and studies of shards.
std::optional<Kind> kind_by_name(const std::string& name) {
  if (!name.ends_with(".jsonl")) return std::nullopt;
  for (const KindRow& row : kKinds) {
    const std::string stem(row.stem);
    if (name == stem + ".jsonl" || name.starts_with(stem + "-shard-") ||
        (row.kind == Kind::kRecords && name.starts_with(stem + "-")))
      return row.kind;
  }
  return std::nullopt;
}

/// By what it begins with, of a file that was named.
Kind kind_by_content(FileSystem& files, const Path& path) {
  const std::string text = read_input(files, path, kResultInput);
  for (const KindRow& row : kKinds) {
    if (trim(text).starts_with(row.beginning)) return row.kind;
  }
  throw bad_input("expected records, a journal of kiln tune or a study", {path.string(), 1, 0});
}

class GroupSearch {
 public:
  GroupSearch(FileSystem& files, Path output) : files_(files), output_(std::move(output)) {}

  void add(const Path& path) {
    const auto status = files_.target_status(path);
    if (!status) throw bad_input("there is no file or folder '" + path.string() + "'");
    if (status->type != FileStatus::Type::kDirectory) return put(kind_by_content(files_, path), path, "");
    const std::size_t before = count_;
    add_folder(path, "");
    if (count_ == before)
      throw bad_input("'" + path.string() +
                      "': expected records.jsonl, tune.jsonl, study.jsonl or such files of shards in this "
                      "folder, found none");
  }

  std::vector<MergeGroup> groups() && {
    std::vector<MergeGroup> groups;
    for (auto& [key, inputs] : inputs_) {
      MergeGroup group{
          key.first, output_ / key.second / (std::string(row_of(key.first).stem) + ".jsonl"), {}};
      for (auto& [place, path] : inputs) group.inputs.push_back(std::move(path));
      const bool known = inputs.contains(place_of(group.output));
      if (!known && files_.target_status(group.output)) group.inputs.push_back(group.output);
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;

  [[nodiscard]] Place place_of(const Path& path) const {
    const auto status = files_.target_status(path);
    return status ? Place(status->device, status->inode) : Place();
  }

  void put(Kind kind, const Path& path, const Path& relative) {
    ++count_;
    inputs_[{kind, relative}].try_emplace(place_of(path), path);
  }

  void add_folder(const Path& folder, const Path& relative) {
    for (const std::string& name : files_.list(folder)) {
      const Path path = folder / name;
      const auto status = files_.status(path);  // a link to a folder is not followed: it may lead back
      if (!status) continue;
      if (status->type == FileStatus::Type::kDirectory) {
        if (Place(status->device, status->inode) == place_of(output_))
          continue;  // below an input: it is joined
        add_folder(path, relative / name);
      } else if (const auto kind = kind_by_name(name)) {
        put(*kind, path, relative);
      }
    }
  }

  FileSystem& files_;
  Path output_;
  std::map<std::pair<Kind, Path>, std::map<Place, Path>> inputs_;
  std::size_t count_ = 0;
};

/// False if the text is there already.
bool put(FileSystem& files, const Path& output, const std::string& text) {
  try {
    if (files.read_file(output) == text) return false;
    files.make_directories(output.parent_path(), false);
    const Path fresh = output.parent_path() / (".merge-" + owner_prefix() + "-" + output.filename().string());
    files.write_file(fresh, text, true);
    if (!files.rename(fresh, output)) throw bad_input("'" + output.string() + "' is a folder");
    files.sync_directory(output.parent_path());
    return true;
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write " + output.string() + ": " + error.code().message());
  }
}

std::vector<Path> set_aside(FileSystem& files, const MergeGroup& group) {
  std::vector<Path> moved;
  std::error_code code;
  const Path folder = std::filesystem::weakly_canonical(group.output.parent_path(), code);
  for (const Path& input : group.inputs) {
    const bool beside = std::filesystem::weakly_canonical(input.parent_path(), code) == folder;
    if (!beside || input.filename() == group.output.filename()) continue;
    const Path aside = input.string() + ".merged";
    try {
      static_cast<void>(files.rename(input, aside));
    } catch (const std::filesystem::filesystem_error& error) {
      throw environment_error("cannot rename " + input.string() + ": " + error.code().message());
    }
    moved.push_back(aside);
  }
  return moved;
}

}  // namespace

std::vector<MergeGroup> find_groups(FileSystem& files, const std::vector<Path>& paths, const Path& output) {
  GroupSearch search(files, output);
  for (const Path& path : paths) search.add(path);
  return std::move(search).groups();
}

Merged merge_group(FileSystem& files, const MergeGroup& group, const MergeOptions& options, Log& log) {
  std::vector<MergeInput> inputs;
  for (const Path& path : group.inputs) {
    MergeInput input{path.string(), split_json_lines(read_input(files, path, kResultInput), path.string(),
                                                     row_of(group.kind).beginning)};
    for (const std::string& note : input.lines.notes) log.warn(note);
    inputs.push_back(std::move(input));
  }
  if (group.kind == Kind::kRecords) return merge_records(inputs, options);
  return group.kind == Kind::kJournal ? merge_journals(inputs) : merge_studies(inputs);
}

MergeResult write_merged(FileSystem& files, const MergeGroup& group, const std::string& text) {
  const FolderLock lock(group.output.parent_path(), ".lock-merge", "kiln merge");
  const bool written = put(files, group.output, text);
  return {written, set_aside(files, group)};
}

std::vector<Path> shard_files(FileSystem& files, const Path& folder) {
  std::vector<Path> found;
  for (const std::string& name : files.list(folder)) {
    const Path file = folder / name;
    if (file.extension() == ".jsonl" && ending_of(file).starts_with("-shard-")) found.push_back(file);
  }
  return found;
}

void join_shards(FileSystem& files, const Path& folder, const MergeOptions& options, Log& log) {
  std::vector<Path> paths = shard_files(files, folder);
  if (paths.empty()) return;
  for (const char* name : {"records.jsonl", "study.jsonl"}) {
    if (files.status(folder / name)) paths.push_back(folder / name);
  }
  const std::vector<MergeGroup> groups = find_groups(files, paths, folder);
  std::vector<Merged> merged;
  for (const MergeGroup& group : groups) merged.push_back(merge_group(files, group, options, log));
  for (std::size_t i = 0; i < groups.size(); ++i) write_merged(files, groups[i], merged[i].text);
}

std::string ending_of(const Path& file) {
  const std::string stem = file.stem().string();
  const std::size_t dash = stem.find('-');
  return dash == std::string::npos ? "" : stem.substr(dash);
}

}  // namespace kiln
