#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/trace.h"
#include "compile/compiler.h"
#include "device/registry.h"
#include "service/kernel_service.h"
#include "trial/run_watch.h"

namespace kiln {

/// The world that trials, jobs and studies run in; everything in it outlives them. Made with the names of its
/// members: `{.devices = registry, ...}`.
struct JobContext {
  DeviceRegistry& devices;
  std::map<std::string, Compiler*> compilers;  ///< by back end
  KernelService& service;
  FileSystem& files;
  const Clock& clock;
  Log& log;
  std::string run_id = {}, kiln_version = {}, kiln_revision = {};
  std::int64_t start_ns = 0;        ///< steady time at which the job began, for the time to the first launch
  Trace* trace = nullptr;           ///< null: tracing is off
  std::function<bool()> stop = {};  ///< asked between steps; true: the job ends as soon as it can
  RunWatch* watch = nullptr;        ///< null: nothing watches
  /// For variants that run at the same time: one for each; empty: nothing watches these.
  std::vector<RunWatch*> lane_watches = {};

  [[nodiscard]] bool stopped() const { return stop && stop(); }
  /// Throws environment_error if this build has no compiler for the back end.
  [[nodiscard]] Compiler& compiler_for(const std::string& backend) const;
};

}  // namespace kiln
