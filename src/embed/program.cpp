#include <algorithm>

#include "base/text.h"
#include "compile/outline.h"
#include "device/backend_kind.h"
#include "embed/made_function.h"
#include "embed/made_kernel.h"
#include "kiln/service.h"

namespace kiln {
namespace {

template <class Impl, class Change>
void change(std::shared_ptr<const Impl>& shared, const Change& how) {
  auto changed = std::make_shared<Impl>(*shared);
  how(*changed);
  shared = std::move(changed);
}

Extent block_extent(std::uint32_t x, std::uint32_t y, std::uint32_t z, const char* what) {
  if (x == 0 || y == 0 || z == 0)
    throw bad_input(std::string(what) + "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                    std::to_string(z) + "): every extent must be at least 1");
  return {x, y, z};
}

/// Only the compiler knows names that headers and macros define.
void require_kernel(const Program::Impl& program, const std::string& kernel) {
  const std::string name = kernel.substr(kernel.rfind(':') + 1);
  const std::vector<std::string> known = find_kernels(program.text);
  const bool may_be = is_identifier(name) && (program.text.find("#include") != std::string::npos ||
                                              program.text.find("#define") != std::string::npos);
  if (!may_be && std::find(known.begin(), known.end(), name) == known.end())
    throw bad_input("program '" + program.name + "' has no kernel '" + kernel + "'" +
                    suggestion(name, known));
}

}  // namespace

Program Service::program(const std::string& name, const std::string& text) const {
  if (name.empty() || printable_line(name) != name || name.find('"') != std::string::npos)
    throw bad_input("program(" + in_quotes(name) + "): expected a name such as 'cg.cu'");
  auto program = std::make_shared<Program::Impl>();
  program->service = impl_;
  program->name = name;
  program->text = text;
  Program result;
  result.impl_ = std::move(program);
  return result;
}

Program& Program::header(const std::string& name, const std::string& text) {
  change(impl_, [&](Impl& program) {
    std::erase_if(program.headers, [&](const IncludedHeader& known) { return known.name == name; });
    program.headers.push_back({name, "", text});
    program.made = std::make_shared<FunctionIndex>();
  });
  return *this;
}

Program& Program::symbol(const std::string& name, std::span<const std::byte> content) {
  change(impl_, [&](Impl& program) {
    program.symbols[name] = std::string(reinterpret_cast<const char*>(content.data()), content.size());
    program.made = std::make_shared<FunctionIndex>();
  });
  return *this;
}

std::vector<std::string> Program::kernels() const {
  return find_kernels(impl_->text);
}

FunctionRequest Program::function(const std::string& kernel, const DeviceHandle& device) const {
  return function(kernel, device, nullptr);
}

FunctionRequest Program::function(const std::string& kernel, const DeviceHandle& device, void* stream) const {
  if (!device.impl_) throw bad_input("kernel '" + kernel + "': the device handle holds no device");
  FunctionRequest result = function(kernel);
  if (stream != nullptr)
    static_cast<void>(device.impl_->device->is_capturing(stream));  // refuses a pointer that is not a stream
  change(result.impl_, [&](FunctionRequest::Impl& request) {
    request.device = device.impl_;
    request.caller_stream = stream;
  });
  return result;
}

FunctionRequest Program::function(const std::string& kernel) const {
  require_kernel(*impl_, kernel);
  auto request = std::make_shared<FunctionRequest::Impl>();
  request->program = impl_;
  request->kernel = kernel.starts_with("::") ? kernel.substr(2) : kernel;
  FunctionRequest result;
  result.impl_ = std::move(request);
  return result;
}

FunctionRequest& FunctionRequest::template_args(const std::vector<std::string>& arguments) {
  change(impl_, [&](Impl& request) { request.template_args = arguments; });
  return *this;
}

FunctionRequest& FunctionRequest::define(const std::string& name, const std::string& value) {
  if (!is_identifier(name)) throw bad_input("define(" + in_quotes(name) + "): expected a macro's name");
  if (value.find('\n') != std::string::npos)
    throw bad_input("define(" + in_quotes(name) + "): expected a value of one line");
  change(impl_, [&](Impl& request) { request.defines[name] = value; });
  return *this;
}

FunctionRequest& FunctionRequest::constant(int argument, const LaunchScalar::Value& value) {
  change(impl_, [&](Impl& request) { request.constants[argument] = value; });
  return *this;
}

FunctionRequest& FunctionRequest::block(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  change(impl_, [&](Impl& request) { request.block = block_extent(x, y, z, "block"); });
  return *this;
}

FunctionRequest& FunctionRequest::grid(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  change(impl_, [&](Impl& request) { request.grid = block_extent(x, y, z, "grid"); });
  return *this;
}

FunctionRequest& FunctionRequest::cover(int x, int y, int z) {
  change(impl_, [&](Impl& request) { request.cover = {x, y, z}; });
  return *this;
}

FunctionRequest& FunctionRequest::shared_bytes(std::uint32_t bytes) {
  change(impl_, [&](Impl& request) { request.shared_bytes = bytes; });
  return *this;
}

FunctionRequest& FunctionRequest::launch_bounds(std::uint32_t threads, std::uint32_t blocks) {
  if (threads == 0) throw bad_input("launch_bounds(0): expected at least 1 work-item");
  change(impl_, [&](Impl& request) {
    request.launch_bounds = std::to_string(threads) + (blocks > 0 ? ", " + std::to_string(blocks) : "");
  });
  return *this;
}

FunctionRequest& FunctionRequest::options(const std::string& backend,
                                          const std::vector<std::string>& options) {
  const std::vector<std::string> known = backend_names();
  if (!backend.empty() && std::find(known.begin(), known.end(), backend) == known.end())
    throw bad_input("options(): unknown back end " + in_quotes(backend) + suggestion(backend, known));
  change(impl_, [&](Impl& request) { request.options[backend] = options; });
  return *this;
}

FunctionRequest& FunctionRequest::fast_math(bool on) {
  change(impl_, [&](Impl& request) { request.fast_math = on; });
  return *this;
}

FunctionRequest& FunctionRequest::lineinfo(bool on) {
  change(impl_, [&](Impl& request) { request.lineinfo = on; });
  return *this;
}

void FunctionRequest::make_for(const std::vector<detail::ArgumentType>& arguments,
                               const std::string& architectures) const {
  compile_function_for(*impl_, arguments, architectures);
}

std::shared_ptr<const detail::FunctionState> FunctionRequest::make(
    const std::vector<detail::ArgumentType>& arguments) const {
  if (!impl_->device)
    throw bad_input("kernel '" + impl_->name_expression() +
                    "': no device; function(kernel) without one is for compile_for()");
  const std::string wanted = impl_->fingerprint(arguments);
  const bool own_variables = !impl_->program->symbols.empty();
  if (!own_variables) {
    if (auto found = impl_->program->made->find(wanted)) {
      impl_->program->service->engine.service().count_memory_hit();
      return found;
    }
  }
  std::shared_ptr<const MadeFunction> made = make_function(*impl_, arguments);
  if (!own_variables) impl_->program->made->add(wanted, made);
  return made;
}

std::shared_ptr<void> FunctionRequest::announce() const {
  if (!impl_->device) return nullptr;
  return std::make_shared<ExpectedCompiles>(
      announce_compile(impl_->program->service->engine, impl_->device->device->info().target.backend));
}

}  // namespace kiln
