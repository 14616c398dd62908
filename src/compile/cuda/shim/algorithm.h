namespace std {

template <class T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}

template <class T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}

// Of a list in braces.
template <class T, size_t N>
__host__ __device__ constexpr T min(const T (&values)[N]) {
  T least = values[0];
  for (size_t i = 1; i < N; ++i) least = values[i] < least ? values[i] : least;
  return least;
}

template <class T, size_t N>
__host__ __device__ constexpr T max(const T (&values)[N]) {
  T most = values[0];
  for (size_t i = 1; i < N; ++i) most = most < values[i] ? values[i] : most;
  return most;
}

template <class T>
__host__ __device__ constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}

}  // namespace std
