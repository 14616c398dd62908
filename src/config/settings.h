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

/// Where a setting's value came from, weakest first.
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
};

/// Of this process.
[[nodiscard]] SettingsWorld make_settings_world(FileSystem& files);

/// What the command line says: a settings file, and texts by setting name.
struct SettingsOverrides {
  std::string file;
  std::vector<std::pair<std::string, std::string>> values;
};

/// The values and, by name, where each came from.
struct ResolvedSettings {
  Settings values;
  std::map<std::string, SettingSource> sources;
  std::string file;  ///< the settings file that was read; empty: none
};

/// The file is the override's, else KILN_SETTINGS, else ./kiln.yaml, else $XDG_CONFIG_HOME/kiln/settings.yaml
/// (by default in ~/.config). Throws bad_input naming place, value and what is expected; for an unknown key
/// the nearest one; for a file that was asked for and is not there.
[[nodiscard]] ResolvedSettings resolve_settings(const SettingsWorld& world,
                                                const SettingsOverrides& overrides);

/// The folder that holds both kernels_src/ and jit_cache/, at or above the executable or else the working
/// directory.
[[nodiscard]] std::optional<std::filesystem::path> find_checkout(const SettingsWorld& world);

}  // namespace kiln
