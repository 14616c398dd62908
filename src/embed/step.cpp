#include "kiln/step.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "device/backend_kind.h"
#include "embed/handles.h"
#include "embed/job_setup.h"
#include "embed/made_kernel.h"
#include "trial/buffer_contents.h"
#include "trial/inputs.h"
#include "trial/load_units.h"
#include "trial/needs.h"
#include "trial/program_run.h"
#include "workload/selection.h"
#include "workload/workload_check.h"

namespace kiln {
namespace {

/// Kernels may rely on the alignment of memory that the device allocates.
constexpr std::uintptr_t kDeviceAlignment = 256;
constexpr std::uintptr_t kHostAlignment = 64;

/// One variant that is neither measured nor kept.
JobSpec job_of_step(FileSystem& files, const std::string& job, const StepOptions& options) {
  const bool is_job = job.find('\n') != std::string::npos || job.ends_with(".yaml") || job.ends_with(".yml");
  JobSpec spec;
  if (is_job) {
    spec = read_job(files, job);
  } else {
    spec.workload = job;
  }
  for (const std::string& assignment : options.set) apply_set(spec, assignment);
  for (auto& [name, values] : spec.sweep) values.resize(1);
  spec.wisdom = spec.wisdom || options.wisdom;
  spec.spread = false;
  spec.keep.clear();
  spec.output.clear();
  return spec;
}

/// The buffers that calls pass: the names in the options, else the names in the workload.
std::vector<ExpressionText> passed_buffers(const Workload& workload, const char* key,
                                           const std::vector<std::string>& given,
                                           const std::vector<ExpressionText>& declared) {
  if (given.empty()) return declared;
  std::vector<ExpressionText> names;
  names.reserve(given.size());
  const SourceLocation where{workload.file, 0, 0};
  for (const std::string& name : given) names.push_back({name, where, key});
  check_passed_buffers(workload, names);
  return names;
}

struct PassedBuffers {
  PassedBuffers(const Workload& workload, const StepOptions& options)
      : inputs(passed_buffers(workload, "inputs", options.inputs, workload.inputs_of_step)),
        outputs(passed_buffers(workload, "outputs", options.outputs, workload.outputs_of_step)) {}

  std::vector<ExpressionText> inputs, outputs;
};

std::vector<DeclaredBuffer> declarations(const Workload& workload, const std::vector<ExpressionText>& names) {
  std::vector<DeclaredBuffer> result;
  for (const ExpressionText& name : names) {
    const BufferSpec& buffer = *workload.find_buffer(name.text);
    const auto parameter_of = [&](const std::string& text) {
      return workload.find_parameter(text) != nullptr ? text : std::string();
    };
    DeclaredBuffer declared{buffer.name, buffer.type, parameter_of(buffer.type), {}, {}};
    const auto add_extent = [&](const std::string& text) {
      declared.shape.push_back(text);
      declared.shape_parameters.push_back(parameter_of(text));
    };
    for (const ExpressionText& extent : buffer.shape) add_extent(extent.text);
    if (buffer.lanes > 1) add_extent(std::to_string(buffer.lanes));
    result.push_back(std::move(declared));
  }
  return result;
}

/// A caller's array.
class CallersMemory final : public DeviceBuffer {
 public:
  CallersMemory(void* data, std::size_t bytes, bool on_host)
      : data_(data), bytes_(bytes), on_host_(on_host) {}

  [[nodiscard]] void* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override { return on_host_ ? data_ : nullptr; }

 private:
  void* data_;
  std::size_t bytes_;
  bool on_host_;
};

/// Buffers that stand in the caller's memory for one call.
class LentMemory {
 public:
  explicit LentMemory(Workspace& workspace) : workspace_(workspace) {}
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;
  ~LentMemory() {
    for (auto& [name, own] : own_) static_cast<void>(workspace_.exchange(name, std::move(own)));
  }

  void lend(const std::string& name, std::unique_ptr<DeviceBuffer> memory) {
    own_.reserve(own_.size() + 1);
    own_.emplace_back(name, workspace_.exchange(name, std::move(memory)));
  }

 private:
  Workspace& workspace_;
  std::vector<std::pair<std::string, std::unique_ptr<DeviceBuffer>>> own_;
};

}  // namespace

struct [[gnu::visibility("hidden")]] Step::Impl {
  Impl(std::shared_ptr<DeviceHandle::Impl> on, const JobSpec& job, Variant variant,
       const PassedBuffers& passed);

  void call(void* native, std::span<const void* const> in, std::span<void* const> out);
  /// On the default stream of the device.
  void wait() {
    handle_->stream->synchronize();
  }

  std::vector<StepBuffer> inputs, outputs;
  StepInfo info;

 private:
  void load();
  void fill();
  [[nodiscard]] std::vector<StepBuffer> describe(const std::vector<ExpressionText>& names) const;
  void require_used(const ExpressionText& name) const;
  [[nodiscard]] Stream& stream_for(void* native);
  void lend(const std::string& name, void* address, LentMemory& lent);

  std::shared_ptr<DeviceHandle::Impl> handle_;
  Device& device_;
  const bool on_host_;
  JobContext context_;
  const Variant variant_;
  const TrialNeeds needs_;
  std::vector<LoadedUnit> units_;
  std::unique_ptr<Stream> own_stream_;
  BufferPool pool_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<ProgramRun> program_;
  std::set<std::string> pointed_to_;  // buffers whose addresses are the content of others

  std::mutex mutex_;  // protects what follows, and the workspace
  std::unique_ptr<Stream> borrowed_;
  void* borrowed_from_ = nullptr;
  void* last_stream_ = nullptr;  // that `ended_` was recorded on
  std::unique_ptr<Event> ended_;
};

Step::Impl::Impl(std::shared_ptr<DeviceHandle::Impl> on, const JobSpec& job, Variant variant,
                 const PassedBuffers& passed)
    : handle_(std::move(on)),
      device_(*handle_->device),
      on_host_(backend_kind(device_.info().target.backend).host_memory),
      context_(make_job_context(handle_->service->engine, *handle_->service->files, *handle_->service->clock,
                                *handle_->service->log, job.isolation, handle_->service->clock->steady_ns())),
      variant_(std::move(variant)),
      needs_(variant_.configuration, TrialNeeds::Checks::kNone) {
  for (const auto* names : {&passed.inputs, &passed.outputs}) {
    for (const ExpressionText& name : *names) require_used(name);
  }
  load();
  fill();
  inputs = describe(passed.inputs);
  outputs = describe(passed.outputs);
  info.name = variant_.configuration.workload().name;
  info.launches = needs_.step().size();
  info.units = units_.size();
  info.buffer_bytes = needs_.bytes();
  info.graph = variant_.configuration.graph();
}

/// The step itself has to take it: what only a kernel that fills buffers takes is read once.
void Step::Impl::require_used(const ExpressionText& name) const {
  const Configuration& configuration = variant_.configuration;
  const std::string subject = name.key + ": buffer '" + name.text + "' ";
  const NamedBuffers taken = buffers_taken(configuration, configuration.workload().run);
  const bool used = std::any_of(taken.begin(), taken.end(), [&](const auto& buffer) {
    return configuration.workload().memory_of(*configuration.workload().find_buffer(buffer.first)).name ==
           name.text;
  });
  if (!used) throw bad_input(subject + "is not taken by the step with these values", name.where);
  for (const NeededLaunch& launch : needs_.step()) {
    const auto& symbols = launch.kernel->symbols;
    const auto set = std::find_if(symbols.begin(), symbols.end(),
                                  [&](const auto& one) { return one.second == name.text; });
    if (set != symbols.end())
      throw bad_input(subject + "is the content of " + in_quotes(set->first) + ", which is set once",
                      name.where);
  }
}

void Step::Impl::load() {
  Compiler& compiler = context_.compiler_for(device_.info().target.backend);
  const auto get = [&](const Unit& unit) {
    return context_.service.get(unit.specialization, compiler, handle_->device);
  };
  LoadedUnits loaded =
      load_units_at_once(needs_.units(device_.info().target, context_.files), get, context_.trace);
  if (loaded.failure) throw error_of(*loaded.failure);
  if (!loaded.complete) throw Error(ErrorKind::kCancelled, "the step's compile was stopped");
  units_ = std::move(loaded.units);
  for (const LoadedUnit& unit : units_) info.compile_seconds += unit.compile_seconds;
}

void Step::Impl::fill() {
  const Configuration& configuration = variant_.configuration;
  own_stream_ = device_.create_stream();
  workspace_ = std::make_unique<Workspace>(device_, *own_stream_, configuration, context_.files, pool_);
  unfit_where(ErrorKind::kBadInput, [&] { workspace_->allocate(needs_.buffers(), needs_.temporaries()); });
  const Workload& workload = configuration.workload();
  for (const std::string& name : needs_.buffers()) {
    for (const ExpressionText& pointee : workload.find_buffer(name)->init.pointees())
      pointed_to_.insert(workload.memory_of(*workload.find_buffer(pointee.text)).name);
  }
  pool_.kept().begin_variant(false);
  BufferContents contents(configuration, context_.files, *workspace_, pool_.kept());
  Inputs made(configuration, needs_.buffers(), units_, *workspace_, contents);
  program_ = std::make_unique<ProgramRun>(
      configuration, configuration.workload().run, *workspace_, [&](const LaunchSpec& launch) {
        return PreparedKernel(configuration.of(launch), *launch.configured, units_, *workspace_);
      });
  made.make([&](PreparedKernel& kernel) { kernel.enqueue(*own_stream_); });
  program_->load_symbols();
  own_stream_->synchronize();
  ended_ = device_.create_ordering_event();
}

std::vector<StepBuffer> Step::Impl::describe(const std::vector<ExpressionText>& names) const {
  std::vector<StepBuffer> buffers;
  for (const ExpressionText& name : names) {
    const BufferLayout& layout = workspace_->layout(name.text);
    buffers.push_back({name.text, layout.scalar ? to_string(*layout.scalar) : layout.record->name,
                       layout.element_bytes, layout.shape});
  }
  return buffers;
}

Stream& Step::Impl::stream_for(void* native) {
  if (native == nullptr) return *handle_->stream;
  // The stream of the last call may be gone: it is not asked for its handle.
  if (!borrowed_ || borrowed_from_ != native) {
    borrowed_ = device_.borrow_stream(native);
    borrowed_from_ = native;
  }
  return *borrowed_;
}

void Step::Impl::lend(const std::string& name, void* address, LentMemory& lent) {
  const std::uintptr_t alignment = on_host_ ? kHostAlignment : kDeviceAlignment;
  if (address == nullptr || program_->swapped().contains(name) || pointed_to_.contains(name) ||
      reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    return;
  lent.lend(name, std::make_unique<CallersMemory>(address, workspace_->layout(name).bytes, on_host_));
}

void Step::Impl::call(void* native, std::span<const void* const> in, std::span<void* const> out) {
  const auto require_count = [](const char* what, std::size_t found, std::size_t expected) {
    if (found != expected)
      throw bad_input("the step has " + std::to_string(expected) + " " + what + "; found " +
                      std::to_string(found) + " addresses");
  };
  require_count("inputs", in.size(), inputs.size());
  require_count("outputs", out.size(), outputs.size());
  const std::lock_guard lock(mutex_);
  Stream& stream = stream_for(native);
  const bool capturing = native != nullptr && device_.is_capturing(native);
  if (last_stream_ != native && !capturing) stream.wait(*ended_);

  LentMemory lent(*workspace_);
  // An output stays in the step's buffer, whose content the kernels may read.
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string& name = inputs[i].name;
    const auto same = std::find_if(outputs.begin(), outputs.end(),
                                   [&](const StepBuffer& output) { return output.name == name; });
    if (same == outputs.end() || out[static_cast<std::size_t>(same - outputs.begin())] == in[i])
      lend(name, const_cast<void*>(in[i]), lent);
  }
  const auto place = [&](const std::string& name) { return *workspace_->address(name); };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::string& name = inputs[i].name;
    if (in[i] != nullptr && place(name) != in[i])
      device_.copy_on_device(stream, place(name), in[i], workspace_->layout(name).bytes);
  }
  ProgramRunOptions options;
  options.stream = &stream;
  options.concurrent = !backend_kind(device_.info().target.backend).synchronous_launches;
  if (info.graph && !capturing)
    options.replay = [](Graph& graph, const std::string&, Stream& on) { graph.launch(on); };
  program_->run({}, options);
  program_->read_symbols(stream);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string& name = outputs[i].name;
    if (out[i] != nullptr && place(name) != out[i])
      device_.copy_on_device(stream, out[i], place(name), workspace_->layout(name).bytes);
  }
  if (capturing) return;
  ended_->record(stream);
  last_stream_ = native;
}

const std::vector<StepBuffer>& Step::inputs() const {
  return impl_->inputs;
}
const std::vector<StepBuffer>& Step::outputs() const {
  return impl_->outputs;
}
const StepInfo& Step::info() const {
  return impl_->info;
}
void Step::operator()(void* stream, std::span<const void* const> inputs,
                      std::span<void* const> outputs) const {
  impl_->call(stream, inputs, outputs);
}
void Step::run(std::span<const void* const> inputs, std::span<void* const> outputs) const {
  impl_->call(nullptr, inputs, outputs);
  impl_->wait();
}

StepSignature step_signature(const Service& service, const std::string& job, const StepOptions& options) {
  Service::Impl& parts = *service.impl_;
  const JobSpec spec = job_of_step(*parts.files, job, options);
  const auto workload = workload_of(spec, parts.engine.library());
  const PassedBuffers passed(*workload, options);
  return {declarations(*workload, passed.inputs), declarations(*workload, passed.outputs)};
}

Step make_step(const Service& service, const DeviceHandle& device, const std::string& job,
               const StepOptions& options) {
  Service::Impl& parts = *service.impl_;
  Engine& engine = parts.engine;
  const std::shared_ptr<DeviceHandle::Impl>& on = device.impl_;
  JobSpec spec = job_of_step(*parts.files, job, options);
  spec.devices = {on->device->info().id};
  const auto workload = workload_of(spec, engine.library());
  const PassedBuffers passed(*workload, options);
  const auto advice = advice_for(engine, *parts.files, *parts.clock, *parts.log, spec, *workload);
  JobPlan plan = make_plan(spec, workload, *parts.files, {on->device->info()}, advice ? &*advice : nullptr);
  Variant variant = std::move(plan.variants.front());
  for (const std::string& note : plan.notes) parts.log->info(note);

  Step step;
  try {
    step.impl_ = std::make_shared<Step::Impl>(on, spec, variant, passed);
  } catch (const Error& error) {
    const bool by_its_values = error.kind() == ErrorKind::kCompile || error.kind() == ErrorKind::kUnfit;
    if (!variant.otherwise || !by_its_values) throw;
    parts.log->warn(variant.wisdom->sentence + ": fails here (" + error.what() +
                    "); the defaults are taken in its place");
    variant.configuration = *variant.otherwise;
    step.impl_ = std::make_shared<Step::Impl>(on, spec, std::move(variant), passed);
  }
  return step;
}

}  // namespace kiln
