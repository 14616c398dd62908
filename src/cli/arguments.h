#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "config/settings.h"

namespace kiln {

/// Options that every command takes, in any place.
struct GlobalArguments {
  SettingsOverrides settings;
  bool quiet = false;
};

/// Adds --settings, one option for each setting that has one, -q and --version.
void add_global_options(CLI::App& app, GlobalArguments& arguments);

/// The message for a word that the parser did not expect: the nearest command or option.
[[nodiscard]] std::string unexpected_word_message(const CLI::App& app,
                                                  const std::vector<std::string>& extras);

/// Throws bad_input suggesting the nearest of `words` unless `text` is one of them.
void require_word(const std::string& option, const std::string& text, const std::vector<std::string>& words);

/// The text of `kiln --version`.
[[nodiscard]] std::string version_text();

}  // namespace kiln
