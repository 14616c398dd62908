// Thrust's algorithms as a kernel calls them, thrust::sort(thrust::seq, first, last): one work-item does all
// of it, one element after the other, whatever the policy. CUDA's own headers of them are for nvcc. On the
// cpu, sorts of one sequence are the standard library's.
#ifndef KILN_THRUST_CONSTANT  // NVRTC reads a header in memory again in spite of `#pragma once`

#if defined(KILN_SHIM)
#include <algorithm>

#include "kiln/thrust.h"
#define KILN_THRUST_CONSTANT inline constexpr
#else
#define KILN_THRUST_CONSTANT __device__ inline constexpr
#endif

namespace thrust {

struct kiln_policy {
  template <class Stream>
  constexpr const kiln_policy& on(Stream) const {
    return *this;
  }
};
KILN_THRUST_CONSTANT kiln_policy seq{}, device{}, host{};

/// What becomes a thrust::pair where the caller has one.
template <class A, class B>
struct kiln_two {
  A first;
  B second;
  template <class Pair>
  constexpr operator Pair() const {
    return Pair(first, second);
  }
};

namespace kiln_detail {

template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<T&> : Plain<T> {};
template <class T>
struct Plain<T&&> : Plain<T> {};
template <class T>
struct Plain<const T> : Plain<T> {};
template <class T>
struct Plain<const T&> : Plain<T> {};
template <class T>
T made();
template <class It>
using ValueOf = typename Plain<decltype(*made<It>())>::Type;

struct Less {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};
struct Equal {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
struct Plus {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Minus {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
struct Times {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};

/// Of an element and a value: the value does not come first.
template <class Compare>
struct NotBefore {
  Compare less;
  template <class A, class B>
  constexpr bool operator()(const A& element, const B& value) {
    return !less(value, element);
  }
};

template <class It>
void exchange(It a, It b) {
  ValueOf<It> kept = *a;
  *a = *b;
  *b = kept;
}

/// What a sort moves: keys alone, or with values.
template <class Keys, class Compare>
struct KeysAlone {
  Keys keys;
  Compare less;
  bool before(long a, long b) { return less(keys[a], keys[b]); }
  void swap(long a, long b) { exchange(keys + a, keys + b); }
};
template <class Keys, class Values, class Compare>
struct KeysAndValues {
  Keys keys;
  Values values;
  Compare less;
  bool before(long a, long b) { return less(keys[a], keys[b]); }
  void swap(long a, long b) {
    exchange(keys + a, keys + b);
    exchange(values + a, values + b);
  }
};

template <class Records>
void turn_around(Records& records, long first, long last) {
  while (first < last - 1) records.swap(first++, --last);
}
/// Merges two neighbouring sorted ranges in place; equal records keep their order.
template <class Records>
void merge_in_place(Records& records, long first, long middle, long last) {
  constexpr int kMost = 96;  // more than the halvings of 2^40 records to three quarters
  long waiting[kMost][3];
  int count = 1;
  waiting[0][0] = first;
  waiting[0][1] = middle;
  waiting[0][2] = last;
  while (count > 0) {
    --count;
    first = waiting[count][0];
    middle = waiting[count][1];
    last = waiting[count][2];
    if (first == middle || middle == last || !records.before(middle, middle - 1)) continue;
    if (last - first == 2) {
      records.swap(first, middle);
      continue;
    }
    long left, right;  // what is between them changes places
    if (middle - first > last - middle) {
      left = first + (middle - first) / 2;
      right = middle;
      for (long n = last - middle; n > 0;) {
        const long half = n / 2;
        if (records.before(right + half, left)) {
          right += half + 1;
          n -= half + 1;
        } else {
          n = half;
        }
      }
    } else {
      right = middle + (last - middle) / 2;
      left = first;
      for (long n = middle - first; n > 0;) {
        const long half = n / 2;
        if (!records.before(right, left + half)) {
          left += half + 1;
          n -= half + 1;
        } else {
          n = half;
        }
      }
    }
    turn_around(records, left, middle);
    turn_around(records, middle, right);
    turn_around(records, left, right);
    const long between = left + (right - middle);
    const long parts[2][3] = {{between, right, last}, {first, left, between}};
    for (const auto& part : parts) {
      for (int i = 0; i < 3; ++i) waiting[count][i] = part[i];
      ++count;
    }
  }
}
/// Short runs by insertion, then merges.
template <class Records>
void sort_in_place(Records records, long size) {
  constexpr long kRun = 16;
  for (long run = 0; run < size; run += kRun) {
    const long end = run + kRun < size ? run + kRun : size;
    for (long i = run + 1; i < end; ++i) {
      for (long j = i; j > run && records.before(j, j - 1); --j) records.swap(j, j - 1);
    }
  }
  for (long width = kRun; width < size; width *= 2) {
    for (long first = 0; first + width < size; first += 2 * width) {
      const long last = first + 2 * width < size ? first + 2 * width : size;
      merge_in_place(records, first, first + width, last);
    }
  }
}

}  // namespace kiln_detail

// ---------------------------------------------------------------------------------------------- sorting

template <class It, class Compare>
void stable_sort(It first, It last, Compare less) {
#if defined(KILN_SHIM)
  std::stable_sort(first, last, less);
#else
  kiln_detail::sort_in_place(kiln_detail::KeysAlone<It, Compare>{first, less}, last - first);
#endif
}
template <class It>
void stable_sort(It first, It last) {
  thrust::stable_sort(first, last, kiln_detail::Less());
}
template <class It, class Compare>
void sort(It first, It last, Compare less) {
#if defined(KILN_SHIM)
  std::sort(first, last, less);
#else
  thrust::stable_sort(first, last, less);
#endif
}
template <class It>
void sort(It first, It last) {
  thrust::sort(first, last, kiln_detail::Less());
}
template <class Keys, class Values, class Compare>
void stable_sort_by_key(Keys first, Keys last, Values values, Compare less) {
  kiln_detail::sort_in_place(kiln_detail::KeysAndValues<Keys, Values, Compare>{first, values, less},
                             last - first);
}
template <class Keys, class Values>
void stable_sort_by_key(Keys first, Keys last, Values values) {
  thrust::stable_sort_by_key(first, last, values, kiln_detail::Less());
}
template <class Keys, class Values, class Compare>
void sort_by_key(Keys first, Keys last, Values values, Compare less) {
  thrust::stable_sort_by_key(first, last, values, less);
}
template <class Keys, class Values>
void sort_by_key(Keys first, Keys last, Values values) {
  thrust::stable_sort_by_key(first, last, values, kiln_detail::Less());
}
template <class It, class Compare>
bool is_sorted(It first, It last, Compare less) {
  if (first == last) return true;
  for (It next = first; ++next != last; ++first) {
    if (less(*next, *first)) return false;
  }
  return true;
}
template <class It>
bool is_sorted(It first, It last) {
  return thrust::is_sorted(first, last, kiln_detail::Less());
}

// ---------------------------------------------------------------------------------------------- searching

template <class It, class T, class Compare>
It lower_bound(It first, It last, const T& value, Compare less) {
  for (auto n = last - first; n > 0;) {
    const auto half = n / 2;
    if (less(first[half], value)) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return first;
}
template <class It, class T>
It lower_bound(It first, It last, const T& value) {
  return thrust::lower_bound(first, last, value, kiln_detail::Less());
}
template <class It, class T, class Compare>
It upper_bound(It first, It last, const T& value, Compare less) {
  return thrust::lower_bound(first, last, value, kiln_detail::NotBefore<Compare>{less});
}
template <class It, class T>
It upper_bound(It first, It last, const T& value) {
  return thrust::upper_bound(first, last, value, kiln_detail::Less());
}
template <class It, class T, class Compare>
bool binary_search(It first, It last, const T& value, Compare less) {
  first = thrust::lower_bound(first, last, value, less);
  return first != last && !less(value, *first);
}
template <class It, class T>
bool binary_search(It first, It last, const T& value) {
  return thrust::binary_search(first, last, value, kiln_detail::Less());
}
template <class It, class T, class Compare>
kiln_two<It, It> equal_range(It first, It last, const T& value, Compare less) {
  return {thrust::lower_bound(first, last, value, less), thrust::upper_bound(first, last, value, less)};
}
template <class It, class T>
kiln_two<It, It> equal_range(It first, It last, const T& value) {
  return thrust::equal_range(first, last, value, kiln_detail::Less());
}
template <class It, class Predicate>
It find_if(It first, It last, Predicate is) {
  while (first != last && !is(*first)) ++first;
  return first;
}
template <class It, class Predicate>
It find_if_not(It first, It last, Predicate is) {
  while (first != last && is(*first)) ++first;
  return first;
}
template <class It, class T>
It find(It first, It last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class It, class Compare>
It min_element(It first, It last, Compare less) {
  It least = first;
  for (; first != last; ++first) {
    if (less(*first, *least)) least = first;
  }
  return least;
}
template <class It>
It min_element(It first, It last) {
  return thrust::min_element(first, last, kiln_detail::Less());
}
template <class It, class Compare>
It max_element(It first, It last, Compare less) {
  It most = first;
  for (; first != last; ++first) {
    if (less(*most, *first)) most = first;
  }
  return most;
}
template <class It>
It max_element(It first, It last) {
  return thrust::max_element(first, last, kiln_detail::Less());
}
template <class It, class Compare>
kiln_two<It, It> minmax_element(It first, It last, Compare less) {
  return {thrust::min_element(first, last, less), thrust::max_element(first, last, less)};
}
template <class It>
kiln_two<It, It> minmax_element(It first, It last) {
  return thrust::minmax_element(first, last, kiln_detail::Less());
}

// ---------------------------------------------------------------------------------------------- sums

template <class It, class T, class Operator>
T reduce(It first, It last, T sum, Operator add) {
  for (; first != last; ++first) sum = add(sum, *first);
  return sum;
}
template <class It, class T>
T reduce(It first, It last, T sum) {
  return thrust::reduce(first, last, sum, kiln_detail::Plus());
}
template <class It>
auto reduce(It first, It last) {
  return thrust::reduce(first, last, kiln_detail::ValueOf<It>());
}
template <class It, class Unary, class T, class Operator>
T transform_reduce(It first, It last, Unary of, T sum, Operator add) {
  for (; first != last; ++first) sum = add(sum, of(*first));
  return sum;
}
template <class A, class B, class T, class Add, class Multiply>
T inner_product(A first, A last, B other, T sum, Add add, Multiply multiply) {
  for (; first != last; ++first, ++other) sum = add(sum, multiply(*first, *other));
  return sum;
}
template <class A, class B, class T>
T inner_product(A first, A last, B other, T sum) {
  return thrust::inner_product(first, last, other, sum, kiln_detail::Plus(), kiln_detail::Times());
}
template <class It, class Predicate>
long count_if(It first, It last, Predicate is) {
  long count = 0;
  for (; first != last; ++first) count += is(*first) ? 1 : 0;
  return count;
}
template <class It, class T>
long count(It first, It last, const T& value) {
  long count = 0;
  for (; first != last; ++first) count += *first == value ? 1 : 0;
  return count;
}
template <class It, class Predicate>
bool any_of(It first, It last, Predicate is) {
  return thrust::find_if(first, last, is) != last;
}
template <class It, class Predicate>
bool all_of(It first, It last, Predicate is) {
  return thrust::find_if_not(first, last, is) == last;
}
template <class It, class Predicate>
bool none_of(It first, It last, Predicate is) {
  return thrust::find_if(first, last, is) == last;
}
template <class A, class B, class Same>
bool equal(A first, A last, B other, Same same) {
  for (; first != last; ++first, ++other) {
    if (!same(*first, *other)) return false;
  }
  return true;
}
template <class A, class B>
bool equal(A first, A last, B other) {
  return thrust::equal(first, last, other, kiln_detail::Equal());
}
template <class It, class Out, class Operator>
Out inclusive_scan(It first, It last, Out out, Operator add) {
  if (first == last) return out;
  kiln_detail::ValueOf<It> sum = *first;
  *out = sum;
  ++out;
  for (++first; first != last; ++first, ++out) {
    sum = add(sum, *first);
    *out = sum;
  }
  return out;
}
template <class It, class Out>
Out inclusive_scan(It first, It last, Out out) {
  return thrust::inclusive_scan(first, last, out, kiln_detail::Plus());
}
template <class It, class Out, class T, class Operator>
Out exclusive_scan(It first, It last, Out out, T sum, Operator add) {
  for (; first != last; ++first, ++out) {
    const T next = add(sum, *first);
    *out = sum;
    sum = next;
  }
  return out;
}
template <class It, class Out, class T>
Out exclusive_scan(It first, It last, Out out, T sum) {
  return thrust::exclusive_scan(first, last, out, sum, kiln_detail::Plus());
}
template <class It, class Out>
Out exclusive_scan(It first, It last, Out out) {
  return thrust::exclusive_scan(first, last, out, kiln_detail::ValueOf<It>());
}
template <class It, class Out, class Operator>
Out adjacent_difference(It first, It last, Out out, Operator minus) {
  if (first == last) return out;
  kiln_detail::ValueOf<It> earlier = *first;
  *out = earlier;
  ++out;
  for (++first; first != last; ++first, ++out) {
    const kiln_detail::ValueOf<It> here = *first;
    *out = minus(here, earlier);
    earlier = here;
  }
  return out;
}
template <class It, class Out>
Out adjacent_difference(It first, It last, Out out) {
  return thrust::adjacent_difference(first, last, out, kiln_detail::Minus());
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Same, class Operator>
kiln_two<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut keys_out,
                                           ValuesOut values_out, Same same, Operator add) {
  while (first != last) {
    const kiln_detail::ValueOf<Keys> key = *first;
    kiln_detail::ValueOf<Values> sum = *values;
    for (++first, ++values; first != last && same(key, *first); ++first, ++values) sum = add(sum, *values);
    *keys_out = key;
    *values_out = sum;
    ++keys_out;
    ++values_out;
  }
  return {keys_out, values_out};
}
template <class Keys, class Values, class KeysOut, class ValuesOut, class Same>
kiln_two<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut keys_out,
                                           ValuesOut values_out, Same same) {
  return thrust::reduce_by_key(first, last, values, keys_out, values_out, same, kiln_detail::Plus());
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
kiln_two<KeysOut, ValuesOut> reduce_by_key(Keys first, Keys last, Values values, KeysOut keys_out,
                                           ValuesOut values_out) {
  return thrust::reduce_by_key(first, last, values, keys_out, values_out, kiln_detail::Equal());
}

// ---------------------------------------------------------------------------------------------- elements

template <class It, class Function>
It for_each(It first, It last, Function each) {
  for (; first != last; ++first) each(*first);
  return last;
}
template <class It, class Size, class Function>
It for_each_n(It first, Size n, Function each) {
  for (; n > 0; --n, ++first) each(*first);
  return first;
}
template <class It, class Out>
Out copy(It first, It last, Out out) {
  for (; first != last; ++first, ++out) *out = *first;
  return out;
}
template <class It, class Size, class Out>
Out copy_n(It first, Size n, Out out) {
  for (; n > 0; --n, ++first, ++out) *out = *first;
  return out;
}
template <class It, class Out, class Predicate>
Out copy_if(It first, It last, Out out, Predicate is) {
  for (; first != last; ++first) {
    if (!is(*first)) continue;
    *out = *first;
    ++out;
  }
  return out;
}
template <class It, class Stencil, class Out, class Predicate>
Out copy_if(It first, It last, Stencil stencil, Out out, Predicate is) {
  for (; first != last; ++first, ++stencil) {
    if (!is(*stencil)) continue;
    *out = *first;
    ++out;
  }
  return out;
}
template <class It, class T>
void fill(It first, It last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class It, class Size, class T>
It fill_n(It first, Size n, const T& value) {
  for (; n > 0; --n, ++first) *first = value;
  return first;
}
template <class It, class Generator>
void generate(It first, It last, Generator make) {
  for (; first != last; ++first) *first = make();
}
template <class It, class T>
void sequence(It first, It last, T begin, T step) {
  for (T i = 0; first != last; ++first, ++i) *first = begin + i * step;
}
template <class It, class T>
void sequence(It first, It last, T begin) {
  thrust::sequence(first, last, begin, T(1));
}
template <class It>
void sequence(It first, It last) {
  thrust::sequence(first, last, kiln_detail::ValueOf<It>(0));
}
template <class It, class Unary>
void tabulate(It first, It last, Unary of) {
  for (long i = 0; first != last; ++first, ++i) *first = of(i);
}
template <class It, class Out, class Unary>
Out transform(It first, It last, Out out, Unary of) {
  for (; first != last; ++first, ++out) *out = of(*first);
  return out;
}
template <class A, class B, class Out, class Binary>
Out transform(A first, A last, B other, Out out, Binary of) {
  for (; first != last; ++first, ++other, ++out) *out = of(*first, *other);
  return out;
}
template <class It, class T>
void replace(It first, It last, const T& from, const T& to) {
  for (; first != last; ++first) {
    if (*first == from) *first = to;
  }
}
template <class It, class Predicate, class T>
void replace_if(It first, It last, Predicate is, const T& to) {
  for (; first != last; ++first) {
    if (is(*first)) *first = to;
  }
}
template <class It>
void reverse(It first, It last) {
  while (first != last && first != --last) {
    kiln_detail::exchange(first, last);
    ++first;
  }
}
#if !defined(KILN_SHIM)  // <utility> has it
template <class T>
void swap(T& a, T& b) {
  kiln_detail::exchange(&a, &b);
}
#endif
template <class A, class B>
B swap_ranges(A first, A last, B other) {
  for (; first != last; ++first, ++other) {
    const kiln_detail::ValueOf<A> kept = *first;
    *first = *other;
    *other = kept;
  }
  return other;
}
template <class Map, class It, class Out>
Out gather(Map first, Map last, It from, Out out) {
  for (; first != last; ++first, ++out) *out = from[*first];
  return out;
}
template <class It, class Map, class Out>
void scatter(It first, It last, Map map, Out to) {
  for (; first != last; ++first, ++map) to[*map] = *first;
}
template <class It, class Predicate>
It remove_if(It first, It last, Predicate is) {
  It out = first;
  for (; first != last; ++first) {
    if (is(*first)) continue;
    *out = *first;
    ++out;
  }
  return out;
}
template <class It, class T>
It remove(It first, It last, const T& value) {
  const T removed = value;  // it may be an element
  return thrust::remove_if(first, last, [&](const auto& element) { return element == removed; });
}
template <class It, class Out, class Same>
Out unique_copy(It first, It last, Out out, Same same) {
  while (first != last) {
    const kiln_detail::ValueOf<It> kept = *first;
    *out = kept;
    ++out;
    while (++first != last && same(kept, *first)) {
    }
  }
  return out;
}
template <class It, class Out>
Out unique_copy(It first, It last, Out out) {
  return thrust::unique_copy(first, last, out, kiln_detail::Equal());
}
template <class It, class Same>
It unique(It first, It last, Same same) {
  return thrust::unique_copy(first, last, first, same);
}
template <class It>
It unique(It first, It last) {
  return thrust::unique_copy(first, last, first, kiln_detail::Equal());
}
template <class It, class Predicate>
It partition(It first, It last, Predicate is) {
  It out = first;
  for (; first != last; ++first) {
    if (!is(*first)) continue;
    kiln_detail::exchange(out, first);
    ++out;
  }
  return out;
}
template <class A, class B, class Out, class Compare>
Out merge(A first, A last, B other, B other_last, Out out, Compare less) {
  for (; first != last && other != other_last; ++out) {
    if (less(*other, *first)) {
      *out = *other;
      ++other;
    } else {
      *out = *first;
      ++first;
    }
  }
  return thrust::copy(other, other_last, thrust::copy(first, last, out));
}
template <class A, class B, class Out>
Out merge(A first, A last, B other, B other_last, Out out) {
  return thrust::merge(first, last, other, other_last, out, kiln_detail::Less());
}

// ------------------------------------------------------------------------------------ with a policy

#define KILN_THRUST_BY_POLICY(name)                       \
  template <class... Arguments>                           \
  auto name(const kiln_policy&, Arguments... arguments) { \
    return thrust::name(arguments...);                    \
  }
KILN_THRUST_BY_POLICY(sort)
KILN_THRUST_BY_POLICY(stable_sort)
KILN_THRUST_BY_POLICY(sort_by_key)
KILN_THRUST_BY_POLICY(stable_sort_by_key)
KILN_THRUST_BY_POLICY(is_sorted)
KILN_THRUST_BY_POLICY(lower_bound)
KILN_THRUST_BY_POLICY(upper_bound)
KILN_THRUST_BY_POLICY(binary_search)
KILN_THRUST_BY_POLICY(equal_range)
KILN_THRUST_BY_POLICY(find)
KILN_THRUST_BY_POLICY(find_if)
KILN_THRUST_BY_POLICY(find_if_not)
KILN_THRUST_BY_POLICY(min_element)
KILN_THRUST_BY_POLICY(max_element)
KILN_THRUST_BY_POLICY(minmax_element)
KILN_THRUST_BY_POLICY(reduce)
KILN_THRUST_BY_POLICY(reduce_by_key)
KILN_THRUST_BY_POLICY(transform_reduce)
KILN_THRUST_BY_POLICY(inner_product)
KILN_THRUST_BY_POLICY(count)
KILN_THRUST_BY_POLICY(count_if)
KILN_THRUST_BY_POLICY(any_of)
KILN_THRUST_BY_POLICY(all_of)
KILN_THRUST_BY_POLICY(none_of)
KILN_THRUST_BY_POLICY(equal)
KILN_THRUST_BY_POLICY(inclusive_scan)
KILN_THRUST_BY_POLICY(exclusive_scan)
KILN_THRUST_BY_POLICY(adjacent_difference)
KILN_THRUST_BY_POLICY(for_each)
KILN_THRUST_BY_POLICY(for_each_n)
KILN_THRUST_BY_POLICY(copy)
KILN_THRUST_BY_POLICY(copy_n)
KILN_THRUST_BY_POLICY(copy_if)
KILN_THRUST_BY_POLICY(fill)
KILN_THRUST_BY_POLICY(fill_n)
KILN_THRUST_BY_POLICY(generate)
KILN_THRUST_BY_POLICY(sequence)
KILN_THRUST_BY_POLICY(tabulate)
KILN_THRUST_BY_POLICY(transform)
KILN_THRUST_BY_POLICY(replace)
KILN_THRUST_BY_POLICY(replace_if)
KILN_THRUST_BY_POLICY(reverse)
KILN_THRUST_BY_POLICY(swap_ranges)
KILN_THRUST_BY_POLICY(gather)
KILN_THRUST_BY_POLICY(scatter)
KILN_THRUST_BY_POLICY(remove)
KILN_THRUST_BY_POLICY(remove_if)
KILN_THRUST_BY_POLICY(unique)
KILN_THRUST_BY_POLICY(unique_copy)
KILN_THRUST_BY_POLICY(partition)
KILN_THRUST_BY_POLICY(merge)
#undef KILN_THRUST_BY_POLICY

}  // namespace thrust

#endif
