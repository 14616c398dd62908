#pragma once

#include <map>
#include <string>
#include <vector>

#include "specialize/texture_fetches.h"
#include "specialize/tokens.h"

namespace kiln {

/// A function template with parameters that may be function objects, as they have a type of its template.
struct ObjectUser {
  std::vector<std::string> parameters;             ///< names of all
  std::map<std::string, std::size_t> called_with;  ///< by the name of what is called: the most arguments
  std::vector<PassedArgument> passed;
};

/// The calls of `objects` in a body: by the name of each that is called the most arguments.
[[nodiscard]] std::map<std::string, std::size_t> object_calls(const std::vector<Token>& tokens,
                                                              TokenSpan body,
                                                              const std::vector<std::string>& objects);

/// Adds to the calls of a kernel the calls by functions that it passes its objects to, at any depth.
void add_passed_calls(std::map<std::string, std::size_t>& called_with,
                      const std::vector<PassedArgument>& passed,
                      const std::multimap<std::string, ObjectUser>& users);

}  // namespace kiln
