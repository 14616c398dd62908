#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dlpack.h"
#include "python.h"

// How a launch sees the arrays of other packages.
namespace kiln::python {

/// An array's memory, lent for one launch.
struct ArrayView {
  void* data = nullptr;
  dl::Device device{dl::kCpu, 0};
  dl::DataType dtype{dl::kOpaque, 0, 1};
  bool is_read_only = false;
  bool is_dense = true;     ///< row by row, without gaps
  bool has_stream = false;  ///< the package has reported its stream
  void* stream = nullptr;
  std::size_t bytes = 0;  ///< of an opaque element
};

/// Gives back what was lent, when the launch is enqueued.
class Loans {
 public:
  Loans() = default;
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;
  ~Loans() {
    if (!loans_.empty()) give_back();
  }
  void add(const Py_buffer& buffer) { loans_.push_back({Kind::kBuffer, buffer, nullptr}); }
  /// The capsule of `__dlpack__()`, whose tensor this takes over.
  void add(dl::ManagedTensor* tensor) { loans_.push_back({Kind::kManaged, {}, tensor}); }
  void add(dl::ManagedTensorVersioned* tensor) { loans_.push_back({Kind::kVersioned, {}, tensor}); }

 private:
  enum class Kind : std::uint8_t { kBuffer, kManaged, kVersioned };
  struct Loan {
    Kind kind;
    Py_buffer buffer;
    void* tensor;
  };
  void give_back();
  std::vector<Loan> loans_;
};

enum class Route : std::uint8_t {
  kUnknown,
  kOwn,       ///< kiln.Array
  kExchange,  ///< `__dlpack_c_exchange_api__`
  kBuffer,    ///< the buffer protocol
  kCupy,      ///< attributes of cupy.ndarray
  kCuda,      ///< `__cuda_array_interface__`
  kDlpack,    ///< `__dlpack__()`
  kNone,      ///< no array
};

/// What is known of a type of arrays.
struct TypeRoute {
  PyTypeObject* type = nullptr;  ///< kept alive
  Route route = Route::kUnknown;
  bool may_be_read_only = false;  ///< of kExchange: other than PyTorch's
  bool is_immutable = false;      ///< JAX's, whose DLPack does not say so
  const dl::ExchangeApi* api = nullptr;
  std::intptr_t (*cupy_stream)(int device) = nullptr;  ///< CuPy's current stream; -1 with an exception set
};

/// Looked up once for each type; stays as long as the process.
[[nodiscard]] const TypeRoute& route_of(PyTypeObject* type, bool on_host);

/// Fills in `view` and, where something has to be given back, `loans`. `stream` is that of the launch, for
/// packages that order their work by it. False: a Python exception is set. Not for kOwn.
[[nodiscard]] bool view_array(PyObject* object, const TypeRoute& route, bool for_write, void* stream,
                              ArrayView& view, Loans& loans);

/// "float64", "bfloat16".
[[nodiscard]] std::string dtype_name(dl::DataType dtype);
/// "cuda:0".
[[nodiscard]] std::string device_name(dl::Device device);
/// Of "cuda:0", "hip:1", "cpu".
[[nodiscard]] dl::Device device_of(const std::string& id);

}  // namespace kiln::python
