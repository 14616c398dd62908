#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"
#include "specialize/specialization.h"

namespace kiln::fission {

/// How a kernel was split at its barriers, or why it was not.
struct SplitKernel {
  std::string function;  ///< template whose first argument is the block's shape; empty if it was not split
  std::string reason;    ///< "a barrier in a lambda (kernel.cu:12)"
  bool syncs_grid = false;
};

/// Splits kernels of a preprocessed text at their barriers into loops over the work-items of a block (loop
/// fission, as MCUDA and PoCL do). Statements between two barriers stand in one loop, control flow around a
/// barrier stands outside of the loops, and variables that live longer than a loop become arrays. A warp's
/// shuffles and votes use such arrays, in loops over the warps of the block. A kernel with a construct that
/// is not understood is not split.
class KernelSplitter {
 public:
  /// `text` outlives it. `entries`: the names of the kernels with their template arguments.
  explicit KernelSplitter(const Outline& outline, std::string_view text,
                          const std::vector<std::string>& entries = {});
  ~KernelSplitter();
  KernelSplitter(const KernelSplitter&) = delete;
  KernelSplitter& operator=(const KernelSplitter&) = delete;

  /// `blocks`: the block shapes that the kernel's code is for; nullopt: any.
  [[nodiscard]] SplitKernel split(std::string_view kernel, const std::vector<std::optional<Dim3>>& blocks);
  /// The functions to add, each after the function that it replaces.
  [[nodiscard]] std::vector<TextEdit> edits() const;
  /// By the name of each function to add, the function of the text that it is a form of.
  [[nodiscard]] const std::map<std::string, std::string>& forms() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln::fission
