#include "workload/input_files.h"

#include "base/gzip.h"
#include "base/hash.h"
#include "base/input_file.h"

namespace kiln {
namespace {

/// At most so many bytes of a file are its header.
constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{1} << 20;

std::string identity_of(FileSystem& files, const std::string& path) {
  const FileStatus status = input_status(files, path);
  std::string identity = path;
  for (const std::uint64_t number :
       {status.size, static_cast<std::uint64_t>(status.modified_ns), status.device, status.inode})
    identity += "\n" + std::to_string(number);
  return identity;
}

}  // namespace

std::string InputFiles::digest(FileSystem& files, const std::string& path) {
  constexpr std::uint64_t kPart = std::uint64_t{16} << 20;
  const std::lock_guard lock(mutex_);
  std::string& digest = digests_[identity_of(files, path)];
  if (!digest.empty()) return digest;
  Sha256 hash;
  std::string part;
  for (std::uint64_t offset = 0; offset == 0 || (part.size() == kPart && offset < kMostDigested);
       offset += kPart) {
    part = files.read(path, {offset, kPart}).value_or("");
    hash.add(part);
  }
  const FileStatus status = input_status(files, path);
  if (status.size > kMostDigested) {
    hash.add("\nsize " + std::to_string(status.size) + ", modified " + std::to_string(status.modified_ns));
  }
  return digest = hash.hex();
}

MatrixHeader InputFiles::header(FileSystem& files, const std::string& path) {
  const std::uint64_t file_bytes = input_status(files, path).size;
  std::string beginning = files.read(path, {0, kMostHeaderBytes}).value_or("");
  if (is_gzip(beginning)) beginning = gunzip_beginning(beginning, kMostHeaderBytes, path);
  const bool whole = file_bytes <= kMostHeaderBytes && beginning.size() < kMostHeaderBytes;
  if (!whole) beginning.resize(beginning.rfind('\n') + 1);
  return parse_matrix_header(beginning, path);
}

std::uint64_t InputFiles::nonzeros(FileSystem& files, const std::string& path) {
  const MatrixHeader first = header(files, path);
  if (first.symmetry == MatrixHeader::Symmetry::kGeneral) return first.stored;
  const std::lock_guard lock(mutex_);
  const std::string identity = identity_of(files, path);
  if (const auto known = nonzeros_.find(identity); known != nonzeros_.end()) return known->second;
  return nonzeros_[identity] = read(files, path, identity)->entries.size();
}

std::shared_ptr<const Matrix> InputFiles::matrix(FileSystem& files, const std::string& path) {
  const std::lock_guard lock(mutex_);
  return read(files, path, identity_of(files, path));
}

std::shared_ptr<const Matrix> InputFiles::read(FileSystem& files, const std::string& path,
                                               const std::string& identity) {
  if (last_ == nullptr || identity != identity_) {
    last_.reset();
    last_ = std::make_shared<const Matrix>(parse_matrix(read_input(files, path, kDataInput), path));
    identity_ = identity;
  }
  return last_;
}

void InputFiles::forget_entries() {
  const std::lock_guard lock(mutex_);
  last_.reset();
}

}  // namespace kiln
