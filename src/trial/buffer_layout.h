#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workload/configuration.h"

namespace kiln {

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 60;

/// A buffer of one configuration: extents (the last contiguous), element type and size.
struct BufferLayout {
  const BufferSpec* spec = nullptr;
  std::vector<std::uint64_t> shape;
  std::optional<ScalarType> scalar;    ///< absent for records
  std::size_t lanes = 1;               ///< of a vector; `shape` has them as its last extent
  const RecordType* record = nullptr;  ///< for records
  std::size_t element_bytes = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  const BufferSpec* memory = nullptr;  ///< the buffer whose memory it stands in; `spec` if it is no view
  std::uint64_t offset = 0;            ///< where it begins there, in bytes

  [[nodiscard]] bool is_view() const { return memory != spec; }
  /// Whether a byte belongs to both.
  [[nodiscard]] bool overlaps(const BufferLayout& other) const;
  /// "[3, 17, 2]" for a linear index.
  [[nodiscard]] std::string index_text(std::uint64_t linear) const;
};

/// Evaluates the shape. Throws bad_input for extents that are not whole numbers of at least 1, for overflow,
/// and for a view that reaches beyond its buffer or does not begin at a multiple of its type's alignment.
[[nodiscard]] BufferLayout layout_of(const Configuration& configuration, const BufferSpec& buffer);

/// How much of the first extent is in use: what `used` says, else all of it. Throws bad_input for what is no
/// whole number from 0 to that extent, and for a program variable without a value.
[[nodiscard]] std::uint64_t used_extent(const Configuration& configuration, const BufferLayout& layout,
                                        const Variables& variables);

/// The initialiser of the buffer in this configuration: the file, or its `otherwise` if the file's path is
/// not set; with `same_as`, the other buffer's initialiser.
[[nodiscard]] const InitSpec& effective_init(const Configuration& configuration, const InitSpec& init);

/// The buffer whose init that is: itself, or the one at the end of a chain of `same_as`.
[[nodiscard]] const BufferSpec& starting_buffer(const Configuration& configuration, const BufferSpec& buffer);

/// Pairs of a buffer of the list that starts like another buffer that a kernel fills, and that other buffer:
/// the first is copied once all init kernels have run.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> copies_after_init(
    const Configuration& configuration, const std::vector<std::string>& buffers);

/// Adds a buffer that `where` needs, those whose addresses it holds or that its init kernel takes, and that
/// kernel. Throws bad_input if its `when` does not hold.
void add_needed_buffer(const Configuration& configuration, const std::string& name,
                       const SourceLocation& where, std::set<std::string>& buffers,
                       std::set<std::string>& init_kernels);

/// The buffers among a kernel's arguments and symbols, plus those that their init kernels take, and those
/// kernels.
void add_needs_of_kernel(const Configuration& configuration, const KernelSpec& kernel,
                         std::set<std::string>& buffers, std::set<std::string>& init_kernels);

/// Init kernels in the order of the buffers that they fill.
[[nodiscard]] std::vector<std::string> in_init_order(const Configuration& configuration,
                                                     const std::set<std::string>& buffers);

}  // namespace kiln
