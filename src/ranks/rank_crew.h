#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cache/disk_cache.h"
#include "config/job_spec.h"
#include "job/compile_part.h"
#include "job/trial_crew.h"
#include "ranks/messenger.h"
#include "ranks/rank_greeting.h"
#include "ranks/rank_questions.h"
#include "service/kernel_service.h"
#include "service/statistics_file.h"
#include "trial/context.h"

namespace kiln {

/// What rank 0 learnt about another rank from its greeting.
struct CrewMember {
  int rank = 0;
  std::string host, pci_address;
  DeviceInfo device;
  bool shares_cache = false;  ///< it sees this rank's cache folder

  /// "rank 3 (node7, cuda:1)".
  [[nodiscard]] std::string to_string() const;
};

/// A job whose parts the ranks run each by itself, as rank 0 sees it.
struct SharedJob {
  std::string digest;                       ///< of the whole job; equal on all ranks
  std::string pci_address;                  ///< of this rank's device
  std::function<void()> prepare;            ///< called when the ranks agree, before any of them begins
  std::function<void(const JobPart&)> own;  ///< runs this rank's part
};

/// The other ranks of an MPI job, as rank 0 sees them. Rank 0 hands out variants by their values, with the
/// question that worker processes are asked (job/trial_question.h). Each rank has one variant that runs and
/// one that waits in its queue. Rank 0 alone writes records and messages.
class RankCrew final : public TrialCrew {
 public:
  /// `tell` gets lines that other ranks write, with their names. The messenger and the cache outlive this
  /// object.
  RankCrew(Messenger& messenger, DiskCache& cache, FileSystem& files,
           std::function<void(const std::string&)> tell);
  /// Ends the other ranks, if `end` was not called.
  ~RankCrew() override;
  RankCrew(const RankCrew&) = delete;
  RankCrew& operator=(const RankCrew&) = delete;

  /// Asks each rank what it would run for `example`, a variant of the job, and compares the answers. Throws
  /// bad_input if a rank has another device, compiler, version or source, or shares a GPU with another rank.
  /// An error of a rank is thrown with the rank's name. Returns false if the job was stopped meanwhile.
  [[nodiscard]] bool greet(const Variant& example, const JobSpec& job, const JobContext& context);

  /// Compiles a job on all ranks, without a device, and waits. The ranks that share this rank's cache folder
  /// compile a part each (`own` compiles this rank's part). Then each rank with a folder of its own copies
  /// the entries from this rank's folder. Throws what a rank throws. Returns false if the job was stopped
  /// meanwhile.
  [[nodiscard]] bool compile_parts(const std::function<void(const JobPart&)>& own, const JobContext& context);
  /// Runs a part of a job on each rank, and waits. Returns the answers of the other ranks in their order, or
  /// nullopt if the job was stopped meanwhile. Throws what a rank throws, and bad_input for ranks that have
  /// another job or share a device.
  [[nodiscard]] std::optional<std::vector<std::string>> run_parts(const SharedJob& job,
                                                                  const JobContext& context);

  [[nodiscard]] std::vector<TrialLane> lanes(const JobContext& context) override;
  void compile(const std::vector<const Variant*>& variants, const JobContext& context) override;

  [[nodiscard]] const std::vector<CrewMember>& members() const { return members_; }
  /// The sum over all other ranks.
  [[nodiscard]] ServiceCounters counters(const std::function<bool()>& stopped);
  /// Ends all ranks, and MPI with them. If a rank does not end within a few seconds, all are ended, with this
  /// exit code.
  void end(int exit_code);

 private:
  void hear(const RankMessage& message);
  /// The answers of all other ranks. Absent if the job was stopped meanwhile.
  [[nodiscard]] std::optional<std::vector<RankMessage>> greet_all(const RankGreeting& greeting,
                                                                  const JobContext& context);
  [[nodiscard]] bool meet(const std::string& digest, const std::string& pci_address,
                          const JobContext& context);
  /// Without `own` each of `ranks` runs the whole job.
  [[nodiscard]] std::optional<std::vector<std::string>> run_parts(
      const std::vector<int>& ranks, const std::function<void(const JobPart&)>& own,
      const JobContext& context);
  void require_own_device(const CrewMember& member, const std::string& pci_address_of_rank_0) const;
  void add_member(int rank, const RankMessage& answer, const Record& own);
  [[nodiscard]] std::string name_of(int rank) const;

  Messenger& messenger_;
  DiskCache& cache_;
  FileSystem& files_;
  std::function<void(const std::string&)> tell_;
  RankQuestions questions_;
  std::vector<CrewMember> members_;
  std::unique_ptr<CompileAhead> ahead_;  // for the variants that run now
  std::mutex mutex_;                     // guards byes_
  std::condition_variable said_bye_;
  int byes_ = 0;
  bool ended_ = false;
};

}  // namespace kiln
