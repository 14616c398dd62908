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
class Step;
struct StepOptions;
struct StepSignature;

/// A workload: kernels, parameters and launch shapes, from a YAML file. Cheap to copy. Kernel texts are read
/// at their first use: load the workload again to see edited files.
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

/// Counts of how kernels were found since the service began. The destructor adds them to the cache folder's
/// statistics, which `kiln cache stats` shows.
struct ServiceStatistics {
  std::uint64_t memory_hits = 0, disk_hits = 0, compiled = 0;
  std::uint64_t waited = 0;  ///< requests that waited for another thread's or process's compile
  std::uint64_t failed = 0;
  double compile_seconds = 0, load_seconds = 0;     ///< load: from the disk and by the driver
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< bytes of code, from and to the disk
  double read_seconds = 0, write_seconds = 0;       ///< for these
  double wait_seconds = 0, failed_seconds = 0;
};

/// Kiln inside a program: devices, workloads, and one cache of compiled kernels. Thread-safe; several may
/// exist. Handles and kernels made from it keep what they need alive.
class Service {
 public:
  struct Impl;  ///< Kiln's own

  /// `log` receives the messages of at least Settings::log_level; without it they go to standard error.
  /// `progress` sees the stages of requests that are not answered from memory, and may end them. Throws Error
  /// (bad input) for invalid settings.
  explicit Service(const Settings& settings = Settings::from_environment(), LogFunction log = {},
                   ProgressFunction progress = {});

  /// "auto", "cpu", "cuda:0"; throws Error with a list of the devices.
  [[nodiscard]] DeviceHandle device(const std::string& name = "auto") const;
  /// A name on the workload path, or the path of a workload file or folder.
  [[nodiscard]] WorkloadHandle workload(const std::string& name_or_path) const;
  /// Kernels of a text in memory. `name` is the text's name in messages ("cg.cu"); if it is an absolute path,
  /// headers are also looked for in its folder.
  [[nodiscard]] Program program(const std::string& name, const std::string& text) const;
  /// Adds the program's own code: a bundle of `kiln cache pack`, in memory that outlives the service and all
  /// its objects. A kernel that a bundle has for its text, values and device is taken from there, whatever
  /// compiler the machine has; Kernel::origin() is "bundle". Throws Error (bad input) if the bytes are not a
  /// complete bundle.
  void add_bundle(std::span<const std::byte> bundle) const;
  /// From now on rank 0 of a parallel program decides for all ranks. A request with wisdom() takes the values
  /// that rank 0 finds, and the defaults on all ranks if these values fail on rank 0; rank 0 also compiles
  /// first. All ranks therefore run the same code. This call, and get(), function() and background() of such
  /// requests, are then collective: all ranks make them, in the same order, from one thread at a time; an
  /// exception on rank 0 is thrown on all ranks. Throws Error (bad input) for an invalid communicator and for
  /// another version of Kiln.
  void share(const Communicator& communicator) const;
  /// Waits until all entries of the cache are written.
  [[nodiscard]] ServiceStatistics statistics() const;
  /// Writes the trace so far to the file of Settings::trace, which is also written when the service and all
  /// its objects are destroyed. Without that setting it does nothing. Throws Error if the disk refuses.
  void write_trace() const;

 private:
  friend JobResult run_job(const Service& service, const std::string& job, const JobOptions& options);
  friend StepSignature step_signature(const Service& service, const std::string& job,
                                      const StepOptions& options);
  friend Step make_step(const Service& service, const DeviceHandle& device, const std::string& job,
                        const StepOptions& options);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kiln
