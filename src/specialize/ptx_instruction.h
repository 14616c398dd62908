#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// Whose functions stand in for instructions: the cpu's, or HIP's and the functions of namespace kiln_cuda
/// (compile/hip/shim/hip_cuda.h).
enum class PtxDialect { kCpu, kHip };

/// The variable that holds the carry between the instructions of a statement.
inline constexpr const char* kPtxCarry = "kiln_carry";

/// What the operands of an `asm` statement's instructions stand for: "%0" for an expression of the program,
/// names for registers that the statement declares.
class PtxOperands {
 public:
  explicit PtxOperands(PtxDialect dialect) : dialect_(dialect) {}
  [[nodiscard]] PtxDialect dialect() const { return dialect_; }

  /// "(x)", in order of "%0", "%1", ...
  void add(std::string text, bool real, bool output) { values_.push_back({std::move(text), real, output}); }

  /// `.reg .u32 name`; false if it has no such form.
  [[nodiscard]] bool declare(const std::string& name, const std::string& suffix);
  /// The registers of a scope that stays open behind the statement "{ .reg .pred p;": a block of C++ begins,
  /// with them as variables. They have no value, so that a label may follow the block's end.
  [[nodiscard]] std::string open_scope();
  /// Takes over the registers of the scopes that an earlier statement was in or has left open.
  void enter(const PtxOperands& outer);
  /// Inputs are evaluated once, before all instructions: they become constants of the block.
  void bind_inputs();
  /// Whether it matters how often an input is evaluated. A call and a cast count, too.
  [[nodiscard]] bool inputs_have_effects() const;
  /// Of inputs that are bound, and of the registers as variables.
  [[nodiscard]] std::string declarations() const;

  /// The expression of an operand or a number; absent for what is not known.
  [[nodiscard]] std::optional<std::string> value(const std::string& operand) const;
  [[nodiscard]] static bool is_number(const std::string& operand);
  [[nodiscard]] bool is_output(const std::string& operand) const;
  /// Whether it is of float or double.
  [[nodiscard]] bool is_real(const std::string& operand) const;
  /// Whether the address stays what it is while outputs change.
  [[nodiscard]] bool may_be_repeated(const std::string& address) const;

 private:
  struct Value {
    std::string text;
    bool real = false, output = false;
  };
  struct Register {
    std::string suffix;    ///< "u32"
    std::string variable;  ///< of C++
    bool outer = false;    ///< of a scope around the statement
  };
  [[nodiscard]] std::optional<std::size_t> index_of(const std::string& operand) const;
  /// The register "%p", "%%p" or "p"; none: it is something else.
  [[nodiscard]] const Register* register_of(const std::string& operand) const;
  [[nodiscard]] std::string declarations_of_registers() const;

  PtxDialect dialect_;
  std::vector<Value> values_;
  std::string inputs_;
  std::map<std::string, Register> registers_;  ///< by their names without "%"
};

/// "{%0, %1}", "[%2]" and "%3" of an instruction's operands.
[[nodiscard]] std::vector<std::string> split_ptx_operands(const std::string& text);

/// An instruction, "ld.global.u32 %0, [%1]", as an expression or a block; absent where it has none.
[[nodiscard]] std::optional<std::string> translate_ptx(const std::string& instruction,
                                                       const PtxOperands& operands);

}  // namespace kiln
