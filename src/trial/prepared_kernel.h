#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "device/fault.h"
#include "launch/bound_launch.h"
#include "trial/load_units.h"
#include "trial/workspace.h"

namespace kiln {

/// Variables of a kernel's `symbols:` or `read_symbols:` in a loaded module: the address of each, and the
/// buffer whose content it gets, or which gets its content. Kernels that share a module share its variables.
using SymbolVariables = std::vector<std::pair<void*, std::string>>;

/// Address and bytes of a variable by its name in the texts, "ns::table": the code may have another name for
/// it. Absent: the code has none.
[[nodiscard]] std::optional<std::pair<void*, std::size_t>> find_variable(const std::string& name,
                                                                         const LoadedCode& code);

/// Throws bad_input where the module has no such variable, and kUnfit where its size is not the
/// buffer's.
enum class SymbolUse { kSet, kRead };
[[nodiscard]] SymbolVariables find_symbols(const Configuration& configuration, const KernelSpec& kernel,
                                           const LoadedCode& code, const Workspace& workspace, SymbolUse use);

/// Copies the buffers' content into the variables; complete on return.
void load_symbols(const SymbolVariables& symbols, Workspace& workspace);

/// Gives a launch the addresses of the device functions that the kernel is passed. Throws bad_input where the
/// module lacks one.
void pass_functions(const Configuration& configuration, const KernelSpec& kernel, const LoadedCode& code,
                    Device& device, Stream& stream, BoundLaunch& launch);

/// One kernel with its arguments bound to a workspace's buffers, ready to be enqueued any number of times.
/// Configuration, kernel, units and workspace have to outlive it.
class PreparedKernel {
 public:
  /// Throws kUnfit when the shape, the arguments or the symbols do not fit the device or the compiled
  /// function.
  PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                 const std::vector<LoadedUnit>& units, Workspace& workspace);

  /// Takes the current values of program variables, which has to come before `enqueue` where the shape or
  /// arguments depend on them. Throws bad_input where an expression has no sense, and kUnfit as the
  /// constructor.
  void update(const Variables& variables);
  /// Gives the variables of `symbols:` the content of their buffers, and those that are only read what they
  /// had at first: code that is in memory may have run before. To be called once the buffers are filled.
  void load_symbols();
  /// Copies the variables of `read_symbols:` into their buffers, behind what the stream has.
  void read_symbols(Stream& stream);
  void read_symbols();  ///< behind what the workspace's stream has
  /// Throws kUnfit where the driver does not take the launch.
  void enqueue(Stream& stream);
  void enqueue() { enqueue(workspace_->stream()); }
  /// The buffers' names may mean other memory since the last launch. `enqueue` does it, too.
  void follow_swaps();
  [[nodiscard]] const std::string& name() const { return kernel_->name; }
  /// The buffers with memory that it takes, as arguments and then by symbols, each once and followed by those
  /// whose addresses it holds; of a view the one that it is a part of.
  [[nodiscard]] const std::vector<std::string>& buffers() const { return buffers_; }
  /// The program variables that `update` looks at.
  [[nodiscard]] std::set<std::string> variables() const;
  /// The digest of its code's key; empty: not known, or not all that the code depends on is in the key.
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const Specialization& specialization() const { return *specialization_; }
  /// Adds what a launch's outcome depends on, other than the contents of the buffers. False where that is not
  /// known.
  [[nodiscard]] bool add_to_key(FieldHasher& hasher) const;
  [[nodiscard]] const LaunchShape& shape() const { return launch_.shape(); }
  [[nodiscard]] const FunctionAttributes& attributes() const { return launch_.attributes(); }
  /// DeviceFunction::resident_blocks for this shape.
  [[nodiscard]] std::optional<std::uint64_t> resident_blocks() const { return launch_.resident_blocks(); }

 private:
  PreparedKernel(const Configuration& configuration, const KernelSpec& kernel, const LoadedUnit& unit,
                 Workspace& workspace);
  void add_buffer(const std::string& buffer);

  const Configuration* configuration_;
  const KernelSpec* kernel_;
  const ParamsStruct* params_;
  Workspace* workspace_;
  const Specialization* specialization_;
  std::string code_, entry_;
  BoundLaunch launch_;
  std::vector<void* const*> places_;    // places of the addresses of buffer arguments
  std::vector<const void*> addresses_;  // as they were at the last launch
  std::vector<std::size_t> changing_arguments_;
  bool shape_changes_;
  std::vector<std::string> buffers_;
  SymbolVariables symbols_, read_symbols_;
  /// Of variables that are read and not set, their content before the first launch, which outlives this.
  std::vector<std::pair<void*, const std::vector<std::byte>*>> first_contents_;
};

}  // namespace kiln
