#include "wisdom/wisdom_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/file_lock.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "config/yaml_node.h"
#include "device/backend_kind.h"

namespace kiln {
namespace {

constexpr std::string_view kDateForm = "dddd-dd-dd";
constexpr std::size_t kLongestTime = 3;  // median and both ends of its interval

/// Names and values tell records apart, so they are read as they are written.
std::string printable(const YamlNode& node, std::string text) {
  if (printable_line(text) != text)
    throw node.error("expected text without control characters, in UTF-8; found " + in_quotes(text));
  return text;
}

std::string non_empty(const YamlNode& node) {
  std::string text = node.text();
  if (text.empty()) throw node.error("expected a text that is not empty");
  return printable(node, std::move(text));
}

/// A time that the text of a file holds with all its digits.
double seconds(const YamlNode& node) {
  constexpr double kLeast = 1e-12, kMost = 1e9;
  const double value = node.duration();
  if (!(value > 0)) throw node.error("expected more than 0; found " + in_quotes(node.text()));
  if (value < kLeast || value > kMost)
    throw node.error("expected a time from 1e-12 s to 1e9 s; found " + in_quotes(node.text()));
  return value;
}

NamedTexts read_texts(const YamlNode& node) {
  NamedTexts texts;
  for (const auto& [name, value] : node.entries())
    texts.emplace_back(printable(node, name), printable(value, value.text()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

WisdomDevice read_device(const YamlNode& node) {
  node.require_keys({"name", "backend", "arch", "units", "bandwidth"});
  WisdomDevice device;
  device.name = non_empty(node.at("name"));
  const YamlNode backend = node.at("backend");
  device.backend = backend.text();
  const std::vector<std::string> known = backend_names();
  if (std::find(known.begin(), known.end(), device.backend) == known.end())
    throw backend.error("unknown back end " + in_quotes(device.backend) + suggestion(device.backend, known));
  device.arch = non_empty(node.at("arch"));
  if (const auto units = node.find("units")) {
    const std::int64_t count = units->integer();
    if (count < 0 || count > 1'000'000) throw units->error("expected 0 to 1000000 compute units");
    device.units = static_cast<int>(count);
  }
  if (const auto bandwidth = node.find("bandwidth")) {
    device.bandwidth = bandwidth->real();
    if (device.bandwidth < 0) throw bandwidth->error("expected at least 0 GB/s");
  }
  return device;
}

WisdomKey read_key(const YamlNode& node) {
  node.require_keys({"workload", "objective", "device", "types", "size"});
  WisdomKey key;
  key.workload = non_empty(node.at("workload"));
  if (const auto objective = node.find("objective")) key.objective = non_empty(*objective);
  key.device = read_device(node.at("device"));
  if (const auto types = node.find("types")) key.types = read_texts(*types);
  if (const auto sizes = node.find("size")) {
    for (const auto& [name, value] : sizes->entries()) {
      const std::int64_t size = value.integer();
      if (size < 1) throw value.error("expected a size of at least 1; found " + value.text());
      key.size.emplace_back(printable(*sizes, name), size);
    }
    std::sort(key.size.begin(), key.size.end());
  }
  return key;
}

WisdomResult read_result(const YamlNode& node) {
  node.require_keys({"time", "value", "default", "rank", "points", "checked"});
  WisdomResult result;
  const YamlNode time = node.at("time");
  for (const YamlNode& item : time.items_or_self()) result.time.push_back(seconds(item));
  if (result.time.empty() || result.time.size() > kLongestTime)
    throw time.error("expected one to three times: median, and both ends of its interval");
  if (const auto value = node.find("value")) result.value = value->real();
  if (const auto other = node.find("default")) result.default_time = seconds(*other);
  if (const auto rank = node.find("rank")) {
    if (rank->integer() < 1) throw rank->error("expected a rank of at least 1; found " + rank->text());
    result.rank = static_cast<std::size_t>(rank->integer());
  }
  if (const auto points = node.find("points")) result.points = points->text();
  if (const auto checked = node.find("checked")) result.checked = checked->real();
  return result;
}

/// "2026-11-22".
bool is_date(const std::string& text) {
  if (text.size() != kDateForm.size()) return false;
  for (std::size_t i = 0; i < kDateForm.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (kDateForm[i] == 'd' ? !digit : text[i] != kDateForm[i]) return false;
  }
  return true;
}

WisdomOrigin read_origin(const YamlNode& node) {
  node.require_keys({"kiln", "source", "compiler", "driver", "date", "journal"});
  WisdomOrigin made;
  const auto read = [&](const char* key, std::string& text) {
    if (const auto found = node.find(key)) text = found->text();
  };
  read("kiln", made.kiln);
  read("source", made.source);
  read("compiler", made.compiler);
  read("driver", made.driver);
  read("date", made.date);
  read("journal", made.journal);
  if (!made.date.empty() && !is_date(made.date))
    throw node.at("date").error("expected a day such as 2026-11-22; found " + in_quotes(made.date));
  return made;
}

WisdomRecord read_record(const YamlNode& node) {
  node.require_keys({"key", "values", "result", "made"});
  WisdomRecord record;
  record.where = node.where();
  record.key = read_key(node.at("key"));
  record.values = read_texts(node.at("values"));
  if (record.values.empty()) throw node.at("values").error("expected at least one value");
  record.result = read_result(node.at("result"));
  if (const auto made = node.find("made")) record.made = read_origin(*made);
  return record;
}

/// A scalar of YAML inside of `{}`.
std::string scalar(const std::string& text) {
  const bool plain = !text.empty() && text != "~" && text != "null" &&
                     std::all_of(text.begin(), text.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
                     });
  if (plain && text != "-" && text != "---") return text;
  std::string quoted = "\"";
  for (const char c : printable_line(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// "{a: 1, b: x}" of what has a text.
std::string map_text(const NamedTexts& members) {
  std::vector<std::string> parts;
  for (const auto& [name, text] : members) parts.push_back(scalar(name) + ": " + text);
  return "{" + join(parts, ", ") + "}";
}

NamedTexts scalars(const NamedTexts& members) {
  NamedTexts texts;
  for (const auto& [name, text] : members) {
    if (!text.empty()) texts.emplace_back(name, scalar(text));
  }
  return texts;
}

/// Six digits: "4.31258 ms".
std::string time_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g ms", seconds * 1e3);
  return text.data();
}

std::string values_text(const WisdomRecord& record) {
  NamedTexts texts;
  for (const auto& [name, value] : record.values) texts.emplace_back(name, scalar(value));
  return map_text(texts);
}

std::string result_text(const WisdomResult& result) {
  std::vector<std::string> times;
  for (const double time : result.time) times.push_back(time_text(time));
  NamedTexts members{{"time", "[" + join(times, ", ") + "]"}};
  if (result.value) members.emplace_back("value", format_number(*result.value));
  if (result.default_time) members.emplace_back("default", time_text(*result.default_time));
  members.emplace_back("rank", std::to_string(result.rank));
  if (!result.points.empty()) members.emplace_back("points", scalar(result.points));
  if (result.checked) members.emplace_back("checked", format_number(*result.checked));
  return map_text(members);
}

std::string origin_text(const WisdomOrigin& made) {
  return map_text(scalars({{"kiln", made.kiln},
                           {"source", made.source},
                           {"compiler", made.compiler},
                           {"driver", made.driver},
                           {"date", made.date},
                           {"journal", made.journal}}));
}

std::string block_of(const WisdomRecord& record) {
  return "- key:    " + wisdom_key_text(record.key) + "\n  values: " + values_text(record) +
         "\n  result: " + result_text(record.result) + "\n  made:   " + origin_text(record.made) + "\n";
}

/// Whether `a` stands for a point in place of `b`: made later, or else better.
bool replaces(const WisdomRecord& a, const WisdomRecord& b) {
  if (a.made.date != b.made.date) return a.made.date > b.made.date;
  if (a.result.cost() != b.result.cost()) return a.result.cost() < b.result.cost();
  return origin_text(a.made) < origin_text(b.made);
}

}  // namespace

std::string wisdom_key_text(const WisdomKey& key) {
  NamedTexts device =
      scalars({{"name", key.device.name}, {"backend", key.device.backend}, {"arch", key.device.arch}});
  if (key.device.units > 0) device.emplace_back("units", std::to_string(key.device.units));
  if (key.device.bandwidth > 0)
    device.emplace_back("bandwidth", format_number(std::round(key.device.bandwidth)));
  NamedTexts sizes;
  for (const auto& [name, size] : key.size) sizes.emplace_back(name, std::to_string(size));
  NamedTexts members{
      {"workload", scalar(key.workload)}, {"objective", scalar(key.objective)}, {"device", map_text(device)}};
  if (!key.types.empty()) members.emplace_back("types", map_text(scalars(key.types)));
  if (!sizes.empty()) members.emplace_back("size", map_text(sizes));
  return map_text(members);
}

WisdomDevice wisdom_device(const DeviceInfo& device) {
  return {device.name, device.target.backend, device.target.arch, device.compute_units,
          device.memory_bandwidth};
}

std::string wisdom_file_name(const std::string& workload) {
  return workload + std::string(kWisdomEnding);
}

std::string wisdom_date(std::int64_t system_ns) {
  return to_iso8601(system_ns).substr(0, kDateForm.size());
}

std::vector<WisdomRecord> parse_wisdom(const std::string& text, const std::string& file) {
  const YamlNode root = YamlNode::parse(text, file);
  if (root.is_map() && root.entries().empty()) return {};  // a file of comments
  if (!root.is_sequence())
    throw root.error("expected a list of records, each with key, values, result and made");
  std::vector<WisdomRecord> records;
  for (const YamlNode& item : root.items()) records.push_back(read_record(item));
  return records;
}

std::vector<WisdomKey> parse_wisdom_keys(const std::vector<std::pair<std::string_view, int>>& keys,
                                         const std::string& file) {
  // One text, as a parser's start takes longer than a key.
  std::string text;
  int line = 1;
  for (const auto& [key, at] : keys) {
    text.append(static_cast<std::size_t>(at - line), '\n').append("- ").append(key);
    line = at;
  }
  std::vector<WisdomKey> read;
  if (keys.empty()) return read;
  for (const YamlNode& item : YamlNode::parse(text, file).items()) read.push_back(read_key(item));
  return read;
}

std::vector<WisdomRecord> read_wisdom_file(FileSystem& files, const std::filesystem::path& path) {
  return parse_wisdom(read_input(files, path), path.string());
}

std::string wisdom_text(const std::vector<WisdomRecord>& records) {
  std::string text =
      "# Points that were found to be fast; `kiln wisdom list` shows them, `kiln run --wisdom` uses them.\n";
  for (const WisdomRecord& record : records) text += block_of(record);
  return text;
}

std::vector<WisdomRecord> merge_wisdom(std::vector<WisdomRecord> records) {
  std::map<std::string, std::map<std::string, WisdomRecord>> points;  // by key, then by values
  for (WisdomRecord& record : records) {
    auto& known = points[wisdom_key_text(record.key)];
    const auto [place, is_new] = known.try_emplace(values_text(record), record);
    if (!is_new && replaces(record, place->second)) place->second = std::move(record);
  }
  std::vector<WisdomRecord> merged;
  for (auto& [key, by_values] : points) {
    std::vector<WisdomRecord> ranked;
    for (auto& [values, record] : by_values) ranked.push_back(std::move(record));
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.result.cost() < b.result.cost(); });
    ranked.resize(std::min(ranked.size(), kRanks));
    for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i].result.rank = i + 1;
    std::move(ranked.begin(), ranked.end(), std::back_inserter(merged));
  }
  return merged;
}

void update_wisdom_file(FileSystem& files, const std::filesystem::path& path,
                        std::vector<WisdomRecord> records, const std::vector<WisdomRecord>& failed) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  files.make_own_directories(folder);
  const FileLock lock(folder / ("." + path.filename().string() + ".lock"));
  if (files.target_status(path)) {
    std::vector<WisdomRecord> known = read_wisdom_file(files, path);
    std::erase_if(known, [&](const WisdomRecord& record) {
      return std::any_of(failed.begin(), failed.end(), [&](const WisdomRecord& one) {
        return wisdom_key_text(one.key) == wisdom_key_text(record.key) &&
               values_text(one) == values_text(record);
      });
    });
    std::move(known.begin(), known.end(), std::back_inserter(records));
  }
  write_output_file(files, path, wisdom_text(merge_wisdom(std::move(records))));
}

}  // namespace kiln
