#pragma once

#include <cstddef>
#include <span>

#include "base/file.h"
#include "trial/buffer_layout.h"
#include "trial/init_values.h"

namespace kiln {

/// Writes elements `first`... of a buffer's initial content to `out` (whole elements). For every way of
/// filling except by kernel and by file. Random content depends on the seed, the buffer's name and the
/// element's index alone; addresses of buffers come from `address_of`, which may be empty if there are none.
void fill_generated(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init,
                    std::uint64_t first, std::span<std::byte> out, const AddressOf& address_of = {});

/// Reads a whole buffer from its file into `out` (`layout.bytes` bytes). Throws bad_input naming the file,
/// both sizes, the element or line: wrong size, no number, not finite, a record's member outside its limits.
void fill_from_file(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                    FileSystem& files, std::span<std::byte> out);

/// One number from a file: the one after `after`, or the first after `skip` others. `nullopt` if it is marked
/// optional and the file, its path or the text is not there.
[[nodiscard]] std::optional<double> number_from_file(const Configuration& configuration,
                                                     const FileSource& source, FileSystem& files);

/// Whether the file of an optional source is there; throws bad_input if it must be and is not.
[[nodiscard]] bool file_is_there(const Configuration& configuration, const FileSource& source,
                                 FileSystem& files);

}  // namespace kiln
