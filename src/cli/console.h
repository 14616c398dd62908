#pragma once

#include <ostream>
#include <streambuf>
#include <vector>

#include "base/unique_fd.h"

namespace kiln {

/// The standard streams, and what they are connected to.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 0;     ///< columns of the terminal; 0: not one
  bool utf8 = true;  ///< the locale's encoding
};

/// Writes to a descriptor, which it does not own.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  static constexpr std::size_t kBytes = 16384;
  [[nodiscard]] bool write_out();

  int descriptor_;
  std::vector<char> bytes_;
};

/// The streams of this process, for `main` alone. Programs that read standard output rely on finding only
/// results there. From here on, output of kernels (`printf`, static constructors, a driver that empties the
/// buffer of a GPU's `printf`) and of libraries goes to standard error.
class ProcessConsole {
 public:
  ProcessConsole();
  ProcessConsole(const ProcessConsole&) = delete;
  ProcessConsole& operator=(const ProcessConsole&) = delete;
  ~ProcessConsole() = default;

  /// Refers to this object.
  [[nodiscard]] Console console();
  /// Whether the reader of standard output has gone (`kiln run ... | head`), as opposed to a disk that is
  /// full.
  [[nodiscard]] bool reader_has_gone() const;

 private:
  [[nodiscard]] int descriptor() const;

  bool out_is_terminal_;
  UniqueFd results_;  // empty: standard output itself
  DescriptorBuffer buffer_;
  std::ostream out_;
};

}  // namespace kiln
