#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/file.h"
#include "workload/matrix_market.h"

namespace kiln {

/// The matrices of a workload's inputs, by path, also compressed by gzip. Several parts of one file read it
/// once. Thread-safe. A file counts as unchanged while its size, time and inode are.
class MatrixFiles {
 public:
  /// Reads only the beginning of the file.
  [[nodiscard]] MatrixHeader header(FileSystem& files, const std::string& path);
  /// How many entries the matrix has; a symmetric one is read whole for it.
  [[nodiscard]] std::uint64_t nonzeros(FileSystem& files, const std::string& path);
  [[nodiscard]] std::shared_ptr<const Matrix> matrix(FileSystem& files, const std::string& path);
  /// Drops the matrix that was read last; the numbers of nonzeros are kept.
  void forget_entries();

 private:
  [[nodiscard]] std::shared_ptr<const Matrix> read(FileSystem& files, const std::string& path,
                                                   const std::string& identity);

  std::mutex mutex_;
  std::string identity_;  // of last_
  std::shared_ptr<const Matrix> last_;
  std::map<std::string, std::uint64_t> nonzeros_;  // by identity
};

}  // namespace kiln
