#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/kernel_service.h"
#include "trial/context.h"
#include "trial/variant.h"

namespace kiln {

/// A point on its way to the device.
struct Candidate {
  std::optional<std::uint64_t> rank;  ///< absent: not of the space
  std::string label, identity;
  std::vector<std::string> values;
  std::vector<Variant> variants;     ///< by size; empty if one cannot be made
  std::string problem;               ///< why not
  std::vector<std::uint64_t> twins;  ///< points that are the same variant, asked for since
  std::unique_ptr<CompileAhead> code = nullptr;
};

/// Candidates whose code is compiled while others are measured, so that the device does not wait. Where the
/// device is the host, whose cores compilers would take from the kernels, code is compiled between the
/// measurements: all that is queued, then none.
class CandidateQueue {
 public:
  /// `on_host`: the device is the host. The context outlives it.
  CandidateQueue(const JobContext& context, bool on_host) : context_(context), on_host_(on_host) {}
  ~CandidateQueue() { clear(); }

  /// Starts to compile it.
  void push(Candidate candidate);
  /// The first whose code is there; with `in_order`, the one that was pushed first. Absent where there is
  /// none, or `stop` says so meanwhile.
  [[nodiscard]] std::optional<Candidate> pop(const std::function<bool()>& stop, bool in_order = false);

  /// Drops all; ends their compiles if possible.
  void clear();

  [[nodiscard]] std::size_t size() const { return waiting_.size(); }
  /// The one that is the same variant; null where none is queued.
  [[nodiscard]] Candidate* find(const std::string& identity);
  /// Whether the searcher may be asked for more now: on the host, once all are measured.
  [[nodiscard]] bool takes_more(std::size_t most) const {
    return waiting_.size() < most && (!on_host_ || filling_ || waiting_.empty());
  }
  /// Seconds in `pop` until code was there.
  [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

 private:
  [[nodiscard]] std::deque<Candidate>::iterator ready(std::chrono::milliseconds patience, bool in_order);

  const JobContext& context_;
  bool on_host_;
  bool filling_ = true;
  std::deque<Candidate> waiting_;
  double waited_seconds_ = 0;
};

}  // namespace kiln
