// What a program that embeds Kiln waits for: a kernel that it has, one on the disk, one that is compiled,
// many.
#include <fstream>
#include <future>
#include <iterator>
#include <thread>
#include <vector>

#include "bare_nvrtc.h"
#include "cache/disk_cache.h"
#include "compile_figures.h"
#include "device/gpu/gpu_context.h"
#include "gpu_figures.h"
#include "kiln/async.h"
#include "kiln/error.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"
#include "service/kernel_service.h"
#include "specialize/unit.h"
#include "touch_workload.h"
#include "workload/library.h"

namespace kiln::bench {
namespace {

namespace fs = std::filesystem;

Settings settings_in(const Gpu& gpu, const fs::path& cache, const fs::path& workloads) {
  Settings settings = Settings::from_environment();
  settings.cache_dir = cache.string();
  settings.workload_path = {workloads.string()};
  settings.isolation = gpu.options.isolation;
  return settings;
}

KernelRequest stencil(const Service& service, const DeviceHandle& device) {
  return service.workload("stencil7").kernel("laplacian").on(device).set("implementation", "paper");
}

void print_get_by_values(const Gpu& gpu) {
  constexpr int kKernels = 16;
  constexpr int kGets = 20'000;
  const ScratchFolder scratch;
  scratch.write("touch/touch.yaml", kTouchYaml);
  scratch.write("touch/touch.cu", kTouchText);
  const Service service(settings_in(gpu, scratch.path() / "cache", scratch.path()));
  const KernelRequest base = service.workload("touch")
                                 .kernel("touch")
                                 .on(service.device("cuda:0"))
                                 .set("block", 128)
                                 .set("bind.n", "run");
  KernelRequest request = base;
  for (int i = 0; i < kKernels; ++i) static_cast<void>(request.set("n", 1000 + i).get());
  const auto time = [&](const std::function<void(int)>& get) {
    std::vector<double> times;
    for (int round = 0; round < 25; ++round) {
      times.push_back(seconds_of([&] {
                        for (int i = 0; i < kGets; ++i) get(i);
                      }) /
                      kGets * 1e9);
    }
    return times;
  };
  print_row("get() by values: request.set(\"n\", n).get(), ns",
            time([&](int i) { static_cast<void>(request.set("n", 1000 + i % kKernels).get()); }), "%.0f",
            "1000");
  print_row("get() by values, from a copy of a request with two values, ns", time([&](int i) {
              KernelRequest copy = base;
              static_cast<void>(copy.set("n", 1000 + i % kKernels).get());
            }),
            "%.0f", "1000");
  print_row("get() alone, ns", time([&](int) { static_cast<void>(request.get()); }), "%.0f");
  const auto shared = [&](int threads) {
    std::vector<double> times;
    for (int round = 0; round < 9; ++round) {
      times.push_back(seconds_of([&] {
                        std::vector<std::jthread> all;
                        for (int t = 0; t < threads; ++t) {
                          all.emplace_back([&] {
                            KernelRequest own = base;
                            for (int i = 0; i < kGets; ++i)
                              static_cast<void>(own.set("n", 1000 + i % kKernels).get());
                          });
                        }
                      }) /
                      kGets * 1e9);
    }
    return times;
  };
  print_row("the same from 4 threads at once, ns", shared(4), "%.0f");
}

/// What a disk hit is made of, by Kiln's layers one after the other.
void print_parts_of_disk_hit(Gpu& gpu, const fs::path& cache, int first, int count) {
  const auto clock = make_system_clock();
  const WorkloadLibrary library(*gpu.files, {gpu.options.workload_folder});
  const auto workload = library.load("stencil7", {});
  const DeviceInfo& device = gpu.device->info();
  DiskCache disk(*gpu.files, *clock, *gpu.log, cache);
  std::vector<double> configured, specialised, keyed, read, loaded, found;
  for (int i = 0; i < count; ++i) {
    const std::vector<std::pair<std::string, RawValue>> values = {
        {"nx", {std::to_string(first + i), false, {}}}, {"implementation", {"paper", false, {}}}};
    std::optional<Configuration> configuration;
    configured.push_back(
        seconds_of([&] { configuration = configure(workload, values, device, *gpu.files).configuration; }) *
        1e3);
    std::vector<Unit> units;
    specialised.push_back(seconds_of([&] {
                            units = make_units(*configuration, {"laplacian"}, Role::kRun, device.target,
                                               *gpu.files);
                          }) *
                          1e3);
    CacheKey key;
    keyed.push_back(seconds_of([&] { key = make_cache_key(units.at(0).specialization, *gpu.compiler); }) *
                    1e3);
    std::optional<CodeObject> code;
    read.push_back(seconds_of([&] { code = disk.load(key); }) * 1e3);
    if (!code) return;  // another key: what was measured above is right, and there is nothing to load
    std::shared_ptr<LoadedCode> module;
    loaded.push_back(seconds_of([&] { module = std::make_shared<LoadedCode>(*code, gpu.device); }) * 1e3);
    found.push_back(seconds_of([&] { static_cast<void>(module->function("laplacian")); }) * 1e3);
  }
  print_row("disk hit, part: configuration, ms", configured, "%.3f");
  print_row("disk hit, part: sources and specialization, ms", specialised, "%.3f");
  print_row("disk hit, part: key, ms", keyed, "%.3f");
  print_row("disk hit, part: entry read and verified, ms", read, "%.3f");
  print_row("disk hit, part: module loaded by the driver, ms", loaded, "%.3f");
  print_row("disk hit, part: function and its attributes, ms", found, "%.3f");
}

/// A cubin from a file by the driver alone.
std::vector<double> bare_loads(Gpu& gpu, const fs::path& cache, int count) {
  std::vector<double> times;
  const cuda_abi::Functions& call = gpu.driver->call;
  cuda_abi::Context context = nullptr;
  check_driver(*gpu.driver, call.primary_context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check_driver(*gpu.driver, call.context_push(context), "cuCtxPushCurrent");
  for (const auto& entry : fs::recursive_directory_iterator(cache)) {
    if (entry.path().filename() != "binary" || static_cast<int>(times.size()) == count) continue;
    times.push_back(seconds_of([&] {
                      std::ifstream file(entry.path(), std::ios::binary);
                      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
                      cuda_abi::Module module = nullptr;
                      cuda_abi::Function function = nullptr;
                      check_driver(*gpu.driver, call.module_load(&module, bytes.c_str(), 0, nullptr, nullptr),
                                   "cuModuleLoadDataEx");
                      check_driver(*gpu.driver, call.module_get_function(&function, module, "laplacian"),
                                   "cuModuleGetFunction");
                    }) *
                    1e3);
  }
  return times;
}

void print_disk_hits(Gpu& gpu) {
  constexpr int kFirst = 200;
  const int count = std::min(gpu.options.rounds, 50);
  const ScratchFolder scratch;
  const Settings settings = settings_in(gpu, scratch.path() / "cache", gpu.options.workload_folder);
  {
    const Service service(settings);
    const DeviceHandle device = service.device("cuda:0");
    for (int i = 0; i < count; ++i) static_cast<void>(stencil(service, device).set("nx", kFirst + i).get());
  }
  std::vector<double> first, later;
  for (int i = 0; i < count; ++i) {
    const Service service(settings);
    const DeviceHandle device = service.device("cuda:0");
    const KernelRequest request = stencil(service, device);
    for (int j = 0; j < 2; ++j) {
      KernelRequest wanted = request;
      wanted.set("nx", kFirst + (i + j) % count);
      const double ms = seconds_of([&] {
                          if (wanted.get().origin() != "disk") throw internal_error("not from the disk");
                        }) *
                        1e3;
      (j == 0 ? first : later).push_back(ms);
    }
  }
  print_row("disk hit of a small kernel: the first of a service, ms", first, "%.3f", "0.5");
  print_row("disk hit of a small kernel: later ones, ms", later, "%.3f", "0.5");
  print_row("the same cubin from a file by cuModuleLoadDataEx, ms",
            bare_loads(gpu, scratch.path() / "cache", count), "%.3f");
  print_parts_of_disk_hit(gpu, scratch.path() / "cache", kFirst, count);
}

/// Compiled and loaded: get() against NVRTC and the driver.
void print_cold_compiles(Gpu& gpu, bool with_cache, int first) {
  const ScratchFolder scratch;
  Settings settings = settings_in(gpu, scratch.path() / "cache", gpu.options.workload_folder);
  settings.cache = with_cache;
  const Service service(settings);
  const DeviceHandle device = service.device("cuda:0");
  const KernelRequest request = stencil(service, device);
  const NvrtcLibrary nvrtc = open_nvrtc(gpu.places, *gpu.files);
  int round = 0;
  const WorkloadLibrary library(*gpu.files, {gpu.options.workload_folder});
  const auto workload = library.load("stencil7", {});
  const auto bare = [&](int n, BareOptions options) {
    const std::vector<std::pair<std::string, RawValue>> values = {{"nx", {std::to_string(n), false, {}}},
                                                                  {"implementation", {"paper", false, {}}}};
    const Configuration configuration =
        configure(workload, values, gpu.device->info(), *gpu.files).configuration;
    const auto units =
        make_units(configuration, {"laplacian"}, Role::kRun, gpu.device->info().target, *gpu.files);
    return bare_compile_and_load_seconds(nvrtc, *gpu.driver, units.at(0).specialization, options);
  };
  const auto next = [&] { return first + round++; };
  static_cast<void>(KernelRequest(request).set("nx", next()).get());
  static_cast<void>(bare(next(), BareOptions::kPlain));
  std::vector<double> ratios, own, kiln, others;
  for (int i = 0; i < gpu.options.rounds; ++i) {
    const auto by_kiln = [&] {
      KernelRequest wanted = request;
      const int n = next();
      kiln.push_back(seconds_of([&] { static_cast<void>(wanted.set("nx", n).get()); }) * 1e3);
    };
    if (i % 2 == 0) by_kiln();
    others.push_back(bare(next(), BareOptions::kPlain) * 1e3);
    const double same = bare(next(), BareOptions::kAsKiln) * 1e3;
    if (i % 2 != 0) by_kiln();
    ratios.push_back(kiln.back() / others.back());
    own.push_back(kiln.back() / same);
  }
  const ServiceStatistics statistics = service.statistics();
  const double compiled = static_cast<double>(statistics.compiled);
  const std::string with = with_cache ? "with disk cache" : "without disk cache";
  print_row("cold compile and load of stencil7 " + with + ", Kiln, ms", kiln, "%.2f");
  print_row("the same by NVRTC and the driver, ms", others, "%.2f");
  print_row("cold compile over bare NVRTC " + with + ", small stencil", ratios, "%.3f", "1.03");
  print_row("the same over NVRTC with Kiln's options (--minimal, --no-cache)", own, "%.3f");
  std::printf(
      "| of these, by Kiln's own clock: compile, load, write (beside the caller), ms | %.2f, %.2f, %.2f | "
      "|\n",
      statistics.compile_seconds / compiled * 1e3, statistics.load_seconds / compiled * 1e3,
      statistics.write_seconds / compiled * 1e3);
}

void print_many(Gpu& gpu) {
  constexpr int kVariants = 64;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  BenchOptions options = gpu.options;
  options.arch = gpu.device->info().target.arch;
  const int rounds = std::clamp(options.rounds / 3, 3, 9);
  const ScratchFolder scratch;
  int next = 0;
  static_cast<void>(compile_variants(options, scratch, cores, 1, next));
  std::vector<double> asynchronous, command, bare;
  for (int i = 0; i < rounds; ++i) {
    let_processes_go();
    {
      const Service service(
          settings_in(gpu, scratch.path() / ("cache" + std::to_string(i)), options.workload_folder));
      const DeviceHandle device = service.device("cuda:0");
      const KernelRequest request = stencil(service, device);
      asynchronous.push_back(kVariants / seconds_of([&] {
                               std::vector<std::future<Kernel>> kernels;
                               for (int n = 0; n < kVariants; ++n) {
                                 KernelRequest one = request;
                                 kernels.push_back(one.set("nx", 2000 + next++).get_async());
                               }
                               for (auto& kernel : kernels) static_cast<void>(kernel.get());
                             }));
    }
    let_processes_go();
    command.push_back(kVariants / compile_variants(options, scratch, cores, kVariants, next));
    let_processes_go();
    bare.push_back(kVariants / compile_bare(options, cores, kVariants));
  }
  const std::string variants = "64 variants on " + std::to_string(cores) + " cores, variants a second: ";
  print_row(variants + "get_async", asynchronous, "%.0f", "280");
  print_row(variants + "kiln compile", command, "%.0f", "280");
  print_row(variants + "as many bare processes", bare, "%.0f");
}

}  // namespace

void print_service_figures(Gpu& gpu) {
  print_get_by_values(gpu);
  print_disk_hits(gpu);
  print_cold_compiles(gpu, true, 1000);
  print_cold_compiles(gpu, false, 1500);
  print_many(gpu);
}

}  // namespace kiln::bench
