#include "embed/made_kernel.h"

#include <utility>

#include "base/text.h"
#include "device/stream_capture.h"
#include "embed/request_inputs.h"
#include "embed/wisdom_lookup.h"
#include "trial/prepared_kernel.h"

namespace kiln {
namespace {

std::string text_of(const KernelRequest::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return format_number(std::get<double>(value));
}

/// In the form of a job's; the call that sets a value reports a mistake.
std::vector<std::pair<std::string, RawValue>> raw_values(const KernelRequest::Impl& request) {
  std::vector<std::pair<std::string, RawValue>> values;
  values.reserve(request.assignments.size());
  for (const auto& [name, value] : request.assignments)
    values.emplace_back(name, RawValue{text_of(value), false, {"set(\"" + name + "\")", 0, 0}});
  return values;
}

/// The workload's wisdom, as read at its first use.
std::shared_ptr<const WisdomAdvice> advice_of(const KernelRequest::Impl& request) {
  const std::lock_guard lock(request.memory->wisdom_mutex);
  auto& known = request.memory->wisdom[*request.wisdom];
  if (known) return known;
  Service::Impl& service = *request.service;
  const Workload& workload = *request.workload;
  const std::vector<WisdomSource> sources =
      request.wisdom->empty() ? usual_wisdom(service.engine.settings(), workload, "")
                              : std::vector<WisdomSource>{named_wisdom(*service.files, *request.wisdom, {})};
  return known = std::make_shared<const WisdomAdvice>(look_up_wisdom(
             service.engine, request.memory->texts, *service.clock, *service.log, workload, sources));
}

}  // namespace

PreparedRequest prepare(const KernelRequest::Impl& request) {
  if (!request.device)
    throw bad_input("kernel '" + request.kernel->name + "': no device; call on(device) first");
  Device& device = *request.device->device;
  const std::string& backend = device.info().target.backend;
  Engine& engine = request.service->engine;
  const TraceSpan span(engine.trace(), TraceKind::kSpecialise, request.kernel->name);
  ConfigurationResult configured =
      configure(request.workload, raw_values(request), device.info(), request.memory->texts);
  if (configured.violated)
    throw bad_input("constraint violated: " + configured.explanation, configured.violated->where);
  PreparedRequest prepared{std::move(configured.configuration), {}, engine.compilers().at(backend)};
  prepared.unit = std::move(make_units(prepared.configuration, {request.kernel->name}, Role::kRun,
                                       device.info().target, request.memory->texts,
                                       request.headers ? *request.headers : std::vector<IncludedHeader>())
                                .at(0));
  return prepared;
}

namespace {

/// The values of the nearest wisdom, and the sentence about it.
struct WisdomValues {
  std::vector<std::pair<std::string, std::string>> values;
  std::string sentence;
};

WisdomValues find_values(const KernelRequest::Impl& request) {
  WisdomValues found;
  const std::shared_ptr<const WisdomAdvice> advice = advice_of(request);
  WisdomQuestion question{request.workload, raw_values(request), request.device->device->info(), advice->now};
  question.now.driver = question.device.driver;
  question.now.compiler = advice->compiler(question.device.target.backend);
  const auto choices = choose_wisdom(advice->book, question, request.memory->texts);
  if (choices.empty()) return found;
  for (const auto& [name, value] : choices.front().values) found.values.emplace_back(name, value.text);
  found.sentence = choices.front().sentence(advice->today);
  return found;
}

std::string pack(const WisdomValues& found) {
  std::vector<std::string> texts = {found.sentence};
  for (const auto& [name, value] : found.values) texts.insert(texts.end(), {name, value});
  return pack_texts(texts);
}

WisdomValues unpack(const std::string& packed) {
  const std::vector<std::string> texts = unpack_texts(packed);
  WisdomValues found{{}, texts.at(0)};
  for (std::size_t i = 1; i + 1 < texts.size(); i += 2) found.values.emplace_back(texts[i], texts[i + 1]);
  return found;
}

}  // namespace

AdvisedRequest take_wisdom(const KernelRequest::Impl& request) {
  AdvisedRequest advised{request, ""};
  advised.request.wisdom.reset();
  if (!request.wisdom || !request.device) return advised;
  const RankAgreement* ranks = request.service->ranks.get();
  const WisdomValues found = ranks == nullptr
                                 ? find_values(request)
                                 : unpack(ranks->decided([&] { return pack(find_values(request)); }));
  for (const auto& [name, value] : found.values) advised.request.set(name, value);
  advised.sentence = found.sentence;
  return advised;
}

std::shared_ptr<Kernel::Impl> make_kernel(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                                          ServiceResult found) {
  std::shared_ptr<LoadedCode> code = request.kernel->symbols.empty()
                                         ? std::move(found.code)
                                         : load_with_symbols(request, prepared, *found.code);
  DeviceFunction& function = code->function(prepared.unit.name_expressions.at(request.kernel->name));
  Device& device = *request.device->device;
  for (const ArgumentSpec& argument : request.kernel->args) {
    if (argument.kind == ArgumentSpec::Kind::kFunction)
      require_no_capture(device, request.caller_stream, "kernel '" + request.kernel->name + "'",
                         "the address of '" + argument.name + "' cannot be read");
  }
  BoundLaunch launch(device, function, prepared.configuration, *request.kernel, prepared.unit.params);
  pass_functions(prepared.configuration, *request.kernel, *code, device, *request.device->stream, launch);
  auto made =
      std::make_shared<Kernel::Impl>(Kernel::Impl{request.device, std::move(code), std::move(launch)});
  made->origin = to_string(found.origin);
  made->key = found.key.digest;
  made->compile_seconds = found.compile_seconds;
  return made;
}

ExpectedCompiles announce_compile(Engine& engine, const std::string& backend) {
  try {
    const auto compilers = engine.compilers();
    const auto found = compilers.find(backend);
    return found == compilers.end() ? ExpectedCompiles() : expect_compiles(*found->second, 1);
  } catch (const Error&) {
    return {};
  }
}

Error error_of(const Diagnostic& diagnostic) {
  const bool repeats = diagnostic.log.starts_with(diagnostic.summary);
  const std::string message =
      repeats ? diagnostic.log : diagnostic.summary + (diagnostic.log.empty() ? "" : "\n" + diagnostic.log);
  return Error(diagnostic.environment ? ErrorKind::kEnvironment : ErrorKind::kCompile, message, {},
               diagnostic.log);
}

void launch_kernel(const Kernel::Impl& kernel, void* stream, LaunchArguments arguments,
                   LaunchScalars scalars) {
  const BoundLaunch& launch = kernel.launch;
  if (arguments.size() != launch.table_size()) {
    throw bad_input("kernel '" + launch.name() + "' takes " + std::to_string(launch.table_size()) +
                    " buffers, " + std::to_string(arguments.size()) + " are given");
  }
  if (stream != nullptr)
    launch.enqueue_native(stream, arguments, scalars);
  else
    launch.enqueue(*kernel.device->stream, arguments, scalars);
}

}  // namespace kiln
