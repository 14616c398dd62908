#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "config/job_spec.h"
#include "device/device.h"
#include "embed/engine.h"
#include "embed/kept_texts.h"
#include "embed/kernel_index.h"
#include "embed/rank_agreement.h"
#include "job/wisdom_advice.h"
#include "kiln/service.h"
#include "launch/bound_launch.h"
#include "load/loaded_kernel.h"
#include "specialize/specialization.h"
#include "workload/workload.h"

// The types behind the public handles. Each keeps its service alive.
namespace kiln {

struct [[gnu::visibility("hidden")]] Service::Impl {
  Impl(const Settings& settings, LogFunction to, ProgressFunction progress)
      : files(make_real_file_system()),
        clock(make_system_clock()),
        log(to ? make_function_log(parse_log_level(settings.log_level), std::move(to))
               : make_stderr_log(parse_log_level(settings.log_level))),
        engine(settings, *files, *clock, *log, std::move(progress)) {}

  std::unique_ptr<FileSystem> files;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<Log> log;
  Engine engine;
  std::shared_ptr<const RankAgreement> ranks = nullptr;  ///< null: this process decides for itself
};

struct [[gnu::visibility("hidden")]] DeviceHandle::Impl {
  Impl(std::shared_ptr<Service::Impl> owner, std::shared_ptr<Device> opened)
      : service(std::move(owner)), device(std::move(opened)), stream(device->default_stream()) {}

  std::shared_ptr<Service::Impl> service;
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;  ///< what a null stream means
};

/// Cached facts of a loaded workload: its texts, and the kernels that were made of them.
struct WorkloadMemory {
  explicit WorkloadMemory(FileSystem& files) : texts(files) {}

  KeptTexts texts;
  KernelIndex kernels;
  std::mutex wisdom_mutex;  ///< of `wisdom`
  std::map<std::string, std::shared_ptr<const WisdomAdvice>>
      wisdom;                                     ///< by file or folder; "": the usual ones
  std::atomic<KernelService*> counting{nullptr};  ///< there as soon as there is a kernel
};

struct [[gnu::visibility("hidden")]] WorkloadHandle::Impl {
  Impl(std::shared_ptr<Service::Impl> owner, std::shared_ptr<const Workload> loaded)
      : service(std::move(owner)),
        workload(std::move(loaded)),
        memory(std::make_shared<WorkloadMemory>(*service->files)) {}

  std::shared_ptr<Service::Impl> service;
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<WorkloadMemory> memory;
};

/// Sorted by name, each once.
using RequestValues = std::vector<std::pair<std::string, KernelRequest::Value>>;
/// Null: none.
using SuppliedHeaders = std::shared_ptr<const std::vector<IncludedHeader>>;

struct [[gnu::visibility("hidden")]] KernelRequest::Impl {
  std::shared_ptr<Service::Impl> service;
  std::shared_ptr<const Workload> workload;
  const KernelSpec* kernel = nullptr;
  std::shared_ptr<DeviceHandle::Impl> device;
  void* caller_stream = nullptr;
  std::shared_ptr<WorkloadMemory> memory;
  RequestValues assignments;
  SuppliedHeaders headers;
  std::optional<std::string> wisdom;  ///< a file or folder; empty: the usual ones

  /// In place of what was set before.
  void set(const std::string& name, const KernelRequest::Value& value);
};

struct [[gnu::visibility("hidden")]] Kernel::Impl {
  std::shared_ptr<DeviceHandle::Impl> device;
  std::shared_ptr<LoadedCode> code;
  BoundLaunch launch;
  std::string origin = {}, key = {}, wisdom = {};
  double compile_seconds = 0;
};

}  // namespace kiln
