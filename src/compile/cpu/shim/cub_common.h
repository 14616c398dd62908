// CUB for a host compiler, part 1: operators, the lanes of a warp, what the block's classes share. CUB's
// public interface, as its documentation describes it; algorithms that a template argument chooses are one.
#pragma once

namespace kiln::cub_detail {

/// Neither for memory nor for time: the classes keep what they need in memory of the thread that runs the
/// block, so that an array that was made for CUB's own storage is large enough.
struct NoStorage {};

/// An unsigned integer of as many bytes.
template <int kBytes>
struct Unsigned {
  using type = unsigned long long;
};
template <>
struct Unsigned<4> {
  using type = unsigned int;
};
template <>
struct Unsigned<2> {
  using type = unsigned short;
};
template <>
struct Unsigned<1> {
  using type = unsigned char;
};

/// A number of values in raw memory, which needs no constructor.
template <class T, int kCount>
struct Slots {
  alignas(T) unsigned char bytes[sizeof(T) * kCount];
  T* first() { return reinterpret_cast<T*>(bytes); }
  T& at(int i) { return first()[i]; }
};

/// The place of a work-item in a block of this shape, as CUB counts.
template <int X, int Y, int Z>
KILN_SHIM int kiln_block_rank() {
  if (blockDim.x != X || blockDim.y != Y || blockDim.z != Z) {
    kiln_assert(false, "the block has the shape that a class of cub is made for", "cub", 0);
    return 0;  // a launch that has failed goes on, within the class's arrays
  }
  return static_cast<int>((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x);
}

/// What the work-items of a block bring together. A class has two, which it uses in turn: when a work-item
/// writes to one again, a barrier has shown that all have read it.
template <class Board, int kThreads>
class Boards {
 public:
  Board& next(int me) {
    if (kiln_step_pass != 0) return boards_[0];
    if (serial_ != kiln_block_serial) {
      serial_ = kiln_block_serial;
      __builtin_memset(turn_, 0, sizeof turn_);
    }
    turn_[me] ^= 1;
    return boards_[turn_[me]];
  }

 private:
  Board boards_[2];
  unsigned serial_;
  unsigned char turn_[kThreads];
};

/// One operation of a block: each work-item puts its values, the first to go on works on all of them, and
/// each takes its result. All run on one thread. A kernel that was split calls the operation twice for each
/// work-item: the first time it only puts, the second time it takes.
template <class Put, class Work, class Take>
KILN_SHIM void kiln_block_step(bool& done, Put put, Work work, Take take) {
  if (kiln_step_pass != 2) {
    put();
    done = false;
    if (kiln_step_pass == 1) return;
    __syncthreads();
  }
  if (!done) {
    work();
    done = true;
  }
  take();
}

/// What lane `source` of the warp has.
template <class T>
KILN_SHIM T kiln_value_of_lane(unsigned mask, const T& value, int source) {
  T result = value;
  for (unsigned long at = 0; at < sizeof(T); at += 8) {
    const unsigned long size = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, reinterpret_cast<const char*>(&value) + at, size);
    bits = __shfl_sync(mask, bits, source);
    __builtin_memcpy(reinterpret_cast<char*>(&result) + at, &bits, size);
  }
  return result;
}

/// Sorts the first `count` items of `order` stably: `first(a, b)` where item a has to be before b.
template <class First>
KILN_SHIM void kiln_merge_sort(int* order, int* spare, int count, First first) {
  for (int width = 1; width < count; width *= 2) {
    for (int begin = 0; begin < count; begin += 2 * width) {
      const int middle = begin + width < count ? begin + width : count;
      const int end = middle + width < count ? middle + width : count;
      int a = begin, b = middle;
      for (int to = begin; to < end; ++to) {
        const bool second = a == middle || (b < end && first(order[b], order[a]));
        spare[to] = second ? order[b++] : order[a++];
      }
    }
    for (int i = 0; i < count; ++i) order[i] = spare[i];
  }
}

struct Add {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

template <class T>
struct Same {
  using type = T;
};

}  // namespace kiln::cub_detail

namespace cub {

struct NullType {};

template <int kValue>
struct Int2Type {
  enum { VALUE = kValue };
};

template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  Key key;
  Value value;
  KeyValuePair() = default;
  KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  bool operator!=(const KeyValuePair& b) const { return value != b.value || key != b.key; }
};

#define KILN_CUB_OPERATOR(name, expression)                   \
  struct name {                                               \
    template <class A, class B>                               \
    constexpr auto operator()(const A& a, const B& b) const { \
      return expression;                                      \
    }                                                         \
  };
KILN_CUB_OPERATOR(Sum, a + b)
KILN_CUB_OPERATOR(Difference, a - b)
KILN_CUB_OPERATOR(Division, a / b)
KILN_CUB_OPERATOR(Max, a < b ? b : a)
KILN_CUB_OPERATOR(Min, b < a ? b : a)
KILN_CUB_OPERATOR(Equality, a == b)
KILN_CUB_OPERATOR(Inequality, a != b)

/// Sums of segments: `key` of a pair counts the segments that begin in it, or is the segment's own.
template <class Operation>
struct ReduceBySegmentOp {
  Operation op;
  ReduceBySegmentOp() = default;
  ReduceBySegmentOp(Operation operation) : op(operation) {}
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result = b;
    result.key = a.key + b.key;
    if (!b.key) result.value = op(a.value, b.value);
    return result;
  }
};
template <class Operation>
struct ReduceByKeyOp {
  Operation op;
  ReduceByKeyOp() = default;
  ReduceByKeyOp(Operation operation) : op(operation) {}
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) {
    Pair result = b;
    if (a.key == b.key) result.value = op(a.value, b.value);
    return result;
  }
};
template <class T>
struct CastOp {
  template <class A>
  T operator()(A&& a) const {
    return static_cast<T>(a);
  }
};

template <class Operation>
struct InequalityWrapper {
  Operation op;
  explicit InequalityWrapper(Operation operation) : op(operation) {}
  template <class A, class B>
  bool operator()(const A& a, const B& b) {
    return !op(a, b);
  }
};

// Of equal values the one with the smaller key.
#define KILN_CUB_ARGUMENT(name, better)                                                             \
  struct name {                                                                                     \
    template <class K, class V>                                                                     \
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const { \
      return b.value better a.value || (a.value == b.value && b.key < a.key) ? b : a;               \
    }                                                                                               \
  };
KILN_CUB_ARGUMENT(ArgMax, >)
KILN_CUB_ARGUMENT(ArgMin, <)

KILN_SHIM int RowMajorTid(int x, int y, int z) {
  return static_cast<int>((threadIdx.z * static_cast<unsigned>(y) + threadIdx.y) * static_cast<unsigned>(x) +
                          threadIdx.x) +
         0 * z;
}
KILN_SHIM unsigned LaneId() {
  return KILN_LINEAR_THREAD() & 31u;
}
KILN_SHIM unsigned WarpId() {
  return KILN_LINEAR_THREAD() / 32u;
}
// Of CUB before CUDA 13.
KILN_SHIM unsigned LaneMaskLt() {
  return (1u << LaneId()) - 1u;
}
KILN_SHIM unsigned LaneMaskLe() {
  return (2u << LaneId()) - 1u;
}
KILN_SHIM unsigned LaneMaskGt() {
  return ~LaneMaskLe();
}
KILN_SHIM unsigned LaneMaskGe() {
  return ~LaneMaskLt();
}
KILN_SHIM void CTA_SYNC() {
  __syncthreads();
}
KILN_SHIM void WARP_SYNC(unsigned mask) {
  __syncwarp(mask);
}

template <int kLanes, class T>
KILN_SHIM T ShuffleIndex(T input, int source, unsigned mask) {
  const int lane = static_cast<int>(LaneId());
  return kiln::cub_detail::kiln_value_of_lane(mask, input, lane / kLanes * kLanes + source % kLanes);
}
template <int kLanes, class T>
KILN_SHIM T ShuffleUp(T input, int distance, int first_lane, unsigned mask) {
  const int lane = static_cast<int>(LaneId());
  const int first = lane / kLanes * kLanes + first_lane;
  return kiln::cub_detail::kiln_value_of_lane(mask, input, lane - distance >= first ? lane - distance : lane);
}
template <int kLanes, class T>
KILN_SHIM T ShuffleDown(T input, int distance, int last_lane, unsigned mask) {
  const int lane = static_cast<int>(LaneId());
  const int last = lane / kLanes * kLanes + last_lane;
  return kiln::cub_detail::kiln_value_of_lane(mask, input, lane + distance <= last ? lane + distance : lane);
}

#define CUB_PTX_ARCH __CUDA_ARCH__
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_WARP_THREADS(architecture) 32
#define CUB_LOG_WARP_THREADS(architecture) 5
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) (((x) / (y)) * (y))

/// The least power of 2 that is not below kValue, as an exponent.
template <int kValue>
struct Log2 {
  enum { VALUE = kValue <= 1 ? 0 : 32 - __builtin_clz(static_cast<unsigned>(kValue > 1 ? kValue - 1 : 1)) };
};
template <int kValue>
struct PowerOfTwo {
  enum { VALUE = (kValue & (kValue - 1)) == 0 };
};

/// The items of one work-item.
template <class T, int N, class Operation>
KILN_SHIM T ThreadReduce(const T (&items)[N], Operation op) {
  T sum = items[0];
  for (int i = 1; i < N; ++i) sum = op(sum, items[i]);
  return sum;
}
template <class T, int N, class Operation>
KILN_SHIM T ThreadReduce(const T (&items)[N], Operation op, T first) {
  for (const T& item : items) first = op(first, item);
  return first;
}

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier = LOAD_DEFAULT, class Iterator>
KILN_SHIM auto ThreadLoad(Iterator from) {
  return *from;
}
template <CacheStoreModifier = STORE_DEFAULT, class Iterator, class T>
KILN_SHIM void ThreadStore(Iterator to, T value) {
  *to = value;
}

/// A pointer: there are no modes of caches.
template <CacheLoadModifier, class T, class Offset = ptrdiff_t>
class CacheModifiedInputIterator {
 public:
  using value_type = T;
  using reference = T;
  using difference_type = Offset;
  using pointer = const T*;
  const T* ptr;
  template <class Other>
  CacheModifiedInputIterator(Other* p) : ptr(p) {}
  T operator*() const { return *ptr; }
  T operator[](Offset i) const { return ptr[i]; }
  const T* operator->() const { return ptr; }
  CacheModifiedInputIterator operator+(Offset n) const { return ptr + n; }
  CacheModifiedInputIterator operator-(Offset n) const { return ptr - n; }
  Offset operator-(CacheModifiedInputIterator other) const { return static_cast<Offset>(ptr - other.ptr); }
  CacheModifiedInputIterator& operator+=(Offset n) {
    ptr += n;
    return *this;
  }
  CacheModifiedInputIterator& operator++() { return *this += 1; }
  bool operator==(const CacheModifiedInputIterator& other) const { return ptr == other.ptr; }
  bool operator!=(const CacheModifiedInputIterator& other) const { return ptr != other.ptr; }
};

}  // namespace cub

namespace cub {

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

/// The bits of a number, and in an order that is the order of the numbers.
template <class T>
struct Traits {
  using UnsignedBits = typename kiln::cub_detail::Unsigned<sizeof(T)>::type;
  static constexpr Category CATEGORY = static_cast<float>(static_cast<T>(0.5f)) != 0.0f ? FLOATING_POINT
                                       : static_cast<float>(static_cast<T>(-1)) < 0.0f  ? SIGNED_INTEGER
                                                                                        : UNSIGNED_INTEGER;
  static constexpr bool PRIMITIVE = true;
  static constexpr UnsignedBits HIGH_BIT = static_cast<UnsignedBits>(UnsignedBits(1) << (8 * sizeof(T) - 1));
  static constexpr UnsignedBits TwiddleIn(UnsignedBits key) {
    if (CATEGORY == UNSIGNED_INTEGER) return key;
    const bool flipped = CATEGORY == FLOATING_POINT && (key & HIGH_BIT) != 0;
    return static_cast<UnsignedBits>(key ^ (flipped ? static_cast<UnsignedBits>(-1) : HIGH_BIT));
  }
  static constexpr UnsignedBits TwiddleOut(UnsignedBits key) {
    if (CATEGORY == UNSIGNED_INTEGER) return key;
    const bool flipped = CATEGORY == FLOATING_POINT && (key & HIGH_BIT) == 0;
    return static_cast<UnsignedBits>(key ^ (flipped ? static_cast<UnsignedBits>(-1) : HIGH_BIT));
  }
};

}  // namespace cub
