#include <csignal>

#include "base/exit_code.h"
#include "cli/console.h"
#include "cli/run_cli.h"

int main(int argc, char** argv) {
  // A reader that goes away (`kiln run ... | head`) is found out when a write fails; the run and its records
  // go on.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow further (ulimit -f) is an error of the write.
  std::signal(SIGXFSZ, SIG_IGN);
  kiln::ProcessConsole streams;
  const kiln::Console console = streams.console();
  const int code = kiln::run_cli(argc, argv, console);
  console.out.flush();
  if (console.out.good() || streams.reader_has_gone()) return code;
  console.err << "kiln: error: the results could not be written to standard output\n";
  return kiln::kExitEnvironment;
}
