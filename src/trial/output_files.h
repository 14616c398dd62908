#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/expression.h"
#include "record/record.h"
#include "trial/variant.h"
#include "trial/workspace.h"

namespace kiln {

/// Throws bad_input at `where` unless a file with this name's ending (.npy, .bin, .txt, .csv) can hold the
/// buffer.
void require_output_format(const BufferLayout& layout, const std::string& file, const SourceLocation& where);

/// Writes buffers to files, each of which is replaced in one step; of a buffer with `used`, as many rows as
/// `variables` say. Waits for the device. Throws environment_error where a file cannot be written.
[[nodiscard]] std::vector<KeptFile> write_outputs(const Workspace& workspace, const Variables& variables,
                                                  const std::vector<KeptOutput>& outputs, FileSystem& files);

}  // namespace kiln
