// The CUDA dialect for a host compiler: operations on the bits of integers, what `asm` of PTX needs for its
// own, and conversions to integers. The hip back end compiles this text for a GPU, in namespace kiln_cuda,
// for what `asm` becomes there (hip_cuda.h). A text's constexpr functions may call what is constexpr here.
#pragma once

KILN_SHIM constexpr int __popc(unsigned x) {
  return __builtin_popcount(x);
}
KILN_SHIM constexpr int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
KILN_SHIM constexpr int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
KILN_SHIM constexpr int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
KILN_SHIM constexpr int __ffs(int x) {
  return __builtin_ffs(x);
}
KILN_SHIM constexpr int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
KILN_SHIM unsigned __brev(unsigned x) {
  x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
KILN_SHIM unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
KILN_SHIM unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 7u;
    result |= static_cast<unsigned>(bytes >> (8 * pick) & 0xffu) << (8 * i);
  }
  return result;
}
/// PTX's prmt: the fourth bit of a selector repeats the sign of the byte.
KILN_SHIM unsigned kiln_prmt(unsigned x, unsigned y, unsigned selector) {
  unsigned result = __byte_perm(x, y, selector);
  for (unsigned i = 0; i < 4; ++i) {
    if ((selector >> (4 * i + 3) & 1u) == 0) continue;
    const unsigned sign = (result >> (8 * i + 7) & 1u) != 0 ? 0xffu : 0u;
    result = (result & ~(0xffu << (8 * i))) | sign << (8 * i);
  }
  return result;
}
/// The bits of a float with 10 of its 23 digits: to the nearest, ties away from 0 (`rounding` 0) or to even
/// (1), or towards 0 (2).
KILN_SHIM unsigned kiln_ptx_tf32(float x, int rounding) {
  const unsigned word = __builtin_bit_cast(unsigned, x);
  if ((word & 0x7f800000u) == 0x7f800000u) return word;
  const unsigned half = rounding == 0 ? 0x1000u : rounding == 1 ? 0xfffu + (word >> 13 & 1u) : 0u;
  return (word + half) & 0xffffe000u;
}
/// PTX's bfe and bfi: their position and length are bytes. A signed field repeats its last bit.
KILN_SHIM unsigned kiln_ptx_field(unsigned x, unsigned position, unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (length == 0 || position > 31u) return 0;
  return x >> position & (length > 31u ? ~0u : (1u << length) - 1u);
}
KILN_SHIM int kiln_ptx_field(int x, unsigned position, unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (length == 0) return 0;
  if (position > 31u) return x < 0 ? -1 : 0;
  const unsigned unused = length < 32u - position ? 32u - position - length : 0u;
  return static_cast<int>(static_cast<unsigned>(x) << unused) >> (position + unused);
}
KILN_SHIM unsigned kiln_ptx_insert(unsigned x, unsigned y, unsigned position, unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (position > 31u || length == 0) return y;
  const unsigned mask = (length > 31u ? ~0u : (1u << length) - 1u) << position;
  return (y & ~mask) | (x << position & mask);
}
KILN_SHIM unsigned long long kiln_ptx_field(unsigned long long x, unsigned position, unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (length == 0 || position > 63u) return 0;
  return x >> position & (length > 63u ? ~0ull : (1ull << length) - 1ull);
}
KILN_SHIM long long kiln_ptx_field(long long x, unsigned position, unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (length == 0) return 0;
  if (position > 63u) return x < 0 ? -1 : 0;
  const unsigned unused = length < 64u - position ? 64u - position - length : 0u;
  return static_cast<long long>(static_cast<unsigned long long>(x) << unused) >> (position + unused);
}
KILN_SHIM unsigned long long kiln_ptx_insert(unsigned long long x, unsigned long long y, unsigned position,
                                             unsigned length) {
  position &= 0xffu;
  length &= 0xffu;
  if (position > 63u || length == 0) return y;
  const unsigned long long mask = (length > 63u ? ~0ull : (1ull << length) - 1ull) << position;
  return (y & ~mask) | (x << position & mask);
}
/// PTX's cvt.pack: the limited numbers, `high` above `low`; of bytes, below the lower half of `others`.
template <class Part>
KILN_SHIM unsigned kiln_packed_words(int high, int low) {
  constexpr int least = static_cast<Part>(-1) < 0 ? -(1 << (8 * sizeof(Part) - 1)) : 0;
  constexpr int most = least + (1 << (8 * sizeof(Part))) - 1;
  const auto limited = [&](int x) {
    const unsigned part = static_cast<unsigned>(x < least ? least : x > most ? most : x);
    return part & ((1u << (8 * sizeof(Part))) - 1u);
  };
  return limited(high) << (8 * sizeof(Part)) | limited(low);
}
template <class Part>
KILN_SHIM unsigned kiln_packed_bytes(int high, int low, unsigned others) {
  return others << 16 | kiln_packed_words<Part>(high, low);
}
/// The lane whose value PTX's shfl gives, by its operands; 32 more, the lane itself, if that is outside the
/// segment. `limits` holds the lane's segment in bits 8 to 12, and the last lane of it in bits 0 to 4.
template <char Way>
KILN_SHIM unsigned kiln_shfl_source(unsigned lane, unsigned lanes, unsigned limits) {
  const unsigned segment = limits >> 8 & 31u, last = limits & 31u;
  lanes &= 31u;
  const unsigned first_lane = lane & segment, last_lane = first_lane | (last & ~segment);
  const int source = Way == 'u'   ? static_cast<int>(lane) - static_cast<int>(lanes)
                     : Way == 'd' ? static_cast<int>(lane + lanes)
                     : Way == 'b' ? static_cast<int>(lane ^ lanes)
                                  : static_cast<int>(first_lane | (lanes & ~segment));
  const bool inside =
      Way == 'u' ? source >= static_cast<int>(last_lane) : source <= static_cast<int>(last_lane);
  return inside ? static_cast<unsigned>(source) : lane | 32u;
}
/// PTX's lop3: bit i of the table for x, y and z as the bits of i.
KILN_SHIM unsigned kiln_lop3(unsigned x, unsigned y, unsigned z, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1u) == 0) continue;
    result |= (i & 4u ? x : ~x) & (i & 2u ? y : ~y) & (i & 1u ? z : ~z);
  }
  return result;
}
KILN_SHIM unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u) >> 32);
}
KILN_SHIM unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
KILN_SHIM int __mul24(int x, int y) {
  return (x << 8 >> 8) * (y << 8 >> 8);
}
KILN_SHIM unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
KILN_SHIM int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
KILN_SHIM unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
KILN_SHIM long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
KILN_SHIM unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
KILN_SHIM unsigned __sad(int x, int y, unsigned z) {
  return z + static_cast<unsigned>(x < y ? static_cast<long long>(y) - x : static_cast<long long>(x) - y);
}
KILN_SHIM unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x < y ? y - x : x - y);
}
KILN_SHIM unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
KILN_SHIM unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/// The place of the offset-th set bit, counted from `base` on and upwards, or downwards where the offset is
/// negative; all bits set: there is none.
KILN_SHIM unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> (base & 31u) & 1u) != 0 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  for (int place = static_cast<int>(base); place >= 0 && place < 32; place += step) {
    if ((mask >> place & 1u) != 0 && (offset -= step) == 0) return static_cast<unsigned>(place);
  }
  return 0xffffffffu;
}

/// Means of integers, rounded down and up.
KILN_SHIM int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
KILN_SHIM int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
KILN_SHIM unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
KILN_SHIM unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

#define KILN_VECTOR_DOT_PRODUCT(name, type, first, second) \
  KILN_SHIM type name(first a, second b, type c) {         \
    type x, y;                                             \
    __builtin_memcpy(&x, &a, sizeof x);                    \
    __builtin_memcpy(&y, &b, sizeof y);                    \
    return name(x, y, c);                                  \
  }
// Products of the bytes of two words, and of two halves of a word with two bytes of another.
#define KILN_DOT_PRODUCTS(type, byte, short_type, bytes, shorts)                            \
  KILN_SHIM type __dp4a(type a, type b, type c) {                                           \
    for (int i = 0; i < 32; i += 8)                                                         \
      c += static_cast<type>(static_cast<byte>(a >> i) * static_cast<byte>(b >> i));        \
    return c;                                                                               \
  }                                                                                         \
  KILN_SHIM type __dp2a_lo(type a, type b, type c) {                                        \
    return c + static_cast<type>(static_cast<short_type>(a) * static_cast<byte>(b)) +       \
           static_cast<type>(static_cast<short_type>(a >> 16) * static_cast<byte>(b >> 8)); \
  }                                                                                         \
  KILN_SHIM type __dp2a_hi(type a, type b, type c) {                                        \
    return __dp2a_lo(a, b >> 16, c);                                                        \
  }                                                                                         \
  KILN_VECTOR_DOT_PRODUCT(__dp4a, type, bytes, bytes)                                       \
  KILN_VECTOR_DOT_PRODUCT(__dp2a_lo, type, shorts, bytes)                                   \
  KILN_VECTOR_DOT_PRODUCT(__dp2a_hi, type, shorts, bytes)
KILN_DOT_PRODUCTS(int, signed char, short, char4, short2)
KILN_DOT_PRODUCTS(unsigned, unsigned char, unsigned short, uchar4, ushort2)

// ------------------------------------------------------------------------------------------ of reals

/// A number as an integer, as a GPU converts it: the nearest that there is. NaN is 0, or the top bit alone
/// where one of the types has 64 bits.
template <class I, class V>
KILN_SHIM I kiln_to_integer(V value) {
  constexpr bool is_signed = static_cast<I>(-1) < static_cast<I>(0);
  constexpr unsigned long long top = ~0ull >> (64 - 8 * sizeof(I) + (is_signed ? 1 : 0));
  constexpr V above = static_cast<V>(top / 2 + 1) * V(2);
  constexpr I least = is_signed ? static_cast<I>(~top) : static_cast<I>(0);
  constexpr bool wide = sizeof(I) == 8 || sizeof(V) == 8;
  constexpr I of_nan = wide ? static_cast<I>(1ull << (8 * sizeof(I) - 1)) : static_cast<I>(0);
  const I inside = static_cast<I>(value < above ? value : V(0));
  const I bounded = value >= above ? static_cast<I>(top) : value < static_cast<V>(least) ? least : inside;
  return value != value ? of_nan : bounded;
}

#define KILN_TO_INTEGER(name, from, to, suffix)             \
  KILN_SHIM to name##_rz(from x) {                          \
    return kiln_to_integer<to>(x);                          \
  }                                                         \
  KILN_SHIM to name##_rn(from x) {                          \
    return kiln_to_integer<to>(__builtin_rint##suffix(x));  \
  }                                                         \
  KILN_SHIM to name##_rd(from x) {                          \
    return kiln_to_integer<to>(__builtin_floor##suffix(x)); \
  }                                                         \
  KILN_SHIM to name##_ru(from x) {                          \
    return kiln_to_integer<to>(__builtin_ceil##suffix(x));  \
  }
KILN_TO_INTEGER(__float2int, float, int, f)
KILN_TO_INTEGER(__float2uint, float, unsigned, f)
KILN_TO_INTEGER(__float2ll, float, long long, f)
KILN_TO_INTEGER(__float2ull, float, unsigned long long, f)
KILN_TO_INTEGER(__double2int, double, int, )
KILN_TO_INTEGER(__double2uint, double, unsigned, )
KILN_TO_INTEGER(__double2ll, double, long long, )
KILN_TO_INTEGER(__double2ull, double, unsigned long long, )
KILN_SHIM float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
