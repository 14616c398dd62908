#pragma once

#include <string>

#include "cli/world.h"

namespace kiln {

/// Writes `text` to the file that -o names, or to standard output where it names none. Throws bad_input when
/// the file cannot be written.
void write_output(World& world, const std::string& file, const std::string& text);

}  // namespace kiln
