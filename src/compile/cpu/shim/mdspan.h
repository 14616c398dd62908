// <cuda/std/mdspan> for a host compiler: arrays of several dimensions in memory of the caller, as C++23 has
// them, with operator() for operator[].
#pragma once

namespace cuda {
namespace std {

/// Values that take no memory if there are none.
template <class T, size_t N>
struct kiln_values {
  constexpr T get(size_t i) const { return values[i]; }
  constexpr void set(size_t i, T value) { values[i] = value; }
  T values[N] = {};
};
template <class T>
struct kiln_values<T, 0> {
  constexpr T get(size_t) const { return T(); }
  constexpr void set(size_t, T) {}
};

/// In memory only the extents that are dynamic, as in CUDA's library: a kernel may take spans by value.
template <class Index, size_t... Extents>
class extents {
 public:
  using index_type = Index;
  using size_type = ::std::make_unsigned_t<Index>;
  using rank_type = size_t;
  static constexpr size_t rank() { return sizeof...(Extents); }
  static constexpr size_t rank_dynamic() { return (size_t(0) + ... + (Extents == dynamic_extent ? 1 : 0)); }
  static constexpr size_t static_extent(size_t i) { return kExtents[i]; }

  constexpr extents() = default;
  /// All extents, or those that are dynamic.
  template <class... I,
            class = ::std::enable_if_t<(sizeof...(I) > 0) && (::std::is_convertible_v<I, Index> && ...)>>
  constexpr explicit extents(I... values) {
    set<sizeof...(I)>({static_cast<Index>(values)...});
  }
  template <class I, size_t N>
  constexpr extents(const ::std::array<I, N>& values) {
    for (size_t i = 0, next = 0; i < rank(); ++i) {
      if (N == rank() || kExtents[i] == dynamic_extent) set_extent(i, static_cast<Index>(values[next++]));
    }
  }
  template <class Other, size_t... Others>
  constexpr extents(const extents<Other, Others...>& other) {
    for (size_t i = 0; i < rank(); ++i) set_extent(i, static_cast<Index>(other.extent(i)));
  }
  constexpr Index extent(size_t i) const {
    return kExtents[i] == dynamic_extent ? dynamic_.get(place(i)) : static_cast<Index>(kExtents[i]);
  }

 private:
  template <size_t N>
  constexpr void set(const Index (&values)[N]) {
    static_assert(N == rank() || N == rank_dynamic(),
                  "an extent for each dimension, or for each dynamic one");
    for (size_t i = 0, next = 0; i < rank(); ++i) {
      if (N == rank() || kExtents[i] == dynamic_extent) set_extent(i, values[next++]);
    }
  }
  constexpr void set_extent(size_t i, Index value) {
    if (kExtents[i] == dynamic_extent) dynamic_.set(place(i), value);
  }
  static constexpr size_t place(size_t extent) {
    size_t before = 0;
    for (size_t i = 0; i < extent; ++i) before += kExtents[i] == dynamic_extent ? 1 : 0;
    return before;
  }
  static constexpr size_t kExtents[sizeof...(Extents) + 1] = {Extents..., 0};
  [[no_unique_address]] kiln_values<Index, (size_t(0) + ... + (Extents == dynamic_extent ? 1 : 0))> dynamic_;
};

template <class Index, class Counts>
struct kiln_dynamic;
template <class Index, size_t... I>
struct kiln_dynamic<Index, ::std::index_sequence<I...>> {
  using type = extents<Index, (I, dynamic_extent)...>;
};
template <class Index, size_t Rank>
using dextents = typename kiln_dynamic<Index, ::std::make_index_sequence<Rank>>::type;
template <size_t Rank, class Index = size_t>
using dims = dextents<Index, Rank>;

/// The offset of an element; `kRight`: the last index is that of neighbours.
template <class Extents, bool kRight>
class kiln_dense_mapping {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  constexpr kiln_dense_mapping() = default;
  constexpr kiln_dense_mapping(const Extents& sizes) : extents_(sizes) {}
  constexpr const Extents& extents() const { return extents_; }
  constexpr index_type stride(size_t dimension) const {
    index_type step = 1;
    for (size_t i = kRight ? dimension + 1 : 0; i < (kRight ? Extents::rank() : dimension); ++i)
      step *= extents_.extent(i);
    return step;
  }
  constexpr index_type required_span_size() const {
    index_type size = 1;
    for (size_t i = 0; i < Extents::rank(); ++i) size *= extents_.extent(i);
    return size;
  }
  template <class... I>
  constexpr index_type operator()(I... indices) const {
    const index_type at[sizeof...(I) + 1] = {static_cast<index_type>(indices)..., 0};
    index_type offset = 0;
    for (size_t i = 0; i < sizeof...(I); ++i) {
      const size_t dimension = kRight ? i : sizeof...(I) - 1 - i;
      offset = offset * extents_.extent(dimension) + at[dimension];
    }
    return offset;
  }

 private:
  [[no_unique_address]] Extents extents_;
};
template <class Extents>
class kiln_strided_mapping {
 public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  constexpr kiln_strided_mapping() = default;
  template <class I>
  constexpr kiln_strided_mapping(const Extents& sizes, const ::std::array<I, Extents::rank()>& strides)
      : extents_(sizes) {
    for (size_t i = 0; i < Extents::rank(); ++i) strides_.set(i, static_cast<index_type>(strides[i]));
  }
  constexpr const Extents& extents() const { return extents_; }
  constexpr index_type stride(size_t dimension) const { return strides_.get(dimension); }
  constexpr index_type required_span_size() const {
    index_type size = 1;
    for (size_t i = 0; i < Extents::rank(); ++i) {
      if (extents_.extent(i) == 0) return 0;
      size += (extents_.extent(i) - 1) * strides_.get(i);
    }
    return size;
  }
  template <class... I>
  constexpr index_type operator()(I... indices) const {
    index_type offset = 0;
    size_t i = 0;
    ((offset += static_cast<index_type>(indices) * strides_.get(i++)), ...);
    return offset;
  }

 private:
  [[no_unique_address]] Extents extents_;
  [[no_unique_address]] kiln_values<index_type, Extents::rank()> strides_;
};
struct layout_right {
  template <class Extents>
  using mapping = kiln_dense_mapping<Extents, true>;
};
struct layout_left {
  template <class Extents>
  using mapping = kiln_dense_mapping<Extents, false>;
};
struct layout_stride {
  template <class Extents>
  using mapping = kiln_strided_mapping<Extents>;
};

template <class T>
struct default_accessor {
  using element_type = T;
  using reference = T&;
  using data_handle_type = T*;
  constexpr T& access(T* p, size_t i) const { return p[i]; }
};

template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>>
class mdspan {
 public:
  using element_type = T;
  using value_type = ::std::remove_cv_t<T>;
  using extents_type = Extents;
  using layout_type = Layout;
  using accessor_type = Accessor;
  using mapping_type = typename Layout::template mapping<Extents>;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = size_t;
  using data_handle_type = typename Accessor::data_handle_type;
  using reference = typename Accessor::reference;

  constexpr mdspan() = default;
  template <class... I, class = ::std::enable_if_t<(::std::is_convertible_v<I, index_type> && ...)>>
  constexpr explicit mdspan(data_handle_type p, I... sizes) : data_(p), mapping_(made(sizes...)) {}
  constexpr mdspan(data_handle_type p, const Extents& sizes) : data_(p), mapping_(sizes) {}
  constexpr mdspan(data_handle_type p, const mapping_type& mapping) : data_(p), mapping_(mapping) {}
  template <class Other, class OtherExtents>
  constexpr mdspan(const mdspan<Other, OtherExtents, Layout>& other)
      : data_(other.data_handle()), mapping_(Extents(other.extents())) {}

  template <class... I>
  constexpr reference operator()(I... indices) const {
    static_assert(sizeof...(I) == Extents::rank(), "an index for each dimension");
    return Accessor().access(data_, static_cast<size_t>(mapping_(indices...)));
  }
  static constexpr size_t rank() { return Extents::rank(); }
  static constexpr size_t rank_dynamic() { return Extents::rank_dynamic(); }
  static constexpr size_t static_extent(size_t i) { return Extents::static_extent(i); }
  constexpr index_type extent(size_t i) const { return mapping_.extents().extent(i); }
  constexpr index_type stride(size_t i) const { return mapping_.stride(i); }
  constexpr size_type size() const {
    size_type count = 1;
    for (size_t i = 0; i < rank(); ++i) count *= static_cast<size_type>(extent(i));
    return count;
  }
  constexpr bool empty() const { return size() == 0; }
  constexpr data_handle_type data_handle() const { return data_; }
  constexpr const Extents& extents() const { return mapping_.extents(); }
  constexpr const mapping_type& mapping() const { return mapping_; }

 private:
  template <class... I>
  static constexpr Extents made(I... sizes) {
    if constexpr (sizeof...(I) == 0)
      return Extents();
    else
      return Extents(sizes...);
  }
  data_handle_type data_ = nullptr;
  [[no_unique_address]] mapping_type mapping_;
};
template <class T, class... I,
          class = ::std::enable_if_t<(sizeof...(I) > 0) && (::std::is_convertible_v<I, size_t> && ...)>>
mdspan(T*, I...) -> mdspan<T, dextents<size_t, sizeof...(I)>>;
template <class T, class Index, size_t... E>
mdspan(T*, const extents<Index, E...>&) -> mdspan<T, extents<Index, E...>>;

}  // namespace std
}  // namespace cuda
