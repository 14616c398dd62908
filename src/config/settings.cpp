#include "config/settings.h"

#include <algorithm>
#include <system_error>

#include "base/folder_trust.h"
#include "base/input_file.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "config/yaml_node.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

bool is_directory(FileSystem& files, const Path& path) {
  const auto status = files.target_status(path);
  return status && status->type == FileStatus::Type::kDirectory;
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
  Path stated = world.environment(variable).value_or("");
  if (stated.is_absolute()) return stated;
  const Path home = home_of(world);
  return home.empty() ? Path() : home / below_home;
}

/// `name` below the user's folder for caches.
Path cache_folder(const SettingsWorld& world, const Path& name, const std::string& name_in_temporary) {
  const Path folder = xdg_folder(world, "XDG_CACHE_HOME", ".cache");
  if (!folder.empty()) return folder / name;
  return temporary_folder() / (name_in_temporary + "-" + std::to_string(current_user_id()));
}

/// `name` below the user's folder for data; empty where there is none.
std::string data_folder(const SettingsWorld& world, const Path& name) {
  const Path folder = xdg_folder(world, "XDG_DATA_HOME", ".local/share");
  return folder.empty() ? "" : (folder / name).string();
}

Path default_cache_dir(const SettingsWorld& world, const std::optional<Path>& checkout) {
  return checkout ? *checkout / "jit_cache" : cache_folder(world, "kiln", "kiln");
}

/// Folders of the executable's installation and of the installations of Kiln's library, if they exist.
std::vector<std::string> default_workload_path(const SettingsWorld& world,
                                               const std::optional<Path>& checkout) {
  if (checkout) return {(*checkout / "kernels_src").string()};
  const Path below = Path("share") / "kiln" / "kernels_src";
  std::vector<std::string> folders;
  if (!world.executable.empty())
    folders.push_back((world.executable.parent_path().parent_path() / below).string());
  for (const Path& prefix : world.prefixes) {
    const std::string folder = (prefix / below).string();
    const bool is_new = std::find(folders.begin(), folders.end(), folder) == folders.end();
    if (is_new && is_directory(world.files, folder) && !find_distrust(world.files, folder))
      folders.push_back(folder);
  }
  return folders;
}

/// The folder that holds both kernels_src/ and jit_cache/, at or above the executable or else the working
/// directory; the latter only if no other user's kernels are in it.
std::optional<Path> find_checkout(const SettingsWorld& world, std::vector<std::string>& warnings) {
  if (auto found = checkout_above(world.files, world.executable.parent_path())) return found;
  if (world.embedded) return std::nullopt;
  auto found = checkout_above(world.files, world.working_directory);
  if (!found) return std::nullopt;
  const auto why = find_distrust(world.files, *found / "kernels_src");
  if (!why) return found;
  warnings.push_back("'" + (*found / "kernels_src").string() + "' is not used: " + *why +
                     "; name it with workload_path to use it");
  return std::nullopt;
}

Settings default_settings(const SettingsWorld& world, std::vector<std::string>& warnings) {
  const std::optional<Path> checkout = find_checkout(world, warnings);
  Settings settings;
  settings.cache_dir = default_cache_dir(world, checkout).string();
  settings.workload_path = default_workload_path(world, checkout);
  settings.wisdom_dir = data_folder(world, "kiln/wisdom");
  return settings;
}

/// Why a settings file that the user did not name must be ignored: it may name compilers and libraries to
/// run.
std::optional<std::string> find_file_distrust(FileSystem& files, const Path& path) {
  constexpr std::uint32_t kWritableByOthers = 0022;
  const auto belongs = [](std::uint32_t owner) {
    return " belongs to user " + std::to_string(owner) + " and you are user " +
           std::to_string(current_user_id());
  };
  if (const auto why = find_distrust(files, path.parent_path())) return "its folder is not safe, " + *why;
  auto status = files.status(path);
  if (status && !is_trusted_owner(status->owner)) return "it" + belongs(status->owner);
  if (status && status->type == FileStatus::Type::kSymlink) {
    status = files.target_status(path);
    if (status && !is_trusted_owner(status->owner)) return "what it leads to" + belongs(status->owner);
  }
  if (status && (status->mode & kWritableByOthers) != 0) return "its group or anyone may write to it";
  return std::nullopt;
}

struct SettingsFile {
  Path path;
  std::string asked_by;  ///< empty: it lies in one of the usual places
};

/// A settings file that was asked for must exist; the usual places may be empty.
std::optional<SettingsFile> find_settings_file(const SettingsWorld& world, const SettingsOverrides& overrides,
                                               std::vector<std::string>& warnings) {
  if (!overrides.file.empty()) return SettingsFile{world.working_directory / overrides.file, "--settings"};
  if (const auto stated = world.environment("KILN_SETTINGS"))
    return SettingsFile{world.working_directory / *stated, "KILN_SETTINGS"};
  const Path here = world.working_directory / "kiln.yaml";
  if (!world.embedded && world.files.status(here)) {
    const auto why = find_file_distrust(world.files, here);
    if (!why) return SettingsFile{here, ""};
    warnings.push_back("the settings file '" + here.string() + "' is not read: " + *why +
                       "; --settings kiln.yaml reads it all the same");
  }
  const Path folder = xdg_folder(world, "XDG_CONFIG_HOME", ".config") / "kiln";
  if (folder.is_absolute() && world.files.status(folder / "settings.yaml"))
    return SettingsFile{folder / "settings.yaml", ""};
  return std::nullopt;
}

std::string read_settings_file(const SettingsWorld& world, const SettingsFile& file) {
  if (!world.files.status(file.path))
    throw bad_input(file.asked_by + ": there is no settings file " + file.path.string());
  try {
    return read_input(world.files, file.path, kJobInput);
  } catch (const Error& error) {
    throw bad_input("the settings file " + error.message(), {file.path.string(), 0, 0});
  }
}

/// In the user's form: relative if it is below the working directory.
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

void take_node(const SettingsWorld& world, const SettingRow& row, const YamlNode& node, const Path& folder,
               Settings& settings) {
  const std::string text = value_text(node, row);
  try {
    assign_setting(settings, row, text, {folder, home_of(world)});
  } catch (const Error& error) {
    throw node.error(error.message());
  }
}

class Resolver {
 public:
  explicit Resolver(const SettingsWorld& world) : world_(world) {
    result_.values = default_settings(world, result_.warnings);
    for (const SettingRow& row : setting_rows()) result_.sources[row.name] = {};
  }

  void take_file(const SettingsOverrides& overrides) {
    const auto file = find_settings_file(world_, overrides, result_.warnings);
    if (!file) return;
    const std::string text = read_settings_file(world_, *file);
    result_.file = shown_path(world_, file->path);
    const YamlNode root = YamlNode::parse(text, result_.file);
    root.require_keys(setting_names());
    for (const SettingRow& row : setting_rows()) {
      const auto node = root.find(row.name);
      if (!node) continue;
      take_node(world_, row, *node, file->path.parent_path(), result_.values);
      result_.sources[row.name] = {SettingSource::Kind::kFile, node->where().to_string()};
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
  SettingsWorld world{files, read_environment, std::filesystem::current_path(ignored),
                      std::filesystem::read_symlink("/proc/self/exe", ignored)};
  const Path object = std::filesystem::canonical(this_object(), ignored);
  if (!object.empty()) world.prefixes.push_back(object.parent_path().parent_path());
  world.prefixes.emplace_back(KILN_INSTALL_PREFIX);
  return world;
}

ResolvedSettings resolve_settings(const SettingsWorld& world, const SettingsOverrides& overrides) {
  Resolver resolver(world);
  resolver.take_file(overrides);
  resolver.take_environment();
  resolver.take_command_line(overrides);
  return resolver.take();
}

void assign_lines(const SettingsWorld& world, const std::string& lines, Settings& settings) {
  if (trim(lines).empty()) return;
  const YamlNode root = YamlNode::parse(lines, "settings");
  root.require_keys(setting_names());
  for (const SettingRow& row : setting_rows()) {
    const auto node = root.find(row.name);
    if (node) take_node(world, row, *node, world.working_directory, settings);
  }
}

Settings application_settings(const SettingsWorld& world, const std::string& name) {
  const bool is_one_name = !name.empty() && name != "." && name != ".." &&
                           name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  if (!is_one_name)
    throw bad_input("for_application: '" + name + "' is not a name of a folder; expected one as 'my-solver'");
  Settings settings;
  settings.cache_dir = cache_folder(world, Path(name) / "kiln", "kiln-" + name).string();
  settings.workload_path = default_workload_path(world, std::nullopt);
  settings.wisdom_dir = data_folder(world, Path(name) / "kiln" / "wisdom");
  return settings;
}

Settings Settings::for_application(const std::string& name) {
  const std::unique_ptr<FileSystem> files = make_real_file_system();
  return application_settings(make_settings_world(*files), name);
}

Settings Settings::from_environment() {
  const std::unique_ptr<FileSystem> files = make_real_file_system();
  SettingsWorld world = make_settings_world(*files);
  world.embedded = true;
  return resolve_settings(world, {}).values;
}

}  // namespace kiln
