#include "compile/cuda/cuda_headers.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

bool is_there(const Path& path, FileSystem& files) {
  return files.status(path).has_value();
}

/// N of "#define NAME N" in a file.
std::optional<std::int64_t> defined_number(const Path& path, const std::string& name, FileSystem& files) {
  const auto text = files.read_file(path);
  if (!text) return std::nullopt;
  const std::string start = "#define " + name + " ";
  const std::size_t at = text->find(start);
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(at + start.size());
  return parse_integer(trim(rest.substr(0, rest.find('\n'))));
}

/// "13.0" of 13000.
std::string toolkit_version(const Path& folder, FileSystem& files) {
  auto number = defined_number(folder / "cuda_runtime_api.h", "CUDART_VERSION", files);
  if (!number) number = defined_number(folder / "cuda.h", "CUDA_VERSION", files);
  return number ? std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10) : "";
}

/// "3.0.1" of 3000001.
std::string cccl_version(const Path& folder, FileSystem& files) {
  const Path headers = folder / "cuda/std";
  auto number = defined_number(headers / "__cccl/version.h", "CCCL_VERSION", files);
  if (!number) number = defined_number(headers / "detail/__config", "_LIBCUDACXX_CUDA_API_VERSION", files);
  if (!number) return is_there(headers, files) ? "of unknown version" : "";
  return std::to_string(*number / 1'000'000) + "." + std::to_string(*number / 1000 % 1000) + "." +
         std::to_string(*number % 1000);
}

/// The headers that belong to those in `folder`: CUDA 13 keeps cuda/std in a folder of its own, earlier
/// wheels in a folder beside it.
CudaHeaders headers_in(const Path& folder, FileSystem& files) {
  CudaHeaders headers;
  headers.folders = {folder};
  headers.version = toolkit_version(folder, files);
  headers.cccl = cccl_version(folder, files);
  const Path packages = folder.parent_path().parent_path();
  for (const Path& more : {folder / "cccl", packages / "cuda_cccl/include", packages / "cuda_nvcc/include"}) {
    if (!is_there(more, files)) continue;
    headers.folders.push_back(more);
    if (headers.cccl.empty()) headers.cccl = cccl_version(more, files);
  }
  return headers;
}

bool has_headers(const Path& folder, FileSystem& files) {
  const std::vector<Path> names = {"cuda_fp16.h", "cuda/std", "cccl/cuda/std"};
  return std::any_of(names.begin(), names.end(),
                     [&](const Path& name) { return is_there(folder / name, files); });
}

}  // namespace

bool CudaHeaders::has(const std::string& name, FileSystem& files) const {
  return find(name, files).has_value();
}

std::optional<Path> CudaHeaders::find(const std::string& name, FileSystem& files) const {
  for (const Path& folder : folders) {
    const auto status = files.status(folder / name);
    if (status && status->type != FileStatus::Type::kDirectory) return folder / name;
  }
  return std::nullopt;
}

std::optional<std::string> CudaHeaders::read(const std::string& name, FileSystem& files) const {
  const auto path = find(name, files);
  return path ? files.read_file(*path) : std::nullopt;
}

std::vector<std::string> CudaHeaders::list(const std::string& folder, FileSystem& files) const {
  std::set<std::string> names;
  for (const Path& headers : folders) {
    if (!is_there(headers / folder, files)) continue;
    for (std::string& name : files.list(headers / folder)) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

std::string CudaHeaders::to_string() const {
  std::vector<std::string> parts;
  if (!folders.empty()) parts.push_back("CUDA " + (version.empty() ? "of unknown version" : version));
  if (!cccl.empty()) parts.push_back("CCCL " + cccl);
  return join(parts, ", ");
}

CudaHeaders find_cuda_headers(const CudaPlaces& places, const Path& library, int nvrtc_major,
                              FileSystem& files) {
  const std::string wanted = std::to_string(nvrtc_major) + ".";
  std::optional<CudaHeaders> other;
  for (const Path& folder : cuda_include_folders(places, library, files)) {
    if (!has_headers(folder, files)) continue;
    CudaHeaders headers = headers_in(folder, files);
    if (headers.version.starts_with(wanted)) return headers;
    if (!other) other = std::move(headers);
  }
  return other.value_or(CudaHeaders{});
}

}  // namespace kiln
