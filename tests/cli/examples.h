#pragma once

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln::test {

/// The jobs configs/examples/*.yaml, by what stands for the star.
inline std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const std::string& file :
       make_real_file_system()->list(std::string(KILN_SOURCE_DIR) + "/configs/examples")) {
    if (file.ends_with(".yaml")) names.push_back(std::filesystem::path(file).stem().string());
  }
  return names;
}

/// Copies the example, all kernel texts and inputs into `folder`, with every check and no measurement; gives
/// the job's path.
inline std::string copy_example(const std::string& name, const std::filesystem::path& folder,
                                FileSystem& files, bool sweep = true) {
  const std::filesystem::path source = std::filesystem::path(KILN_SOURCE_DIR) / "configs/examples";
  files.make_directories(folder / "kernels", false);
  for (const std::string& kernel : files.list(source / "kernels")) {
    files.write_file(folder / "kernels" / kernel, *files.read_file(source / "kernels" / kernel), false);
  }
  files.make_directories(folder / "data", false);
  for (const std::string& input : files.list(source / "data"))
    files.write_file(folder / "data" / input, *files.read_file(source / "data" / input), false);
  std::string job = *files.read_file(source / (name + ".yaml"));
  const std::size_t measure = job.rfind("\nmeasure: ");
  job.replace(measure, job.find('\n', measure + 1) - measure, "\nmeasure: false");
  const std::size_t variants = job.rfind("\nsweep:");
  if (!sweep && variants != std::string::npos) job.replace(variants, job.rfind("\nmeasure: ") - variants, "");
  const std::filesystem::path path = folder / "job.yaml";
  files.write_file(path, job, false);
  return path.string();
}

}  // namespace kiln::test
