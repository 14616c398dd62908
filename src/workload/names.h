#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {

template <class Items>
[[nodiscard]] std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// The item of that name. Throws bad_input at `where`, with the nearest name; `kind` says what it is:
/// "buffer".
template <class Items>
[[nodiscard]] const typename Items::value_type& require_named(const Items& items, std::string_view kind,
                                                              const std::string& name,
                                                              const SourceLocation& where) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end())
    throw bad_input("unknown " + std::string(kind) + " '" + name + "'" + suggestion(name, names_of(items)),
                    where);
  return *found;
}

/// A word of the format or of its expressions: nothing else may have this name.
[[nodiscard]] bool is_word_of_format(const std::string& name);
[[nodiscard]] bool is_word_of_expressions(const std::string& name);

}  // namespace kiln
