// What `asm` of matrix instructions becomes (specialize/ptx_instruction.cpp): mma, ldmatrix and
// stmatrix. The places of the elements in the lanes' registers are those of the PTX ISA.
#pragma once

#include <mma.h>

namespace kiln::wmma_detail {

/// The type of a register that holds elements of T, and how many of them.
template <class T>
KILN_SHIM auto ptx_word() {
  if constexpr (__is_same(T, float) || __is_same(T, double) || __is_same(T, int))
    return T();
  else
    return 0u;
}
template <class T>
constexpr int ptx_packed() {
  if constexpr (__is_same(T, precision::tf32))
    return 1;
  else
    return static_cast<int>(sizeof(decltype(ptx_word<T>())) / sizeof(T));
}

/// The registers of one lane for a factor or a sum of m x n x k; a word of 32 bits holds several small
/// numbers.
template <int M, int N, int K, class T>
struct kiln_ptx_a {
  using Word = decltype(ptx_word<T>());
  static constexpr int kPacked = ptx_packed<T>();
  Word words[M * K / 32 / kPacked];
};
template <int M, int N, int K, class T>
struct kiln_ptx_b {
  using Word = decltype(ptx_word<T>());
  static constexpr int kPacked = ptx_packed<T>();
  Word words[N * K / 32 / kPacked];
};
template <int M, int N, int K, class T>
struct kiln_ptx_c {
  using Word = decltype(ptx_word<T>());
  static constexpr int kPacked = ptx_packed<T>();
  Word words[M * N / 32 / kPacked];
};
/// The words of one lane of 8 x 8 matrices of 16 bits.
template <int Count, bool Transposed>
struct kiln_ptx_tiles {
  unsigned words[Count];
};

}  // namespace kiln::wmma_detail

using kiln::wmma_detail::kiln_ptx_a;
using kiln::wmma_detail::kiln_ptx_b;
using kiln::wmma_detail::kiln_ptx_c;
using kiln::wmma_detail::kiln_ptx_tiles;

/// A register's bits in a word of another type.
template <class Word, class V>
KILN_SHIM Word kiln_ptx_bits(const V& value) {
  if constexpr (sizeof(V) == sizeof(Word))
    return __builtin_bit_cast(Word, value);
  else
    return static_cast<Word>(value);
}

namespace kiln::wmma_detail {

/// Element `i` of a register's word as a number.
template <class T, class Sum, class Word>
KILN_SHIM Sum ptx_element(Word word, int i) {
  if constexpr (__is_same(T, precision::tf32))
    return __builtin_bit_cast(float, word & 0xffffe000u);
  else if constexpr (__is_same(T, Word))
    return static_cast<Sum>(word);
  else if constexpr (sizeof(T) == 2)
    return static_cast<Sum>(__builtin_bit_cast(T, static_cast<unsigned short>(word >> (16 * i))));
  else
    return static_cast<Sum>(static_cast<T>(word >> (8 * i)));
}

/// Calls `each(word, i, row, column)` for each element of a lane: of a, of b and of the sum.
template <int M, int N, int K, class T, class Each>
KILN_SHIM void ptx_places(const kiln_ptx_a<M, N, K, T>*, int lane, const Each& each) {
  constexpr int kPacked = kiln_ptx_a<M, N, K, T>::kPacked, kHalves = M / 8;
  for (int word = 0; word < M * K / 32 / kPacked; ++word) {
    for (int i = 0; i < kPacked; ++i)
      each(word, i, lane / 4 + 8 * (word % kHalves), lane % 4 * kPacked + i + 4 * kPacked * (word / kHalves));
  }
}
template <int M, int N, int K, class T, class Each>
KILN_SHIM void ptx_places(const kiln_ptx_b<M, N, K, T>*, int lane, const Each& each) {
  constexpr int kPacked = kiln_ptx_b<M, N, K, T>::kPacked;
  for (int word = 0; word < N * K / 32 / kPacked; ++word) {
    for (int i = 0; i < kPacked; ++i) each(word, i, lane % 4 * kPacked + i + 4 * kPacked * word, lane / 4);
  }
}
template <int M, int N, int K, class T, class Each>
KILN_SHIM void ptx_places(const kiln_ptx_c<M, N, K, T>*, int lane, const Each& each) {
  constexpr int kPacked = kiln_ptx_c<M, N, K, T>::kPacked;
  for (int number = 0; number < M * N / 32; ++number)
    each(number / kPacked, number % kPacked, lane / 4 + 8 * (number / 2), lane % 4 * 2 + number % 2);
}

template <class T, class Sum, class Fragment, class Of>
KILN_SHIM void ptx_gather(Sum* tile, int columns, const Fragment* is, const Of& of) {
  for (int lane = 0; lane < 32; ++lane) {
    const Fragment& f = *of(lane);
    ptx_places(is, lane, [&](int word, int i, int row, int column) {
      tile[row * columns + column] = ptx_element<T, Sum>(f.words[word], i);
    });
  }
}

template <int M, int N, int K, class T>
KILN_SHIM void part_of_a_warp(const kiln_ptx_c<M, N, K, T>*) {
  kiln_assert(false, "all 32 lanes of a warp run `mma` together", "asm", 0);
}
template <int Count, bool Transposed>
KILN_SHIM void part_of_a_warp(const kiln_ptx_tiles<Count, Transposed>*) {
  kiln_assert(false, "all 32 lanes of a warp run `ldmatrix` or `stmatrix` together", "asm", 0);
}

template <int M, int N, int K, class TA, class TB, class TC, class D, class A, class B, class C>
KILN_SHIM void multiply(kiln_ptx_c<M, N, K, TC>* is_d, const kiln_ptx_a<M, N, K, TA>* is_a,
                        const kiln_ptx_b<M, N, K, TB>* is_b, const kiln_ptx_c<M, N, K, TC>* is_c, const D& d,
                        const A& a, const B& b, const C& c, bool limited) {
  using Sum = typename Element<TA>::Sum;
  using Word = typename kiln_ptx_c<M, N, K, TC>::Word;
  alignas(64) Sum left[M * K], right[K * N], sums[M * N];
  ptx_gather<TA>(left, K, is_a, a);
  ptx_gather<TB>(right, N, is_b, b);
  ptx_gather<TC>(sums, N, is_c, c);
  add_product<M, N, K>(left, right, sums, limited);
  for (int lane = 0; lane < 32; ++lane) {
    auto& f = *d(lane);
    for (Word& word : f.words) word = Word();
    ptx_places(
        static_cast<const kiln_ptx_c<M, N, K, TC>*>(is_d), lane, [&](int word, int i, int row, int column) {
          const Sum sum = sums[row * N + column];
          if constexpr (sizeof(TC) == sizeof(Word)) {
            f.words[word] = static_cast<Word>(sum);
          } else {
            const TC rounded = static_cast<TC>(sum);
            f.words[word] |= static_cast<unsigned>(__builtin_bit_cast(unsigned short, rounded)) << (16 * i);
          }
        });
  }
}

/// 8 x 8 matrices of 16 bits: `rows(matrix, row)` are the addresses; lane l holds the elements 2 (l % 4) and
/// the next one of row l / 4; of column l / 4 if they are transposed.
template <int Count, bool Transposed, class Of, class Rows>
KILN_SHIM void load_tiles(kiln_ptx_tiles<Count, Transposed>*, const Of& of, const Rows& rows) {
  unsigned short numbers[Count][8][8];
  for (int matrix = 0; matrix < Count; ++matrix) {
    for (int row = 0; row < 8; ++row) __builtin_memcpy(numbers[matrix][row], rows(matrix * 8 + row), 16);
  }
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / 4, second = lane % 4 * 2;
    for (int matrix = 0; matrix < Count; ++matrix) {
      const auto& all = numbers[matrix];
      const unsigned low = Transposed ? all[second][first] : all[first][second];
      const unsigned high = Transposed ? all[second + 1][first] : all[first][second + 1];
      of(lane)->words[matrix] = low | high << 16;
    }
  }
}
template <int Count, bool Transposed, class Of, class Rows>
KILN_SHIM void store_tiles(const kiln_ptx_tiles<Count, Transposed>*, const Of& of, const Rows& rows) {
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / 4, second = lane % 4 * 2;
    for (int matrix = 0; matrix < Count; ++matrix) {
      for (int i = 0; i < 2; ++i) {
        const auto number = static_cast<unsigned short>(of(lane)->words[matrix] >> (16 * i));
        const int row = Transposed ? second + i : first, column = Transposed ? first : second + i;
        __builtin_memcpy(static_cast<char*>(rows(matrix * 8 + row)) + 2 * column, &number, 2);
      }
    }
  }
}

}  // namespace kiln::wmma_detail

template <int M, int N, int K, class TA, class TB, class TC>
KILN_SHIM void mma_sync(kiln_ptx_c<M, N, K, TC>& d, const kiln_ptx_a<M, N, K, TA>& a,
                        const kiln_ptx_b<M, N, K, TB>& b, const kiln_ptx_c<M, N, K, TC>& c,
                        bool limited = false) {
  using namespace kiln::wmma_detail;
  Brought* const all = brought[KILN_LINEAR_THREAD() / 32u];
  all[KILN_LINEAR_THREAD() & 31u] = {&d, &a, &b, &c};
  if (lane_of_all(&d) == 0) {
    multiply(
        &d, &a, &b, &c, [=](int i) { return static_cast<kiln_ptx_c<M, N, K, TC>*>(all[i].d); },
        [=](int i) { return static_cast<const kiln_ptx_a<M, N, K, TA>*>(all[i].a); },
        [=](int i) { return static_cast<const kiln_ptx_b<M, N, K, TB>*>(all[i].b); },
        [=](int i) { return static_cast<const kiln_ptx_c<M, N, K, TC>*>(all[i].c); }, limited);
  }
  __syncwarp();
}
template <int Count, bool Transposed>
KILN_SHIM void load_matrix_sync(kiln_ptx_tiles<Count, Transposed>& f, void* row) {
  using namespace kiln::wmma_detail;
  Brought* const all = brought[KILN_LINEAR_THREAD() / 32u];
  all[KILN_LINEAR_THREAD() & 31u] = {&f, row, nullptr, nullptr};
  if (lane_of_all(&f) == 0) {
    load_tiles(
        &f, [=](int i) { return static_cast<kiln_ptx_tiles<Count, Transposed>*>(all[i].d); },
        [=](int i) { return all[i].a; });
  }
  __syncwarp();
}
template <int Count, bool Transposed>
KILN_SHIM void store_matrix_sync(void* row, const kiln_ptx_tiles<Count, Transposed>& f) {
  using namespace kiln::wmma_detail;
  Brought* const all = brought[KILN_LINEAR_THREAD() / 32u];
  all[KILN_LINEAR_THREAD() & 31u] = {row, &f, nullptr, nullptr};
  if (lane_of_all(&f) == 0) {
    store_tiles(
        &f, [=](int i) { return static_cast<const kiln_ptx_tiles<Count, Transposed>*>(all[i].a); },
        [=](int i) { return all[i].d; });
  }
  __syncwarp();
}

/// `cp.async`: `bytes` of `size` bytes, and zeros behind them.
KILN_SHIM void kiln_ptx_copy(void* to, const void* from, int size, int bytes) {
  if (bytes > size) bytes = size;
  if (bytes > 0) __builtin_memcpy(to, from, static_cast<size_t>(bytes));
  if (bytes < size) __builtin_memset(static_cast<char*>(to) + bytes, 0, static_cast<size_t>(size - bytes));
}

#if defined(KILN_WARPS)
namespace kiln::cpu {

template <int Count, bool Transposed, class P>
KILN_SHIM void load_matrix_sync(unsigned active, const Lanes<kiln_ptx_tiles<Count, Transposed>*>& f,
                                const P& rows) {
  if (!all_lanes(active, f)) return;
  wmma_detail::load_tiles(
      f[0], [&](int lane) { return f[lane]; }, [&](int lane) { return at(rows, lane); });
}
template <int Count, bool Transposed, class P>
KILN_SHIM void store_matrix_sync(unsigned active, const P& rows,
                                 const Lanes<kiln_ptx_tiles<Count, Transposed>*>& f) {
  if (!all_lanes(active, f)) return;
  wmma_detail::store_tiles(
      f[0], [&](int lane) { return f[lane]; }, [&](int lane) { return at(rows, lane); });
}

}  // namespace kiln::cpu
#endif
