#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "compile/outline.h"

namespace kiln::fission {

/// The file and line of each token of a preprocessed text, by its line markers.
class Places {
 public:
  /// Both outlive it.
  Places(const Outline& outline, std::string_view text) : outline_(outline), text_(text) {}

  /// " (kernel.cu:12)", or nothing.
  [[nodiscard]] std::string of(std::size_t token) const;
  [[nodiscard]] long line(std::size_t token) const { return place(token).second; }
  /// A marker after which the next line counts as the token's.
  [[nodiscard]] std::string marker(std::size_t token) const;

 private:
  [[nodiscard]] std::pair<std::string, long> place(std::size_t token) const;

  const Outline& outline_;
  std::string_view text_;
};

}  // namespace kiln::fission
