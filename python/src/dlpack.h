#pragma once

#include <cstdint>

// The part of DLPack 1.x that the extension reads (https://dmlc.github.io/dlpack): the layout of a tensor, of
// the two managed forms that `__dlpack__()` hands over, and of the table of C functions that a type may show
// as `__dlpack_c_exchange_api__`.
namespace kiln::python::dl {

enum DeviceType : std::int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kRocm = 10,
  kRocmHost = 11,
  kCudaManaged = 13,
};

enum TypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaque = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6
};

struct Device {
  std::int32_t type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; NULL: dense, row by row
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major, minor;
};

constexpr std::uint64_t kReadOnly = 1;

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

/// Functions return 0, or -1 with a Python exception set.
struct ExchangeApi {
  Version version;
  ExchangeApi* previous;
  void* allocator;
  int (*managed_from_object)(void* object, ManagedTensorVersioned** tensor);
  int (*object_from_managed)(ManagedTensorVersioned* tensor, void** object);
  int (*tensor_from_object)(void* object,
                            Tensor* tensor);  ///< lends, for as long as the caller has the object
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** stream);
};

}  // namespace kiln::python::dl
