#pragma once

namespace kiln {

/// Exit codes of `kiln`.
enum ExitCode : int {
  kExitDone = 0,  ///< done, and no result is wrong; results that no check compared are named
  kExitFailed =
      1,  ///< a variant failed, was wrong or, if checks are required, unchecked; a cache entry is damaged
  kExitBadInput = 2,       ///< a mistake in the command line, a file or a value in it
  kExitEnvironment = 3,    ///< the machine lacks something; the message names it and how to get it
  kExitInterrupted = 130,  ///< by SIGINT (by SIGTERM 143, by SIGHUP 129); finished results are written
  kExitInternal = 70,      ///< a bug in Kiln (EX_SOFTWARE of sysexits.h)
};

}  // namespace kiln
