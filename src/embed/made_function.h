#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embed/handles.h"
#include "kiln/function.h"
#include "service/kernel_service.h"

// The types behind the handles of kiln/function.h.
namespace kiln {

/// A function that was got; what the public header reads comes first.
struct MadeFunction : detail::FunctionState {
  std::shared_ptr<DeviceHandle::Impl> device_handle;
  std::shared_ptr<LoadedCode> code;
  DeviceFunction* function = nullptr;
  std::vector<detail::ArgumentType> arguments;  ///< that the program passes
  FunctionInfo info;
  Dim3 cluster = {};         ///< as LaunchShape's, of a workload's kernel
  bool cooperative = false;  ///< likewise
};

/// Functions of a program that still have an owner, by all parts of their request. Thread-safe.
class FunctionIndex {
 public:
  /// Null: not here.
  [[nodiscard]] std::shared_ptr<const MadeFunction> find(const std::string& wanted) const;
  void add(const std::string& wanted, const std::shared_ptr<const MadeFunction>& function);

 private:
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, std::weak_ptr<const MadeFunction>> functions_;
  std::size_t swept_ = 0;  ///< how many there were when functions without an owner were last removed
};

struct [[gnu::visibility("hidden")]] Program::Impl {
  std::shared_ptr<Service::Impl> service;
  std::string name, text;
  std::vector<IncludedHeader> headers;
  std::map<std::string, std::string> symbols;  ///< bytes by variable
  std::shared_ptr<FunctionIndex> made =
      std::make_shared<FunctionIndex>();  ///< functions for this state of the program
};

struct [[gnu::visibility("hidden")]] FunctionRequest::Impl {
  std::shared_ptr<const Program::Impl> program;
  std::string kernel;
  std::shared_ptr<DeviceHandle::Impl> device;
  void* caller_stream = nullptr;
  std::vector<std::string> template_args;
  std::map<std::string, std::string> defines;
  std::map<int, LaunchScalar::Value> constants;  ///< by argument
  std::optional<Extent> block, grid;
  std::array<int, 3> cover{-1, -1, -1};
  std::uint32_t shared_bytes = 0;
  std::string launch_bounds;
  std::map<std::string, std::vector<std::string>> options;  ///< by back end; "" for all
  bool fast_math = false, lineinfo = false;

  /// "axpy<double>".
  [[nodiscard]] std::string name_expression() const;
  /// Texts that are equal if, and only if, the requests for these arguments are.
  [[nodiscard]] std::string fingerprint(const std::vector<detail::ArgumentType>& arguments) const;
};

/// Compiles for these architectures into the cache. Throws what FunctionRequest::compile_for does.
void compile_function_for(const FunctionRequest::Impl& request, std::vector<detail::ArgumentType> arguments,
                          const std::string& architectures);
/// The text of the request's function, with the check of the arguments' types.
[[nodiscard]] Specialization specialize_function(const FunctionRequest::Impl& request,
                                                 const std::vector<detail::ArgumentType>& arguments,
                                                 const Compiler& compiler, const Target& target);
/// Why a text did not compile, in the program's words where it takes other arguments. `place`: "kernel 'k'".
[[nodiscard]] Error signature_error(const Diagnostic& diagnostic, const std::string& place,
                                    const std::vector<detail::ArgumentType>& arguments);

/// Makes the request's data that a launch reads; finish_function() adds the code.
[[nodiscard]] std::shared_ptr<MadeFunction> begin_function(const FunctionRequest::Impl& request,
                                                           std::vector<detail::ArgumentType> arguments);
void finish_function(const FunctionRequest::Impl& request, const ServiceResult& found, MadeFunction& made);
/// The part of finish_function() that does not ask where the text came from. `all`: the kernel's arguments;
/// `shape`: a block of 0 if each launch says it. Throws bad_input for arguments that the code does not take,
/// and kUnfit for a shape that does not fit.
void add_code(const ServiceResult& found, std::shared_ptr<LoadedCode> code, const std::string& entry,
              const std::vector<detail::ArgumentType>& all, const LaunchShape& shape, MadeFunction& made);

/// Finds or compiles, and loads. Throws what FunctionRequest::get does.
[[nodiscard]] std::shared_ptr<MadeFunction> make_function(const FunctionRequest::Impl& request,
                                                          std::vector<detail::ArgumentType> arguments);

}  // namespace kiln
