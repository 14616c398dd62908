#include "function.h"
#include "log.h"

// Steps of workloads: all of a workload's `run:`, as one call.
namespace kiln::python {
namespace {

using StepHandle = Handle<kiln_step, kiln_step_release>;

struct Step {
  StepHandle handle;
  std::size_t inputs, outputs;
  std::shared_ptr<FunctionState> state;  ///< inputs and then outputs as the arguments of a launch
};

/// The options of a step; the texts outlive it.
struct StepOptions {
  StepOptions(const std::vector<std::string>& set, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs, bool wisdom)
      : set_(pointers_to(set)), inputs_(pointers_to(inputs)), outputs_(pointers_to(outputs)) {
    options_.size = sizeof options_;
    options_.set_count = set_.size();
    options_.set = set_.data();
    options_.input_count = inputs_.size();
    options_.inputs = inputs_.data();
    options_.output_count = outputs_.size();
    options_.outputs = outputs_.data();
    options_.wisdom = wisdom ? 1 : 0;
  }
  [[nodiscard]] const kiln_step_options* get() const { return &options_; }

 private:
  std::vector<const char*> set_, inputs_, outputs_;
  kiln_step_options options_{};
};

/// (is_output, name, type, type_parameter, shape, shape_parameters) of each buffer.
nb::list declare_step(const Service& service, const std::string& job, const std::vector<std::string>& set,
                      const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const StepOptions options(set, inputs, outputs, false);
  nb::list buffers;
  const auto add = [](void* user, const kiln_declared_buffer* buffer) {
    nb::list shape;
    nb::list parameters;
    for (std::size_t i = 0; i < buffer->rank; ++i) {
      shape.append(buffer->shape[i]);
      parameters.append(buffer->shape_parameters[i]);
    }
    static_cast<nb::list*>(user)->append(nb::make_tuple(buffer->is_output != 0, buffer->name, buffer->type,
                                                        buffer->type_parameter, nb::tuple(shape),
                                                        nb::tuple(parameters)));
  };
  check(kiln_step_declare(service.get(), job.c_str(), options.get(), add, &buffers));
  return buffers;
}

Step make_step(const Service& service, const Device& device, const std::string& job,
               const std::vector<std::string>& set, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs, bool wisdom) {
  const StepOptions options(set, inputs, outputs, wisdom);
  auto handle = make<StepHandle, kiln_step>([&](kiln_step** made) {
    return kiln_step_create(service.get(), device.get(), job.c_str(), options.get(), made);
  });
  deliver_messages();
  kiln_step_info info{};
  info.size = sizeof info;
  check(kiln_step_get_info(handle.get(), &info));
  auto state = std::make_shared<FunctionState>(make_state(Function(nullptr), device, info.name));
  const std::size_t input_count = kiln_step_input_count(handle.get());
  const std::size_t output_count = kiln_step_output_count(handle.get());
  return {std::move(handle), input_count, output_count, std::move(state)};
}

/// (name, type, bytes of an element, shape) of each input, and of each output.
nb::tuple buffers_of(const Step& step) {
  const auto all = [&](std::size_t count, auto get) {
    nb::list buffers;
    for (std::size_t i = 0; i < count; ++i) {
      kiln_step_buffer buffer{};
      buffer.size = sizeof buffer;
      check(get(step.handle.get(), i, &buffer));
      nb::list shape;
      for (std::size_t axis = 0; axis < buffer.rank; ++axis) shape.append(buffer.shape[axis]);
      buffers.append(nb::make_tuple(buffer.name, buffer.type, buffer.element_bytes, nb::tuple(shape)));
    }
    return buffers;
  };
  return nb::make_tuple(all(step.inputs, kiln_step_get_input), all(step.outputs, kiln_step_get_output));
}

void set_arguments(const Step& step, const nb::list& arguments) {
  step.state->slots.clear();
  for (nb::handle argument : arguments) step.state->slots.push_back(slot_of(nb::cast<nb::tuple>(argument)));
}

void launch(const Step& step, const nb::tuple& arrays, nb::handle stream, bool wait) {
  if (arrays.size() != step.state->slots.size()) throw nb::value_error("as many arrays as set_arguments has");
  Target target;
  if (!stream.is_none() && !read_stream(stream.ptr(), target)) throw nb::python_error();
  std::vector<PyObject*> objects;
  for (nb::handle array : arrays) objects.push_back(array.ptr());
  Values values(*step.state);
  if (!values.take(*step.state, objects.data(), target)) throw nb::python_error();
  const std::vector<void*> addresses = values.addresses(objects.size());
  void* const* const outputs = addresses.data() + step.inputs;
  check(without_gil([&] {
    if (wait && target.stream == nullptr)
      return kiln_step_run(step.handle.get(), step.inputs, addresses.data(), step.outputs, outputs);
    const kiln_status status = kiln_step_launch(step.handle.get(), target.stream, step.inputs,
                                                addresses.data(), step.outputs, outputs);
    return wait && status == KILN_OK ? wait_for(step.state->device, target.stream) : status;
  }));
  deliver_messages();
}

nb::dict info_of(const Step& step) {
  kiln_step_info info{};
  info.size = sizeof info;
  check(kiln_step_get_info(step.handle.get(), &info));
  nb::dict result;
  result["name"] = info.name;
  result["launches"] = info.launches;
  result["units"] = info.units;
  result["compile_seconds"] = info.compile_seconds;
  result["buffer_bytes"] = info.buffer_bytes;
  result["graph"] = info.graph != 0;
  return result;
}

}  // namespace

void bind_steps(nb::module_& module) {
  nb::class_<Step>(module, "Step")
      .def("buffers", &buffers_of)
      .def("set_arguments", &set_arguments, nb::arg("arguments"))
      .def("launch", &launch, nb::arg("arrays"), nb::arg("stream").none(), nb::arg("wait"))
      .def("info", &info_of);
  module.def("declare_step", &declare_step, nb::arg("service"), nb::arg("job"), nb::arg("set"),
             nb::arg("inputs"), nb::arg("outputs"));
  module.def("make_step", &make_step, nb::arg("service"), nb::arg("device"), nb::arg("job"), nb::arg("set"),
             nb::arg("inputs"), nb::arg("outputs"), nb::arg("wisdom"));
}

}  // namespace kiln::python
