#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
  [[nodiscard]] bool is_taken(const std::string& name) const { return taken_.contains(name); }

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
  /// Numbers that only the function around the launch gets become parameters, if `with_host`.
  std::optional<std::string> translate(const TextKernel& kernel, const TextLaunch& launch,
                                       const std::string& text, bool with_host = true);

  /// Whether it is a parameter for a number that only the host has.
  [[nodiscard]] bool is_of_host(const std::string& name) const;

  /// The number of work-items that was guessed for a block, which a launch names by `text`.
  void guess_block(const std::string& text, std::int64_t value) { guessed_block_ = {text, value}; }

  /// Sizes of the kernel that elements_of was last called for, the contiguous one first.
  [[nodiscard]] const std::vector<std::string>& dimensions() const { return dimensions_; }

  /// Types first.
  [[nodiscard]] std::vector<DraftLine> lines() const;

 private:
  /// m, n and k of a matrix product, where the kernel has all three.
  [[nodiscard]] std::vector<std::string> extents_of_product(const TextKernel& kernel) const;

  /// Of the largest launch whose extents are constants: kernels often have an element for each work-item.
  [[nodiscard]] std::int64_t most_work_items() const;

  std::optional<std::string> translate_at(const TextKernel& kernel, const TextLaunch& launch,
                                          const std::string& text, int depth);

  /// Of a name of the host, or of an access such as "block.x" and "image.cols".
  std::optional<std::string> host_value(const TextKernel& kernel, const TextLaunch& launch,
                                        const std::string& name, int depth);

  std::optional<std::string> nested(const TextKernel& kernel, const TextLaunch& launch,
                                    const std::string& text, int depth);

  /// A parameter for a number that the function around the launch gets, or that the program reads from its
  /// command line.
  std::optional<std::string> parameter_of_host(const TextLaunch& launch, const std::string& name);

  /// What a constant stands for, by way of others; other texts as they are.
  [[nodiscard]] std::string constant_text(const std::string& name) const;

  /// Whether the program passes the number to the kernel as an extent of a product.
  [[nodiscard]] bool is_extent(const TextKernel& kernel, const std::string& name) const;

  const DraftTypes& types_;
  const ProgramText& program_;
  std::set<std::string> taken_, type_parameters_;
  std::set<std::string> zeros_;  // parameters that are 0 by default
  std::map<std::string, std::string> scalars_;
  std::vector<std::string> dimensions_;
  std::pair<std::string, std::int64_t> guessed_block_;
  std::map<std::string, std::string> host_names_;  // parameters for what only the host has
  bool with_host_ = true;
  bool has_elements_ = false;
  std::string elements_name_;
  std::vector<DraftLine> type_lines_, parameters_;
};

}  // namespace kiln
