#include "compile/unit_files.h"

namespace kiln {

void write_unit_headers(FileSystem& files, const std::filesystem::path& folder,
                        const std::vector<std::pair<std::string, std::string>>& headers) {
  files.make_directories(folder, true);
  for (const auto& [name, text] : headers) {
    const std::filesystem::path path = (folder / name).lexically_normal();
    const std::string relative = path.lexically_relative(folder).string();
    if (relative.empty() || relative.rfind("..", 0) == 0) continue;
    if (path.parent_path() != folder) files.make_directories(path.parent_path(), true);
    files.write_file(path, text, false);
  }
}

}  // namespace kiln
