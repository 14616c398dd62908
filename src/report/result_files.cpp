#include "report/result_files.h"

#include <cstdint>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/record_file.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

using Seen = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Follows links. A file or folder that several links lead to counts once, so a link to a folder above it
/// ends the search.
void search(FileSystem& files, const Path& folder, ResultFiles& found, Seen& seen) {
  for (const std::string& name : files.list(folder)) {
    const Path path = folder / name;
    const bool results = is_record_file(name) || name == "study.jsonl";
    const auto status = results && files.status(path) ? input_status(files, path) : files.target_status(path);
    if (!status || !seen.emplace(status->device, status->inode).second) continue;
    if (status->type == FileStatus::Type::kDirectory) search(files, path, found, seen);
    if (results) (is_record_file(name) ? found.records : found.studies).push_back(path);
  }
}

/// Decides by the file's beginning. A file that is not a study is read as records; the reader reports what is
/// wrong with it.
bool is_study(const std::string& text) {
  constexpr std::string_view kBeginning = R"({"kind":"study")";
  return trim(text).starts_with(kBeginning);
}

/// `kiln roofline` writes one value over many lines.
bool is_ceilings(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() && json.contains("ceilings");
}

/// The list that a file belongs to, by its content.
std::vector<Path>& list_for(FileSystem& files, const Path& path, ResultFiles& found) {
  const std::string text = read_input(files, path, kResultInput);
  if (is_study(text)) return found.studies;
  if (is_ceilings(text))
    throw bad_input("'" + path.string() +
                    "' holds ceilings of `kiln roofline`; expected records.jsonl or study.jsonl, and the "
                    "ceilings by --ceilings with --format html");
  return found.records;
}

}  // namespace

ResultFiles find_result_files(FileSystem& files, const std::vector<Path>& paths) {
  ResultFiles found;
  for (const Path& path : paths) {
    const auto status = files.target_status(path);
    if (!status || status->type != FileStatus::Type::kDirectory) {
      list_for(files, path, found).push_back(path);
      continue;
    }
    const std::size_t before = found.records.size() + found.studies.size();
    Seen seen{{status->device, status->inode}};
    search(files, path, found, seen);
    if (found.records.size() + found.studies.size() == before)
      throw bad_input("'" + path.string() +
                      "': expected a file records.jsonl or study.jsonl in this folder, found none");
  }
  return found;
}

}  // namespace kiln
