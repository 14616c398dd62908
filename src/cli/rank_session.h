#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/world.h"
#include "config/job_spec.h"
#include "ranks/messenger.h"
#include "ranks/rank_crew.h"
#include "ranks/rank_member.h"

namespace kiln {

/// `--ranks auto|mpi|off`.
void add_ranks_option(CLI::App& command, std::string& ranks);

/// The part that this process has in an MPI job. When it goes, MPI ends, on all ranks.
class RankSession {
 public:
  /// Null where this process is alone: with "off", and with "auto" where no launcher of MPI programs has
  /// started it. Begins MPI, and gives this process its share of the node: threads of kernels and compiles.
  /// Throws environment_error where a launcher has, and there is no plug-in.
  /// `device`: kOwn lets this process see no GPU but that of its place on its node, as number 0.
  enum class Device { kOfAll, kOwn };
  [[nodiscard]] static std::unique_ptr<RankSession> join(World& world, const std::string& ranks,
                                                         Device device = Device::kOfAll);
  ~RankSession();

  /// Whether this is rank 0, which speaks to the user.
  [[nodiscard]] bool leads() const { return crew_ != nullptr; }
  /// Of rank 0.
  [[nodiscard]] RankCrew& crew() { return *crew_; }
  /// The device of this rank: of those named, or of all of that kind, the one of its place on the node.
  [[nodiscard]] std::string device_of(const std::vector<std::string>& names, const JobSpec& job);
  /// The exit code of a rank other than 0: runs `work`, and answers rank 0 with what it throws.
  int follow(const std::function<void()>& work);
  /// The work of such a rank for a job of trials. `launch_limit` as in isolated_runners().
  void serve_trials(const JobSpec& job, const std::string& launch_limit = "");
  /// The work of such a rank for a job in parts (RankCrew::compile_parts(), run_parts()).
  void serve_parts(const MemberParts& parts) { member_->serve(parts); }
  /// Whether rank 0 has ended the job.
  [[nodiscard]] bool ended() const { return member_ && member_->ended(); }

 private:
  RankSession(World& world, std::unique_ptr<Messenger> messenger);

  World& world_;
  std::unique_ptr<Messenger> messenger_;
  std::unique_ptr<RankCrew> crew_;      // of rank 0
  std::unique_ptr<RankMember> member_;  // of the others
};

/// The job as one rank runs it: on its own device.
[[nodiscard]] JobSpec job_of_rank(RankSession& session, World& world, JobSpec job);

/// Throws bad_input where `--ranks` or a launcher of MPI programs would have ranks share `what`, with what to
/// do in its place.
void refuse_ranks(const std::string& ranks, const std::string& what, const std::string& instead);

/// Whether a launcher of MPI programs has started this process as one of several.
[[nodiscard]] bool is_launched_as_rank();

}  // namespace kiln
