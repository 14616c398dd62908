#pragma once

#include <string>

#include "cli/world.h"

namespace kiln {

/// Throws bad_input where the file that -o names could not be written, before time goes into what is to stand
/// in it. A file that is there is left as it is, and none is left behind.
void require_output(World& world, const std::string& file);

/// Writes `text` to the file that -o names, or to standard output where it names none. Throws bad_input when
/// the file cannot be written.
void write_output(World& world, const std::string& file, const std::string& text);

}  // namespace kiln
