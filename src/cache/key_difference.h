#pragma once

#include <string>
#include <vector>

#include "cache/key_parts.h"

namespace kiln {

/// One ingredient that two keys do not share.
struct KeyDifference {
  std::string
      ingredient;  ///< "target", "compiler", "option", "macro", "entry", "params.h", "source", "header", ...
  std::string name;      ///< name of a header, a macro, a parameter, an entry; may be empty
  std::string from, to;  ///< both empty where only a text would show it
  std::string text;      ///< for people: "kiln/params.h: block_x 256 -> 512", "header foo.h changed (line 3)"
  int weight = 0;        ///< how far it sets the keys apart
};

/// The changes that turn `from` into `to`, the most important first.
[[nodiscard]] std::vector<KeyDifference> find_differences(const KeyParts& from, const KeyParts& to);

/// Whether they are of the same kernel: of a file of the same name, or with an entry of the same function.
[[nodiscard]] bool are_related(const KeyParts& one, const KeyParts& other);

}  // namespace kiln
