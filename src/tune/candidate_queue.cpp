#include "tune/candidate_queue.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "job/compile_variants.h"

namespace kiln {

void CandidateQueue::push(Candidate candidate) {
  std::vector<VariantToCompile> variants;
  for (const Variant& variant : candidate.variants) variants.push_back({variant, context_});
  candidate.code = context_.service.compile_ahead(code_of(variants));
  waiting_.push_back(std::move(candidate));
  filling_ = true;
}

void CandidateQueue::clear() {
  for (const Candidate& one : waiting_) one.code->stop();
  waiting_.clear();
}

Candidate* CandidateQueue::find(const std::string& identity) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Candidate& one) { return one.identity == identity; });
  return found == waiting_.end() ? nullptr : &*found;
}

std::deque<Candidate>::iterator CandidateQueue::ready(std::chrono::milliseconds patience, bool in_order) {
  if (!on_host_ || !filling_) {
    const auto done = std::find_if(waiting_.begin(), waiting_.end(), [](const Candidate& one) {
      return one.code->wait_for(std::chrono::milliseconds(0));
    });
    if (done != waiting_.end() && !in_order) return done;
    return waiting_.front().code->wait_for(patience) ? waiting_.begin() : waiting_.end();
  }
  for (const Candidate& one : waiting_) {
    if (!one.code->wait_for(patience)) return waiting_.end();
  }
  return waiting_.begin();
}

std::optional<Candidate> CandidateQueue::pop(const std::function<bool()>& stop, bool in_order) {
  constexpr std::chrono::milliseconds kPatience{20};
  if (waiting_.empty()) return std::nullopt;
  const std::int64_t begin = context_.clock.steady_ns();
  auto found = ready(std::chrono::milliseconds(0), in_order);
  while (found == waiting_.end() && !stop()) found = ready(kPatience, in_order);
  waited_seconds_ += seconds_between(begin, context_.clock.steady_ns());
  if (found == waiting_.end()) return std::nullopt;
  filling_ = false;
  Candidate candidate = std::move(*found);
  waiting_.erase(found);
  return candidate;
}

}  // namespace kiln
