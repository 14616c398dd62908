#include "isolate/worker.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>
#include <thread>

#include "base/pipe.h"
#include "base/resource_limit.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "isolate/capsule.h"
#include "isolate/outcome.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// Keeps what a compile has freed for the next one. A compile by NVRTC frees 20 MB or more; to give these
/// back and to fault them in again takes a tenth of the time of a small one.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMegabyte = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, 32 * kMegabyte);  // the most that glibc takes
  ::mallopt(M_TRIM_THRESHOLD, 1024 * kMegabyte);
  ::mallopt(M_TOP_PAD, 16 * kMegabyte);
#endif
}

/// Leftovers of compilers are removed with this process's folder: when it ends, or, if it is killed, when
/// another process finds it.
ScratchFolder make_scratch(FileSystem& files) {
  ScratchFolder folder = make_shared_scratch(files, temporary_folder(), "worker");
  ::setenv("TMPDIR", folder.get().path.c_str(), 1);
  return folder;
}

void require_same_compiler(const CompilerIdentity& wanted, const CompilerIdentity& found) {
  if (wanted.name == found.name && wanted.version == found.version && wanted.fingerprint == found.fingerprint)
    return;
  throw environment_error(
      "the worker process has another compiler, or another version of Kiln: " + found.name + " " +
      found.version + " in place of " + wanted.name + " " + wanted.version);
}

Diagnostic out_of_memory(const Capsule& capsule) {
  Diagnostic diagnostic;
  const std::uint64_t limit = capsule.settings.compile_memory_limit;
  diagnostic.summary = capsule.specialization.source_name + ": error: the compiler ran out of memory" +
                       (limit > 0 ? " (limit " + format_bytes(limit) + ")" : "");
  diagnostic.compiler_fault = true;
  return diagnostic;
}

void limit_this_process(const Settings& settings) {
  lower_limit(RLIMIT_CORE, 0);
  if (settings.compile_memory_limit > 0 && !maps_all_of_memory())
    lower_limit(RLIMIT_AS, settings.compile_memory_limit);
}

WorkerEnd compile(FileSystem& files, const Path& folder, Capsule& capsule, const CompilerOf& compiler_of) {
  limit_this_process(capsule.settings);
  // The parent watches the time.
  capsule.settings.compile_time_limit = 0;
  try {
    const std::string& backend = capsule.specialization.target.backend;
    Compiler* compiler = compiler_of(capsule.settings, backend);
    if (compiler == nullptr) throw environment_error("this build of Kiln has no " + backend + " compiler");
    require_same_compiler(capsule.compiler, compiler->identity());
    write_outcome(files, folder, compiler->compile(capsule.specialization));
    return WorkerEnd::kOutcome;
  } catch (const std::bad_alloc&) {
    write_outcome(files, folder, out_of_memory(capsule));
    return WorkerEnd::kSpoilt;
  }
}

void drop_inherited_descriptors() {
#ifdef SYS_close_range
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
}

/// Does not read: waits until no process can write any more.
void wait_for_hang_up(int fd) {
  pollfd stream{fd, 0, 0};
  while (::poll(&stream, 1, -1) < 0 && errno == EINTR) {
  }
}

/// A compile may hang; its parent is gone all the same.
void end_with_standard_input(FileSystem& files, const Path& scratch) {
  std::thread([&files, scratch] {
    wait_for_hang_up(STDIN_FILENO);
    remove_own_scratch(files, scratch.parent_path());
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);  // with what compilers started
    ::_exit(EXIT_FAILURE);
  }).detach();
}

/// Standard output as it was; from here on, what is printed there goes to standard error.
UniqueFd take_standard_output() {
  UniqueFd taken(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return taken;
}

}  // namespace

void belong_to_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  drop_inherited_descriptors();
}

WorkerEnd run_worker(FileSystem& files, const Path& folder, const CompilerOf& compiler_of,
                     std::ostream& err) {
  try {
    Capsule capsule = read_capsule(files, folder);
    try {
      return compile(files, folder, capsule, compiler_of);
    } catch (const Error& error) {
      write_outcome(files, folder, error);
      return WorkerEnd::kOutcome;
    }
  } catch (const std::exception& error) {
    err << "kiln-worker: " << error.what() << std::endl;
  }
  return WorkerEnd::kNoOutcome;
}

int serve_compiles(FileSystem& files, const CompilerOf& compiler_of, std::ostream& err) {
  drop_inherited_descriptors();
  keep_freed_memory();
  const UniqueFd answers = take_standard_output();
  const ScratchFolder scratch = make_scratch(files);
  end_with_standard_input(files, scratch.get().path);
  for (std::string folder; std::getline(std::cin, folder);) {
    const WorkerEnd end = run_worker(files, folder, compiler_of, err);
    if (end == WorkerEnd::kNoOutcome) return EXIT_FAILURE;
    const bool stays = end == WorkerEnd::kOutcome;
    if (!write_line(answers.get(), stays ? kWorkerStays : kWorkerLeaves) || !stays) break;
  }
  return EXIT_SUCCESS;
}

}  // namespace kiln
