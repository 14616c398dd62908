#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/unique_handle.h"
#include "device/target.h"
#include "record/code_origin.h"
#include "specialize/specialization.h"

namespace kiln {

/// The resources of one kernel that are known at compile time (from ptxas or code-object metadata); see also
/// FunctionAttributes.
struct ResourceUse {
  std::optional<int> registers;
  std::optional<std::uint64_t> static_shared_bytes;
  std::optional<std::uint64_t> local_bytes;
  std::optional<int> max_threads_per_block = {};  ///< the largest block that has enough registers
};

/// A compiler's product, and the unit of the cache.
struct CodeObject {
  std::string binary;                                ///< shared object, cubin, PTX or code object
  std::string format;                                ///< "shared_object", "cubin", "ptx", "code_object"
  std::map<std::string, std::string> lowered_names;  ///< name expression -> symbol in the binary
  std::map<std::string, ResourceUse> resources;      ///< by name expression; may be empty
  std::string log;                                   ///< warnings; may be empty
  double compile_seconds = 0;  ///< of the compile that made it, also if the cache provides it
};

/// A failed compile, as data: the whole log, with the line numbers of the user's file.
struct Diagnostic {
  std::string summary;  ///< one line: "stencil7.cu:12:5: error: 'x' was not declared"
  std::string log;
  std::string command;       ///< how to repeat it
  bool environment = false;  ///< the machine is the cause (no compiler, no space), not the kernel
  /// The compiler crashed, hung, used or printed too much, or wrote garbage: the kernel may be correct.
  bool compiler_fault = false;
  std::string capsule = {};  ///< folder with everything that repeats it; empty if there is none
};

/// An option of a kernel that a user may not give, and the reason as a sentence.
struct RefusedOption {
  std::size_t at = 0;  ///< its index among the options
  std::string why;
};

using CompileResult = std::variant<CodeObject, Diagnostic>;

/// Thrown where code is not needed any more: it was to be made ahead, or the program cancelled its request.
struct Cancelled {};

/// Turns specializations into code objects. Thread-safe; several compiles may run at once.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Throws environment_error if there is no compiler, with the places that were searched and the package to
  /// install.
  [[nodiscard]] virtual const CompilerIdentity& identity() = 0;
  /// Inputs of the code that are neither in the specialization nor in the identity, for the key: versions of
  /// headers that are found on the machine. Empty for most compilers.
  [[nodiscard]] virtual std::string surroundings(const Specialization& /*specialization*/) { return ""; }
  /// The reason why the code may depend on a file that is in neither of them; such code is not kept on disk.
  /// Empty if it does not.
  [[nodiscard]] virtual std::string unknown_input(const Specialization& specialization) {
    return specialization.unknown_input;
  }
  /// Throws Cancelled if `stop` is requested before the end and the compile can be ended. A program and a
  /// worker process can be; in this process NVRTC can from 12.8 on, and others compile to the end.
  [[nodiscard]] virtual CompileResult compile(const Specialization& specialization,
                                              const std::stop_token& stop = {}) = 0;
  /// The target for a name that a user wrote after --arch ("native", "sm_90"). Throws bad_input with a list
  /// of the known names.
  [[nodiscard]] virtual Target target_for(const std::string& arch) = 0;
  /// A sentence for the user about the code for a target: that it is PTX, and why. Empty for most targets.
  [[nodiscard]] virtual std::string note_on(const Target& /*target*/) { return ""; }
  /// Kernels whose code is slow for a reason that the text shows, by name expression: "a barrier in a lambda
  /// (dot.cu:12)", because of which its work-items run as fibers. Compiles nothing. Empty for most compilers.
  [[nodiscard]] virtual std::map<std::string, std::string> slow_kernels(
      const Specialization& /*specialization*/) {
    return {};
  }
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();
  /// Number of compiles that one process runs at once without waiting for each other. Further compiles go to
  /// worker processes, unless the user decides otherwise.
  [[nodiscard]] virtual int compiles_at_once() const { return kAnyNumber; }
  /// Announces that `compiles` more compiles may be requested at once, or fewer if it is negative. A compiler
  /// may choose by it where it compiles.
  virtual void expect(int /*compiles*/) {}
  /// The first of a kernel's own options that this compiler refuses, because the code would no longer match
  /// its key. Opens and runs no part of the compiler.
  [[nodiscard]] virtual std::optional<RefusedOption> refuse(
      const std::vector<std::string>& /*options*/) const {
    return std::nullopt;
  }
  /// Options with which this compiler produces code sooner, but slower code; empty if it has no such options.
  [[nodiscard]] virtual std::vector<std::string> quick_options() const { return {}; }
  /// The supported targets, as text for `kiln devices`; empty if the target alone is enough.
  [[nodiscard]] virtual std::string abilities() { return ""; }
};

/// Compiles that a compiler expects as long as this object lives. The compiler outlives it.
struct ExpectedCompilesTraits {
  struct Handle {
    Compiler* compiler = nullptr;
    int compiles = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.compiler != b.compiler; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept { handle.compiler->expect(-handle.compiles); }
};
using ExpectedCompiles = UniqueHandle<ExpectedCompilesTraits>;

[[nodiscard]] inline ExpectedCompiles expect_compiles(Compiler& compiler, int compiles) {
  compiler.expect(compiles);
  return ExpectedCompiles({&compiler, compiles});
}

}  // namespace kiln
