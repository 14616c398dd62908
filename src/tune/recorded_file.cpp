#include "tune/recorded_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/input_file.h"
#include "base/text.h"
#include "kiln/error.h"
#include "tune/recorded_entries.h"
#include "tune/tune_journal.h"

namespace kiln {
namespace {

constexpr InputRules kSpaceInput{std::uint64_t{4} << 30, false, true};

using Json = JsonNode::Json;
using Event = Json::parse_event_t;

/// Place of the byte at `offset`, from 1.
SourceLocation place_of(const std::string& text, std::size_t offset, const std::string& file) {
  const std::string_view before = std::string_view(text).substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column =
      line_end == std::string_view::npos ? before.size() : before.size() - line_end - 1;
  return {file, static_cast<int>(lines) + 1, static_cast<int>(column) + 1};
}

/// Kernel Tuner appends entries and writes the closing braces at the end of a run.
void close_open_cache(std::string& text) {
  const std::string_view content = trim(text);
  if (!content.ends_with(',') && !content.ends_with("\"cache\": {")) return;
  text.resize(static_cast<std::size_t>(content.data() + content.size() - text.data()));
  if (text.back() == ',') text.pop_back();
  text += "}}";
}

/// Takes the file apart entry by entry, so that memory holds one at a time: members of "cache", items of
/// "results". What is left is the text without them.
Json parse_entries(const std::string& text, const std::string& file,
                   const std::function<void(bool is_t4, const JsonNode& entry)>& take) {
  constexpr int kEntryDepth = 2;
  std::string part, key;
  std::size_t number = 0;
  const auto callback = [&](int depth, Event event, Json& parsed) {
    if (event == Event::key && depth == 1) part = parsed.get<std::string>();
    if (event == Event::key && depth == kEntryDepth) key = parsed.get<std::string>();
    if (depth != kEntryDepth || event != Event::object_end) return true;
    if (part == "cache")
      take(false, {parsed, {file, 0, 0}, "cache." + key});
    else if (part == "results")
      take(true, {parsed, {file, 0, 0}, "results[" + std::to_string(number++) + "]"});
    else
      return true;
    return false;
  };
  try {
    return Json::parse(text, callback);
  } catch (const Json::parse_error& error) {
    throw bad_input("expected JSON", place_of(text, error.byte > 0 ? error.byte - 1 : 0, file));
  } catch (const Json::exception& error) {  // as a number that is out of range
    throw bad_input(std::string("expected JSON: ") + error.what(), {file, 0, 0});
  }
}

/// Numbers by size, else in the order in which they appear.
void order_values(std::vector<std::string>& values) {
  const bool numbers =
      std::all_of(values.begin(), values.end(), [](const auto& value) { return parse_real(value); });
  if (!numbers) return;
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return *parse_real(a) < *parse_real(b); });
}

/// The parameters of the entries, in their order.
std::vector<RecordedParameter> parameters_seen(const std::vector<RecordedEntry>& entries) {
  std::vector<RecordedParameter> parameters;
  for (const auto& [name, value] : entries.front().values) parameters.push_back({name, {}});
  for (const RecordedEntry& entry : entries) {
    for (std::size_t i = 0; i < std::min(parameters.size(), entry.values.size()); ++i) {
      std::vector<std::string>& values = parameters[i].values;
      const std::string& value = entry.values[i].second;
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  for (RecordedParameter& parameter : parameters) order_values(parameter.values);
  return parameters;
}

/// The place of the entry's value in the parameter's list.
std::uint32_t place_in(const RecordedParameter& parameter, std::size_t number, const RecordedEntry& entry,
                       const std::string& file) {
  const SourceLocation where{file, 0, 0};
  const auto named = [&](const auto& pair) { return pair.first == parameter.name; };
  auto value = entry.values.begin() + static_cast<std::ptrdiff_t>(std::min(number, entry.values.size()));
  if (value == entry.values.end() || !named(*value))
    value = std::find_if(entry.values.begin(), entry.values.end(), named);
  if (value == entry.values.end())
    throw bad_input(entry.path + ": expected a value of " + in_quotes(parameter.name) + ", found none",
                    where);
  const auto place = std::find(parameter.values.begin(), parameter.values.end(), value->second);
  if (place == parameter.values.end())
    throw bad_input(entry.path + "." + parameter.name + ": expected one of " + join(parameter.values, ", ") +
                        ", found " + in_quotes(value->second),
                    where);
  return static_cast<std::uint32_t>(place - parameter.values.begin());
}

RecordedSpace space_of(std::string name, std::vector<RecordedParameter> parameters,
                       const std::vector<RecordedEntry>& entries, const std::string& file) {
  std::vector<SpaceParameter> sizes;
  for (const RecordedParameter& parameter : parameters)
    sizes.push_back({parameter.name, static_cast<std::uint32_t>(parameter.values.size())});
  std::vector<Point> points;
  for (const RecordedEntry& entry : entries) {
    Point point;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      point.push_back(place_in(parameters[i], i, entry, file));
    points.push_back(std::move(point));
  }
  RecordedSpace recorded{
      std::move(name), std::move(parameters), SearchSpace::of_points(std::move(sizes), points), {}};
  recorded.points.resize(recorded.space.count());
  for (std::size_t i = 0; i < entries.size(); ++i)
    recorded.points[*recorded.space.rank(points[i])] = entries[i].point;
  return recorded;
}

/// "gemm" of gemm.json.gz and of gemm/tune.jsonl.
std::string name_of(std::filesystem::path path) {
  for (const char* ending : {".gz", ".json", ".jsonl"}) {
    if (path.extension() == ending) path.replace_extension();
  }
  const bool journal = path.filename() == "tune" && path.has_parent_path();
  return (journal ? path.parent_path() : path).filename().string();
}

/// The space of a journal of Kiln: for points that were measured several times, the last result counts.
RecordedSpace space_of_journal(const std::string& text, const std::filesystem::path& path) {
  const std::string file = path.string();
  std::vector<RecordedEntry> entries;
  std::vector<std::string> names;
  for (const JournalEvent& event :
       journal_events(split_json_lines(text, file, TuneJournal::kBeginning), file)) {
    if (const auto* header = std::get_if<JournalHeader>(&event)) names = header->names;
    const auto* outcome = std::get_if<Evaluation>(&event);
    if (outcome == nullptr || outcome->values.empty() || outcome->values.size() != names.size()) continue;
    RecordedEntry entry{outcome->label, {}, {outcome->outcome, outcome->device_seconds}};
    for (std::size_t i = 0; i < names.size(); ++i) entry.values.emplace_back(names[i], outcome->values[i]);
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) throw bad_input("holds no points", {file, 0, 0});
  return space_of(name_of(path), parameters_seen(entries), entries, file);
}

}  // namespace

RecordedSpace read_recorded_space(FileSystem& files, const std::filesystem::path& path,
                                  const std::function<void(const JsonNode&)>& take_head) {
  const std::string file = path.string();
  std::string text = read_input(files, path, kSpaceInput);
  if (text.starts_with(TuneJournal::kBeginning)) return space_of_journal(text, path);
  close_open_cache(text);
  std::vector<RecordedEntry> entries;
  const Json rest = parse_entries(text, file, [&](bool is_t4, const JsonNode& entry) {
    entries.push_back(is_t4 ? read_t4_entry(entry) : read_kernel_tuner_entry(entry));
  });
  const JsonNode root(rest, {file, 0, 0});
  const bool is_cache = rest.is_object() && rest.contains("cache");
  if (!is_cache && !(rest.is_object() && rest.contains("results")))
    throw root.expected(
        "a cache file of Kernel Tuner, with 'cache', T4 results, with 'results', or a journal of kiln tune");
  if (entries.empty()) throw bad_input("holds no points", {file, 0, 0});
  if (take_head) take_head(root);
  std::vector<RecordedParameter> parameters =
      is_cache ? read_kernel_tuner_parameters(root) : parameters_seen(entries);
  return space_of(name_of(path), std::move(parameters), entries, file);
}

}  // namespace kiln
