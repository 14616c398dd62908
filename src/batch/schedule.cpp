#include "batch/schedule.h"

#include <algorithm>

namespace kiln {
namespace {

/// "cuda" is the first of them.
std::string full_name(const std::string& device) {
  return device == "cpu" || device.find(':') != std::string::npos ? device : device + ":0";
}

bool names_all(const std::vector<std::string>& devices) {
  return !devices.empty() && std::none_of(devices.begin(), devices.end(), [](const std::string& device) {
    return device == "auto" || device.ends_with(":all");
  });
}

}  // namespace

Schedule::Schedule(const BatchSpec& batch, bool keep_going)
    : batch_(batch),
      keep_going_(keep_going),
      states_(batch.jobs.size(), State::kWaiting),
      reasons_(batch.jobs.size()) {}

std::optional<std::size_t> Schedule::next() const {
  if (running() >= batch_.at_once) return std::nullopt;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == State::kWaiting && is_ready(i)) return i;
  }
  return std::nullopt;
}

void Schedule::start(std::size_t job) {
  states_.at(job) = State::kRunning;
}

void Schedule::end(std::size_t job, bool succeeded) {
  states_.at(job) = succeeded ? State::kSucceeded : State::kFailed;
  if (succeeded) return;
  if (keep_going_)
    skip_followers();
  else
    stop("'" + batch_.jobs[job].name + "' did not succeed; --keep-going goes on");
}

void Schedule::stop(const std::string& why) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != State::kWaiting) continue;
    states_[i] = State::kSkipped;
    reasons_[i] = why;
  }
}

std::size_t Schedule::running() const {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), State::kRunning));
}

bool Schedule::is_ready(std::size_t job) const {
  const auto& after = batch_.jobs[job].after;
  if (!std::all_of(after.begin(), after.end(),
                   [&](std::size_t one) { return states_[one] == State::kSucceeded; }))
    return false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == State::kRunning && shares_device(i, job)) return false;
  }
  return true;
}

bool Schedule::shares_device(std::size_t one, std::size_t other) const {
  const BatchJob& a = batch_.jobs[one];
  const BatchJob& b = batch_.jobs[other];
  if (!a.launcher.empty() && !b.launcher.empty()) return false;
  if (!names_all(a.devices) || !names_all(b.devices)) return true;
  return std::any_of(a.devices.begin(), a.devices.end(), [&](const std::string& device) {
    return std::any_of(b.devices.begin(), b.devices.end(),
                       [&](const std::string& own) { return full_name(own) == full_name(device); });
  });
}

/// A job that is skipped takes those with it that come after it.
void Schedule::skip_followers() {
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] != State::kWaiting) continue;
      for (const std::size_t before : batch_.jobs[i].after) {
        if (states_[before] != State::kFailed && states_[before] != State::kSkipped) continue;
        states_[i] = State::kSkipped;
        reasons_[i] = "it comes after '" + batch_.jobs[before].name + "', which " +
                      (states_[before] == State::kFailed ? "did not succeed" : "was not run");
        more = true;
        break;
      }
    }
  }
}

}  // namespace kiln
