#include <algorithm>
#include <map>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/help.h"
#include "cli/job_arguments.h"
#include "cli/wisdom_commands.h"
#include "embed/wisdom_lookup.h"
#include "job/job_runner.h"
#include "job/plan.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

constexpr std::size_t kKeys = 3;    // the nearest so many, with their best points
constexpr std::size_t kRounds = 5;  // over the defaults and all points

struct CheckArguments {
  JobArguments job;
  std::string output;
};

/// Gathers the records of all rounds by variant.
class Rounds final : public RecordSink {
 public:
  explicit Rounds(std::size_t variants) : records_(variants) {}
  void begin(const JobPlan&) override {}
  void variant_started(std::size_t, std::size_t, const std::string&) override {}
  void record(const Record& record) override { records_[count_++ % records_.size()].push_back(record); }
  [[nodiscard]] const std::vector<Record>& of(std::size_t variant) const { return records_.at(variant); }

 private:
  std::vector<std::vector<Record>> records_;
  std::size_t count_ = 0;
};

/// Median and both ends of the medians of the rounds; empty where one failed.
std::vector<double> times_of(const std::vector<Record>& records) {
  std::vector<double> medians;
  for (const Record& record : records) {
    if (!may_be_measured(record.status) || !record.step) return {};
    medians.push_back(record.step->median);
  }
  std::sort(medians.begin(), medians.end());
  return {medians[medians.size() / 2], medians.front(), medians.back()};
}

/// The best points of the nearest keys.
std::vector<WisdomChoice> nearest(const WisdomAdvice& advice, const WisdomQuestion& question,
                                  FileSystem& files) {
  std::vector<WisdomChoice> choices = choose_wisdom(advice.book, question, files, kKeys * kRanks);
  std::vector<std::string> keys;
  std::erase_if(choices, [&](const WisdomChoice& choice) {
    const std::string key = wisdom_key_text(choice.record.key);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    return keys.size() > kKeys;
  });
  return choices;
}

/// The defaults and then each choice, so many rounds over.
JobPlan plan_of(const JobSpec& job, const WisdomQuestion& question, const std::vector<WisdomChoice>& choices,
                FileSystem& files) {
  JobPlan once = make_plan(job, question.workload, files, {question.device});
  if (once.variants.size() != 1) throw bad_input("kiln wisdom check measures one problem: the job sweeps");
  for (const WisdomChoice& choice : choices) {
    auto set = question.set;
    set.insert(set.end(), choice.values.begin(), choice.values.end());
    once.variants.push_back({configure(question.workload, set, question.device, files).configuration,
                             std::to_string(once.variants.size()), question.device.id});
  }
  JobPlan plan = once;
  for (std::size_t round = 1; round < kRounds; ++round)
    plan.variants.insert(plan.variants.end(), once.variants.begin(), once.variants.end());
  plan.job.measure = {.min_time = 0.05, .max_time = 0.2, .min_samples = 3, .max_samples = 1000};
  return plan;
}

WisdomRecord measured(const WisdomChoice& choice, const WisdomQuestion& question,
                      const std::vector<Record>& records, const std::vector<double>& times,
                      FileSystem& files) {
  WisdomRecord record = choice.record;
  std::vector<std::string> tuned;
  for (const auto& [name, value] : record.values) tuned.push_back(name);
  record.key = wisdom_key(question, tuned, files);
  record.result = {};
  record.result.time = times;
  record.result.checked = largest_error(records.front());
  record.made = question.now;
  return record;
}

int check(World& world, const CheckArguments& arguments) {
  const JobSpec job = read_job(world, arguments.job);
  WisdomQuestion question{workload_of(job, world.engine().library()), job.set, {}, {}};
  const auto device =
      world.engine().devices().open(device_names(job.devices, world.settings().values).front());
  question.device = device->info();
  const std::vector<WisdomSource> sources =
      job.wisdom_from.empty()
          ? usual_wisdom(world.settings().values, *question.workload, job.file)
          : std::vector<WisdomSource>{named_wisdom(world.files(), job.wisdom_from, job.wisdom_where)};
  const WisdomAdvice advice =
      look_up_wisdom(world.engine(), world.files(), world.clock(), world.log(), *question.workload, sources);
  question.now = advice.now;
  question.now.driver = question.device.driver;
  question.now.compiler = advice.compiler(question.device.target.backend);
  question.now.date = advice.today;
  const std::vector<WisdomChoice> choices = nearest(advice, question, world.files());
  if (choices.empty()) {
    world.out() << "no wisdom for " << question.workload->name << " on " << question.device.name << "\n";
    return kExitFailed;
  }
  const JobPlan plan = plan_of(job, question, choices, world.files());
  Rounds rounds(choices.size() + 1);
  JobContext context = world.job_context(job.isolation);
  run_job(plan, context, rounds);
  const std::vector<double> plain = times_of(rounds.of(0));
  world.out() << "defaults: " << (plain.empty() ? "fail" : format_seconds(plain.front())) << "\n";
  std::vector<WisdomRecord> good, bad;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::vector<Record>& records = rounds.of(i + 1);
    const std::vector<double> times = times_of(records);
    WisdomRecord record = measured(choices[i], question, records,
                                   times.empty() ? choices[i].record.result.time : times, world.files());
    if (!plain.empty()) record.result.default_time = plain.front();
    world.out() << choices[i].sentence(advice.today) << ", rank " << choices[i].record.result.rank << ": "
                << (times.empty() ? to_string(records.back().status) : format_seconds(times.front())) << "\n";
    (times.empty() ? bad : good).push_back(std::move(record));
  }
  const std::string output =
      arguments.output.empty() ? own_wisdom_file(world, question.workload->name) : arguments.output;
  update_wisdom_file(world.files(), output, std::move(good), bad);
  world.out() << "written: " << output << "\n";
  return bad.empty() ? kExitDone : kExitFailed;
}

}  // namespace

Subcommand add_wisdom_check_command(CLI::App& wisdom) {
  CLI::App* command = wisdom.add_subcommand(
      "check",
      "Measure the best points of the nearest records again, beside the defaults, and write the results");
  const auto arguments = std::make_shared<CheckArguments>();
  add_job_options(*command, arguments->job);
  command
      ->add_option("-o,--output", arguments->output,
                   "File to merge into, instead of the user's in wisdom_dir")
      ->type_name("FILE");
  command->footer(
      examples({"kiln wisdom check configs/stencil7.yaml", "kiln wisdom check job.yaml --set nx=700"}) +
      "\n\nExit code: 1 if there is no wisdom, or if a point fails.");
  return {command, [arguments](World& world) { return check(world, *arguments); }};
}

}  // namespace kiln
