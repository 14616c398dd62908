#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/kernel_service.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "trial/program_run.h"

namespace kiln::test {

/// add: every element of a buffer gets `amount` more. halve: r[0] is halved. scale: by a member of Params.
constexpr const char* kProgramHead = R"yaml(workload: w
parameters:
  n: {type: int, default: 4}
  width: {type: int, default: 1}
  dt: {type: double, default: 0.5}
buffers:
  u: {type: double, shape: [n]}
  v: {type: double, shape: [n]}
  w1: {type: double, shape: [n]}
  w2: {type: double, shape: [n]}
  w3: {type: double, shape: [n]}
  small: {type: double, shape: [2]}
  r: {type: double, shape: [2]}
  count: {type: int, shape: [1]}
  tail: {type: double, shape: [2], view: {of: u, offset: "n - 2"}}
kernels:
  add: {source: k.cu, grid: [2], block: [1], args: [u, {value: "1", type: int, name: amount}]}
  halve: {source: k.cu, grid: [1], block: [1], args: [r]}
  shift: {source: k.cu, grid: [1], block: [1], args: [u, params]}
  layer: {source: layer.cu, grid: [1], block: [1], args: [u, params]}
)yaml";

/// Programs over a few kernels of a fake device, which write down what they do.
class ProgramRunTest : public testing::Test {
 protected:
  ProgramRunTest() {
    files_.make_directories("/w", false);
    files_.write_file("/w/k.cu",
                      "#include \"kiln/params.h\"\n__global__ void add(); __global__ void halve();"
                      "__global__ void shift(double* u, Params p) { u[0] += p.dt; }",
                      false);
    files_.write_file(
        "/w/layer.cu",
        "#include \"kiln/params.h\"\n__global__ void layer(double* u, Params p) { u[0] = p.width; }", false);
    define("add", {8, 4}, [this](const LaunchShape& shape, void* const* arguments) {
      double* data = *static_cast<double* const*>(arguments[0]);
      int amount = 0;
      std::memcpy(&amount, arguments[1], sizeof amount);
      log("add " + std::to_string(amount) + " x" + std::to_string(shape.grid.x), data);
      for (int i = 0; i < 4; ++i) data[i] += amount;
    });
    define("halve", {8}, [](const LaunchShape&, void* const* arguments) {
      **static_cast<double* const*>(arguments[0]) /= 2;
    });
    define("shift", {8, 8}, [](const LaunchShape&, void* const* arguments) {
      double dt = 0;
      std::memcpy(&dt, arguments[1], sizeof dt);
      **static_cast<double* const*>(arguments[0]) += dt;
    });
    define("layer", {}, [this](const LaunchShape&, void* const*) { log_.emplace_back("layer"); });
  }

  /// No sizes: the kernel does not tell them.
  void define(const std::string& name, const std::vector<std::size_t>& parameter_bytes,
              std::function<void(const LaunchShape&, void* const*)> body) {
    FakeKernel kernel;
    if (!parameter_bytes.empty()) kernel.attributes.parameter_bytes = parameter_bytes;
    kernel.body = std::move(body);
    device_->define("_Z" + name, std::move(kernel));
  }

  /// `what`, and the buffer by the name that it had at first.
  void log(const std::string& what, const double* data) {
    std::string name = "?";
    for (const auto& [known, address] : addresses_) {
      if (address == data) name = known;
    }
    log_.push_back(what + " " + name);
  }

  /// `more_buffers` begins with "buffers:\n".
  ProgramRun& bind(const std::string& run, const std::string& more_buffers = "buffers:\n") {
    std::string text = std::string(kProgramHead) + "run:\n" + run;
    text.replace(text.find("buffers:\n"), std::strlen("buffers:\n"), more_buffers);
    workload_ = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
    configuration_ = configure(workload_, {}, device_->info(), files_).configuration;
    workspace_ = std::make_unique<Workspace>(*device_, *stream_, configuration_, files_, pool_);
    std::vector<std::string> buffers;
    for (const BufferSpec& buffer : workload_->buffers) buffers.push_back(buffer.name);
    workspace_->allocate(buffers);
    for (const char* name : {"u", "v"})
      addresses_[name] = static_cast<double*>(workspace_->buffer(name).data());
    for (const std::string& name : buffers) workspace_->fill_with(*stream_, name, 0, {});
    program_ = std::make_unique<ProgramRun>(
        configuration_, workload_->run, *workspace_, [this](const LaunchSpec& launch) {
          const Configuration& own = configuration_.of(launch);
          return PreparedKernel(own, *launch.configured, units_for(own, launch.kernel), *workspace_);
        });
    return *program_;
  }

  const std::vector<LoadedUnit>& units_for(const Configuration& configuration, const std::string& kernel) {
    std::vector<LoadedUnit>& loaded = units_[{&configuration, kernel}];
    if (!loaded.empty()) return loaded;
    for (Unit& unit : make_units(configuration, {kernel}, Role::kRun, device_->info().target, files_)) {
      auto result = std::get<ServiceResult>(service_.get(unit.specialization, compiler_, device_));
      loaded.push_back({std::move(unit), std::move(result.code)});
    }
    return loaded;
  }

  void run() { program_->run(enqueue_, options_); }
  /// With graphs; the kernels of those that are enqueued are in `replayed_`.
  void run_graphs() {
    ProgramRunOptions options = options_;
    options.replay = [this](Graph& graph, const std::string& kernels, Stream& stream) {
      replayed_.push_back(kernels);
      graph.launch(stream);
    };
    program_->run(enqueue_, options);
  }

  double at(const std::string& name, std::uint64_t element = 0) { return workspace_->number(name, element); }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(clock_);
  std::unique_ptr<Stream> stream_ = device_->create_stream();
  FakeCompiler compiler_;
  KernelService service_{nullptr, clock_};
  BufferPool pool_;
  std::shared_ptr<const Workload> workload_;
  Configuration configuration_;
  std::unique_ptr<Workspace> workspace_;
  std::map<std::pair<const Configuration*, std::string>, std::vector<LoadedUnit>> units_;
  std::unique_ptr<ProgramRun> program_;
  std::map<std::string, const double*> addresses_;
  std::vector<std::string> log_;
  std::vector<std::string> replayed_;
  int launched_ = 0;
  ProgramRunOptions options_;
  ProgramRun::Enqueue enqueue_ = [this](std::size_t, PreparedKernel& kernel, Stream& stream) {
    kernel.enqueue(stream);
    ++launched_;
  };
};

}  // namespace kiln::test
