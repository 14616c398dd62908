#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cache/disk_cache.h"
#include "job/compile_part.h"
#include "job/trial_question.h"
#include "job/trial_runner.h"
#include "ranks/messenger.h"
#include "ranks/rank_questions.h"
#include "service/kernel_service.h"
#include "trial/context.h"

namespace kiln {

/// What a rank runs its variants with. All members outlive RankMember::serve().
struct MemberTrials {
  std::shared_ptr<const Workload> workload;
  std::string job_file;  ///< for records
  const JobContext& context;
  DiskCache& cache;
  TrialRunner& runner;
  std::shared_ptr<Device> device;
};

/// What a rank runs a part of a job with, and what must be equal on all ranks. All members outlive
/// RankMember::serve().
struct MemberParts {
  const JobContext& context;
  DiskCache& cache;
  std::string digest;       ///< of the whole job
  std::string pci_address;  ///< of the device; empty for the cpu, and where no device is needed
  std::function<std::string(const JobPart&)> run;  ///< returns the answer to rank 0
};

/// A rank other than 0: it answers rank 0's questions until rank 0 has no more work.
class RankMember {
 public:
  explicit RankMember(Messenger& messenger);
  RankMember(const RankMember&) = delete;
  RankMember& operator=(const RankMember&) = delete;

  /// Whether rank 0 has ended the job; a running variant must then stop.
  [[nodiscard]] bool ended() const { return ended_; }
  /// Sends a line for standard error to rank 0, which prints it.
  void tell(const std::string& line);
  /// Answers questions with `trials`.
  void serve(const MemberTrials& trials);
  /// Answers the questions of RankCrew::compile_parts() and run_parts().
  void serve(const MemberParts& parts);
  /// Answers every question with this error.
  void serve(const Error& error);
  /// Reports to rank 0 that this rank is done, and ends MPI with the other ranks.
  void end();

 private:
  [[nodiscard]] std::optional<RankMessage> next();
  void answer(const RankMessage& question, RankTopic topic, std::string text);
  [[nodiscard]] std::string greet(const RankMessage& question, const MemberTrials& trials);
  [[nodiscard]] std::string greet(const RankMessage& question, const MemberParts& parts);
  [[nodiscard]] std::string run(const RankMessage& question, const MemberTrials& trials);
  void compile(const RankMessage& question, const MemberTrials& trials);
  void fetch(const WantedCode& wanted, const JobContext& context, DiskCache& cache);

  Messenger& messenger_;
  RankQuestions questions_;
  std::mutex mutex_;  // guards asked_
  std::condition_variable came_;
  std::deque<RankMessage> asked_;
  std::atomic<bool> ended_ = false;
  bool shares_cache_ = false;
  std::unique_ptr<CompileAhead> ahead_;  // for the variants that run now
};

}  // namespace kiln
