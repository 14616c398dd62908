#include "embed/background_swap.h"
#include "embed/made_function.h"
#include "embed/made_kernel.h"

// FunctionRequest::background.
namespace kiln {
namespace detail {

class BackgroundFunctionState {
 public:
  BackgroundFunctionState(FunctionRequest request, std::vector<ArgumentType> arguments,
                          const BackgroundOptions& options)
      : request_(std::move(request)),
        arguments_(std::move(arguments)),
        quick_(options.quick),
        swap_(task()) {}

  [[nodiscard]] const FunctionState& take_current() {
    const void* now = swap_.current();
    swap_.count(now);
    return *static_cast<const MadeFunction*>(now);
  }
  [[nodiscard]] const BackgroundSwap& swap() const { return swap_; }

 private:
  [[nodiscard]] const FunctionRequest::Impl& request() const { return *request_.impl_; }

  BackgroundSwap::Task task() {
    Service::Impl& service = *request().program->service;
    const Target& target = request().device->device->info().target;
    BackgroundSwap::Task task;
    task.service = &service.engine.service();
    task.clock = service.clock.get();
    task.log = service.log.get();
    task.compiler = service.engine.compilers().at(target.backend);
    task.device = request().device->device;
    task.caller_stream = request().caller_stream;
    task.name = "kernel '" + request().name_expression() + "'";
    // Here, so that a request that cannot be meant is refused before anything is compiled.
    static_cast<void>(begin_function(request(), arguments_));
    task.specialised = candidate(request(), *task.compiler, {});
    task.generic = [this, compiler = task.compiler] { return generic_candidates(*compiler); };
    task.error_of = [this, name = task.name](const Diagnostic& diagnostic) {
      return signature_error(diagnostic, name, arguments_);
    };
    return task;
  }

  [[nodiscard]] std::vector<BackgroundSwap::Candidate> generic_candidates(const Compiler& compiler) {
    FunctionRequest::Impl generic = request();
    generic.constants.clear();
    std::vector<BackgroundSwap::Candidate> candidates = {candidate(generic, compiler, {})};
    const std::vector<std::string> quick = compiler.quick_options();
    if (quick_ && !quick.empty()) candidates.push_back(candidate(generic, compiler, quick));
    return candidates;
  }

  /// Launches compare constants with the request's, also where the code has none.
  [[nodiscard]] BackgroundSwap::Candidate candidate(const FunctionRequest::Impl& wanted,
                                                    const Compiler& compiler,
                                                    const std::vector<std::string>& more_options) {
    const Target& target = wanted.device->device->info().target;
    Specialization text = specialize_function(wanted, arguments_, compiler, target);
    text.options.insert(text.options.end(), more_options.begin(), more_options.end());
    return {std::move(text), [this](const ServiceResult& found) {
              std::shared_ptr<MadeFunction> made = begin_function(request(), arguments_);
              finish_function(request(), found, *made);
              return made;
            }};
  }

  FunctionRequest request_;
  std::vector<ArgumentType> arguments_;
  bool quick_;
  BackgroundSwap swap_;  // last: its thread ends before what it works on
};

const FunctionState& take_current(BackgroundFunctionState& state) {
  return state.take_current();
}

BackgroundStatus status_of(const BackgroundFunctionState& state) {
  return state.swap().status();
}

void wait_for(const BackgroundFunctionState& state) {
  state.swap().wait();
}

}  // namespace detail

std::shared_ptr<detail::BackgroundFunctionState> FunctionRequest::make_background(
    const std::vector<detail::ArgumentType>& arguments, const BackgroundOptions& options) const {
  if (options.verify || options.rtol || options.atol)
    throw bad_input("kernel '" + impl_->name_expression() +
                    "': background() of a program's function compares nothing: it has no inputs, so "
                    "'verify', 'rtol' and 'atol' have no meaning");
  if (!impl_->device)
    throw bad_input("kernel '" + impl_->name_expression() + "': the request names no device");
  return std::make_shared<detail::BackgroundFunctionState>(*this, arguments, options);
}

}  // namespace kiln
