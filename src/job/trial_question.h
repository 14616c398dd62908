#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "device/registry.h"
#include "job/trial_runner.h"
#include "trial/variant.h"

namespace kiln {

/// A question to a process that runs trials: one variant of a job that both sides have read, as a line of
/// JSON without its end.
struct TrialQuestion {
  Variant variant;
  TrialRequest request;
};

[[nodiscard]] std::string trial_question(const Variant& variant, const TrialRequest& request);
/// Throws bad_input for a line that is no question of this workload. `device`: in place of the question's;
/// empty: that.
[[nodiscard]] TrialQuestion read_trial_question(const std::string& line,
                                                const std::shared_ptr<const Workload>& workload,
                                                DeviceRegistry& devices, FileSystem& files,
                                                const std::string& device = "");

/// The answer where there is no record: an error, as it was thrown; or nothing, as the run was stopped.
[[nodiscard]] std::string error_answer(const Error& error);
inline constexpr std::string_view kStoppedAnswer = R"({"stopped":true})";

/// The record of an answer; absent where the run was stopped. Throws the error that the answer holds, and
/// internal_error for what is no answer.
[[nodiscard]] std::optional<Record> read_answer(const std::string& line);

}  // namespace kiln
