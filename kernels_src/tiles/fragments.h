#pragma once

#include "epilogue.h"

// From the sums that lanes of a warp hold after NVIDIA's matrix instructions to memory.

namespace tiles {

/// 16 bytes at once: what the compiler makes of a struct may be four stores. Loads may move across it: nobody
/// reads what it writes before a barrier.
template <class Out>
KILN_DEVICE void store_words(Out* to, const unsigned (&words)[4]) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3]));
}

/// The lane whose number has the bit `mask` clear (`high` false) keeps x and gets its neighbour's x as y; the
/// other one keeps y and gets the neighbour's y as x.
KILN_DEVICE void exchange(unsigned& x, unsigned& y, bool high, int mask) {
  const unsigned other = kiln::shuffle_xor(high ? x : y, mask);
  if (high) {
    x = other;
  } else {
    y = other;
  }
}

/// Four lanes, `apart` from each other, turn 4 x 4 words: lane `quarter` of them gets word `quarter` of each.
KILN_DEVICE void turn(unsigned (&words)[4], int quarter, int apart) {
  exchange(words[0], words[1], quarter % 2 != 0, apart);
  exchange(words[2], words[3], quarter % 2 != 0, apart);
  exchange(words[0], words[2], quarter / 2 != 0, 2 * apart);
  exchange(words[1], words[3], quarter / 2 != 0, 2 * apart);
}

/// Two results side by side, rounded.
template <class Out>
KILN_DEVICE unsigned word_of(float low, float high) {
  const kiln::Pack<Out, 2> pack = {{Out(low), Out(high)}};
  return *reinterpret_cast<const unsigned*>(&pack);
}
#define TILES_WORD_OF(Out, type)                                                 \
  template <>                                                                    \
  KILN_DEVICE unsigned word_of<Out>(float low, float high) {                     \
    unsigned word;                                                               \
    asm("cvt.rn." type "x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low)); \
    return word;                                                                 \
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#ifdef __CUDA_FP16_TYPES_EXIST__
TILES_WORD_OF(__half, "f16")
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
TILES_WORD_OF(__nv_bfloat16, "bf16")
#endif
#endif
#undef TILES_WORD_OF

/// Whether a Store has, beside what an epilogue has, line(row), the address of a row's first column, null
/// outside; `columns`, their number; and finished(sum), what becomes of a sum wherever it is.
template <class Store, class = void>
constexpr bool has_lines = false;
template <class Store>
constexpr bool has_lines<Store, decltype(void(&Store::line))> = true;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Whether a Store has `scratch`: shared memory for this warp, lines_bytes of it.
constexpr int lines_bytes = 2048;
template <class Store, class = void>
constexpr bool has_scratch = false;
template <class Store>
constexpr bool has_scratch<Store, decltype(void(&Store::scratch))> = true;

/// As store_fragments, for elements of 2 bytes that need no more than their sums: pieces of 64 columns go
/// through the warp's scratch, 16 lines of 128 bytes, from where each 8 lanes store a line. The 16 bytes c of
/// line r are at c ^ r % 8.
template <int Wide, class Store, class Sums>
KILN_DEVICE void store_lines(const Store& store, int lane, int row, int column, const Sums& sum) {
  using Out = typename Store::Out;
  const unsigned scratch = unsigned(__cvta_generic_to_shared(store.scratch));
  const int r = lane % 16, half = lane / 16;  // of what stmatrix asks this lane for
  const auto words_of = [&](int j, int low) {
    return word_of<Out>(store.alone(sum(j, low * 2)), store.alone(sum(j, low * 2 + 1)));
  };
  KILN_UNROLL_ALL
  for (int first = 0; first < Wide; first += 8) {
    __syncwarp();
    KILN_UNROLL_ALL
    for (int j = 0; j < 8; j += 2)
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                       scratch + unsigned(r * 128 + ((j + half) ^ r % 8) * 16)),
                   "r"(words_of(first + j, 0)), "r"(words_of(first + j, 1)), "r"(words_of(first + j + 1, 0)),
                   "r"(words_of(first + j + 1, 1))
                   : "memory");
    __syncwarp();
    KILN_UNROLL_ALL
    for (int i = 0; i < 4; ++i) {
      const int line = i * 4 + lane / 8, c = column + first * 8 + lane % 8 * 8;
      unsigned words[4];
      asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                   : "r"(scratch + unsigned(line * 128 + (lane % 8 ^ line % 8) * 16))
                   : "memory");
      if (store.inside(row + line, c)) store_words(store.address(row + line, c), words);
    }
  }
}
#endif

/// 16 x (8 Wide) sums of a warp, as NVIDIA's matrix instructions leave them: sum(j, e) is in row lane / 4 +
/// e / 2 * 8, column j * 8 + lane % 4 * 2 + e % 2. Four lanes that share a row exchange words, so that each
/// stores 16 bytes at once.
template <int Wide, class Store, class Sums>
KILN_DEVICE void store_fragments(const Store& store, int lane, int row, int column, const Sums& sum) {
  using Out = typename Store::Out;
  constexpr int size = int(sizeof(Out));
  constexpr int each = 8 / size;  // pieces of 8 columns that lanes exchange
  const int quarter = lane % 4;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (size == 2 && has_scratch<Store> && Wide % 8 == 0) {
    if (store.wide(8) && !store.reads()) return store_lines<Wide>(store, lane, row, column, sum);
  }
#endif
  if constexpr (size == 2 || size == 4) {
    if (Wide % each == 0 && store.wide(16 / size)) {
      KILN_UNROLL_ALL
      for (int low = 0; low < 2; ++low) {
        const int r = row + lane / 4 + low * 8;
        Out* line = nullptr;
        if constexpr (has_lines<Store>) line = store.line(r);
        KILN_UNROLL_ALL
        for (int j = 0; j < Wide / each * each; j += each) {
          unsigned words[4];
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) {
            const int piece = size == 2 ? w : w / 2;
            if constexpr (has_lines<Store>) {
              const float first = store.finished(sum(j + piece, low * 2 + (size == 2 ? 0 : w % 2)));
              words[w] = size == 2 ? word_of<Out>(first, store.finished(sum(j + piece, low * 2 + 1)))
                                   : __float_as_uint(first);
              continue;
            }
            kiln::Pack<Out, 4 / size> pack = {};
            const int first = column + (j + piece) * 8 + quarter * 2;
            if (store.inside(r, first)) {  // and so its neighbour
              KILN_UNROLL_ALL
              for (int e = 0; e < 4 / size; ++e) {
                const int pair = size == 2 ? e : w % 2;
                pack.at[e] = store.value(r, first + pair, sum(j + piece, low * 2 + pair));
              }
            }
            words[w] = *reinterpret_cast<const unsigned*>(&pack);
          }
          // Of a piece, or half of one, the lane then has all four words.
          if (size == 2) {
            turn(words, quarter, 1);
          } else {
            exchange(words[0], words[2], quarter % 2 != 0, 1);
            exchange(words[1], words[3], quarter % 2 != 0, 1);
          }
          const int c = column + (size == 2 ? (j + quarter) * 8 : (j + quarter % 2) * 8 + quarter / 2 * 4);
          if constexpr (has_lines<Store>) {
            if (line != nullptr && c < store.columns) store_words(line + c, words);
          } else {
            if (store.inside(r, c)) store_words(store.address(r, c), words);
          }
        }
      }
      return;
    }
  }
  KILN_UNROLL_ALL
  for (int j = 0; j < Wide; ++j) {
    KILN_UNROLL_ALL
    for (int low = 0; low < 2; ++low)
      store_run<2>(store, row + lane / 4 + low * 8, column + j * 8 + quarter * 2,
                   [&](int e) { return sum(j, low * 2 + e); });
  }
}

/// 4 columns from `column` on and 8 Wide rows of a product that a warp holds turned: sum(j, e) is in row j *
/// 8 + lane % 4 * 2 + e, column lane / 4 % 4. Four lanes that share rows exchange words, so that each stores
/// neighbours.
template <int Wide, class Store, class Sums>
KILN_DEVICE void store_turned(const Store& store, int lane, int row, int column, const Sums& sum) {
  const int quarter = lane / 4 % 4;
  KILN_UNROLL_ALL
  for (int j = 0; j < Wide; j += 2) {
    unsigned words[4];
    KILN_UNROLL_ALL
    for (int w = 0; w < 4; ++w) words[w] = __float_as_uint(sum(j + w / 2, w % 2));
    turn(words, quarter, 4);
    store_run<4>(store, row + (j + quarter / 2) * 8 + lane % 4 * 2 + quarter % 2, column,
                 [&](int e) { return __uint_as_float(words[e]); });
  }
}

}  // namespace tiles
