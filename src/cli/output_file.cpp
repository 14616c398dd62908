#include "cli/output_file.h"

#include <filesystem>

#include "kiln/error.h"

namespace kiln {

void write_output(World& world, const std::string& file, const std::string& text) {
  if (file.empty()) {
    world.out() << text << std::flush;
    return;
  }
  try {
    world.files().write_file(file, text, false);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("--output: '" + file + "' cannot be written: " + error.code().message());
  }
}

}  // namespace kiln
