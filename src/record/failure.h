#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/exit_code.h"
#include "kiln/error.h"
#include "record/run_status.h"

namespace kiln {

/// The consequence of an Error of one kind.
struct Failure {
  ErrorKind kind;
  ExitCode exit_code;               ///< exit code of a command that it ends
  std::optional<RunStatus> status;  ///< status of the variant that it ends; empty: it ends the job
};

inline constexpr auto kFailures = std::to_array<Failure>({
    {ErrorKind::kBadInput, kExitBadInput, std::nullopt},
    {ErrorKind::kEnvironment, kExitEnvironment, std::nullopt},
    {ErrorKind::kInternal, kExitInternal, std::nullopt},
    {ErrorKind::kCompile, kExitBadInput, RunStatus::kCompileFailed},
    {ErrorKind::kUnfit, kExitBadInput, RunStatus::kUnfit},
    {ErrorKind::kDeviceFault, kExitEnvironment, RunStatus::kFaulted},
    {ErrorKind::kDeviceLost, kExitEnvironment, RunStatus::kFaulted},
    {ErrorKind::kCancelled, kExitInterrupted, std::nullopt},
});

static_assert([] {
  for (std::size_t i = 0; i < kFailures.size(); ++i) {
    if (kFailures[i].kind != static_cast<ErrorKind>(i)) return false;
  }
  return true;
}());

[[nodiscard]] constexpr const Failure& failure_of(ErrorKind kind) {
  return kFailures.at(static_cast<std::size_t>(kind));
}

/// The first failure that gives a variant this status; null if none does.
[[nodiscard]] constexpr const Failure* failure_of(RunStatus status) {
  for (const Failure& failure : kFailures) {
    if (failure.status == status) return &failure;
  }
  return nullptr;
}

}  // namespace kiln
