#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "config/settings.h"
#include "kiln/error.h"

namespace kiln {

/// A hidden option: the command is asked to end (SIGTERM) when its standard input closes.
inline constexpr const char* kEndsWithInput = "--ends-with-input";

/// Options that every command takes, in any place.
struct GlobalArguments {
  SettingsOverrides settings;
  bool quiet = false;
  std::string memory_limit;      ///< parse_bytes; empty: none
  bool ends_with_input = false;  ///< a job of a batch: ends when the batch does
};

/// Adds --settings, one option for each setting that has one, -q and --version.
void add_global_options(CLI::App& app, GlobalArguments& arguments);

/// The message for a word that the parser did not expect: the nearest command or option.
[[nodiscard]] std::string unexpected_word_message(const CLI::App& app,
                                                  const std::vector<std::string>& extras);

/// Throws bad_input suggesting the nearest of `words` unless `text` is one of them.
void require_word(const std::string& option, const std::string& text, const std::vector<std::string>& words);

/// The value that `parse` makes of an option's text; its error names the option.
template <class Parse>
auto parse_option(const std::string& option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    throw bad_input(option + ": " + error.message());
  }
}

/// The text of `kiln --version`.
[[nodiscard]] std::string version_text();

}  // namespace kiln
