#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "kiln/error.h"

/// What libFuzzer and replay_main.cpp call with each input. Anything but a return is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kiln::test {

/// A finding.
inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Either it returns, or it throws bad_input with a message that a person can read.
template <class Action>
void attempt(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kBadInput);
    require(!error.message().empty() && error.message().size() < 100'000);
  }
}

/// The files of an input: what stands first is `first`, each other one follows a line "==NAME\n".
inline std::map<std::string, std::string> split_files(std::string_view text, const std::string& first) {
  std::map<std::string, std::string> files;
  std::string name = first;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t mark = std::min(text.find("\n==", begin), text.size());
    files[name] = text.substr(begin, mark - begin);
    const std::size_t line_end = text.find('\n', mark + 1);
    if (line_end == std::string_view::npos) break;
    name = text.substr(mark + 3, line_end - mark - 3);
    begin = line_end + 1;
  }
  return files;
}

/// Whether `name` is one of a file in a folder.
inline bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() < 100 && name != "." && name != ".." &&
         name.find_first_of(std::string("/\0", 2)) == std::string::npos;
}

}  // namespace kiln::test
