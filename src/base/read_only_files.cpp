#include "base/read_only_files.h"

#include <system_error>

namespace kiln {

void ReadOnlyFiles::refuse(const Path& path) {
  throw std::filesystem::filesystem_error("nothing is written", path,
                                          std::make_error_code(std::errc::read_only_file_system));
}

}  // namespace kiln
