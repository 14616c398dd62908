#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// A constant or a shape that a function of a program defines, and the tokens in which it is known.
struct LocalValue {
  std::string name;
  std::vector<std::string> texts;  ///< of a shape: its extents
  bool shape = false;
  std::size_t begin = 0, end = 0;
};

/// A place where a local value may change: an assignment that a condition or a loop decides on, or its
/// address as an argument.
struct LocalChange {
  std::string name;
  std::size_t token = 0;
};

/// What the functions of a text say of their variables.
struct LocalValues {
  const std::vector<LocalValue>& values;
  const std::vector<LocalChange>& changes;
  const std::set<std::string>& declared;  ///< of the function around a launch: with a value or without
};

/// Writes the numbers and expressions of local constants, and the extents of local shapes, in place of their
/// names, where the program has other ones of the same names, of which `constants` and `shapes` have the
/// first. What follows from a value that may have changed before the launch, or that only another function
/// gives a variable, is marked as unsure.
void resolve_local_values(TextLaunch& launch, const LocalValues& function,
                          const std::map<std::string, std::string>& constants,
                          const std::map<std::string, std::vector<std::string>>& shapes);

}  // namespace kiln
