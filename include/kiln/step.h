#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kiln/service.h"

// The step of a workload, which is all of its `run:`, as one call of a program: a network's inference, a time
// step of a simulation.
namespace kiln {

/// Options of make_step and step_signature.
struct StepOptions {
  std::vector<std::string> set;      ///< "batch=8": in place of what the job says of it
  std::vector<std::string> inputs;   ///< buffers that each call passes; empty: the workload's `inputs`
  std::vector<std::string> outputs;  ///< buffers that each call gets back; empty: the workload's `outputs`
  /// Parameters that neither the job nor `set` gives take the values of the nearest wisdom. The defaults are
  /// taken if these fail.
  bool wisdom = false;
};

/// A buffer as the workload file declares it. Where a parameter alone is the type or an extent, an array that
/// a program passes decides its value.
struct DeclaredBuffer {
  std::string name;
  std::string type;                           ///< "float", or "T" for a parameter of types
  std::string type_parameter;                 ///< "T"; empty: the type is fixed
  std::vector<std::string> shape;             ///< expressions, "2 * n"; the last extent is contiguous
  std::vector<std::string> shape_parameters;  ///< for each extent, "n"; empty: another expression
};
struct StepSignature {
  std::vector<DeclaredBuffer> inputs, outputs;
};

/// A buffer of a step that is made.
struct StepBuffer {
  std::string name;
  std::string type;  ///< "float", "half", or the name of a record
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> shape;  ///< extents, the last contiguous
};

struct StepInfo {
  std::string name;                ///< of the workload
  std::size_t launches = 0;        ///< launches that the step may do
  std::size_t units = 0;           ///< texts that were compiled or found, with those that make inputs
  double compile_seconds = 0;      ///< time spent on compiles, summed over units; 0 if all were found
  std::uint64_t buffer_bytes = 0;  ///< memory on the device
  bool graph = false;              ///< launches that follow each other are one graph
};

/// A workload with its kernels compiled for one device and its buffers filled. Cheap to copy; all copies
/// share the buffers, which keep their contents between calls unless the caller passes them. Thread-safe:
/// calls run one after the other, also on the device.
class Step {
 public:
  struct Impl;  ///< Kiln's own

  /// An empty step, which cannot be called.
  Step() = default;

  [[nodiscard]] const std::vector<StepBuffer>& inputs() const;
  [[nodiscard]] const std::vector<StepBuffer>& outputs() const;
  [[nodiscard]] const StepInfo& info() const;

  /// Enqueues the step on the caller's stream (null: the default stream of the device), with the addresses of
  /// the caller's arrays in the order of inputs() and outputs(). A null address stands for the step's own
  /// buffer. Kernels use the memory of an input directly if it is aligned to 256 bytes (64 on the cpu), the
  /// step does not swap the buffer, no other buffer holds its address, and it is no output with another
  /// address; otherwise the array is copied before the step. Kernels that write an input therefore may write
  /// the caller's array: do not name such a buffer as an input of a step whose arrays must not change.
  /// Outputs are copied from the step's buffers, which keep their contents. The caller's arrays stay valid
  /// until the stream has done the work. Waits only if the program has a statement `read` or a loop with
  /// `until`. While the stream is captured into a graph, launches go to that graph. Throws Error: bad input
  /// for another number of addresses, otherwise the driver's error.
  void operator()(void* stream, std::span<const void* const> inputs, std::span<void* const> outputs) const;
  /// operator() with a null stream, and the wait for it. Throws Error when a kernel failed.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs) const;

  [[nodiscard]] explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend Step make_step(const Service& service, const DeviceHandle& device, const std::string& job,
                        const StepOptions& options);
  std::shared_ptr<Impl> impl_;
};

/// Reads what a step takes and returns, without a device. `job` is as in make_step.
[[nodiscard]] StepSignature step_signature(const Service& service, const std::string& job,
                                           const StepOptions& options = {});

/// Compiles a workload for the device, allocates its buffers and fills them. `job` is the path of a job file,
/// its text (if it contains a line break), or the name or folder of a workload. Of swept parameters the first
/// value is taken; the job's devices, checks and measurement are ignored. Throws Error: bad input for
/// mistakes in the job and for a buffer that the step does not take, kCompile with the compiler's log, kUnfit
/// for shapes that do not fit.
[[nodiscard]] Step make_step(const Service& service, const DeviceHandle& device, const std::string& job,
                             const StepOptions& options = {});

}  // namespace kiln
