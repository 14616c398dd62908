#include <chrono>

#include "handles.h"
#include "log.h"

namespace kiln::python {
namespace {

/// The Python functions of one job. Kiln calls them one at a time, without the GIL; the first exception ends
/// the job. `stop` is called by Kiln between steps, which may take microseconds: Python is asked now and
/// then, since a thread that takes the GIL all the time keeps others from it.
struct Callbacks {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenQuestions{5};

  const nb::callable& record;
  const nb::callable& progress;
  const nb::callable& stop;
  std::exception_ptr failure;
  Clock::time_point next_question{};  ///< at once after a record and before a variant

  template <class Call>
  static bool guarded(void* user, const Call& call) {
    auto& own = *static_cast<Callbacks*>(user);
    if (own.failure) return true;
    const nb::gil_scoped_acquire gil;
    try {
      deliver_messages();
      return call(own);
    } catch (...) {
      own.failure = std::current_exception();
      return true;
    }
  }
  static void on_record(void* user, const char* json) {
    guarded(user, [&](Callbacks& own) {
      own.next_question = {};
      own.record(json);
      return false;
    });
  }
  static void on_progress(void* user, std::size_t index, std::size_t count, const char* label) {
    guarded(user, [&](Callbacks& own) {
      own.next_question = {};
      own.progress(index, count, label);
      return false;
    });
  }
  static int on_stop(void* user) {
    auto& callbacks = *static_cast<Callbacks*>(user);
    const Clock::time_point now = Clock::now();
    if (!callbacks.failure && now < callbacks.next_question) return 0;
    callbacks.next_question = now + kBetweenQuestions;
    return guarded(user,
                   [&](Callbacks& own) {
                     if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C
                     return nb::cast<bool>(own.stop());
                   })
               ? 1
               : 0;
  }
};

nb::tuple run_job(const Service& service, const std::string& job, const std::vector<std::string>& set,
                  const std::vector<std::string>& sweep, const std::vector<std::string>& devices,
                  const std::optional<std::string>& output, bool resume, const nb::callable& record,
                  const nb::callable& progress, const nb::callable& stop) {
  Callbacks callbacks{record, progress, stop, nullptr, {}};
  const auto sets = pointers_to(set);
  const auto sweeps = pointers_to(sweep);
  const auto names = pointers_to(devices);
  kiln_job_options options{};
  options.size = sizeof options;
  options.set_count = sets.size();
  options.set = sets.data();
  options.sweep_count = sweeps.size();
  options.sweep = sweeps.data();
  options.device_count = names.size();
  options.devices = names.data();
  options.output = output ? output->c_str() : nullptr;
  options.resume = resume ? 1 : 0;
  options.record = &Callbacks::on_record;
  options.progress = &Callbacks::on_progress;
  options.stop = &Callbacks::on_stop;
  options.user = &callbacks;
  kiln_job_result result{};
  result.size = sizeof result;
  const kiln_status status =
      without_gil([&] { return kiln_job_run(service.get(), job.c_str(), &options, &result); });
  deliver_messages();
  if (callbacks.failure) std::rethrow_exception(callbacks.failure);
  check(status);
  return nb::make_tuple(result.finished != 0, result.good != 0);
}

}  // namespace

void bind_jobs(nb::module_& module) {
  module.def("run_job", &run_job, nb::arg("service"), nb::arg("job"), nb::arg("set"), nb::arg("sweep"),
             nb::arg("devices"), nb::arg("output").none(), nb::arg("resume"), nb::arg("record"),
             nb::arg("progress"), nb::arg("stop"));
}

}  // namespace kiln::python
