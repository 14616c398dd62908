#pragma once

#include <string>

#include "base/file.h"
#include "specialize/specialization.h"
#include "trial/buffer_layout.h"

// Keys of buffer contents: digests of everything that a content depends on, so that two contents with one key
// are equal bit by bit. An empty key stands for a content of which that is not known; such a content is made
// again. A new member of InitSpec or FileSource that changes a content belongs into these keys.
namespace kiln {

/// What Workspace::fill writes.
[[nodiscard]] std::string fill_key(const Configuration& configuration, const BufferLayout& layout,
                                   FileSystem& files);

/// The key of the content that fill_from_file writes. A file counts as unchanged while its path, size and
/// modification time are; a file behind a symbolic link has no key.
[[nodiscard]] std::string file_key(const Configuration& configuration, const BufferLayout& layout,
                                   const FileSource& source, FileSystem& files);

/// True if kernels of this text may remember something from launch to launch: it defines variables in device
/// memory that change, or static ones. Those in constant memory change where the host sets some
/// (`constants_are_set`: the workload has `symbols`). Kiln looks at the text and its headers and expands no
/// macros.
[[nodiscard]] bool may_keep_state(const Specialization& specialization, bool constants_are_set);

}  // namespace kiln
