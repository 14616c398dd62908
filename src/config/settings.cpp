#include "config/settings.h"

#include <system_error>

#include "base/text.h"
#include "config/yaml_node.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

bool is_directory(FileSystem& files, const Path& path) {
  const auto status = files.status(path);
  if (!status) return false;
  if (status->type == FileStatus::Type::kSymlink) return std::filesystem::is_directory(path);
  return status->type == FileStatus::Type::kDirectory;
}

std::optional<Path> checkout_above(FileSystem& files, Path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_directory(files, folder / "kernels_src") && is_directory(files, folder / "jit_cache"))
      return folder;
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

Path home_of(const SettingsWorld& world) {
  return world.environment("HOME").value_or("");
}

/// The XDG base directory specification: a variable that is not an absolute path counts as unset.
Path xdg_folder(const SettingsWorld& world, const std::string& variable, const char* below_home) {
  const Path stated = world.environment(variable).value_or("");
  if (stated.is_absolute()) return stated / "kiln";
  const Path home = home_of(world);
  return home.empty() ? Path() : home / below_home / "kiln";
}

Path default_cache_dir(const SettingsWorld& world, const std::optional<Path>& checkout) {
  if (checkout) return *checkout / "jit_cache";
  Path folder = xdg_folder(world, "XDG_CACHE_HOME", ".cache");
  if (!folder.empty()) return folder;
  return std::filesystem::temp_directory_path() / ("kiln-" + std::to_string(current_user_id()));
}

std::vector<std::string> default_workload_path(const SettingsWorld& world,
                                               const std::optional<Path>& checkout) {
  if (checkout) return {(*checkout / "kernels_src").string()};
  if (world.executable.empty()) return {};
  const Path prefix = world.executable.parent_path().parent_path();
  return {(prefix / "share" / "kiln" / "kernels_src").string()};
}

Settings default_settings(const SettingsWorld& world) {
  const std::optional<Path> checkout = find_checkout(world);
  Settings settings;
  settings.cache_dir = default_cache_dir(world, checkout).string();
  settings.workload_path = default_workload_path(world, checkout);
  return settings;
}

/// A settings file that was asked for must exist; the usual places may be empty.
std::optional<Path> find_settings_file(const SettingsWorld& world, const SettingsOverrides& overrides) {
  if (!overrides.file.empty()) return world.working_directory / overrides.file;
  if (const auto stated = world.environment("KILN_SETTINGS")) return world.working_directory / *stated;
  const Path here = world.working_directory / "kiln.yaml";
  if (world.files.status(here)) return here;
  const Path folder = xdg_folder(world, "XDG_CONFIG_HOME", ".config");
  if (!folder.empty() && world.files.status(folder / "settings.yaml")) return folder / "settings.yaml";
  return std::nullopt;
}

std::string read_settings_file(const SettingsWorld& world, const SettingsOverrides& overrides,
                               const Path& path) {
  const std::string asked_by = !overrides.file.empty() ? "--settings" : "KILN_SETTINGS";
  try {
    if (auto text = world.files.read_file(path)) return *std::move(text);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the settings file cannot be read: " + error.code().message(), {path.string()});
  }
  throw bad_input(asked_by + ": there is no settings file " + path.string());
}

/// As the user would write it: relative where it lies below the working directory.
std::string shown_path(const SettingsWorld& world, const Path& path) {
  const Path relative = path.lexically_relative(world.working_directory);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

std::string value_text(const YamlNode& node, const SettingRow& row) {
  if (row.kind != SettingKind::kPathList || !node.is_sequence()) return node.text();
  std::vector<std::string> parts;
  for (const YamlNode& item : node.items()) parts.push_back(item.text());
  return join(parts, ":");
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names;
  for (const SettingRow& row : setting_rows()) names.push_back(row.name);
  return names;
}

class Resolver {
 public:
  explicit Resolver(const SettingsWorld& world) : world_(world) {
    result_.values = default_settings(world);
    for (const SettingRow& row : setting_rows()) result_.sources[row.name] = {};
  }

  void take_file(const SettingsOverrides& overrides) {
    const auto path = find_settings_file(world_, overrides);
    if (!path) return;
    const std::string text = read_settings_file(world_, overrides, *path);
    result_.file = shown_path(world_, *path);
    const YamlNode root = YamlNode::parse(text, result_.file);
    root.require_keys(setting_names());
    for (const SettingRow& row : setting_rows()) {
      const auto node = root.find(row.name);
      if (node) take_node(row, *node, path->parent_path());
    }
  }

  void take_environment() {
    for (const SettingRow& row : setting_rows()) {
      const auto text = world_.environment(row.variable);
      if (!text) continue;
      const std::string& value = row.kind == SettingKind::kColor ? kNever : *text;
      assign(row, value, {SettingSource::Kind::kEnvironment, row.variable}, row.variable);
    }
  }

  void take_command_line(const SettingsOverrides& overrides) {
    for (const auto& [name, text] : overrides.values) {
      for (const SettingRow& row : setting_rows()) {
        if (row.name == name) assign(row, text, {SettingSource::Kind::kCommandLine, row.option}, row.option);
      }
    }
  }

  [[nodiscard]] ResolvedSettings take() { return std::move(result_); }

 private:
  inline static const std::string kNever = "never";

  void take_node(const SettingRow& row, const YamlNode& node, const Path& folder) {
    const std::string text = value_text(node, row);
    try {
      assign_setting(result_.values, row, text, {folder, home_of(world_)});
    } catch (const Error& error) {
      throw node.error(error.message());
    }
    result_.sources[row.name] = {SettingSource::Kind::kFile, node.where().to_string()};
  }

  void assign(const SettingRow& row, const std::string& text, SettingSource source,
              const std::string& place) {
    try {
      assign_setting(result_.values, row, text, {world_.working_directory, home_of(world_)});
    } catch (const Error& error) {
      throw bad_input(place + ": " + error.message());
    }
    result_.sources[row.name] = std::move(source);
  }

  const SettingsWorld& world_;
  ResolvedSettings result_;
};

}  // namespace

std::string SettingSource::to_string() const {
  switch (kind) {
    case Kind::kDefault:
      return "default";
    case Kind::kFile:
      return "file " + place;
    case Kind::kEnvironment:
      return "environment " + place;
    case Kind::kCommandLine:
      return "command line " + place;
  }
  return "";
}

SettingsWorld make_settings_world(FileSystem& files) {
  std::error_code ignored;
  return {files, read_environment, std::filesystem::current_path(ignored),
          std::filesystem::read_symlink("/proc/self/exe", ignored)};
}

ResolvedSettings resolve_settings(const SettingsWorld& world, const SettingsOverrides& overrides) {
  Resolver resolver(world);
  resolver.take_file(overrides);
  resolver.take_environment();
  resolver.take_command_line(overrides);
  return resolver.take();
}

std::optional<Path> find_checkout(const SettingsWorld& world) {
  if (auto found = checkout_above(world.files, world.executable.parent_path())) return found;
  return checkout_above(world.files, world.working_directory);
}

Settings Settings::from_environment() {
  const std::unique_ptr<FileSystem> files = make_real_file_system();
  return resolve_settings(make_settings_world(*files), {}).values;
}

}  // namespace kiln
