#pragma once

#include <ostream>

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

/// Of this process.
[[nodiscard]] Console make_process_console();

/// Whether the reader of standard output has gone (`kiln run ... | head`), as opposed to a disk that is full.
[[nodiscard]] bool standard_output_closed();

}  // namespace kiln
