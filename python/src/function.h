#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "array_view.h"
#include "handles.h"

// A function of a program, as it is launched from Python: the values of a call as the kernel takes them,
// checked.
namespace kiln::python {

enum class SlotKind : char {
  kPointer = 'p',
  kBool = '?',
  kSigned = 'i',
  kUnsigned = 'u',
  kFloat = 'f',
  kStruct = 's'
};

/// An argument of the signature.
struct Slot {
  SlotKind kind = SlotKind::kPointer;
  std::size_t bytes = 0;
  bool is_const = false;               ///< of what is pointed at
  bool takes_any = false;              ///< arrays of any element: void*, structures of the kernel's text
  bool takes_read_only = false;        ///< though the kernel may write: a workload's kernels do not say
  std::vector<dl::DataType> elements;  ///< that a pointer's arrays may have
  std::string declared;                ///< "const double*"
  std::string name;                    ///< "x"; empty: the signature has none
  std::shared_ptr<PyObject> key;       ///< the name, interned; NULL: none
  const TypeRoute* route = nullptr;    ///< of the array type that was passed last
};

using Function = Handle<kiln_function, kiln_function_release>;
using Family = Handle<kiln_family, kiln_family_release>;

/// What one kernel's launches share.
struct FunctionState {
  std::variant<Function, Family> code;
  Device device;
  dl::Device place;  ///< the device's
  bool on_host = false;
  std::string name;
  std::vector<Slot> slots;
  std::vector<std::size_t> sizes;            ///< of the values
  std::size_t struct_bytes = 0;              ///< of all structures that are passed by value
  std::shared_ptr<kiln_stream> null_stream;  ///< as a handle, for kiln.Array; made when it is needed
};

/// A state without slots.
[[nodiscard]] FunctionState make_state(std::variant<Function, Family> code, const Device& device,
                                       const std::string& name);

/// Where a launch goes.
struct Target {
  void* stream = nullptr;
  bool is_given = false;                ///< by the caller; else an array's package may say it
  const kiln_stream* handle = nullptr;  ///< of a kiln.Stream
};

/// The values of one call.
class Values {
 public:
  explicit Values(const FunctionState& state);
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  /// With every check. May set the target's stream. False: a Python exception is set.
  [[nodiscard]] bool take(FunctionState& state, PyObject* const* arguments, Target& target);
  /// Addresses and numbers as they are.
  [[nodiscard]] bool take_unchecked(const FunctionState& state, PyObject* const* arguments);
  [[nodiscard]] void** pointers() { return pointers_; }
  /// What the first `count` pointers among the values point at.
  [[nodiscard]] std::vector<void*> addresses(std::size_t count) const;

 private:
  static constexpr std::size_t kInline = 24;
  bool take_array(FunctionState& state, std::size_t index, PyObject* argument, Target& target);
  bool take_late(FunctionState& state, PyObject* const* arguments, Target& target);
  bool take_own(FunctionState& state, std::size_t index, PyObject* argument, const kiln_stream* stream);
  bool take_struct(const FunctionState& state, std::size_t index, PyObject* argument);

  void* inline_pointers_[kInline];       // NOLINT(modernize-avoid-c-arrays)
  std::uint64_t inline_words_[kInline];  // NOLINT(modernize-avoid-c-arrays)
  std::vector<void*> more_pointers_;
  std::vector<std::uint64_t> more_words_;
  void** pointers_;
  std::uint64_t* words_;
  bool has_late_ = false;
  std::vector<bool> late_;
  Loans loans_;
};

/// (kind, bytes, is_const, takes_any, elements, declared, name) of kiln._signature.
[[nodiscard]] Slot slot_of(const nb::tuple& given);

/// "axpy<double>: argument 2 (x, const double*)".
[[nodiscard]] std::string place_of(const FunctionState& state, std::size_t index);

/// The stream that a Python object stands for. False: a Python exception is set.
[[nodiscard]] bool read_stream(PyObject* object, Target& target);

/// A Python callable over the state. `shape` NULL: the request's.
[[nodiscard]] PyObject* make_callable(std::shared_ptr<FunctionState> state, const kiln_shape* shape);

}  // namespace kiln::python
