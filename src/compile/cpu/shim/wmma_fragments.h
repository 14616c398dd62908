// mma.h, nvcuda::wmma: fragments of matrices, their loads and stores, for the cpu and for HIP. Element i of
// lane l is number `num_elements` * l + i of the tile, rows first, so that a lane's elements are neighbours.
// (A GPU's places are others, and not documented.)
#pragma once

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

}  // namespace wmma
}  // namespace nvcuda

namespace kiln::wmma_detail {

using namespace nvcuda::wmma;

/// The type of an element in memory, and the type in which products are added.
template <class T>
struct Element {
  using Stored = T;
  using Sum = float;
};
template <>
struct Element<precision::tf32> {
  using Stored = float;
  using Sum = float;
};
template <>
struct Element<double> {
  using Stored = double;
  using Sum = double;
};
template <>
struct Element<signed char> {
  using Stored = signed char;
  using Sum = int;
};
template <>
struct Element<unsigned char> {
  using Stored = unsigned char;
  using Sum = int;
};
template <>
struct Element<int> {
  using Stored = int;
  using Sum = int;
};

template <class Use, int M, int N, int K>
struct Extents {
  static constexpr int rows = __is_same(Use, matrix_b) ? K : M;
  static constexpr int columns = __is_same(Use, matrix_a) ? K : N;
};

template <class T>
constexpr bool has_shape(int m, int n, int k) {
  if (__is_same(T, double)) return m == 8 && n == 8 && k == 4;
  const bool large = m * n == 256 && (m == 8 || m == 16 || m == 32);
  if (__is_same(T, precision::tf32)) return m == 16 && n == 16 && k == 8;
  return large && (k == 16 || (__is_same(T, float) && m == 16 && k == 8));
}

}  // namespace kiln::wmma_detail

namespace nvcuda {
namespace wmma {

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  using Extents = kiln::wmma_detail::Extents<Use, M, N, K>;
  static_assert(kiln::wmma_detail::has_shape<T>(M, N, K), "nvcuda::wmma has no fragments of this shape");

 public:
  using element_type = T;
  using storage_element_type = typename kiln::wmma_detail::Element<T>::Stored;
  enum { num_elements = Extents::rows * Extents::columns / 32, num_storage_elements = num_elements };
  static constexpr int kiln_columns = Extents::columns;
  storage_element_type x[num_elements];
};

}  // namespace wmma
}  // namespace nvcuda

namespace kiln::wmma_detail {

/// What lane `lane` loads and stores, where rows follow each other (or columns, if `by_rows` is false).
template <class F, class V, class Each>
KILN_SHIM void each_element(F& f, V* memory, unsigned stride, bool by_rows, int lane, const Each& each) {
  constexpr int kCount = F::num_elements, kColumns = F::kiln_columns;
  for (int i = 0; i < kCount; ++i) {
    const unsigned row = static_cast<unsigned>((lane * kCount + i) / kColumns);
    const unsigned column = static_cast<unsigned>((lane * kCount + i) % kColumns);
    each(f.x[i], memory[by_rows ? row * static_cast<size_t>(stride) + column
                                : column * static_cast<size_t>(stride) + row]);
  }
}
template <class F, class V>
KILN_SHIM void load_lane(F& f, const V* memory, unsigned stride, bool by_rows, int lane) {
  each_element(f, memory, stride, by_rows, lane, [](auto& element, const V& value) {
    element = static_cast<typename F::storage_element_type>(value);
  });
}
template <class F, class V>
KILN_SHIM void store_lane(F& f, V* memory, unsigned stride, bool by_rows, int lane) {
  each_element(f, memory, stride, by_rows, lane,
               [](const auto& element, V& value) { value = static_cast<V>(element); });
}

/// A number as the product takes it: tf32 has 10 of the digits of float.
template <class T, class Sum>
KILN_SHIM Sum factor(const typename Element<T>::Stored& stored) {
  if constexpr (__is_same(T, precision::tf32))
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, stored) & 0xffffe000u);
  else
    return static_cast<Sum>(stored);
}

/// The calling lane's number in its warp, all of whose lanes are there. `f`: its fragment or registers.
template <class F>
KILN_SHIM int lane_of_all(const F* f);

}  // namespace kiln::wmma_detail

namespace nvcuda {
namespace wmma {

template <class T>
using kiln_stored = typename kiln::wmma_detail::Element<T>::Stored;

template <class Use, int M, int N, int K, class T>
KILN_SHIM void load_matrix_sync(fragment<Use, M, N, K, T, row_major>& f, const kiln_stored<T>* memory,
                                unsigned stride) {
  kiln::wmma_detail::load_lane(f, memory, stride, true, kiln::wmma_detail::lane_of_all(&f));
}
template <class Use, int M, int N, int K, class T>
KILN_SHIM void load_matrix_sync(fragment<Use, M, N, K, T, col_major>& f, const kiln_stored<T>* memory,
                                unsigned stride) {
  kiln::wmma_detail::load_lane(f, memory, stride, false, kiln::wmma_detail::lane_of_all(&f));
}
template <int M, int N, int K, class T>
KILN_SHIM void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const kiln_stored<T>* memory,
                                unsigned stride, layout_t layout) {
  kiln::wmma_detail::load_lane(f, memory, stride, layout == mem_row_major,
                               kiln::wmma_detail::lane_of_all(&f));
}
template <int M, int N, int K, class T>
KILN_SHIM void store_matrix_sync(kiln_stored<T>* memory, const fragment<accumulator, M, N, K, T>& f,
                                 unsigned stride, layout_t layout) {
  kiln::wmma_detail::store_lane(f, memory, stride, layout == mem_row_major,
                                kiln::wmma_detail::lane_of_all(&f));
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
KILN_SHIM void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& value) {
  for (auto& element : f.x)
    element = static_cast<typename fragment<Use, M, N, K, T, Layout>::storage_element_type>(value);
}

/// To the nearest, ties away from 0, as cvt.rna.tf32.f32.
KILN_SHIM float __float_to_tf32(float x) {
  const unsigned word = __builtin_bit_cast(unsigned, x);
  const bool finite = (word & 0x7f800000u) != 0x7f800000u;
  return __builtin_bit_cast(float, finite ? (word + 0x1000u) & 0xffffe000u : word);
}

}  // namespace wmma
}  // namespace nvcuda
