#include "trial/trial.h"

#include <utility>

#include "device/backend_kind.h"
#include "device/fault.h"
#include "trial/checks.h"
#include "trial/output_files.h"
#include "trial/references.h"
#include "trial/shared_variables.h"

namespace kiln {
namespace {

std::optional<double> occupancy_of(const PreparedKernel& kernel, const DeviceInfo& device) {
  const std::uint64_t most =
      device.limits.max_threads_per_unit * static_cast<std::uint64_t>(device.compute_units);
  if (!kernel.resident_blocks() || most == 0) return std::nullopt;
  return static_cast<double>(*kernel.resident_blocks() * kernel.shape().block.volume()) /
         static_cast<double>(most);
}

std::size_t refresh_of(const Configuration& configuration) {
  const auto& refresh = configuration.workload().refresh;
  if (!refresh) return 0;
  return static_cast<std::size_t>(configuration.evaluate_integer(*refresh, 1, 1'000'000'000));
}

}  // namespace

Trial::Trial(const Variant& variant, const JobContext& context, BufferPool& pool, bool keep_contents)
    : variant_(variant),
      context_(context),
      pool_(pool),
      keep_contents_(keep_contents),
      device_(context.devices.open(variant.device)),
      launches_wait_(backend_kind(device_->info().target.backend).synchronous_launches),
      needs_(variant.configuration),
      refresh_after_(refresh_of(variant.configuration)) {}

const std::vector<Unit>& Trial::specialise() {
  const TraceSpan span(context_.trace, TraceKind::kSpecialise, variant_.label);
  units_ = needs_.units(device_->info().target, context_.files);
  if (!needs_.has_host_references()) return units_;
  host_ = context_.devices.open(host_kind().name);
  host_units_ = needs_.host_units(host_->info().target, context_.files);
  std::vector<const Unit*> all;
  for (const auto* some : {&units_, &host_units_}) {
    for (const Unit& unit : *some) all.push_back(&unit);
  }
  require_shared_variables(configuration(), all);
  return units_;
}

LoadedUnits Trial::load_on(std::vector<Unit> units, const std::shared_ptr<Device>& device) {
  Compiler& compiler = context_.compiler_for(device->info().target.backend);
  const auto get = [&](const Unit& unit) {
    return context_.service.get(unit.specialization, compiler, device);
  };
  LoadedUnits loaded = load_units_at_once(std::move(units), get, context_.trace);
  if (loaded.failure && loaded.failure->environment) throw environment_error(loaded.failure->summary);
  return loaded;
}

std::optional<Diagnostic> Trial::load() {
  LoadedUnits loaded = load_on(std::move(units_), device_);
  loaded_ = std::move(loaded.units);
  if (loaded.failure || !host_) return std::move(loaded.failure);
  loaded = load_on(std::move(host_units_), host_);
  host_loaded_ = std::move(loaded.units);
  return std::move(loaded.failure);
}

std::vector<const LoadedUnit*> Trial::loaded_units() const {
  std::vector<const LoadedUnit*> units;
  for (const auto* some : {&loaded_, &host_loaded_}) {
    for (const LoadedUnit& unit : *some) units.push_back(&unit);
  }
  return units;
}

void Trial::prepare() {
  if (workspace_) return;
  if (!stream_) stream_ = device_->create_stream();
  workspace_ = std::make_unique<Workspace>(*device_, *stream_, configuration(), context_.files, pool_);
  make_contents();
  allocate();
  const Workload& workload = configuration().workload();
  inputs_ = std::make_unique<Inputs>(configuration(), needs_.buffers(), loaded_, *workspace_, *contents_);
  step_ = bind(configuration(), workload.run, loaded_);
  verify_step_ = bind(configuration(), workload.verify_run, loaded_);
  renew_inputs();
}

void Trial::make_contents() {
  pool_.kept().begin_variant(keep_contents_);
  contents_ = std::make_unique<BufferContents>(configuration(), context_.files, *workspace_, pool_.kept());
  const std::string& backend = device_->info().target.backend;
  if (backend_kind(backend).host_memory) return;
  compare_ = std::make_unique<DeviceCompare>(context_.service, context_.compiler_for(backend), device_,
                                             *stream_, pool_);
  contents_->compare_by(
      [this](const void* a, const void* b, std::size_t bytes) { return compare_->same_bits(a, b, bytes); });
}

void Trial::allocate() {
  unfit_where(ErrorKind::kBadInput, [&] { workspace_->allocate(needs_.buffers(), needs_.temporaries()); });
}

std::unique_ptr<ProgramRun> Trial::bind(const Configuration& configuration, const ProgramSpec& program,
                                        const std::vector<LoadedUnit>& units) {
  return std::make_unique<ProgramRun>(configuration, program, *workspace_, [&](const LaunchSpec& launch) {
    return PreparedKernel(configuration.of(launch), *launch.configured, units, *workspace_);
  });
}

std::unique_ptr<ProgramRun> Trial::bind_step(const Configuration& configuration,
                                             const std::vector<LoadedUnit>& units) {
  auto step = bind(configuration, configuration.workload().run, units);
  step->load_symbols();
  return step;
}

std::vector<LaunchUse> Trial::launches() const {
  std::vector<LaunchUse> launches;
  if (!step_) return launches;
  for (const auto& [launch, kernel] : step_->launches()) {
    launches.push_back({launch->timing, kernel->name(), kernel->shape(), kernel->attributes(),
                        occupancy_of(*kernel, device_->info()), std::nullopt});
  }
  for (const auto& [step, call] : step_->library_calls())
    launches.push_back({step, call, {}, {}, std::nullopt, std::nullopt});
  return launches;
}

void Trial::renew_inputs() {
  const TraceSpan span(context_.trace, TraceKind::kInputs);
  inputs_->make([&](PreparedKernel& kernel) { launch(kernel, *stream_); });
  step_->load_symbols();
  verify_step_->load_symbols();
  wait();
  steps_since_fill_ = 0;
}

void Trial::verify() {
  const TraceSpan span(context_.trace, TraceKind::kVerify);
  const auto& steps_text = configuration().workload().verify_steps;
  const std::int64_t steps = steps_text ? configuration().evaluate_integer(*steps_text, 1, 1'000'000) : 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    workspace_->spoil_temporaries();
    enqueue({});
  }
  enqueue_step(*verify_step_, {}, step_->variables());
  step_->read_symbols(*stream_);
  verify_step_->read_symbols(*stream_);
  for (const auto* program : {step_.get(), verify_step_.get()}) {
    for (const std::string& buffer : program->buffers()) contents_->note_written(buffer);
  }
  wait();
  steps_since_fill_ = static_cast<std::size_t>(steps);
  const Variables& variables = verify_step_->variables();
  References references(configuration(), context_, *workspace_, *contents_, loaded_, host_loaded_);
  for (const CheckSpec* check : needs_.checks()) {
    const auto reference = [&](const CheckSpec& which) { return references.run(which); };
    TraceSpan span_of_check(context_.trace, TraceKind::kVerify, check->name);
    checks_.push_back(check->variable.empty()
                          ? run_check(configuration(), *check, variables, *workspace_, reference,
                                      context_.files, {&pool_.kept(), compare_.get()})
                          : check_variable(configuration(), *check, variables, context_.files));
    span_of_check.add("agrees", checks_.back().ok);
  }
  configuration().workload().inputs->forget_entries();
  kept_files_ = write_outputs(*workspace_, variables, variant_.keep, context_.files);
}

Variables Trial::variables() const {
  if (!step_ || !verify_step_) return parked_variables_;
  Variables all = step_->variables();
  all.insert(verify_step_->variables().begin(), verify_step_->variables().end());
  return all;
}

void Trial::park() {
  if (!workspace_) return;
  inputs_.reset();
  parked_variables_ = variables();
  step_.reset();
  verify_step_.reset();
  contents_.reset();
  compare_.reset();
  workspace_->release();
  workspace_.reset();
}

void Trial::make_ready(std::size_t steps) {
  if (!workspace_) prepare();
  if (refresh_after_ > 0 && steps_since_fill_ + steps > refresh_after_) renew_inputs();
  steps_since_fill_ += steps;
}

void Trial::run_step(ProgramRun& step) {
  make_ready(1);
  enqueue_step(step, {}, {});
  wait();
}

void Trial::enqueue_step(ProgramRun& step, const AfterLaunch& after_launch, const Variables& first) {
  ProgramRunOptions options;
  options.first = first;
  // Times of launches are those between events on one stream.
  options.concurrent = !after_launch && !launches_wait_;
  if (configuration().graph() && !after_launch && &step != verify_step_.get()) {
    options.replay = [&](Graph& graph, const std::string& kernels, Stream& stream) {
      watched(kernels, [&] { graph.launch(stream); });
    };
  }
  options.watch = context_.watch;
  ProgramRun::Enqueue enqueue;
  if (after_launch || !first_launch_ns_) {
    enqueue = [&](std::size_t index, PreparedKernel& kernel, Stream& stream) {
      launch(kernel, stream);
      if (after_launch) after_launch(index);
    };
  }
  step.run(enqueue, options);
}

void Trial::launch(PreparedKernel& kernel, Stream& stream) {
  watched(kernel.name(), [&] { kernel.enqueue(stream); });
}

template <class Enqueue>
void Trial::watched(const std::string& kernel, const Enqueue& enqueue) {
  if (launches_wait_) note_first_launch();
  if (context_.watch != nullptr) context_.watch->enter(kernel);
  enqueue();
  note_first_launch();
}

void Trial::note_first_launch() {
  if (!first_launch_ns_) first_launch_ns_ = context_.clock.steady_ns();
}

void Trial::wait() {
  stream_->synchronize();
  for (auto* program : {step_.get(), verify_step_.get()}) {
    if (program != nullptr) program->wait_beside();
  }
  if (context_.watch != nullptr) context_.watch->leave();
}

}  // namespace kiln
