#include "specialize/torch_types.h"

namespace kiln {
namespace {

constexpr std::string_view kHalf =
    "#include <cuda_fp16.h>\nnamespace c10 { using Half = __half; }\n"
    "namespace at { using c10::Half; }\nnamespace torch { using c10::Half; }\n";

constexpr std::string_view kBFloat16 =
    "#include <cuda_bf16.h>\nnamespace c10 { using BFloat16 = __nv_bfloat16; }\n"
    "namespace at { using c10::BFloat16; }\nnamespace torch { using c10::BFloat16; }\n";

// Of one dimension less with each index. Sizes and strides stay in the packed accessor.
constexpr std::string_view kAccessors = R"(#include <cstdint>
namespace at {
template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
class TensorAccessor {
 public:
  __device__ TensorAccessor(T* data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  __device__ const TensorAccessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
  const Index* sizes_;
  const Index* strides_;
};
template <class T, template <class> class Traits, class Index>
class TensorAccessor<T, 1, Traits, Index> {
 public:
  __device__ TensorAccessor(T* data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ T& operator[](Index i) { return data_[strides_[0] * i]; }
  __device__ const T& operator[](Index i) const { return data_[strides_[0] * i]; }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
  const Index* sizes_;
  const Index* strides_;
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
class GenericPackedTensorAccessor {
 public:
  using Element = decltype(TensorAccessor<T, N, Traits, Index>(nullptr, nullptr, nullptr)[0]);
  using ConstElement =
      decltype(static_cast<const TensorAccessor<T, N, Traits, Index>*>(nullptr)->operator[](0));
  __device__ Element operator[](Index i) { return TensorAccessor<T, N, Traits, Index>(data_, sizes_, strides_)[i]; }
  __device__ ConstElement operator[](Index i) const {
    const TensorAccessor<T, N, Traits, Index> all(data_, sizes_, strides_);
    return all[i];
  }
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
  Index sizes_[N];
  Index strides_[N];
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;
}  // namespace at
namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
}  // namespace torch
)";

constexpr std::string_view kAccumulationTypes = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace at {
template <class T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<__half> {
  using type = float;
};
template <>
struct OpMathType<__nv_bfloat16> {
  using type = float;
};
template <class T, bool on_gpu>
struct AccumulateType : OpMathType<T> {};
template <>
struct AccumulateType<float, false> {
  using type = double;
};
template <>
struct AccumulateType<bool, true> {
  using type = bool;
};
template <bool on_gpu>
struct AccumulateType<signed char, on_gpu> {
  using type = long;
};
template <bool on_gpu>
struct AccumulateType<unsigned char, on_gpu> {
  using type = long;
};
template <bool on_gpu>
struct AccumulateType<short, on_gpu> {
  using type = long;
};
template <bool on_gpu>
struct AccumulateType<int, on_gpu> {
  using type = long;
};
template <class T, bool on_gpu>
using acc_type = typename AccumulateType<T, on_gpu>::type;
template <class T>
using opmath_type = typename OpMathType<T>::type;
}  // namespace at
)";

constexpr std::string_view kAtomics = R"(template <class T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  atomicAdd(address, value);
}
)";

constexpr std::string_view kMacros =
    R"(#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                                     \
  for (index_type i = static_cast<index_type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n);      \
       i += static_cast<index_type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE inline
#define C10_RESTRICT __restrict__
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(most) __launch_bounds__(most)
#define C10_LAUNCH_BOUNDS_2(most, blocks) __launch_bounds__(most, blocks)
)";

}  // namespace

const std::vector<LibraryTypes>& types_of_torch() {
  constexpr std::string_view kHeader = "kiln/torch_types.h";
  static const std::vector<LibraryTypes> types = {
      {{"Half"}, kHeader, kHalf, "cuda_fp16.h"},
      {{"BFloat16"}, kHeader, kBFloat16, "cuda_bf16.h"},
      {{"PackedTensorAccessor", "PackedTensorAccessor32", "PackedTensorAccessor64",
        "GenericPackedTensorAccessor", "TensorAccessor", "RestrictPtrTraits", "DefaultPtrTraits"},
       kHeader,
       kAccessors,
       "cstdint"},
      {{"acc_type", "opmath_type", "AccumulateType", "OpMathType"},
       kHeader,
       kAccumulationTypes,
       "cuda_bf16.h"},
      {{"gpuAtomicAdd", "gpuAtomicAddNoReturn"}, kHeader, kAtomics, ""},
      {{"CUDA_KERNEL_LOOP", "CUDA_KERNEL_LOOP_TYPE", "CUDA_KERNEL_ASSERT", "C10_HOST_DEVICE", "C10_DEVICE",
        "C10_HOST", "C10_ALWAYS_INLINE", "C10_RESTRICT", "C10_LAUNCH_BOUNDS_0", "C10_LAUNCH_BOUNDS_1",
        "C10_LAUNCH_BOUNDS_2"},
       kHeader,
       kMacros,
       "cassert"}};
  return types;
}

}  // namespace kiln
