#include "cli/output_file.h"

#include <filesystem>
#include <system_error>

#include "base/output_file.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

Error cannot_write(const std::string& file, const std::error_code& code) {
  return bad_input("--output: '" + file + "' cannot be written: " + code.message());
}

}  // namespace

void require_output(World& world, const std::string& file) {
  if (file.empty()) return;
  FileSystem& files = world.files();
  try {
    const std::filesystem::path target = output_target(files, file);
    const auto there = files.status(target);
    if (!there) {
      try_to_create_in(files, std::filesystem::absolute(target).parent_path());
    } else if (there->type == FileStatus::Type::kDirectory) {
      throw cannot_write(file, std::make_error_code(std::errc::is_a_directory));
    } else if (there->type == FileStatus::Type::kFile) {
      files.append_file(target, "");  // a pipe's reader would take that for its end
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw cannot_write(file, error.code());
  }
}

void write_output(World& world, const std::string& file, const std::string& text) {
  if (file.empty()) {
    world.out() << text << std::flush;
    return;
  }
  try {
    write_output_file(world.files(), file, printable(text));
  } catch (const std::filesystem::filesystem_error& error) {
    throw cannot_write(file, error.code());
  }
}

}  // namespace kiln
