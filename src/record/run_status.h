#pragma once

#include "base/word_table.h"

namespace kiln {

/// How one variant on one device ended. kOk and, unless checks are required, kUnchecked let `kiln run` exit
/// with 0.
enum class RunStatus {
  kOk,             ///< ran, at least one check compared an element, and every check agreed
  kUnchecked,      ///< ran, and no check compared anything: nothing shows that the result is right; measured
  kWrong,          ///< ran, and a check did not agree; not measured
  kCompileFailed,  ///< a kernel did not compile: `message` is the summary, `log` all of it
  kUnfit,          ///< a launch shape or its memory does not fit the device
  kFaulted,        ///< a kernel failed while it ran
  kCrashed,        ///< the process ended while the variant ran, before it had a record
  kTimedOut,       ///< a launch took longer than `launch_time_limit`, which ended the process
  kNotRun,         ///< an earlier variant's fault has ended the device for this process
};
template <>
inline constexpr auto kWords<RunStatus> =
    std::to_array<Word<RunStatus>>({{RunStatus::kOk, "ok"},
                                    {RunStatus::kUnchecked, "unchecked"},
                                    {RunStatus::kWrong, "wrong"},
                                    {RunStatus::kCompileFailed, "compile failed"},
                                    {RunStatus::kUnfit, "does not fit"},
                                    {RunStatus::kFaulted, "faulted"},
                                    {RunStatus::kCrashed, "crashed"},
                                    {RunStatus::kTimedOut, "timed out"},
                                    {RunStatus::kNotRun, "not run"}});

/// Whether the variant ended its process, or never ended itself: it does not run again without being asked
/// for.
[[nodiscard]] constexpr bool ended_process(RunStatus status) {
  return status == RunStatus::kCrashed || status == RunStatus::kTimedOut;
}

/// Whether the variant ran to its end and no check disagrees: such a variant is measured. Only kOk is known
/// to be right.
[[nodiscard]] constexpr bool may_be_measured(RunStatus status) {
  return status == RunStatus::kOk || status == RunStatus::kUnchecked;
}

}  // namespace kiln
