#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "kiln/settings.h"

namespace kiln {

/// The kind of text that a setting takes.
enum class SettingKind {
  kText,
  kWord,      ///< one of `words`
  kPath,      ///< a file or folder; `~/` is the home folder
  kPathList,  ///< several, separated by ':'; in a settings file also a list
  kRemote,    ///< the address of a server, see parse_remote_address; empty: none
  kSwitch,    ///< on or off
  kCount,     ///< a whole number, at least 0
  kSeconds,   ///< see parse_seconds
  kBytes,     ///< see parse_bytes; the only one of `words`, if there is one, means 0
  kColor,     ///< one of `words`; its variable means "never" whatever it holds (https://no-color.org)
};

using SettingMember =
    std::variant<std::string Settings::*, std::vector<std::string> Settings::*, bool Settings::*,
                 int Settings::*, double Settings::*, std::uint64_t Settings::*>;

/// One setting: the only place where it is stated. Parsing, `kiln settings`, `--help` and docs/settings.md
/// are made from these rows. `name` is also the key in a settings file.
struct SettingRow {
  std::string name;
  std::string variable;
  std::string option;  ///< of every command
  SettingKind kind;
  SettingMember member;
  std::string default_text;  ///< for people
  std::string help;
  std::vector<std::string> words = {};
};

[[nodiscard]] const std::vector<SettingRow>& setting_rows();

/// Words for where compiles run, in settings, jobs and studies: "auto", "none", "process".
[[nodiscard]] const std::vector<std::string>& isolation_words();

/// "120", "2 s", "500 ms", "5 min", "12 h", "30 d". Throws bad_input.
[[nodiscard]] double parse_seconds(const std::string& text);
/// "8 GiB" (2^30), "500 MB" (10^6), "0". Throws bad_input; for an unknown unit with the nearest one.
[[nodiscard]] std::uint64_t parse_bytes(const std::string& text);

/// How texts become paths: what `~/` and a relative path stand for.
struct PathBase {
  std::filesystem::path folder;
  std::filesystem::path home;  ///< empty if not known
};

/// Stores `text` in the row's member. Throws Error (bad input) without a place: "'maybe' is not on or off".
void assign_setting(Settings& settings, const SettingRow& row, const std::string& text, const PathBase& base);

/// The value as text that reads back.
[[nodiscard]] std::string setting_text(const Settings& settings, const SettingRow& row);

/// The page docs/settings.md.
[[nodiscard]] std::string settings_page();

}  // namespace kiln
