#include "cli/rank_session.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/environment.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/trial_worker.h"
#include "device/backend_kind.h"
#include "device/host_affinity.h"
#include "embed/job_setup.h"
#include "job/plan.h"
#include "ranks/launcher.h"
#include "ranks/mpi_transport.h"

namespace kiln {
namespace {

const std::vector<std::string>& rank_words() {
  static const std::vector<std::string> words = {"auto", "mpi", "off"};
  return words;
}

/// Threads for each of `ranks` processes of this node. A launcher that binds its processes to cores has
/// shared them out already.
int node_share(int ranks) {
  const int usable = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const bool bound = usable < ::sysconf(_SC_NPROCESSORS_ONLN);
  return bound ? usable : std::max(1, usable / ranks);
}

/// While this process has one thread: the environment is not to be changed later.
void see_own_device(int node_rank) {
  for (const char* variable : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) {
    if (is_set_empty(variable)) continue;  // the user hides all of them
    write_environment(variable, visible_device(read_environment(variable), node_rank));
  }
}

std::unique_ptr<Messenger> open_messenger(World& world, const std::optional<LaunchedRanks>& launched) {
  const auto open = [&] { return open_mpi(world.settings().values.mpi_plugin, world.files()); };
  try {
    return std::make_unique<Messenger>(open);
  } catch (const Error& error) {
    if (!launched) throw;
    throw environment_error(
        "this process is " + launched->to_string() + ", but " + error.message() +
        ". Without it every rank would run the whole job and write the same records; start "
        "one process, or use --ranks off if that is intended");
  }
}

}  // namespace

void add_ranks_option(CLI::App& command, std::string& ranks) {
  command
      .add_option("--ranks", ranks,
                  "Under mpirun or srun: auto, the ranks share the job; off, each rank runs the whole job; "
                  "mpi, start "
                  "MPI in any case")
      ->type_name("auto|mpi|off");
}

void refuse_ranks(const std::string& ranks, const std::string& what, const std::string& instead) {
  if (!ranks.empty()) require_word("--ranks", ranks, rank_words());
  if (ranks == "off") return;
  const auto launched = find_launched_ranks(read_environment);
  if (!launched && ranks != "mpi") return;
  throw bad_input("ranks of MPI cannot share " + what +
                  (launched ? " (this is " + launched->to_string() + ")" : "") + "; " + instead +
                  ", or use --ranks off if every rank should run all of it");
}

bool is_launched_as_rank() {
  return find_launched_ranks(read_environment).has_value();
}

std::unique_ptr<RankSession> RankSession::join(World& world, const std::string& ranks, Device device) {
  if (!ranks.empty()) require_word("--ranks", ranks, rank_words());
  if (ranks == "off") return nullptr;
  const auto launched = find_launched_ranks(read_environment);
  if (!launched && ranks != "mpi") return nullptr;
  if (device == Device::kOwn && launched && launched->node_rank) see_own_device(*launched->node_rank);
  auto messenger = open_messenger(world, launched);
  const RankPlace place = messenger->place();
  if (place.ranks == 1) {
    messenger->end();
    if (launched && launched->ranks)
      throw environment_error("this process is " + launched->to_string() + ", but the plug-in's MPI (" +
                              place.library + ") has only one rank: it is not the launcher's MPI");
    return nullptr;
  }
  return std::unique_ptr<RankSession>(new RankSession(world, std::move(messenger)));
}

RankSession::RankSession(World& world, std::unique_ptr<Messenger> messenger)
    : world_(world), messenger_(std::move(messenger)) {
  const RankPlace& place = messenger_->place();
  world.take_share(node_share(place.node_ranks), place.rank == 0);
  if (place.rank == 0) {
    crew_ =
        std::make_unique<RankCrew>(*messenger_, world.engine().cache(), world.files(),
                                   [&world](const std::string& line) { world.status_line().write(line); });
  } else {
    member_ = std::make_unique<RankMember>(*messenger_);
    world.status_line().forward([this](const std::string& line) { member_->tell(line); });
  }
}

RankSession::~RankSession() {
  if (member_) {
    world_.status_line().forward({});
    // Once rank 0 knows that this rank has ended it may end, too, and mpirun kills the others if rank 0
    // fails.
    world_.engine().finish();
    member_->end();
  }
}

std::string RankSession::device_of(const std::vector<std::string>& names, const JobSpec& job) {
  const auto place = static_cast<std::size_t>(messenger_->place().node_rank);
  const auto backend_of = [](const std::string& name) { return name.substr(0, name.find(':')); };
  for (const std::string& name : names) {
    if (backend_of(name) != backend_of(names.front()))
      throw bad_input("the ranks of an MPI job run on devices of one kind; found " + kiln::join(names, ", "),
                      {job.file, 0, 0});
  }
  if (names.size() > 1) return names[place % names.size()];
  DeviceRegistry& registry = world_.engine().devices();
  std::string backend = names.front() == "auto" ? registry.open("auto")->info().target.backend
                                                : backend_of_all(names.front()).value_or(names.front());
  if (backend == host_kind().name || backend.find(':') != std::string::npos) return backend;
  for (const auto& one : registry.backends()) {
    if (one->name() != backend || !one->problem().empty() || one->devices().empty()) continue;
    const auto devices = one->devices();
    return devices[place % devices.size()].id;
  }
  return backend;  // opening it says what is wrong
}

int RankSession::follow(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    member_->serve(error);
  }
  return kExitDone;
}

void RankSession::serve_trials(const JobSpec& job, const std::string& launch_limit) {
  const Interrupt interrupt;
  JobContext context = world_.job_context(job.isolation);
  context.stop = [this] { return Interrupt::requested() || member_->ended(); };
  const auto device = world_.engine().devices().open(job.devices.front());
  bind_thread_near(world_.files(), device->info().pci_address);
  const auto workload = workload_of(job, world_.engine().library());
  const auto processes = make_process_runner(ProcessGroup::kOfParent);
  const auto runner = isolates_trials(world_, job, true)
                          ? isolated_runners(world_, job, *processes, launch_limit)(context)
                          : make_local_runner(context, job.file, true);
  member_->serve(MemberTrials{workload, job.file, context, world_.engine().cache(), *runner, device});
}

JobSpec job_of_rank(RankSession& session, World& world, JobSpec job) {
  job.devices = {session.device_of(device_names(job.devices, world.settings().values), job)};
  job.spread = false;
  return job;
}

}  // namespace kiln
