#pragma once

#include <functional>
#include <map>
#include <string>

namespace kiln::fission {

/// A text with forms of functions.
struct PlacedMembers {
  std::string text;
  std::map<std::string, std::string> forms;  ///< by a form's name, that of its function: "of"
};

/// A preprocessed text in which member functions with barriers or warp operations are called as static ones
/// that take their object: "sum.of(x)" becomes "kiln::cpu::Value<decltype(sum)>::kiln_m1_of(sum, x)", for
/// "static float kiln_m1_of(const Sum& kiln_self, float v)", which follows "float of(float v) const" in its
/// class. A static member function is split as any other function. `seen`: as for place_lambdas().
[[nodiscard]] PlacedMembers place_members(std::string text,
                                          const std::function<std::string(const std::string&)>& seen);

}  // namespace kiln::fission
