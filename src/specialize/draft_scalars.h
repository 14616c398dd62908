#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specialize/draft_lines.h"
#include "specialize/draft_types.h"

namespace kiln {

/// Whether a name is that of a number of elements: "n", "num_rows".
[[nodiscard]] bool is_size_name(const std::string& name);

constexpr std::int64_t kGuessedSize = 1024;

/// The parameters of a drafted workload: scalars and types that its kernels take.
class DraftScalars {
 public:
  explicit DraftScalars(const DraftTypes& types) : types_(types), program_(types.program()) {}

  /// A name that nothing else has.
  std::string fresh(const std::string& wanted);

  /// An expression over the kernel's scalars: how many elements it works on.
  std::string elements_of(const TextKernel& kernel);

  /// The workload's parameter for a scalar of a kernel; kernels share it.
  std::string scalar_name(const TextKernel& kernel, const std::string& name);

  /// Keeps the names of the types of a kernel's template from the scalars of all kernels.
  void reserve_types(const TextKernel& kernel);

  void add_type_parameters(const TextKernel& kernel);

  [[nodiscard]] bool is_type_parameter(const std::string& name) const;

  /// Whether it has the number 0 or a parameter that is 0 by default: variables that get their value later.
  [[nodiscard]] bool may_be_zero(const std::string& expression) const;

  /// Guesses a smaller value for the sizes of an extent that multiplies so many guessed ones or more.
  void make_sides_small(const std::string& extent, std::size_t least);

  /// The program's expression over the workload's parameters; absent where it uses what these do not have.
  std::optional<std::string> translate(const TextKernel& kernel, const TextLaunch& launch,
                                       const std::string& text, int depth = 0);

  /// Sizes of the kernel that elements_of was last called for, the contiguous one first.
  [[nodiscard]] const std::vector<std::string>& dimensions() const { return dimensions_; }

  /// Types first.
  [[nodiscard]] std::vector<DraftLine> lines() const;

 private:
  /// m, n and k of a matrix product, where the kernel has all three.
  [[nodiscard]] std::vector<std::string> extents_of_product(const TextKernel& kernel) const;

  /// Of the largest launch whose extents are constants: kernels often have an element for each work-item.
  [[nodiscard]] std::int64_t most_work_items() const;

  /// `i`: of a name, moved to its last token ("block.x").
  std::optional<std::string> translated_name(const TextKernel& kernel, const TextLaunch& launch,
                                             const std::vector<Token>& tokens, std::size_t& i, int depth);

  std::optional<std::string> nested(const TextKernel& kernel, const TextLaunch& launch,
                                    const std::string& text, int depth);

  const DraftTypes& types_;
  const ProgramText& program_;
  std::set<std::string> taken_, type_parameters_;
  std::set<std::string> zeros_;  // parameters that are 0 by default
  std::map<std::string, std::string> scalars_;
  std::vector<std::string> dimensions_;
  bool has_elements_ = false;
  std::string elements_name_;
  std::vector<DraftLine> type_lines_, parameters_;
};

}  // namespace kiln
