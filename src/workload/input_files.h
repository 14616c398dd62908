#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/file.h"
#include "workload/matrix_market.h"

namespace kiln {

/// A cache of a workload's input files, by path, so that several buffers, parameters and variants read a file
/// once: its digest, and matrices, also compressed by gzip. Thread-safe. A file counts as unchanged while its
/// size, time and inode are.
class InputFiles {
 public:
  static constexpr std::uint64_t kMostDigested = std::uint64_t{1} << 30;

  /// SHA-256 of its bytes; of a file with more than kMostDigested bytes that of so many, of its size and of
  /// when it was changed. Throws bad_input for what is no plain file.
  [[nodiscard]] std::string digest(FileSystem& files, const std::string& path);
  /// Reads only the beginning of a matrix.
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
  std::map<std::string, std::string> digests_;     // by identity
};

}  // namespace kiln
