#include "isolate/capsule.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "config/setting_rows.h"
#include "config/yaml_node.h"
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

Json to_json(const EntryPoint& entry) {
  Json json = {{"name", entry.name_expression}, {"launch_bounds", entry.launch_bounds}};
  if (entry.fixed_block)
    json["fixed_block"] = {entry.fixed_block->x, entry.fixed_block->y, entry.fixed_block->z};
  return json;
}

EntryPoint entry_from(const Json& json) {
  EntryPoint entry;
  entry.name_expression = json.at("name").get<std::string>();
  entry.launch_bounds = json.at("launch_bounds").get<std::string>();
  if (json.contains("fixed_block")) {
    const auto extents = json.at("fixed_block").get<std::array<std::uint64_t, 3>>();
    entry.fixed_block = Dim3{extents[0], extents[1], extents[2]};
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
               options, include_directories, unknown_input, fast_math, lineinfo, entries, target] =
      capsule.specialization;
  Json header_names = Json::array();
  for (const IncludedHeader& header : headers)
    header_names.push_back({{"name", header.name}, {"path", header.path}});
  Json entry_list = Json::array();
  for (const EntryPoint& entry : entries) entry_list.push_back(to_json(entry));
  return {{"format", kFormat},
          {"kiln", capsule.kiln_version},
          {"compiler",
           {{"name", capsule.compiler.name},
            {"version", capsule.compiler.version},
            {"fingerprint", capsule.compiler.fingerprint}}},
          {"target", {{"backend", target.backend}, {"arch", target.arch}, {"warp_size", target.warp_size}}},
          {"source_name", source_name},
          {"source_path", source_path},
          {"source_bytes", source_text.size()},
          {"params_bytes", params_header.size()},
          {"headers", header_names},
          {"unseen_headers", unseen_headers},
          {"defines", defines},
          {"options", options},
          {"include_directories", include_directories},
          {"unknown_input", unknown_input},
          {"fast_math", fast_math},
          {"lineinfo", lineinfo},
          {"entries", entry_list}};
}

Capsule capsule_from(const Json& json) {
  if (json.at("format").get<int>() != kFormat) throw bad_input("its format is not known");
  Capsule capsule;
  capsule.kiln_version = json.at("kiln").get<std::string>();
  const Json& compiler = json.at("compiler");
  capsule.compiler = {compiler.at("name").get<std::string>(), compiler.at("version").get<std::string>(),
                      compiler.at("fingerprint").get<std::string>()};
  Specialization& spec = capsule.specialization;
  const Json& target = json.at("target");
  spec.target = {target.at("backend").get<std::string>(), target.at("arch").get<std::string>(),
                 target.at("warp_size").get<int>()};
  spec.source_name = json.at("source_name").get<std::string>();
  spec.source_path = json.at("source_path").get<std::string>();
  for (const Json& header : json.at("headers"))
    spec.headers.push_back({header.at("name").get<std::string>(), header.at("path").get<std::string>(), ""});
  spec.unseen_headers = json.at("unseen_headers").get<std::vector<std::string>>();
  spec.defines = json.at("defines").get<std::vector<std::pair<std::string, std::string>>>();
  spec.options = json.at("options").get<std::vector<std::string>>();
  spec.include_directories = json.at("include_directories").get<std::vector<std::string>>();
  spec.unknown_input = json.value("unknown_input", "");
  spec.fast_math = json.at("fast_math").get<bool>();
  spec.lineinfo = json.at("lineinfo").get<bool>();
  for (const Json& entry : json.at("entries")) spec.entries.push_back(entry_from(entry));
  return capsule;
}

std::string settings_text(const Settings& settings) {
  std::string text;
  for (const SettingRow& row : setting_rows())
    text += row.name + ": " + Json(setting_text(settings, row)).dump() + "\n";  // JSON's strings are YAML's
  return text;
}

/// A capsule that another version of Kiln wrote may lack settings, or have some that this one does not know.
Settings settings_from(const std::string& text, const std::string& file) {
  Settings settings;
  const YamlNode root = YamlNode::parse(text, file);
  for (const SettingRow& row : setting_rows()) {
    if (const auto value = root.find(row.name)) assign_setting(settings, row, value->text(), {});
  }
  return settings;
}

}  // namespace

void write_capsule(FileSystem& files, const Path& folder, const Capsule& capsule) {
  constexpr int kIndent = 1;
  const Specialization& spec = capsule.specialization;
  std::string description;
  std::string settings;
  try {
    description = to_json(capsule).dump(kIndent) + "\n";
    settings = settings_text(capsule.settings);
  } catch (const Json::type_error& error) {
    throw bad_input(spec.source_name + ": a name or an option is not UTF-8: " + error.what());
  }
  if (!spec.headers.empty()) files.make_directories(folder / kHeaderFolder, true);
  for (std::size_t i = 0; i < spec.headers.size(); ++i)
    files.write_file(folder / kHeaderFolder / header_file(i), spec.headers[i].text, false);
  files.write_file(folder / kSourceFile, spec.source_text, false);
  files.write_file(folder / kParamsFile, spec.params_header, false);
  files.write_file(folder / kSettingsFile, settings, false);
  files.write_file(folder / kCapsuleFile, description, false);
}

Capsule read_capsule(FileSystem& files, const Path& folder) {
  const std::string description = read_input(files, folder / kCapsuleFile);
  Capsule capsule;
  try {
    capsule = capsule_from(Json::parse(description));
  } catch (const Json::exception& error) {
    throw bad_input(std::string("is not as expected: ") + error.what(),
                    {(folder / kCapsuleFile).string(), 0, 0});
  }
  Specialization& spec = capsule.specialization;
  for (std::size_t i = 0; i < spec.headers.size(); ++i)
    spec.headers[i].text = read_input(files, folder / kHeaderFolder / header_file(i));
  spec.source_text = read_input(files, folder / kSourceFile);
  spec.params_header = read_input(files, folder / kParamsFile);
  const Path settings = folder / kSettingsFile;
  capsule.settings = settings_from(read_input(files, settings), settings.string());
  return capsule;
}

void write_failure(FileSystem& files, const Path& folder, const Diagnostic& failure) {
  files.write_file(folder / kFailureFile, failure.summary + "\n" + failure.command + "\n", false);
  files.write_file(folder / kLogFile, failure.log, false);
}

std::string read_failure(FileSystem& files, const Path& folder) {
  const std::string text = files.read_file(folder / kFailureFile).value_or("");
  return text.substr(0, text.find('\n'));
}

}  // namespace kiln
