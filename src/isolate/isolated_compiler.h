#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "base/trace.h"
#include "compile/compiler.h"
#include "isolate/capsule.h"
#include "kiln/settings.h"

namespace kiln {

/// The place of compiles. kAuto: in this process up to the number that the compiler can run at once, and in
/// workers beyond that; if many are expected or run, all in workers.
enum class Isolation { kAuto, kNone, kProcess };

/// Throws bad_input for a word other than auto, none and process.
[[nodiscard]] Isolation parse_isolation(const std::string& word);

struct IsolationOptions {
  Isolation isolation = Isolation::kAuto;
  Settings settings;               ///< what a worker starts with; its limits
  std::filesystem::path scratch;   ///< a worker's folder is made below it, and removed again
  std::filesystem::path failures;  ///< failure capsules are kept below it, the newest ones only, if it is
                                   ///< this user's alone; else in a fresh folder below `scratch`
};

/// `inner` with its faults contained: compiles in worker processes as the options say, and leaves a failure
/// capsule for each compile that crashed, hung, used or printed too much or gave garbage, in whatever
/// process. Compiles are spans of `trace`, those in a worker also on a track of the worker; null: none. All
/// references outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_isolated_compiler(Compiler& inner, IsolationOptions options,
                                                               ProcessRunner& processes, FileSystem& files,
                                                               const Clock& clock, Log& log,
                                                               Trace* trace = nullptr);

/// Compiles what a capsule says in a worker process under the capsule's limits. Throws environment_error if
/// there is no worker program.
[[nodiscard]] CompileResult run_in_worker(const Capsule& capsule, const std::filesystem::path& scratch,
                                          ProcessRunner& processes, FileSystem& files);

}  // namespace kiln
