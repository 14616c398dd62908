#include "job/variant_runner.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <thread>

#include "base/async.h"
#include "device/fault.h"
#include "job/references.h"
#include "job/unchecked.h"
#include "job/variant_description.h"
#include "measure/sampler.h"
#include "trial/shared_variables.h"

namespace kiln {
namespace {

constexpr int kWarmUpSteps = 2;
constexpr double kLongStep = 1;  ///< seconds; such a step warms up by itself

std::optional<double> occupancy_of(const PreparedKernel& kernel, const DeviceInfo& device) {
  const std::uint64_t most =
      device.limits.max_threads_per_unit * static_cast<std::uint64_t>(device.compute_units);
  if (!kernel.resident_blocks() || most == 0) return std::nullopt;
  return static_cast<double>(*kernel.resident_blocks() * kernel.shape().block.volume()) /
         static_cast<double>(most);
}

}  // namespace

VariantRunner::VariantRunner(const Variant& variant, const JobPlan& plan, const JobContext& context,
                             BufferPool& pool, std::int64_t start_ns)
    : variant_(variant),
      plan_(plan),
      context_(context),
      configuration_(variant.configuration),
      pool_(pool),
      start_ns_(start_ns) {}

bool VariantRunner::guarded(const std::function<void()>& stages) {
  try {
    stages();
    return true;
  } catch (const UnfitKernel& unfit) {
    record_.status = RunStatus::kUnfit;
    record_.message = unfit.what();
  } catch (const DeviceRefusal& refusal) {
    record_.status = RunStatus::kUnfit;
    record_.message = refusal.what();
  } catch (const DeviceFault& fault) {
    record_.status = RunStatus::kFaulted;
    record_.message = fault.what();
    device_lost_ = fault.sticky();
  }
  if (context_.watch != nullptr) context_.watch->leave();
  return false;
}

void VariantRunner::enqueue(PreparedKernel& kernel) {
  if (context_.watch != nullptr) context_.watch->enter(kernel.name());
  kernel.enqueue();
}

void VariantRunner::synchronize() {
  stream_->synchronize();
  if (context_.watch != nullptr) context_.watch->leave();
}

Record VariantRunner::run() {
  guarded([this] {
    run_stages();
    if (may_be_measured(record_.status) && plan_.job.measure.enabled) measure();
  });
  if (workspace_) workspace_->release();
  return std::move(record_);
}

bool VariantRunner::prepare_samples() {
  const TraceSpan span(context_.trace, TraceKind::kVariant, variant_.label);
  return guarded([this] { run_stages(); }) && may_be_measured(record_.status);
}

std::vector<std::vector<double>> VariantRunner::take_samples(std::size_t count) {
  const TraceSpan span(context_.trace, TraceKind::kMeasure, variant_.label);
  std::vector<std::vector<double>> lists(1);
  const bool taken = guarded([&] {
    if (!workspace_) {
      prepare();
      fill_inputs();
    }
    warm_up();
    for (std::size_t i = 0; i < count; ++i) lists.front().push_back(take());
  });
  if (!taken) return {};
  lists.insert(lists.end(), per_launch_.begin(), per_launch_.end());
  return lists;
}

std::vector<PreparedKernel> VariantRunner::step_of(const Configuration& configuration,
                                                   const std::vector<LoadedUnit>& units) {
  std::vector<PreparedKernel> step;
  step.reserve(needs_.run.size());
  for (const std::string& name : needs_.run) {
    step.emplace_back(configuration, *plan_.workload->find_kernel(name), units, *workspace_);
    step.back().load_symbols();
  }
  return step;
}

void VariantRunner::run_step(std::vector<PreparedKernel>& step) {
  if (refill_after_ > 0 && steps_since_fill_ >= refill_after_) fill_inputs();
  for (PreparedKernel& kernel : step) enqueue(kernel);
  synchronize();
  ++steps_since_fill_;
}

void VariantRunner::park() {
  if (!workspace_) return;
  init_.clear();
  step_.clear();
  verify_step_.clear();
  contents_.reset();
  workspace_->release();
  workspace_.reset();
}

void VariantRunner::run_stages() {
  describe();
  if (!get_code()) return;
  prepare();
  describe_launches();
  fill_inputs();
  verify();
}

void VariantRunner::describe() {
  device_ = context_.devices.open(variant_.device);
  record_ = start_record(variant_, plan_, context_);
  record_.compiler = compiler_for(context_, device_->info().target.backend).identity();
}

bool VariantRunner::get_code() {
  needs_ = needs_of(configuration_, device_->info().target.backend != "cpu");
  const KernelNames names = kernels_of(needs_, *device_);
  std::vector<Unit> units;
  {
    const TraceSpan span(context_.trace, TraceKind::kSpecialise, variant_.label);
    units = own_units(configuration_, names, device_->info().target, context_.files);
    describe_code(configuration_, units, record_);
  }
  std::shared_ptr<Device> cpu;
  std::vector<Unit> apart;
  if (!names.cpu.empty()) {
    cpu = context_.devices.open("cpu");
    apart = make_units(configuration_, names.cpu, Role::kData, cpu->info().target, context_.files);
    std::vector<const Unit*> all;
    for (const std::vector<Unit>* some : {&units, &apart}) {
      for (const Unit& unit : *some) all.push_back(&unit);
    }
    require_shared_variables(configuration_, all);
  }
  if (context_.watch != nullptr) context_.watch->variant_begins(record_);
  return load_units(std::move(units), device_) && (apart.empty() || load_units(std::move(apart), cpu));
}

bool VariantRunner::load_units(std::vector<Unit> units, const std::shared_ptr<Device>& device) {
  Compiler& compiler = compiler_for(context_, device->info().target.backend);
  using Result = std::variant<ServiceResult, Diagnostic>;
  std::vector<std::future<Result>> results;
  for (const Unit& unit : units) {
    const auto get = [&, device, caller = std::this_thread::get_id()] {
      if (std::this_thread::get_id() != caller && context_.trace != nullptr)
        context_.trace->name_thread("gets code beside another");
      return context_.service.get(unit.specialization, compiler, device);
    };
    // The last one is for this thread; the others compile beside it.
    results.push_back(&unit == &units.back() ? std::async(std::launch::deferred, get) : run_beside(get));
  }
  std::vector<Result> done(results.size());
  for (std::size_t i = results.size(); i-- > 0;) done[i] = results[i].get();
  std::vector<LoadedUnit>& loaded = device == device_ ? units_ : cpu_units_;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (const auto* diagnostic = std::get_if<Diagnostic>(&done[i])) {
      if (diagnostic->environment) throw environment_error(diagnostic->summary);
      record_.status = RunStatus::kCompileFailed;
      record_.message = diagnostic->summary;
      record_.log = diagnostic->log;
      return false;
    }
    auto& result = std::get<ServiceResult>(done[i]);
    add_unit_use(units[i], result);
    loaded.push_back({std::move(units[i]), std::move(result.code), result.key.digest});
  }
  return true;
}

void VariantRunner::add_unit_use(const Unit& unit, const ServiceResult& result) {
  UnitUse use;
  use.source = unit.specialization.source_name;
  for (const EntryPoint& entry : unit.specialization.entries) use.entries.push_back(entry.name_expression);
  use.origin = result.origin;
  use.key = result.key.digest;
  use.compile_seconds = result.compile_seconds;
  use.load_seconds = result.load_seconds;
  use.options = unit.specialization.options;
  const CodeObject& code = result.code->code();
  use.binary_bytes = code.binary.size();
  // The compiler's log begins with why it made an intermediate form and no machine code.
  if (code.format == "ptx") use.note = code.log.substr(0, code.log.find('\n'));
  record_.units.push_back(std::move(use));
}

std::vector<PreparedKernel> VariantRunner::prepare_all(const std::vector<std::string>& names) {
  std::vector<PreparedKernel> kernels;
  kernels.reserve(names.size());
  for (const std::string& name : names) {
    kernels.emplace_back(configuration_, *plan_.workload->find_kernel(name), units_, *workspace_);
  }
  return kernels;
}

void VariantRunner::prepare() {
  stream_ = device_->create_stream();
  workspace_ = std::make_unique<Workspace>(*device_, *stream_, configuration_, context_.files, pool_);
  // What is made once in the whole plan is not worth a copy.
  pool_.kept().begin_variant(plan_.variants.size() > 1 || plan_.workload->refresh.has_value());
  contents_ = std::make_unique<BufferContents>(configuration_, context_.files, *workspace_, pool_.kept());
  const std::string& backend = device_->info().target.backend;
  if (backend != "cpu") {
    compare_ = std::make_unique<DeviceCompare>(context_.service, compiler_for(context_, backend), device_,
                                               *stream_, pool_);
    contents_->compare_by(
        [this](const void* a, const void* b, std::size_t bytes) { return compare_->same_bits(a, b, bytes); });
  }
  allocate();
  init_ = prepare_all(needs_.init_kernels);
  step_ = prepare_all(needs_.run);
  verify_step_ = prepare_all(needs_.verify_run);
  if (const auto& refresh = plan_.workload->refresh)
    refill_after_ = static_cast<std::size_t>(configuration_.evaluate_integer(*refresh, 1, 1'000'000'000));
}

void VariantRunner::describe_launches() {
  for (std::size_t i = 0; i < step_.size(); ++i) {
    const PreparedKernel& kernel = step_[i];
    record_.launches.push_back({needs_.timings[i], kernel.name(), kernel.shape(), kernel.attributes(),
                                occupancy_of(kernel, device_->info()), std::nullopt});
  }
}

void VariantRunner::allocate() {
  try {
    workspace_->allocate(needs_.buffers);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw UnfitKernel(error.what());
  }
}

void VariantRunner::note_first_launch() {
  if (std::exchange(launched_, true)) return;
  record_.first_launch_seconds = seconds_between(start_ns_, context_.clock.steady_ns());
}

void VariantRunner::launch(PreparedKernel& kernel) {
  // A CPU's launch returns when the kernel has run; another's once it has been handed over.
  if (device_->info().target.backend == "cpu") note_first_launch();
  enqueue(kernel);
  note_first_launch();
}

void VariantRunner::fill_inputs() {
  const TraceSpan span(context_.trace, TraceKind::kInputs);
  for (const std::string& name : needs_.buffers) contents_->fill(name);
  for (PreparedKernel& kernel : init_) {
    contents_->run(kernel, [&] {
      kernel.load_symbols();
      launch(kernel);
    });
  }
  for (const auto& [name, from] : copies_after_init(configuration_, needs_.buffers))
    contents_->copy(name, from);
  for (PreparedKernel& kernel : step_) kernel.load_symbols();
  for (PreparedKernel& kernel : verify_step_) kernel.load_symbols();
  synchronize();
  steps_since_fill_ = 0;
}

void VariantRunner::verify() {
  TraceSpan span(context_.trace, TraceKind::kVerify);
  const auto& steps_text = plan_.workload->verify_steps;
  const std::int64_t steps = steps_text ? configuration_.evaluate_integer(*steps_text, 1, 1'000'000) : 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    for (PreparedKernel& kernel : step_) launch(kernel);
  }
  for (PreparedKernel& kernel : verify_step_) enqueue(kernel);
  for (const auto* kernels : {&step_, &verify_step_}) {
    for (const PreparedKernel& kernel : *kernels) contents_->note_launch(kernel);
  }
  synchronize();
  References references(configuration_, context_, *workspace_, *contents_, units_, cpu_units_);
  for (const CheckSpec* check : needs_.checks) {
    const auto reference = [&](const CheckSpec& which) { return references.run(which); };
    TraceSpan span_of_check(context_.trace, TraceKind::kVerify, check->name);
    record_.checks.push_back(run_check(configuration_, *check, *workspace_, reference, context_.files,
                                       {&pool_.kept(), compare_.get()}));
    span_of_check.add("agrees", record_.checks.back().ok);
    if (record_.checks.back().ok) continue;
    if (record_.status == RunStatus::kOk)
      record_.message = check->name + ": " + record_.checks.back().message;
    record_.status = RunStatus::kWrong;
  }
  if (record_.status == RunStatus::kOk) note_unchecked();
  steps_since_fill_ = static_cast<std::size_t>(steps);
}

void VariantRunner::note_unchecked() {
  const auto why = why_unchecked(*plan_.workload, record_.checks);
  if (!why) return;
  record_.status = RunStatus::kUnchecked;
  record_.message = *why;
}

/// One for all samples of as many steps; null without a trace.
const SharedLabel& VariantRunner::sample_label() {
  if (context_.trace == nullptr || (sample_label_ && labelled_batch_ == batch_)) return sample_label_;
  TraceLabel label = make_label(TraceKind::kSample);
  label.arguments.emplace_back("steps", static_cast<std::int64_t>(batch_));
  sample_label_ = std::make_shared<const TraceLabel>(std::move(label));
  labelled_batch_ = batch_;
  return sample_label_;
}

/// Seconds of one step. Events stand around each launch of a step; steps of one launch are short enough to
/// need batches, and have events around the batch.
double VariantRunner::take_sample() {
  const TraceSpan span(context_.trace, sample_label());
  if (plan_.job.measure.cold) device_->flush_cache(*stream_);
  events_[0]->record(*stream_);
  for (std::size_t repeat = 1; repeat < batch_; ++repeat) enqueue(step_.front());
  for (std::size_t i = 0; i < step_.size(); ++i) {
    enqueue(step_[i]);
    events_[i + 1]->record(*stream_);
  }
  synchronize();
  const auto steps = static_cast<double>(batch_);
  for (std::size_t i = 0; i < step_.size(); ++i)
    per_launch_[i].push_back(events_[i + 1]->seconds_since(*events_[i]) / steps);
  steps_since_fill_ += batch_;
  return events_.back()->seconds_since(*events_.front()) / steps;
}

/// As many steps as make a sample that is long against a clock's resolution and the cost of waiting for it.
std::size_t VariantRunner::batch_for(double step_seconds) const {
  constexpr double kLeastSample = 100e-6;
  constexpr double kMost = 1000;
  if (step_.size() != 1 || plan_.job.measure.cold || step_seconds <= 0) return 1;
  const double wanted = std::clamp(std::ceil(kLeastSample / step_seconds), 1.0, kMost);
  const auto batch = static_cast<std::size_t>(wanted);
  return refill_after_ > 0 ? std::min(batch, refill_after_) : batch;
}

double VariantRunner::take() {
  if (refill_after_ > 0 && steps_since_fill_ + batch_ > refill_after_) fill_inputs();
  return take_sample();
}

void VariantRunner::warm_up() {
  while (events_.size() <= step_.size()) events_.push_back(device_->create_event());
  per_launch_.resize(step_.size());
  double warm = 0;
  batch_ = 1;
  for (int i = 0; i < kWarmUpSteps && warm < kLongStep; ++i) warm = take();
  batch_ = batch_for(warm);
  for (auto& samples : per_launch_) samples.clear();
}

void VariantRunner::measure() {
  const TraceSpan span(context_.trace, TraceKind::kMeasure);
  warm_up();
  const MeasureSpec& spec = plan_.job.measure;
  const SamplerOptions options{spec.min_time, spec.max_time, spec.min_samples, spec.max_samples};
  record_.clocks_before = device_->clocks();
  const auto take_one = [this] {
    if (context_.stopped()) throw JobStopped();
    return take();
  };
  Samples samples = sample(take_one, options, context_.clock);
  record_.clocks_after = device_->clocks();
  std::vector<std::vector<double>> lists = {std::move(samples.seconds)};
  lists.insert(lists.end(), per_launch_.begin(), per_launch_.end());
  set_times(lists, to_string(samples.reason));
}

void VariantRunner::set_times(const std::vector<std::vector<double>>& lists, const std::string& stop_reason) {
  record_.step = summarize(lists.front());
  record_.steps_per_sample = batch_;
  record_.stop_reason = stop_reason;
  std::map<std::string, double> times{{"time", record_.step->median}};
  for (std::size_t i = 0; i < record_.launches.size(); ++i) {
    record_.launches[i].seconds = summarize(lists[i + 1]);
    times[needs_.timings[i] + ".time"] += record_.launches[i].seconds->median;
  }
  evaluate_metrics(times);
}

void VariantRunner::evaluate_metrics(const std::map<std::string, double>& times) {
  for (const MetricSpec& metric : plan_.workload->metrics) {
    record_.metrics.push_back(
        {metric.name, metric.unit, configuration_.evaluate(metric.value, times), metric.higher_is_better});
  }
}

}  // namespace kiln
