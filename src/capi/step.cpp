#include "capi/guard.h"
#include "capi/handles.h"

using kiln::capi::array;
using kiln::capi::deref;
using kiln::capi::guarded;
using kiln::capi::making;
using kiln::capi::text;
using kiln::capi::texts;

namespace {

kiln::StepOptions options_of_step(const kiln_step_options* given) {
  kiln::StepOptions options;
  if (given == nullptr) return options;
  const kiln_step_options own = kiln::capi::read_struct(given, "options");
  options.set = texts(own.set, own.set_count, "options->set");
  options.inputs = texts(own.inputs, own.input_count, "options->inputs");
  options.outputs = texts(own.outputs, own.output_count, "options->outputs");
  options.wisdom = own.wisdom != 0;
  return options;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  pointers.reserve(strings.size());
  for (const std::string& string : strings) pointers.push_back(string.c_str());
  return pointers;
}

void write_buffer(const std::vector<kiln::StepBuffer>& buffers, size_t index, kiln_step_buffer* buffer) {
  if (index >= buffers.size()) {
    throw kiln::bad_input("index is " + std::to_string(index) + "; the step has " +
                          std::to_string(buffers.size()));
  }
  const kiln::StepBuffer& own = buffers[index];
  kiln::capi::write_struct(kiln_step_buffer{0, own.name.c_str(), own.type.c_str(), own.element_bytes,
                                            own.shape.size(), own.shape.data()},
                           buffer, "buffer");
}

template <class Call>
kiln_status with_arrays(size_t input_count, const void* const* inputs, size_t output_count,
                        void* const* outputs, const Call& call) {
  return guarded([&] {
    static_cast<void>(array(inputs, input_count, "inputs"));
    static_cast<void>(array(outputs, output_count, "outputs"));
    call(std::span(inputs, input_count), std::span(outputs, output_count));
  });
}

}  // namespace

kiln_status kiln_step_declare(const kiln_service* service, const char* job, const kiln_step_options* options,
                              void (*declare)(void* user, const kiln_declared_buffer* buffer), void* user) {
  return guarded([&] {
    if (declare == nullptr) throw kiln::bad_input("declare is NULL");
    const kiln::StepSignature signature =
        kiln::step_signature(deref(service, "service").service, text(job, "job"), options_of_step(options));
    for (const auto* buffers : {&signature.inputs, &signature.outputs}) {
      for (const kiln::DeclaredBuffer& own : *buffers) {
        const auto shape = pointers_to(own.shape);
        const auto parameters = pointers_to(own.shape_parameters);
        const kiln_declared_buffer buffer{sizeof buffer,
                                          static_cast<int>(buffers == &signature.outputs),
                                          own.name.c_str(),
                                          own.type.c_str(),
                                          own.type_parameter.c_str(),
                                          shape.size(),
                                          shape.data(),
                                          parameters.data()};
        declare(user, &buffer);
      }
    }
  });
}

kiln_status kiln_step_create(const kiln_service* service, const kiln_device* device, const char* job,
                             const kiln_step_options* options, kiln_step** step) {
  return making(step, "step", [&] {
    return new kiln_step{kiln::make_step(deref(service, "service").service, deref(device, "device").device,
                                         text(job, "job"), options_of_step(options))};
  });
}

void kiln_step_release(kiln_step* step) {
  delete step;
}

size_t kiln_step_input_count(const kiln_step* step) {
  return step == nullptr ? 0 : step->step.inputs().size();
}
size_t kiln_step_output_count(const kiln_step* step) {
  return step == nullptr ? 0 : step->step.outputs().size();
}
kiln_status kiln_step_get_input(const kiln_step* step, size_t index, kiln_step_buffer* buffer) {
  return guarded([&] { write_buffer(deref(step, "step").step.inputs(), index, buffer); });
}
kiln_status kiln_step_get_output(const kiln_step* step, size_t index, kiln_step_buffer* buffer) {
  return guarded([&] { write_buffer(deref(step, "step").step.outputs(), index, buffer); });
}

kiln_status kiln_step_get_info(const kiln_step* step, kiln_step_info* info) {
  return guarded([&] {
    const kiln::StepInfo& own = deref(step, "step").step.info();
    kiln::capi::write_struct(kiln_step_info{0, own.name.c_str(), own.launches, own.units, own.compile_seconds,
                                            own.buffer_bytes, static_cast<int>(own.graph)},
                             info, "info");
  });
}

kiln_status kiln_step_launch(const kiln_step* step, void* stream, size_t input_count,
                             const void* const* inputs, size_t output_count, void* const* outputs) {
  return with_arrays(input_count, inputs, output_count, outputs,
                     [&](auto in, auto out) { deref(step, "step").step(stream, in, out); });
}

kiln_status kiln_step_run(const kiln_step* step, size_t input_count, const void* const* inputs,
                          size_t output_count, void* const* outputs) {
  return with_arrays(input_count, inputs, output_count, outputs,
                     [&](auto in, auto out) { deref(step, "step").step.run(in, out); });
}
