#include "cli/trial_worker.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/exit_code.h"
#include "base/scratch_folder.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/job_guard.h"
#include "isolate/worker_program.h"
#include "job/plan.h"
#include "job/trial_question.h"
#include "job/worker_runner.h"
#include "record/record_json.h"

namespace kiln {
namespace {

constexpr const char* kServes = "--serve-trials";

/// Ends this process, whatever it runs, when the one that asks has gone.
void end_with_asker() {
  std::thread([] {
    pollfd input{STDIN_FILENO, 0, 0};
    while (::poll(&input, 1, -1) < 0) continue;
    std::_Exit(kExitDone);
  }).detach();
}

void answer(World& world, std::string_view line) {
  world.out() << line << "\n";
  world.out().flush();
}

std::string answer_to(const std::string& line, const std::shared_ptr<const Workload>& workload,
                      const JobContext& context, TrialRunner& runner, std::shared_ptr<Device>& device) {
  try {
    const TrialQuestion question = read_trial_question(line, workload, context.devices, context.files);
    device = context.devices.open(question.variant.device);
    const auto record = runner.run(question.variant, question.request);
    return record ? record_to_json(*record) : std::string(kStoppedAnswer);
  } catch (const Error& error) {
    return error_answer(error);
  }
}

/// The command line of this process, but what it is to leave behind, which the asker does.
std::vector<std::string> arguments_of_worker(World& world, const std::string& launch_limit) {
  constexpr std::string_view kTrace = "--trace";
  const std::vector<std::string>& own = world.arguments();
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == kTrace) {
      ++i;
    } else if (!own[i].starts_with(std::string(kTrace) + "=") && own[i] != kEndsWithInput) {
      arguments.push_back(own[i]);
    }
  }
  const auto& sources = world.settings().sources;
  const auto source = sources.find("launch_time_limit");
  if (!launch_limit.empty() &&
      (source == sources.end() || source->second.kind == SettingSource::Kind::kDefault))
    arguments.insert(arguments.end(), {"--launch-time-limit", launch_limit});
  arguments.emplace_back(kServes);
  return arguments;
}

}  // namespace

void add_serve_option(CLI::App& command, bool& serves) {
  command.add_flag(kServes, serves)->group("");
}

int serve_trials(World& world, const JobSpec& job) {
  end_with_asker();
  const Interrupt interrupt;
  JobContext context = world.job_context(job.isolation);
  context.stop = Interrupt::requested;
  const auto workload = workload_of(job, world.engine().library());
  const JobGuard guard(world, {nullptr}, [&](const std::optional<Record>& last) {
    answer(world, last ? record_to_json(*last) : std::string(kStoppedAnswer));
  });
  context.watch = &guard.lane();
  const auto runner = make_local_runner(context, job.file, true);
  std::shared_ptr<Device> device;  // held, so that it is not opened anew for each variant
  for (std::string line; std::getline(std::cin, line);) {
    answer(world, answer_to(line, workload, context, *runner, device));
    guard.lane().variant_ends();
  }
  remove_own_scratch(world.files(), temporary_folder());
  std::_Exit(kExitDone);
}

bool isolates_trials(World& world, const JobSpec& job, bool usually) {
  const std::string& isolation = job.isolation.empty() ? world.settings().values.isolation : job.isolation;
  if (isolation != "process" && (isolation != "auto" || !usually)) return false;
  const auto status = world.files().target_status(job.file);
  if (status && status->type == FileStatus::Type::kFile) return true;
  if (isolation == "process")
    throw bad_input("isolation: process needs a job in a file: each process that runs its variants reads it",
                    {job.file, 0, 0});
  return false;
}

MakeTrialRunner isolated_runners(World& world, const JobSpec& job, ProcessRunner& processes,
                                 const std::string& launch_limit) {
  const auto program = find_program_of_kiln("kiln", processes);
  if (!program)
    throw environment_error("the program kiln, which runs variants in a separate process, is not found");
  Command command;
  command.program = *program;
  command.arguments = arguments_of_worker(world, launch_limit);
  return [file = job.file,
          workers = TrialWorkers{processes, command, [&world](const std::string& text) {
                                   world.status_line().write(text.substr(0, text.find_last_not_of('\n') + 1));
                                 }}](const JobContext& context) {
    return make_worker_runner(context, file, workers);
  };
}

}  // namespace kiln
