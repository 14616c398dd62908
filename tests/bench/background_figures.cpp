#include <cstdio>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "embed/engine.h"
#include "figures.h"
#include "gpu_figures.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"
#include "touch_workload.h"

namespace kiln::bench {
namespace {

constexpr int kBatch = 500;  // launches that a GPU's queue holds
constexpr int kBatches = 200;

/// A launch by a handle that may swap against one by a kernel that may not, in neighbouring batches.
void print_launches(const Settings& settings, const std::string& device_name) {
  const Service service(settings);
  const DeviceHandle device = service.device(device_name);
  const KernelRequest request = service.workload("touch").kernel("touch").on(device);
  const BackgroundKernel background = request.background();
  background.wait();
  const Kernel plain = request.get();

  const auto files = make_real_file_system();
  const auto clock = make_system_clock();
  const auto log = make_stderr_log(LogLevel::kOff);
  Engine engine(settings, *files, *clock, *log);  // for memory on the same device
  const auto buffer = engine.devices().open(device.id())->allocate(4096);
  const void* address = buffer->data();

  std::vector<double> swapping, fixed, difference;
  const auto batch_of = [&](const auto& kernel, std::vector<double>& times) {
    times.push_back(seconds_of([&] {
                      for (int i = 0; i < kBatch; ++i) kernel.launch(nullptr, args(address));
                    }) /
                    kBatch * 1e9);
    device.synchronize();
  };
  for (int i = 0; i < kBatches; ++i) {
    batch_of(background, swapping);
    batch_of(plain, fixed);
    difference.push_back(swapping.back() - fixed.back());
  }
  print_row("BackgroundKernel::launch, ns", swapping, "%.0f");
  print_row("Kernel::launch in the same run, ns", fixed, "%.0f");
  print_row("difference of neighbouring batches, ns", difference, "%.1f");
}

/// With nothing in the cache: until there is a kernel, and until that is the specialised one.
void print_times_to_kernel(Settings settings, const BenchOptions& options, const std::string& workload,
                           const std::string& kernel) {
  std::vector<double> generic, swap, get;
  for (int round = 0; round < options.rounds; ++round) {
    const ScratchFolder cache;
    settings.cache_dir = (cache.path() / "background").string();
    {
      const Service service(settings);
      const BackgroundKernel made =
          service.workload(workload).kernel(kernel).on(service.device(options.device)).background();
      made.wait();
      const BackgroundStatus status = made.status();
      if (status.state != BackgroundState::kSpecialised) throw internal_error(status.reason);
      generic.push_back(status.ready_seconds * 1e3);
      swap.push_back(status.swap_seconds * 1e3);
    }
    settings.cache_dir = (cache.path() / "get").string();
    const Service service(settings);
    const KernelRequest request =
        service.workload(workload).kernel(kernel).on(service.device(options.device));
    get.push_back(seconds_of([&] { static_cast<void>(request.get()); }) * 1e3);
  }
  const std::string name = workload + ", " + kernel + ": ";
  print_row(name + "background() returns, ms", generic, "%.0f");
  print_row(name + "the specialised kernel is swapped in, ms", swap, "%.0f");
  print_row(name + "get() returns, ms", get, "%.0f");
}

}  // namespace

void print_background_figures(const BenchOptions& options) {
  const ScratchFolder scratch;
  scratch.write("touch/touch.yaml", kTouchYaml);
  scratch.write("touch/touch.cu", kTouchText);
  Settings settings = Settings::from_environment();
  settings.cache_dir = (scratch.path() / "cache").string();
  settings.workload_path = {scratch.path().string(), options.workload_folder};
  std::printf("\n%s\n\n| figure | median (quartiles) | goal |\n| --- | --- | --- |\n",
              Service(settings).device(options.device).name().c_str());
  print_launches(settings, options.device);
  print_times_to_kernel(settings, options, "stencil7", "laplacian");
  print_times_to_kernel(settings, options, "minibude", "fasten");
}

}  // namespace kiln::bench
