// The CUDA dialect for a host compiler: four 8-bit or two 16-bit integers in a word (__vadd4, __vsadu2, ...),
// and CUDA's minima and maxima for dynamic programming (__viaddmax_s32, ...). Computed in integers of twice
// the width; the result keeps the lower half.
#pragma once

namespace kiln::words {

typedef signed char S8 __attribute__((vector_size(4)));
typedef unsigned char U8 __attribute__((vector_size(4)));
typedef short S16 __attribute__((vector_size(4)));
typedef unsigned short U16 __attribute__((vector_size(4)));
typedef short Wide8 __attribute__((vector_size(8)));
typedef int Wide16 __attribute__((vector_size(8)));

#define KILN_WORD_TYPE(narrow, wide_type, least, most)                       \
  template <>                                                                \
  struct Word<narrow> {                                                      \
    using Wide = wide_type;                                                  \
    static constexpr int lanes = sizeof(wide_type) / sizeof(wide_type{}[0]); \
    static constexpr int low = least, high = most;                           \
  };
template <class V>
struct Word;
KILN_WORD_TYPE(S8, Wide8, -128, 127)
KILN_WORD_TYPE(U8, Wide8, 0, 255)
KILN_WORD_TYPE(S16, Wide16, -32768, 32767)
KILN_WORD_TYPE(U16, Wide16, 0, 65535)

template <class V>
KILN_SHIM typename Word<V>::Wide widened(unsigned word) {
  return __builtin_convertvector(__builtin_bit_cast(V, word), typename Word<V>::Wide);
}
template <class V>
KILN_SHIM unsigned word(typename Word<V>::Wide wide) {
  return __builtin_bit_cast(unsigned, __builtin_convertvector(wide, V));
}
template <class W>
KILN_SHIM W larger(W a, W b) {
  return a > b ? a : b;
}
template <class W>
KILN_SHIM W smaller(W a, W b) {
  return a < b ? a : b;
}
template <class V, class W>
KILN_SHIM W clamped(W wide) {
  const W low = W{} + Word<V>::low, high = W{} + Word<V>::high;
  return smaller(larger(wide, low), high);
}
template <class V, class W>
KILN_SHIM unsigned lane_sum(W wide) {
  unsigned sum = 0;
  for (int i = 0; i < Word<V>::lanes; ++i) sum += static_cast<unsigned>(wide[i]);
  return sum;
}

}  // namespace kiln::words

// `x` and `y` are the operands' lanes in the expressions, as V says; `W` their type.
#define KILN_WORD_1(name, V_, ...)            \
  KILN_SHIM unsigned name(unsigned a) {       \
    using V = kiln::words::V_;                \
    using W = kiln::words::Word<V>::Wide;     \
    const W x = kiln::words::widened<V>(a);   \
    return kiln::words::word<V>(__VA_ARGS__); \
  }
#define KILN_WORD_2(name, V_, ...)                                          \
  KILN_SHIM unsigned name(unsigned a, unsigned b) {                         \
    using V = kiln::words::V_;                                              \
    using W = kiln::words::Word<V>::Wide;                                   \
    const W x = kiln::words::widened<V>(a), y = kiln::words::widened<V>(b); \
    return kiln::words::word<V>(__VA_ARGS__);                               \
  }
#define KILN_WORD_SUM(name, V_, ...)                                           \
  KILN_SHIM unsigned name(unsigned a, unsigned b) {                            \
    using V = kiln::words::V_;                                                 \
    const auto x = kiln::words::widened<V>(a), y = kiln::words::widened<V>(b); \
    return kiln::words::lane_sum<V>(__VA_ARGS__);                              \
  }
#define KILN_WORD_COMPARISON(name, n, V, sign) \
  KILN_WORD_2(__vcmp##name##n, V, W(x sign y)) \
  KILN_WORD_2(__vset##name##n, V, W(x sign y) & 1)
#define KILN_WORDS(n, S, U)                                            \
  KILN_WORD_1(__vabs##n, S, x < 0 ? -x : x)                            \
  KILN_WORD_1(__vabsss##n, S, kiln::words::clamped<V>(x < 0 ? -x : x)) \
  KILN_WORD_1(__vneg##n, S, -x)                                        \
  KILN_WORD_1(__vnegss##n, S, kiln::words::clamped<V>(-x))             \
  KILN_WORD_2(__vadd##n, S, x + y)                                     \
  KILN_WORD_2(__vsub##n, S, x - y)                                     \
  KILN_WORD_2(__vaddss##n, S, kiln::words::clamped<V>(x + y))          \
  KILN_WORD_2(__vaddus##n, U, kiln::words::clamped<V>(x + y))          \
  KILN_WORD_2(__vsubss##n, S, kiln::words::clamped<V>(x - y))          \
  KILN_WORD_2(__vsubus##n, U, kiln::words::clamped<V>(x - y))          \
  KILN_WORD_2(__vabsdiffs##n, S, x > y ? x - y : y - x)                \
  KILN_WORD_2(__vabsdiffu##n, U, x > y ? x - y : y - x)                \
  KILN_WORD_2(__vavgs##n, S, (x + y - W(x + y >= 0)) >> 1)             \
  KILN_WORD_2(__vavgu##n, U, (x + y + 1) >> 1)                         \
  KILN_WORD_2(__vhaddu##n, U, (x + y) >> 1)                            \
  KILN_WORD_2(__vmaxs##n, S, kiln::words::larger(x, y))                \
  KILN_WORD_2(__vmaxu##n, U, kiln::words::larger(x, y))                \
  KILN_WORD_2(__vmins##n, S, kiln::words::smaller(x, y))               \
  KILN_WORD_2(__vminu##n, U, kiln::words::smaller(x, y))               \
  KILN_WORD_SUM(__vsads##n, S, x > y ? x - y : y - x)                  \
  KILN_WORD_SUM(__vsadu##n, U, x > y ? x - y : y - x)                  \
  KILN_WORD_COMPARISON(eq, n, S, ==)                                   \
  KILN_WORD_COMPARISON(ne, n, S, !=)                                   \
  KILN_WORD_COMPARISON(les, n, S, <=)                                  \
  KILN_WORD_COMPARISON(leu, n, U, <=)                                  \
  KILN_WORD_COMPARISON(lts, n, S, <)                                   \
  KILN_WORD_COMPARISON(ltu, n, U, <)                                   \
  KILN_WORD_COMPARISON(ges, n, S, >=)                                  \
  KILN_WORD_COMPARISON(geu, n, U, >=)                                  \
  KILN_WORD_COMPARISON(gts, n, S, >)                                   \
  KILN_WORD_COMPARISON(gtu, n, U, >)
KILN_WORDS(4, S8, U8)
KILN_WORDS(2, S16, U16)

// Of three and of two operands; `relu`: at least 0. A sum keeps the bits that fit.
#define KILN_DYNAMIC(kind, type, largest, smallest, sum)     \
  KILN_SHIM type __vimax3_##kind(type a, type b, type c) {   \
    return largest(largest(a, b), c);                        \
  }                                                          \
  KILN_SHIM type __vimin3_##kind(type a, type b, type c) {   \
    return smallest(smallest(a, b), c);                      \
  }                                                          \
  KILN_SHIM type __viaddmax_##kind(type a, type b, type c) { \
    return largest(sum(a, b), c);                            \
  }                                                          \
  KILN_SHIM type __viaddmin_##kind(type a, type b, type c) { \
    return smallest(sum(a, b), c);                           \
  }
#define KILN_DYNAMIC_RELU(kind, type, largest, smallest, sum)       \
  KILN_SHIM type __vimax_##kind##_relu(type a, type b) {            \
    return largest(largest(a, b), type(0));                         \
  }                                                                 \
  KILN_SHIM type __vimin_##kind##_relu(type a, type b) {            \
    return largest(smallest(a, b), type(0));                        \
  }                                                                 \
  KILN_SHIM type __vimax3_##kind##_relu(type a, type b, type c) {   \
    return largest(__vimax3_##kind(a, b, c), type(0));              \
  }                                                                 \
  KILN_SHIM type __vimin3_##kind##_relu(type a, type b, type c) {   \
    return largest(__vimin3_##kind(a, b, c), type(0));              \
  }                                                                 \
  KILN_SHIM type __viaddmax_##kind##_relu(type a, type b, type c) { \
    return largest(__viaddmax_##kind(a, b, c), type(0));            \
  }                                                                 \
  KILN_SHIM type __viaddmin_##kind##_relu(type a, type b, type c) { \
    return largest(__viaddmin_##kind(a, b, c), type(0));            \
  }
KILN_SHIM int kiln_wrapped_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
KILN_SHIM unsigned kiln_wrapped_sum(unsigned a, unsigned b) {
  return a + b;
}
KILN_DYNAMIC(s32, int, max, min, kiln_wrapped_sum)
KILN_DYNAMIC(u32, unsigned, max, min, kiln_wrapped_sum)
KILN_DYNAMIC(s16x2, unsigned, __vmaxs2, __vmins2, __vadd2)
KILN_DYNAMIC(u16x2, unsigned, __vmaxu2, __vminu2, __vadd2)
KILN_DYNAMIC_RELU(s32, int, max, min, kiln_wrapped_sum)
KILN_DYNAMIC_RELU(s16x2, unsigned, __vmaxs2, __vmins2, __vadd2)

// With whether it is the first operand, of each half of a word by itself.
#define KILN_CHOOSING(name, type, sign)              \
  KILN_SHIM type name(type a, type b, bool* first) { \
    *first = a sign b;                               \
    return *first ? a : b;                           \
  }
#define KILN_CHOOSING_HALVES(name, half, sign)                                         \
  KILN_SHIM unsigned name(unsigned a, unsigned b, bool* first_high, bool* first_low) { \
    *first_high = static_cast<half>(a >> 16) sign static_cast<half>(b >> 16);          \
    *first_low = static_cast<half>(a) sign static_cast<half>(b);                       \
    return ((*first_high ? a : b) & 0xffff0000u) | ((*first_low ? a : b) & 0xffffu);   \
  }
KILN_CHOOSING(__vibmax_s32, int, >=)
KILN_CHOOSING(__vibmax_u32, unsigned, >=)
KILN_CHOOSING(__vibmin_s32, int, <=)
KILN_CHOOSING(__vibmin_u32, unsigned, <=)
KILN_CHOOSING_HALVES(__vibmax_s16x2, short, >=)
KILN_CHOOSING_HALVES(__vibmax_u16x2, unsigned short, >=)
KILN_CHOOSING_HALVES(__vibmin_s16x2, short, <=)
KILN_CHOOSING_HALVES(__vibmin_u16x2, unsigned short, <=)
