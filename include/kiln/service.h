#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kiln/function.h"
#include "kiln/kernel.h"
#include "kiln/log.h"
#include "kiln/progress.h"
#include "kiln/settings.h"

namespace kiln {

struct Communicator;
struct JobOptions;
struct JobResult;

/// A workload: kernels, parameters and how they are launched, from a YAML file. Cheap to copy. Its kernels'
/// texts are those of their first use: load the workload again to see edited files.
class WorkloadHandle {
 public:
  struct Impl;  ///< Kiln's own

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] std::vector<std::string> kernels() const;
  /// Throws Error (bad input) with the nearest name for a kernel that the workload does not have.
  [[nodiscard]] KernelRequest kernel(const std::string& name) const;

 private:
  friend class Service;
  std::shared_ptr<const Impl> impl_;
};

/// How kernels were come by since the service began. When it goes, this is added to what `kiln cache stats`
/// tells of the cache folder.
struct ServiceStatistics {
  std::uint64_t memory_hits = 0, disk_hits = 0, compiled = 0;
  std::uint64_t waited = 0;  ///< for another thread or process that was compiling the same
  std::uint64_t failed = 0;
  double compile_seconds = 0, load_seconds = 0;     ///< load: from the disk and by the driver
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< of code, from and to the disk
  double read_seconds = 0, write_seconds = 0;       ///< for these
  double wait_seconds = 0, failed_seconds = 0;
};

/// Kiln inside a program: devices, workloads, and one cache of compiled kernels. Thread-safe; several may
/// exist. Handles and kernels made from it keep what they need alive.
class Service {
 public:
  struct Impl;  ///< Kiln's own

  /// `log` takes the messages of at least Settings::log_level; without it they go to standard error.
  /// `progress` sees the stages of requests that are not answered from memory, and may end them. Throws Error
  /// (bad input) for settings that make no sense.
  explicit Service(const Settings& settings = Settings::from_environment(), LogFunction log = {},
                   ProgressFunction progress = {});

  /// "auto", "cpu", "cuda:0"; throws Error listing what exists.
  [[nodiscard]] DeviceHandle device(const std::string& name = "auto") const;
  /// A name on the workload path, or the path of a workload file or folder.
  [[nodiscard]] WorkloadHandle workload(const std::string& name_or_path) const;
  /// Kernels of a text in memory. `name` is what messages call it ("cg.cu"); where it is an absolute path,
  /// headers are also looked for beside it.
  [[nodiscard]] Program program(const std::string& name, const std::string& text) const;
  /// Code that the program brings along: a bundle of `kiln cache pack`, in memory that outlives the service
  /// and all that comes from it. A kernel that a bundle has for its text, values and device is taken from
  /// there, whichever compiler the machine has, or none; Kernel::origin() is "bundle". Throws Error (bad
  /// input) for what is not a whole bundle.
  void add_bundle(std::span<const std::byte> bundle) const;
  /// From now on rank 0 of a parallel program decides for all ranks: a request with wisdom() takes the values
  /// that rank 0 finds, and the defaults on all ranks where these fail on rank 0; rank 0 also compiles first.
  /// So all ranks run the same code. This call, and get(), function() and background() of such requests, are
  /// then collective: all ranks make them, in the same order, from one thread at a time; what rank 0 throws,
  /// all throw. Throws Error (bad input) for a communicator that makes no sense and for another version of
  /// Kiln.
  void share(const Communicator& communicator) const;
  /// Waits for entries of the cache that are being written.
  [[nodiscard]] ServiceStatistics statistics() const;
  /// Writes the file that Settings::trace names with what was traced until now; it is written anyway when the
  /// service, and all that came from it, goes. Without such a setting it does nothing. Throws Error when the
  /// disk refuses.
  void write_trace() const;

 private:
  friend JobResult run_job(const Service& service, const std::string& job, const JobOptions& options);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kiln
