#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/signature.h"
#include "embed/function_access.h"

using kiln::capi::deref;
using kiln::capi::guarded;
using kiln::capi::making;
using kiln::capi::text;
using kiln::capi::texts;

namespace {

template <class Change>
kiln_status change(kiln_function_request* request, const Change& how) {
  return guarded([&] { how(deref(request, "request").request); });
}

}  // namespace

kiln_status kiln_program_create(const kiln_service* service, const char* name, const char* source,
                                kiln_program** program) {
  return making(program, "program", [&] {
    kiln::Program made = deref(service, "service").service.program(text(name, "name"), text(source, "text"));
    std::vector<std::string> kernels = made.kernels();
    return new kiln_program{std::move(made), std::move(kernels)};
  });
}

void kiln_program_release(kiln_program* program) {
  delete program;
}

kiln_status kiln_program_header(kiln_program* program, const char* name, const char* header) {
  return guarded([&] { deref(program, "program").program.header(text(name, "name"), text(header, "text")); });
}

kiln_status kiln_program_symbol(kiln_program* program, const char* name, const void* content, size_t bytes) {
  return guarded([&] {
    const auto* first = kiln::capi::array(static_cast<const std::byte*>(content), bytes, "content");
    deref(program, "program").program.symbol(text(name, "name"), {first, bytes});
  });
}

size_t kiln_program_kernel_count(const kiln_program* program) {
  return program == nullptr ? 0 : program->kernels.size();
}
const char* kiln_program_kernel_name(const kiln_program* program, size_t index) {
  return index < kiln_program_kernel_count(program) ? program->kernels[index].c_str() : nullptr;
}

kiln_status kiln_function_request_create(const kiln_program* program, const char* kernel,
                                         const kiln_device* device, void* stream,
                                         kiln_function_request** request) {
  return making(request, "request", [&] {
    return new kiln_function_request{
        deref(program, "program")
            .program.function(text(kernel, "kernel"), deref(device, "device").device, stream)};
  });
}

void kiln_function_request_release(kiln_function_request* request) {
  delete request;
}

kiln_status kiln_function_request_template_args(kiln_function_request* request, size_t count,
                                                const char* const* arguments) {
  return change(request,
                [&](kiln::FunctionRequest& own) { own.template_args(texts(arguments, count, "arguments")); });
}

kiln_status kiln_function_request_define(kiln_function_request* request, const char* name,
                                         const char* value) {
  return change(request,
                [&](kiln::FunctionRequest& own) { own.define(text(name, "name"), text(value, "value")); });
}

kiln_status kiln_function_request_constant_bool(kiln_function_request* request, int argument, int value) {
  return change(request, [&](kiln::FunctionRequest& own) { own.constant(argument, value != 0); });
}
kiln_status kiln_function_request_constant_int(kiln_function_request* request, int argument, int64_t value) {
  return change(request, [&](kiln::FunctionRequest& own) { own.constant(argument, value); });
}
kiln_status kiln_function_request_constant_uint(kiln_function_request* request, int argument,
                                                uint64_t value) {
  return change(request, [&](kiln::FunctionRequest& own) { own.constant(argument, value); });
}
kiln_status kiln_function_request_constant_double(kiln_function_request* request, int argument,
                                                  double value) {
  return change(request, [&](kiln::FunctionRequest& own) { own.constant(argument, value); });
}

kiln_status kiln_function_request_block(kiln_function_request* request, uint32_t x, uint32_t y, uint32_t z) {
  return change(request, [&](kiln::FunctionRequest& own) { own.block(x, y, z); });
}
kiln_status kiln_function_request_grid(kiln_function_request* request, uint32_t x, uint32_t y, uint32_t z) {
  return change(request, [&](kiln::FunctionRequest& own) { own.grid(x, y, z); });
}
kiln_status kiln_function_request_cover(kiln_function_request* request, int x, int y, int z) {
  return change(request, [&](kiln::FunctionRequest& own) { own.cover(x, y, z); });
}
kiln_status kiln_function_request_shared_bytes(kiln_function_request* request, uint32_t bytes) {
  return change(request, [&](kiln::FunctionRequest& own) { own.shared_bytes(bytes); });
}
kiln_status kiln_function_request_launch_bounds(kiln_function_request* request, uint32_t threads,
                                                uint32_t blocks) {
  return change(request, [&](kiln::FunctionRequest& own) { own.launch_bounds(threads, blocks); });
}

kiln_status kiln_function_request_options(kiln_function_request* request, const char* backend, size_t count,
                                          const char* const* options) {
  return change(request, [&](kiln::FunctionRequest& own) {
    own.options(text(backend, "backend"), texts(options, count, "options"));
  });
}

kiln_status kiln_function_request_fast_math(kiln_function_request* request, int on) {
  return change(request, [&](kiln::FunctionRequest& own) { own.fast_math(on != 0); });
}
kiln_status kiln_function_request_lineinfo(kiln_function_request* request, int on) {
  return change(request, [&](kiln::FunctionRequest& own) { own.lineinfo(on != 0); });
}

kiln_status kiln_function_get(const kiln_function_request* request, const char* signature,
                              kiln_function** function) {
  return making(function, "function", [&] {
    auto arguments = kiln::capi::parse_signature(text(signature, "signature"));
    auto state = kiln::detail::FunctionAccess::make(deref(request, "request").request, arguments);
    std::vector<std::size_t> sizes;
    sizes.reserve(arguments.size());
    for (const kiln::detail::ArgumentType& argument : arguments) sizes.push_back(argument.bytes);
    return new kiln_function{std::move(state), std::move(arguments), std::move(sizes)};
  });
}

kiln_status kiln_family_get(const kiln_function_request* request, const char* signature, size_t count,
                            const int* keyed, kiln_family** family) {
  return making(family, "family", [&] {
    const int* first = kiln::capi::array(keyed, count, "keyed");
    const auto arguments = kiln::capi::parse_signature(text(signature, "signature"));
    return new kiln_family{kiln::detail::FunctionAccess::make_family(
        deref(request, "request").request, arguments, std::vector<int>(first, first + count))};
  });
}
