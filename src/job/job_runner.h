#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/trace.h"
#include "compile/compiler.h"
#include "config/job_spec.h"
#include "device/registry.h"
#include "job/plan.h"
#include "job/run_watch.h"
#include "kiln/error.h"
#include "record/record.h"
#include "service/kernel_service.h"

namespace kiln {

/// The world that a job runs in; all of it outlives the call.
struct JobContext {
  DeviceRegistry& devices;
  std::map<std::string, Compiler*> compilers;  ///< by back end
  KernelService& service;
  FileSystem& files;
  const Clock& clock;
  Log& log;
  std::string run_id, kiln_version, kiln_revision;
  std::int64_t start_ns = 0;        ///< steady time at which the job began, for the time to the first launch
  Trace* trace = nullptr;           ///< null: nobody wants one
  std::function<bool()> stop = {};  ///< asked between steps; true: the job ends as soon as it can
  RunWatch* watch = nullptr;        ///< null: nobody watches

  [[nodiscard]] bool stopped() const { return stop && stop(); }
};

/// Told of each variant as it ends; an implementation writes it out before it returns.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// Before the first variant, once everything has been validated.
  virtual void begin(const JobPlan& plan) = 0;
  /// Code for variants up to `last` (of `count`) is compiled, before the next of them begins.
  virtual void compiling(std::size_t /*last*/, std::size_t /*count*/) {}
  /// A variant that an earlier run has measured: in its turn, in place of the two below.
  virtual void known(const Record& /*record*/) {}
  virtual void variant_started(std::size_t index, std::size_t count, const std::string& label) = 0;
  virtual void record(const Record& record) = 0;
};

/// What `run_job` checks before anything is compiled, for `--dry-run`: shapes, limits and memory. Throws
/// bad_input when no variant can run.
void check_plan(const JobPlan& plan, const JobContext& context);

/// What keeps each variant from running and can be told before anything is compiled; absent where nothing
/// does. Throws the first when no variant can run: then it is the input that is wrong.
[[nodiscard]] std::vector<std::optional<Error>> find_problems(const JobPlan& plan, const JobContext& context);

/// What a record says of a variant that has such a problem, or that was not run for this reason.
[[nodiscard]] Record unfit_record(const Variant& variant, const JobPlan& plan, const JobContext& context,
                                  const Error& problem);
[[nodiscard]] Record not_run_record(const Variant& variant, const JobPlan& plan, const JobContext& context,
                                    const std::string& reason);

/// By variant, in the order of the plan: the record of an earlier run. Empty: none.
using KnownRecords = std::vector<std::optional<Record>>;

/// Runs every variant of a plan on its device that is not known: specialise, get the code, make the inputs,
/// run and check, measure. A variant that fails is a record, and the rest goes on; only an Error (bad input,
/// environment) ends the job, or who stops it: then false, and the variant that was stopped has no record.
bool run_job(const JobPlan& plan, const JobContext& context, RecordSink& sink,
             const KnownRecords& known = {});

/// What is said of a variant's record before it runs, and tells it from all others: device, compiler, values
/// and where they are bound, digest of the sources.
[[nodiscard]] Record describe_variant(const Variant& variant, const JobPlan& plan, const JobContext& context);

/// Compiles every unit of every variant for `target`, with no device: fills the cache. Those that were not
/// asked for when somebody stopped it are left out.
struct CompiledUnit {
  std::string label, source;
  std::vector<std::string> entries;
  std::string key;
  Origin origin = Origin::kCompiled;
  double compile_seconds = 0;
  std::uint64_t binary_bytes = 0;
  std::map<std::string, ResourceUse> resources;  ///< by entry; empty where the compiler does not tell
  std::optional<Diagnostic> failure;
};
[[nodiscard]] std::vector<CompiledUnit> compile_job(const JobPlan& plan, const JobContext& context,
                                                    const Target& target);

}  // namespace kiln
