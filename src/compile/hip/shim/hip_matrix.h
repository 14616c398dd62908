// For HIP, in namespace kiln_cuda: `asm` of matrix instructions (mma, ldmatrix, stmatrix) by shuffles among
// the 32 lanes of a warp, which all run it. The elements have the places in the lanes' registers that the PTX
// ISA gives them. Products are added in float, double or int; a sum of 16 bits is rounded once. The matrix
// instructions of AMD's GPUs are not used.
struct ptx_f16;
struct ptx_bf16;
struct ptx_tf32;

/// How words hold the elements of a type; `number`: element `i` of a word. Factors and sums.
template <class T>
struct PtxElement {
  using Word = T;
  using Sum = T;
  static constexpr int kPacked = 1;
  KILN_SHIM T number(T word, int) { return word; }
};
template <>
struct PtxElement<ptx_f16> {
  using Word = unsigned;
  using Sum = float;
  static constexpr int kPacked = 2;
  KILN_SHIM float number(unsigned word, int i) { return KILN_FLOAT_OF_HALF(word >> (16 * i)); }
};
template <>
struct PtxElement<ptx_bf16> {
  using Word = unsigned;
  using Sum = float;
  static constexpr int kPacked = 2;
  KILN_SHIM float number(unsigned word, int i) { return __uint_as_float(word >> (16 * i) << 16); }
};
template <>
struct PtxElement<ptx_tf32> {
  using Word = unsigned;
  using Sum = float;
  static constexpr int kPacked = 1;
  KILN_SHIM float number(unsigned word, int) { return __uint_as_float(word & 0xffffe000u); }
};
template <>
struct PtxElement<signed char> {
  using Word = unsigned;
  using Sum = int;
  static constexpr int kPacked = 4;
  KILN_SHIM int number(unsigned word, int i) { return static_cast<signed char>(word >> (8 * i)); }
};
template <>
struct PtxElement<unsigned char> {
  using Word = unsigned;
  using Sum = int;
  static constexpr int kPacked = 4;
  KILN_SHIM int number(unsigned word, int i) { return static_cast<unsigned char>(word >> (8 * i)); }
};

/// The registers of one lane for a factor or a sum of m x n x k.
template <class T, int Elements>
struct PtxRegisters {
  typename PtxElement<T>::Word words[Elements / 32 / PtxElement<T>::kPacked];
};
template <int M, int N, int K, class T>
struct kiln_ptx_a : PtxRegisters<T, M * K> {};
template <int M, int N, int K, class T>
struct kiln_ptx_b : PtxRegisters<T, N * K> {};
template <int M, int N, int K, class T>
struct kiln_ptx_c : PtxRegisters<T, M * N> {};
/// The words of one lane of 8 x 8 matrices of 16 bits.
template <int Count, bool Transposed>
struct kiln_ptx_tiles {
  unsigned words[Count];
};

/// A register's bits in a word of another type.
template <class Word, class V>
KILN_SHIM Word kiln_ptx_bits(const V& value) {
  if constexpr (sizeof(V) == sizeof(Word)) {
    Word word;
    __builtin_memcpy(&word, &value, sizeof word);
    return word;
  } else {
    return static_cast<Word>(value);
  }
}

/// sum + x y. Integers wrap, or `Wide` holds what an int does not.
template <class Wide, class V>
KILN_SHIM Wide with_product(Wide sum, V x, V y) {
  if constexpr (__is_same(Wide, int))
    return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(x) * static_cast<unsigned>(y));
  else
    return sum + static_cast<Wide>(x) * static_cast<Wide>(y);
}

/// Adds the products to sums[2 h + j], which is row lane / 4 + 8 h and column 2 (lane % 4) + j.
template <int M, int K, class TA, class TB, class Wide, class A, class B>
KILN_SHIM void add_products(Wide* sums, const A& a, const B& b, unsigned lane) {
  using Left = PtxElement<TA>;
  using Right = PtxElement<TB>;
  constexpr int kPacked = Left::kPacked, kHalves = M / 8;
  for (int k = 0; k < K; k += kPacked) {
    // Four lanes hold a group of neighbours along k, each one a word.
    const int group = k / (4 * kPacked), from = k / kPacked % 4;
    typename Right::Word right[2];
    for (unsigned j = 0; j < 2; ++j)
      right[j] = __shfl_sync(0xffffffffu, b.words[group], static_cast<int>((lane % 4 * 2 + j) * 4) + from);
    for (int h = 0; h < kHalves; ++h) {
      const auto left =
          __shfl_sync(0xffffffffu, a.words[h + kHalves * group], static_cast<int>(lane / 4 * 4) + from);
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < kPacked; ++i)
          sums[2 * h + j] = with_product(sums[2 * h + j], Left::number(left, i), Right::number(right[j], i));
      }
    }
  }
}

/// `limited`: integers that an int does not hold become the nearest one.
template <int M, int N, int K, class TA, class TB, class TC>
KILN_SHIM void mma_sync(kiln_ptx_c<M, N, K, TC>& d, const kiln_ptx_a<M, N, K, TA>& a,
                        const kiln_ptx_b<M, N, K, TB>& b, const kiln_ptx_c<M, N, K, TC>& c,
                        bool limited = false) {
  using Result = PtxElement<TC>;
  using Sum = typename PtxElement<TA>::Sum;
  const unsigned lane = lane_of_warp();
  constexpr int kCount = M * N / 32;
  Sum sums[kCount];
  for (int i = 0; i < kCount; ++i)
    sums[i] = static_cast<Sum>(Result::number(c.words[i / Result::kPacked], i % Result::kPacked));
  if (__is_same(Sum, int) && limited) {
    long long wide[kCount];
    for (int i = 0; i < kCount; ++i) wide[i] = static_cast<long long>(sums[i]);
    add_products<M, K, TA, TB>(wide, a, b, lane);
    for (int i = 0; i < kCount; ++i) {
      const long long most = 0x7fffffffll, least = -most - 1;
      sums[i] = static_cast<Sum>(wide[i] > most ? most : wide[i] < least ? least : wide[i]);
    }
  } else {
    add_products<M, K, TA, TB>(sums, a, b, lane);
  }
  for (int i = 0; i < kCount; i += Result::kPacked) {
    if constexpr (Result::kPacked == 1)
      d.words[i] = sums[i];
    else
      d.words[i / 2] = KILN_HALF_OF_FLOAT(sums[i]) | KILN_HALF_OF_FLOAT(sums[i + 1]) << 16;
  }
}

/// Lane 8 m + r gives the address of row r of matrix m. A lane gets the elements 2 (lane % 4) and the next
/// one of row lane / 4, or of this column if they are transposed.
template <int Count, bool Transposed>
KILN_SHIM void load_matrix_sync(kiln_ptx_tiles<Count, Transposed>& f, void* row) {
  const unsigned lane = lane_of_warp(), first = lane / 4, second = lane % 4 * 2;
  const auto address = reinterpret_cast<unsigned long long>(row);
  for (unsigned matrix = 0; matrix < Count; ++matrix) {
    const auto element = [&](unsigned r, unsigned column) {
      const auto at = __shfl_sync(0xffffffffu, address, static_cast<int>(8 * matrix + r));
      return static_cast<unsigned>(reinterpret_cast<const unsigned short*>(at)[column]);
    };
    const unsigned low = Transposed ? element(second, first) : element(first, second);
    const unsigned high = Transposed ? element(second + 1, first) : element(first, second + 1);
    f.words[matrix] = low | high << 16;
  }
}
template <int Count, bool Transposed>
KILN_SHIM void store_matrix_sync(void* row, const kiln_ptx_tiles<Count, Transposed>& f) {
  const unsigned lane = lane_of_warp(), first = lane / 4, second = lane % 4 * 2;
  const auto address = reinterpret_cast<unsigned long long>(row);
  for (unsigned matrix = 0; matrix < Count; ++matrix) {
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned r = Transposed ? second + i : first, column = Transposed ? first : second + i;
      const auto at = __shfl_sync(0xffffffffu, address, static_cast<int>(8 * matrix + r));
      reinterpret_cast<unsigned short*>(at)[column] =
          static_cast<unsigned short>(f.words[matrix] >> (16 * i));
    }
  }
}
