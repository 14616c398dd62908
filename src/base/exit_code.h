#pragma once

namespace kiln {

/// What `kiln` returns to the shell.
enum ExitCode : int {
  kExitDone = 0,  ///< done, and no result was wrong; those that no check compared are named
  kExitFailed =
      1,  ///< a variant failed, was wrong or, where checks are required, unchecked; a cache entry is damaged
  kExitBadInput = 2,       ///< the command line, a file or a value in it
  kExitEnvironment = 3,    ///< the machine lacks something; the message says what and how to get it
  kExitInterrupted = 130,  ///< by SIGINT (by SIGTERM 143, by SIGHUP 129); what was measured is written
  kExitInternal = 70,      ///< a bug in Kiln (EX_SOFTWARE of sysexits.h)
};

}  // namespace kiln
