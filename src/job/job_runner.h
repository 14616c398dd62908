#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "job/compile_part.h"
#include "job/plan.h"
#include "job/trial_crew.h"
#include "job/trial_runner.h"
#include "kiln/error.h"
#include "record/record.h"
#include "trial/context.h"

namespace kiln {

/// Receives each variant's record as it ends; an implementation writes it out before it returns.
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

/// The reason, known before anything is compiled (shapes, limits, memory), why a variant cannot run on its
/// device; absent if there is none.
[[nodiscard]] std::optional<Error> find_problem(const Variant& variant, Device& device);
/// find_problem() for each variant. Throws the first one if no variant can run: then the input is wrong.
std::vector<std::optional<Error>> find_problems(const std::vector<Variant>& variants,
                                                const JobContext& context);

/// By variant, in the order of the plan: the record of an earlier run. Empty: none.
using KnownRecords = std::vector<std::optional<Record>>;

/// The plan's variants with a record in `records` of earlier runs (record/known_records.h); with `spread`, on
/// any of its devices.
[[nodiscard]] KnownRecords find_known(const JobPlan& plan, const std::vector<Record>& records,
                                      const JobContext& context);

/// Runs every variant of a plan on its device that is not known: specialise, get the code, make the inputs,
/// run and check, measure. A variant that fails is a record, and the rest goes on; only an Error (bad input,
/// environment) ends the job, or who stops it: then false, and the variant that was stopped has no record.
/// `make_runner`: what runs the variants; empty: this process does. `crew`: other processes that compile and
/// run variants, too; null: there are none.
bool run_job(const JobPlan& plan, const JobContext& context, RecordSink& sink, const KnownRecords& known = {},
             const MakeTrialRunner& make_runner = {}, TrialCrew* crew = nullptr);

/// Compiles every unit of every variant, without a device: fills the cache. Units that were not
/// yet requested when the job was stopped are left out.
struct CompiledUnit {
  std::string label, source;
  std::vector<std::string> entries;
  std::string key;
  Origin origin = Origin::kCompiled;
  double compile_seconds = 0;
  std::uint64_t binary_bytes = 0;
  std::map<std::string, ResourceUse> resources;  ///< by entry; empty if the compiler does not report it
  std::optional<Diagnostic> failure;
};
[[nodiscard]] std::vector<CompiledUnit> compile_job(PlanUnits& units, const JobContext& context);

}  // namespace kiln
