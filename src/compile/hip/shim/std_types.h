// The most used parts of <type_traits>, <limits>, <utility> and <array>, which hipRTC lacks. Releases declare
// different parts in std themselves. Those declarations are found first, because the names here reach std
// only by a using-directive.
#ifndef KILN_STD_TYPES
#define KILN_STD_TYPES
namespace kiln_std {

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool b, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F>
struct conditional {
  typedef T type;
};
template <class T, class F>
struct conditional<false, T, F> {
  typedef F type;
};
template <bool b, class T, class F>
using conditional_t = typename conditional<b, T, F>::type;
template <class...>
using void_t = void;

template <class T, class U>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};

#define KILN_TRANSFORMATION(name, pattern) \
  template <class T>                       \
  struct name {                            \
    typedef T type;                        \
  };                                       \
  template <class T>                       \
  struct name<pattern> {                   \
    typedef T type;                        \
  };                                       \
  template <class T>                       \
  using name##_t = typename name<T>::type;
KILN_TRANSFORMATION(remove_const, const T)
KILN_TRANSFORMATION(remove_volatile, volatile T)
KILN_TRANSFORMATION(remove_pointer, T*)
#undef KILN_TRANSFORMATION
template <class T>
struct remove_reference {
  typedef T type;
};
template <class T>
struct remove_reference<T&> {
  typedef T type;
};
template <class T>
struct remove_reference<T&&> {
  typedef T type;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_cv : remove_const<remove_volatile_t<T>> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
struct decay : remove_cv<remove_reference_t<T>> {};
template <class T>
using decay_t = typename decay<T>::type;

#define KILN_TRAIT(name, ...)                    \
  template <class T>                             \
  struct name : bool_constant<(__VA_ARGS__)> {}; \
  template <class T>                             \
  inline constexpr bool name##_v = name<T>::value;
template <class T, class... Types>
struct kiln_is_one_of : bool_constant<(is_same<remove_cv_t<T>, Types>::value || ...)> {};
KILN_TRAIT(is_floating_point, kiln_is_one_of<T, float, double>::value)
KILN_TRAIT(
    is_integral,
    kiln_is_one_of<T, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short,
                   unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long>::value)
KILN_TRAIT(is_arithmetic, is_floating_point<T>::value || is_integral<T>::value)
KILN_TRAIT(is_signed,
           is_arithmetic<T>::value&& static_cast<remove_cv_t<T>>(-1) < static_cast<remove_cv_t<T>>(0))
KILN_TRAIT(is_unsigned, is_arithmetic<T>::value && !is_signed<T>::value)
KILN_TRAIT(is_void, is_same<remove_cv_t<T>, void>::value)
KILN_TRAIT(is_pointer, !is_same<remove_pointer_t<remove_cv_t<T>>, remove_cv_t<T>>::value)
KILN_TRAIT(is_const, !is_same<remove_const_t<T>, T>::value)
KILN_TRAIT(is_reference, !is_same<remove_reference_t<T>, T>::value)
KILN_TRAIT(is_enum, __is_enum(T))
KILN_TRAIT(is_class, __is_class(T))
KILN_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
KILN_TRAIT(is_union, __is_union(T))
KILN_TRAIT(is_empty, __is_empty(T))
KILN_TRAIT(is_polymorphic, __is_polymorphic(T))
KILN_TRAIT(is_function, !is_const<const T>::value && !is_reference<T>::value)
KILN_TRAIT(is_scalar, is_arithmetic<T>::value || is_enum<T>::value || is_pointer<T>::value)
#undef KILN_TRAIT
template <class T>
struct is_array : false_type {};
template <class T>
struct is_array<T[]> : true_type {};
template <class T, size_t n>
struct is_array<T[n]> : true_type {};
template <class T>
inline constexpr bool is_array_v = is_array<T>::value;
template <class From, class To>
struct is_convertible : bool_constant<__is_convertible_to(From, To)> {};
template <class From, class To>
inline constexpr bool is_convertible_v = is_convertible<From, To>::value;
template <class T, class... Arguments>
struct is_constructible : bool_constant<__is_constructible(T, Arguments...)> {};
template <class T, class... Arguments>
inline constexpr bool is_constructible_v = is_constructible<T, Arguments...>::value;
template <class T>
struct underlying_type {
  typedef __underlying_type(T) type;
};
template <class T>
using underlying_type_t = typename underlying_type<T>::type;
template <class... Traits>
struct conjunction : bool_constant<(Traits::value && ...)> {};
template <class... Traits>
struct disjunction : bool_constant<(Traits::value || ...)> {};
template <class Trait>
struct negation : bool_constant<!Trait::value> {};
template <class... Traits>
inline constexpr bool conjunction_v = conjunction<Traits...>::value;
template <class... Traits>
inline constexpr bool disjunction_v = disjunction<Traits...>::value;
template <class Trait>
inline constexpr bool negation_v = negation<Trait>::value;
#define KILN_COUNTERPART(name, from, to) \
  template <>                            \
  struct name<from> {                    \
    typedef to type;                     \
  };
template <class T>
struct make_unsigned {
  typedef T type;
};
template <class T>
struct make_signed {
  typedef T type;
};
KILN_COUNTERPART(make_unsigned, char, unsigned char)
KILN_COUNTERPART(make_unsigned, signed char, unsigned char)
KILN_COUNTERPART(make_unsigned, short, unsigned short)
KILN_COUNTERPART(make_unsigned, int, unsigned)
KILN_COUNTERPART(make_unsigned, long, unsigned long)
KILN_COUNTERPART(make_unsigned, long long, unsigned long long)
KILN_COUNTERPART(make_signed, char, signed char)
KILN_COUNTERPART(make_signed, unsigned char, signed char)
KILN_COUNTERPART(make_signed, unsigned short, short)
KILN_COUNTERPART(make_signed, unsigned, int)
KILN_COUNTERPART(make_signed, unsigned long, long)
KILN_COUNTERPART(make_signed, unsigned long long, long long)
#undef KILN_COUNTERPART
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;
template <class Base, class Derived>
struct is_base_of : bool_constant<__is_base_of(Base, Derived)> {};
template <class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;
template <class Base, class Derived>
inline constexpr bool is_base_of_v = is_base_of<Base, Derived>::value;

template <class T>
__host__ __device__ constexpr remove_reference_t<T>&& move(T&& value) {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <class T>
__host__ __device__ constexpr T&& forward(remove_reference_t<T>& value) {
  return static_cast<T&&>(value);
}
template <class T>
__host__ __device__ constexpr T&& forward(remove_reference_t<T>&& value) {
  return static_cast<T&&>(value);
}
template <class T>
T&& declval();
template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = kiln_std::move(a);
  a = kiln_std::move(b);
  b = kiln_std::move(kept);
}
template <class T, class U = T>
__host__ __device__ constexpr T exchange(T& place, U&& value) {
  T before = kiln_std::move(place);
  place = kiln_std::forward<U>(value);
  return before;
}

template <class A, class B>
struct pair {
  A first;
  B second;
  __host__ __device__ constexpr pair() : first(), second() {}
  __host__ __device__ constexpr pair(const A& a, const B& b) : first(a), second(b) {}
};
template <class A, class B>
__host__ __device__ constexpr pair<decay_t<A>, decay_t<B>> make_pair(A a, B b) {
  return pair<decay_t<A>, decay_t<B>>(a, b);
}
template <class A, class B>
__host__ __device__ constexpr bool operator==(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class A, class B>
__host__ __device__ constexpr bool operator<(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}

template <class T, size_t n>
struct array {
  T elements[n];
  __host__ __device__ constexpr T& operator[](size_t i) { return elements[i]; }
  __host__ __device__ constexpr const T& operator[](size_t i) const { return elements[i]; }
  __host__ __device__ constexpr T* data() { return elements; }
  __host__ __device__ constexpr const T* data() const { return elements; }
  __host__ __device__ constexpr T* begin() { return elements; }
  __host__ __device__ constexpr T* end() { return elements + n; }
  __host__ __device__ constexpr const T* begin() const { return elements; }
  __host__ __device__ constexpr const T* end() const { return elements + n; }
  __host__ __device__ static constexpr size_t size() { return n; }
};

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};
#define KILN_LIMITS(T, smallest, largest, bits, whole)                                      \
  template <>                                                                               \
  struct numeric_limits<T> {                                                                \
    static constexpr bool is_specialized = true, is_integer = whole;                        \
    static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);               \
    static constexpr bool has_infinity = !whole, has_quiet_NaN = !whole;                    \
    static constexpr int digits = bits, digits10 = bits * 643L / 2136;                      \
    __host__ __device__ static constexpr T min() { return smallest; }                       \
    __host__ __device__ static constexpr T max() { return largest; }                        \
    __host__ __device__ static constexpr T lowest() { return whole ? smallest : -largest; } \
    KILN_FLOATING_##whole(T)                                                                \
  };
#define KILN_FLOATING_true(T)
#define KILN_FLOATING_false(T)                                                                 \
  __host__ __device__ static constexpr T epsilon() {                                           \
    return sizeof(T) == 4 ? static_cast<T>(__FLT_EPSILON__) : static_cast<T>(__DBL_EPSILON__); \
  }                                                                                            \
  __host__ __device__ static constexpr T infinity() {                                          \
    return static_cast<T>(__builtin_huge_val());                                               \
  }                                                                                            \
  __host__ __device__ static constexpr T quiet_NaN() {                                         \
    return static_cast<T>(__builtin_nan(""));                                                  \
  }
KILN_LIMITS(bool, false, true, 1, true)
KILN_LIMITS(char, -128, 127, 7, true)
KILN_LIMITS(signed char, -128, 127, 7, true)
KILN_LIMITS(unsigned char, 0, 255, 8, true)
KILN_LIMITS(short, -32768, 32767, 15, true)
KILN_LIMITS(unsigned short, 0, 65535, 16, true)
KILN_LIMITS(int, -2147483647 - 1, 2147483647, 31, true)
KILN_LIMITS(unsigned, 0, 4294967295u, 32, true)
KILN_LIMITS(long, -9223372036854775807l - 1, 9223372036854775807l, 63, true)
KILN_LIMITS(unsigned long, 0, 18446744073709551615ul, 64, true)
KILN_LIMITS(long long, -9223372036854775807ll - 1, 9223372036854775807ll, 63, true)
KILN_LIMITS(unsigned long long, 0, 18446744073709551615ull, 64, true)
KILN_LIMITS(float, __FLT_MIN__, __FLT_MAX__, 24, false)
KILN_LIMITS(double, __DBL_MIN__, __DBL_MAX__, 53, false)
#undef KILN_LIMITS
#undef KILN_FLOATING_true
#undef KILN_FLOATING_false

}  // namespace kiln_std
namespace std {
using namespace kiln_std;
}
#endif
