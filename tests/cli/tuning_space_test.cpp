// The spaces that the shipped workloads offer to searches: how many points they have, that random ones are
// right on the CPU, and that their kernels compile for an H100.
#include <gmock/gmock.h>

#include <random>

#include "base/clock.h"
#include "base/log.h"
#include "embed/engine.h"
#include "job/job_runner.h"
#include "job/sweep_space.h"
#include "trial/needs.h"
#include "workload/library.h"

namespace kiln {
namespace {

struct Shipped {
  const char* name;
  std::vector<std::pair<const char*, const char*>> small;  ///< sizes that a test can afford
};

const std::vector<Shipped> kShipped{{"stencil7", {{"nx", "64"}, {"ny", "30"}, {"nz", "21"}}},
                                    {"minibude", {{"nposes", "300"}, {"natpro", "70"}, {"natlig", "7"}}},
                                    {"babelstream", {{"n", "100000"}, {"iterations", "3"}}},
                                    {"hartree_fock", {{"natoms", "8"}}}};

class NoRecords final : public RecordSink {
 public:
  void begin(const JobPlan&) override {}
  void variant_started(std::size_t, std::size_t, const std::string&) override {}
  void record(const Record& record) override { records.push_back(record); }
  std::vector<Record> records;
};

class TuningSpaceTest : public testing::TestWithParam<Shipped> {
 protected:
  static DeviceInfo device(const std::string& backend) {
    DeviceInfo device = unknown_device({backend, backend == "cuda" ? "sm_90" : "x86-64"});
    device.id = backend;
    device.compute_units = 132;
    device.memory_bandwidth = 3352;
    device.limits.max_shared_bytes_per_block = 227 << 10;
    return device;
  }
  std::shared_ptr<const Workload> load() {
    const WorkloadLibrary library(*files_, {std::string(KILN_SOURCE_DIR) + "/kernels_src"});
    auto workload = std::make_shared<Workload>(*library.load(GetParam().name, {}));
    const auto& more = workload->tune.constraints;
    workload->constraints.insert(workload->constraints.end(), more.begin(), more.end());
    return workload;
  }
  JobSpec job(const Workload& workload, const std::string& backend, bool small) {
    JobSpec job;
    job.sweep = tuned_values(workload, backend);
    for (const auto& [name, value] : GetParam().small) {
      if (small) job.set.emplace_back(name, RawValue{value, false, {}});
    }
    return job;
  }
  /// Seeded points of the space, configured.
  std::vector<Variant> samples(const JobSpec& job, const std::shared_ptr<const Workload>& workload,
                               const DeviceInfo& info, std::size_t count) {
    const SweepSpace space(job, workload, info, *files_);
    std::mt19937_64 random(1);
    std::vector<Variant> variants;
    for (std::size_t i = 0; i < count; ++i) {
      const Point point = space.points().point(random() % space.points().count());
      ConfigurationResult result = space.configuration(point);
      EXPECT_FALSE(result.violated) << space.label(point);
      variants.push_back({std::move(result.configuration), space.label(point), info.id});
    }
    return variants;
  }
  std::unique_ptr<FileSystem> files_ = make_real_file_system();
};

TEST_P(TuningSpaceTest, HasAThousandValidPoints) {
  const auto workload = load();
  for (const char* backend : {"cuda", "cpu"}) {
    const JobSpec spec = job(*workload, backend, false);
    const SweepSpace space(spec, workload, device(backend), *files_);
    EXPECT_GE(space.points().count(), 1000U) << GetParam().name << " on " << backend;
  }
}

TEST_P(TuningSpaceTest, TheDefaultsAreAPointOfIt) {
  const auto workload = load();
  for (const char* backend : {"cuda", "cpu"}) {
    DeviceInfo any = device(backend);
    any.compute_units = 0;  // some defaults follow it, and lists of values do not
    const Configuration defaults = configure(workload, {}, any, *files_).configuration;
    for (const auto& [name, values] : tuned_values(*workload, backend)) {
      if (workload->find_parameter(name) == nullptr) continue;
      const std::string value = defaults.value(name).to_string();
      EXPECT_TRUE(
          std::any_of(values.begin(), values.end(), [&](const RawValue& one) { return one.text == value; }))
          << name << " = " << value << " on " << backend;
    }
  }
}

TEST_P(TuningSpaceTest, RandomPointsAreRightOnTheCpu) {
  if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  const auto folder = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_space_");
  Settings settings;
  settings.cache_dir = folder.string();
  const auto clock = make_system_clock();
  const auto log = make_stderr_log(LogLevel::kOff);
  {
    Engine engine(settings, *files_, *clock, *log);
    const auto workload = load();
    const JobSpec spec = job(*workload, "cpu", true);
    JobPlan plan;
    plan.job.measure.enabled = false;
    plan.workload = workload;
    plan.variants = samples(spec, workload, engine.devices().open("cpu")->info(), 12);
    NoRecords sink;
    const JobContext context{.devices = engine.devices(),
                             .compilers = engine.compilers(),
                             .service = engine.service(),
                             .files = *files_,
                             .clock = *clock,
                             .log = *log};
    EXPECT_TRUE(run_job(plan, context, sink));
    ASSERT_EQ(sink.records.size(), plan.variants.size());
    for (const Record& record : sink.records)
      EXPECT_EQ(record.status, RunStatus::kOk) << record.label << ": " << record.message << record.log;
  }
  files_->remove_all(folder);
}

TEST_P(TuningSpaceTest, RandomPointsCompileForAnH100) {
  Settings settings;
  settings.cache = false;
  const auto clock = make_system_clock();
  const auto log = make_stderr_log(LogLevel::kOff);
  Engine engine(settings, *files_, *clock, *log);
  Compiler& compiler = *engine.compilers().at("cuda");
  Target target;
  try {
    target = compiler.target_for("sm_90");
    static_cast<void>(compiler.identity());
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto workload = load();
  DeviceInfo info = device("cuda");
  info.target = target;
  for (const Variant& variant : samples(job(*workload, "cuda", true), workload, info, 12)) {
    for (const Unit& unit : TrialNeeds(variant.configuration).units(target, *files_)) {
      if (unit.role != Role::kRun) continue;
      const CompileResult result = compiler.compile(unit.specialization);
      const auto* problem = std::get_if<Diagnostic>(&result);
      EXPECT_EQ(problem, nullptr) << variant.label << ": " << (problem == nullptr ? "" : problem->log);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, TuningSpaceTest, testing::ValuesIn(kShipped),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace kiln
