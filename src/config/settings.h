#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/file.h"
#include "config/setting_rows.h"
#include "kiln/settings.h"

namespace kiln {

/// Source of a setting's value, weakest first.
struct SettingSource {
  enum class Kind { kDefault, kFile, kEnvironment, kCommandLine };
  Kind kind = Kind::kDefault;
  std::string place;  ///< "kiln.yaml:3:1", "KILN_CACHE_DIR", "--cache-dir"; empty for a default

  /// "default", "file kiln.yaml:3:1", "environment KILN_CACHE_DIR", "command line --cache-dir".
  [[nodiscard]] std::string to_string() const;
};

/// The world that settings are read in.
struct SettingsWorld {
  FileSystem& files;
  std::function<std::optional<std::string>(const std::string&)> environment;
  std::filesystem::path working_directory;
  std::filesystem::path executable;  ///< empty if not known
  bool embedded = false;  ///< in a program that embeds Kiln: nothing is looked for in the working directory
  std::vector<std::filesystem::path> prefixes = {};  ///< where Kiln is installed, beside the executable's
};

/// Of this process.
[[nodiscard]] SettingsWorld make_settings_world(FileSystem& files);

/// Settings of the command line: a settings file, and texts by setting name.
struct SettingsOverrides {
  std::string file;
  std::vector<std::pair<std::string, std::string>> values;
};

/// The values and, by name, where each came from.
struct ResolvedSettings {
  Settings values;
  std::map<std::string, SettingSource> sources;
  std::string file;                   ///< the settings file that was read; empty: none
  std::vector<std::string> warnings;  ///< what lies in the working directory and is not used, and why
};

/// The file is the override's, else KILN_SETTINGS, else ./kiln.yaml, else $XDG_CONFIG_HOME/kiln/settings.yaml
/// (by default in ~/.config). ./kiln.yaml, which the user did not name, is read if the file, a link with its
/// target and the folder are this user's or root's, and no other user may write to the file. Throws bad_input
/// with place, value and what is expected; for an unknown key with the nearest one; for a named file that
/// does not exist.
[[nodiscard]] ResolvedSettings resolve_settings(const SettingsWorld& world,
                                                const SettingsOverrides& overrides);

/// Lines of a settings file, "name: value", over settings that are there. A relative path is relative to the
/// working directory. Throws bad_input naming line, key and what is expected.
void assign_lines(const SettingsWorld& world, const std::string& lines, Settings& settings);

/// Settings::for_application.
[[nodiscard]] Settings application_settings(const SettingsWorld& world, const std::string& name);

}  // namespace kiln
