#include "isolate/capsule.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/json_integer.h"
#include "base/text.h"
#include "config/setting_rows.h"
#include "config/yaml_node.h"
#include "isolate/byte_text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Json = nlohmann::json;
using Path = std::filesystem::path;

constexpr int kFormat = 1;
constexpr const char* kCapsuleFile = "capsule.json";
constexpr const char* kSettingsFile = "settings.yaml";
constexpr const char* kSourceFile = "source.cu";
constexpr const char* kParamsFile = "params.h";
constexpr const char* kHeaderFolder = "headers";
constexpr const char* kFailureFile = "failure.txt";
constexpr const char* kLogFile = "log.txt";

Json list_to_json(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& item : list) json.push_back(bytes_to_json(item));
  return json;
}

std::vector<std::string> list_from_json(const Json& json) {
  std::vector<std::string> list;
  for (const Json& item : json) list.push_back(bytes_from_json(item));
  return list;
}

Json to_json(const EntryPoint& entry) {
  Json json = {{"name", bytes_to_json(entry.name_expression)},
               {"launch_bounds", bytes_to_json(entry.launch_bounds)}};
  if (entry.fixed_block)
    json["fixed_block"] = {entry.fixed_block->x, entry.fixed_block->y, entry.fixed_block->z};
  return json;
}

EntryPoint entry_from(const Json& json) {
  EntryPoint entry;
  entry.name_expression = bytes_from_json(json.at("name"));
  entry.launch_bounds = bytes_from_json(json.at("launch_bounds"));
  if (json.contains("fixed_block")) {
    const Json& extents = json.at("fixed_block");
    const auto extent = [&](std::size_t i) { return integer_from<std::uint64_t>(extents.at(i)); };
    entry.fixed_block = Dim3{extent(0), extent(1), extent(2)};
  }
  return entry;
}

/// Names of headers may hold "../": their texts are numbered files.
std::string header_file(std::size_t index) {
  return std::to_string(index) + ".h";
}

Json to_json(const Capsule& capsule) {
  // Names every member, so that a new one cannot be forgotten here.
  const auto& [source_name, source_path, source_text, params_header, headers, unseen_headers, defines,
               options, include_directories, unknown_input, fast_math, lineinfo, entries, target, left_out,
               written, wide_warps] = capsule.specialization;
  Json header_names = Json::array();
  for (const IncludedHeader& header : headers)
    header_names.push_back({{"name", bytes_to_json(header.name)}, {"path", bytes_to_json(header.path)}});
  Json macros = Json::array();
  for (const auto& [name, value] : defines) macros.push_back({bytes_to_json(name), bytes_to_json(value)});
  Json entry_list = Json::array();
  for (const EntryPoint& entry : entries) entry_list.push_back(to_json(entry));
  return {{"format", kFormat},
          {"kiln", capsule.kiln_version},
          {"compiler",
           {{"name", capsule.compiler.name},
            {"version", capsule.compiler.version},
            {"fingerprint", capsule.compiler.fingerprint}}},
          {"target", {{"backend", target.backend}, {"arch", target.arch}, {"warp_size", target.warp_size}}},
          {"source_name", bytes_to_json(source_name)},
          {"source_path", bytes_to_json(source_path)},
          {"source_bytes", source_text.size()},
          {"params_bytes", params_header.size()},
          {"headers", header_names},
          {"unseen_headers", list_to_json(unseen_headers)},
          {"defines", macros},
          {"options", list_to_json(options)},
          {"include_directories", list_to_json(include_directories)},
          {"unknown_input", bytes_to_json(unknown_input)},
          {"left_out", list_to_json(left_out)},
          {"fast_math", fast_math},
          {"lineinfo", lineinfo},
          {"entries", entry_list}};
}

Capsule capsule_from(const Json& json) {
  Capsule capsule;
  capsule.kiln_version = json.at("kiln").get<std::string>();
  const Json& compiler = json.at("compiler");
  capsule.compiler = {compiler.at("name").get<std::string>(), compiler.at("version").get<std::string>(),
                      compiler.at("fingerprint").get<std::string>()};
  Specialization& spec = capsule.specialization;
  const Json& target = json.at("target");
  spec.target = {target.at("backend").get<std::string>(), target.at("arch").get<std::string>(),
                 integer_from<int>(target.at("warp_size"))};
  spec.source_name = bytes_from_json(json.at("source_name"));
  spec.source_path = bytes_from_json(json.at("source_path"));
  for (const Json& header : json.at("headers"))
    spec.headers.push_back({bytes_from_json(header.at("name")), bytes_from_json(header.at("path")), ""});
  spec.unseen_headers = list_from_json(json.at("unseen_headers"));
  for (const Json& macro : json.at("defines"))
    spec.defines.emplace_back(bytes_from_json(macro.at(0)), bytes_from_json(macro.at(1)));
  spec.options = list_from_json(json.at("options"));
  spec.include_directories = list_from_json(json.at("include_directories"));
  if (json.contains("unknown_input")) spec.unknown_input = bytes_from_json(json.at("unknown_input"));
  if (json.contains("left_out")) spec.left_out = list_from_json(json.at("left_out"));
  spec.fast_math = json.at("fast_math").get<bool>();
  spec.lineinfo = json.at("lineinfo").get<bool>();
  for (const Json& entry : json.at("entries")) spec.entries.push_back(entry_from(entry));
  return capsule;
}

/// Without the library's own numbering of its errors: "key 'format' not found".
std::string complaint_of(const Json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return "the fault: " + (end == std::string::npos ? text : text.substr(end + 2));
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const SettingRow& row : setting_rows()) {
    const std::string value = setting_text(settings, row);
    // JSON's strings are YAML's.
    text += row.name + ": " + (is_utf8(value) ? Json(value).dump() : "{hex: \"" + hex_digits(value) + "\"}") +
            "\n";
  }
  return text;
}

/// A capsule that another version of Kiln wrote may lack settings, or have some that this one does not know.
Settings settings_from(const std::string& text, const std::string& file) {
  Settings settings;
  const YamlNode root = YamlNode::parse(text, file);
  for (const SettingRow& row : setting_rows()) {
    const auto value = root.find(row.name);
    if (value)
      assign_setting(settings, row, value->is_map() ? from_hex(value->at("hex").text()) : value->text(), {});
  }
  return settings;
}

}  // namespace

void write_capsule(FileSystem& files, const Path& folder, const Capsule& capsule) {
  constexpr int kIndent = 1;
  const Specialization& spec = capsule.specialization;
  const std::string description = to_json(capsule).dump(kIndent) + "\n";
  const std::string settings = settings_text(capsule.settings);
  if (!spec.headers.empty()) files.make_directories(folder / kHeaderFolder, true);
  for (std::size_t i = 0; i < spec.headers.size(); ++i)
    files.write_file(folder / kHeaderFolder / header_file(i), spec.headers[i].text, false);
  files.write_file(folder / kSourceFile, spec.source_text, false);
  files.write_file(folder / kParamsFile, spec.params_header, false);
  files.write_file(folder / kSettingsFile, settings, false);
  files.write_file(folder / kCapsuleFile, description, false);
}

bool is_capsule_folder(FileSystem& files, const Path& folder) {
  constexpr std::array kNames = {kCapsuleFile,  kSettingsFile, kSourceFile, kParamsFile,
                                 kHeaderFolder, kFailureFile,  kLogFile};
  const auto status = files.status(folder);
  if (!status || status->type != FileStatus::Type::kDirectory) return false;
  const std::vector<std::string> names = files.list(folder);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  });
}

Capsule read_capsule(FileSystem& files, const Path& folder) {
  const std::string description = read_input(files, folder / kCapsuleFile);
  Capsule capsule;
  try {
    const Json json = Json::parse(description);
    if (const int format = integer_from<int>(json.at("format")); format != kFormat) {
      throw bad_input("expected a capsule of format " + std::to_string(kFormat) + ", found format " +
                          std::to_string(format),
                      {(folder / kCapsuleFile).string(), 0, 0});
    }
    capsule = capsule_from(json);
  } catch (const Json::parse_error& error) {
    throw bad_input(
        "expected the JSON text of a failure capsule, found none at byte " + std::to_string(error.byte),
        {(folder / kCapsuleFile).string(), 0, 0});
  } catch (const Json::exception& error) {
    throw bad_input("expected the description of a failure capsule as Kiln writes it, found one with " +
                        complaint_of(error),
                    {(folder / kCapsuleFile).string(), 0, 0});
  } catch (const Error& error) {
    if (!error.location().file.empty()) throw;
    throw bad_input(error.message(), {(folder / kCapsuleFile).string(), 0, 0});
  }
  Specialization& spec = capsule.specialization;
  for (std::size_t i = 0; i < spec.headers.size(); ++i)
    spec.headers[i].text = read_input(files, folder / kHeaderFolder / header_file(i), kKernelInput);
  spec.source_text = read_input(files, folder / kSourceFile, kKernelInput);
  spec.params_header = read_input(files, folder / kParamsFile, kKernelInput);
  const Path settings = folder / kSettingsFile;
  capsule.settings = settings_from(read_input(files, settings), settings.string());
  return capsule;
}

void write_failure(FileSystem& files, const Path& folder, const Diagnostic& failure) {
  files.write_file(folder / kFailureFile, failure.summary + "\n" + failure.command + "\n", false);
  files.write_file(folder / kLogFile, failure.log, false);
}

std::string read_failure(FileSystem& files, const Path& folder) {
  if (!files.status(folder / kFailureFile)) return "";
  const std::string text = read_input(files, folder / kFailureFile);
  return text.substr(0, text.find('\n'));
}

}  // namespace kiln
