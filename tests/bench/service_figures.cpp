// What a program that embeds Kiln waits for, without a device: code from the disk, code that is compiled,
// many. The driver's part is in gpu_service.cpp.
#include <sys/resource.h>

#include <cstdio>
#include <future>
#include <thread>
#include <vector>

#include "bare_nvrtc.h"
#include "base/clock.h"
#include "base/log.h"
#include "compile_figures.h"
#include "embed/engine.h"
#include "embed/wisdom_lookup.h"
#include "figures.h"
#include "gpu_figures.h"
#include "kiln/error.h"
#include "scratch_folder.h"
#include "specialize/unit.h"
#include "wisdom/wisdom_file.h"

namespace kiln::bench {
namespace {

namespace fs = std::filesystem;

/// One process's Kiln, and the small stencil for a target without a device.
class Host {
 public:
  Host(const BenchOptions& options, const fs::path& cache, bool with_cache = true)
      : engine_(settings_in(options, cache, with_cache), *files_, *clock_, *log_),
        workload_(engine_.library().load("stencil7", {})),
        target_{"cuda", options.arch, 32} {
    static_cast<void>(engine_.compilers().at("cuda")->identity());
  }

  [[nodiscard]] Specialization specialize(int nx) {
    Values values = kSmallStencil;
    values.push_back({"nx", {std::to_string(nx), false, {}}});
    const Configuration configuration =
        configure(workload_, values, unknown_device(target_), *files_).configuration;
    return make_units(configuration, {"laplacian"}, Role::kRun, target_, *files_).at(0).specialization;
  }
  ServiceResult get(int nx) {
    auto result = engine_.service().get(specialize(nx), *engine_.compilers().at("cuda"), nullptr);
    if (const auto* problem = std::get_if<Diagnostic>(&result)) throw internal_error(problem->log);
    return std::get<ServiceResult>(std::move(result));
  }
  ServiceCounters finish() { return engine_.service().counters(); }
  Engine& engine() { return engine_; }
  [[nodiscard]] std::shared_ptr<const Workload> workload() const { return workload_; }

 private:
  static Settings settings_in(const BenchOptions& options, const fs::path& cache, bool with_cache) {
    Settings settings = Settings::from_environment();
    settings.cache = with_cache;
    settings.cache_dir = cache.string();
    settings.workload_path = {options.workload_folder};
    settings.isolation = options.isolation;
    return settings;
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Log> log_ = make_stderr_log(LogLevel::kWarn);
  Engine engine_;
  std::shared_ptr<const Workload> workload_;
  Target target_;
};

void print_disk_hits(const BenchOptions& options) {
  constexpr int kFirst = 200;
  const int count = options.rounds;
  const ScratchFolder scratch;
  {
    Host host(options, scratch.path());
    for (int i = 0; i < count; ++i) static_cast<void>(host.get(kFirst + i));
  }
  std::vector<double> first, later;
  for (int i = 0; i < count; ++i) {
    Host host(options, scratch.path());
    static_cast<void>(host.specialize(kFirst));  // reads the texts
    for (int j = 0; j < 2; ++j) {
      const double ms = seconds_of([&] {
                          if (host.get(kFirst + (i + j) % count).origin != Origin::kDisk)
                            throw internal_error("not from the disk");
                        }) *
                        1e3;
      (j == 0 ? first : later).push_back(ms);
    }
  }
  print_row("disk hit without the driver: the first of a service, ms", first, "%.3f");
  print_row("disk hit without the driver: later ones, ms", later, "%.3f");
}

void print_cold_compiles(const BenchOptions& options, bool with_cache, int first) {
  const ScratchFolder scratch;
  Host host(options, scratch.path(), with_cache);
  const auto files = make_real_file_system();
  const NvrtcLibrary nvrtc = open_nvrtc(cuda_places(""), *files);
  int n = first;
  static_cast<void>(host.get(n++));
  static_cast<void>(bare_compile_seconds(nvrtc, host.specialize(n++)));
  std::vector<double> ratios, own, kiln, bare;
  for (int i = 0; i < options.rounds; ++i) {
    const auto by_kiln = [&] {
      const int wanted = n++;
      kiln.push_back(seconds_of([&] { static_cast<void>(host.get(wanted)); }) * 1e3);
    };
    if (i % 2 == 0) by_kiln();
    bare.push_back(bare_compile_seconds(nvrtc, host.specialize(n++)) * 1e3);
    const double same = bare_compile_seconds(nvrtc, host.specialize(n++), BareOptions::kAsKiln) * 1e3;
    if (i % 2 != 0) by_kiln();
    ratios.push_back(kiln.back() / bare.back());
    own.push_back(kiln.back() / same);
  }
  const ServiceCounters counters = host.finish();
  const std::string with = with_cache ? "with disk cache" : "without disk cache";
  print_row("cold compile of the small stencil " + with + ", Kiln, ms", kiln, "%.2f");
  print_row("the same by NVRTC alone, ms", bare, "%.2f");
  print_row("cold compile ratio " + with, ratios, "%.3f", "1.03");
  print_row("the same over NVRTC with Kiln's options (--minimal, --no-cache)", own, "%.3f");
  if (with_cache)
    std::printf("| written beside the caller, for each compile, ms | %.3f | |\n",
                counters.write_seconds / static_cast<double>(counters.compiled) * 1e3);
}

/// Five points for each of ten sizes, all of which fit.
std::vector<WisdomRecord> made_wisdom(const DeviceInfo& device) {
  std::vector<WisdomRecord> records;
  for (int size = 0; size < 10; ++size) {
    for (int rank = 0; rank < 5; ++rank) {
      WisdomRecord record;
      const std::int64_t n = 100 + 50 * size;
      record.key = {
          "stencil7", "time", wisdom_device(device), {{"T", "double"}}, {{"nx", n}, {"ny", n}, {"nz", n}}};
      record.values = {
          {"method", "march"}, {"rows", "1"}, {"block_x", "32"}, {"block_y", std::to_string(1 + rank)}};
      record.result.time = {1e-3 * (1 + rank), 1e-3, 2e-3};
      record.made = {"0.1.0", "sha256:0", "NVRTC 12.8", "570.86", "2026-11-22", "results/tune.jsonl"};
      records.push_back(std::move(record));
    }
  }
  return records;
}

/// What a start with the wisdom of this file or folder costs more than one without.
void print_wisdom(const BenchOptions& options, const DeviceInfo& device, const fs::path& wisdom,
                  const std::string& title) {
  const ScratchFolder scratch;
  const auto files = make_real_file_system();
  const auto clock = make_system_clock();
  const auto log = make_stderr_log(LogLevel::kWarn);
  std::vector<double> milliseconds;
  for (int i = 0; i < options.rounds; ++i) {
    Host host(options, scratch.path() / "cache");
    const std::shared_ptr<const Workload> workload = host.workload();
    milliseconds.push_back(
        1e3 * seconds_of([&] {
          const WisdomAdvice advice = look_up_wisdom(host.engine(), *files, *clock, *log, *workload,
                                                     {named_wisdom(*files, wisdom, {})});
          const WisdomQuestion question{workload, {{"nx", {"256", false, {}}}}, device, advice.now};
          if (choose_wisdom(advice.book, question, *files).empty())
            throw internal_error("no wisdom was found");
        }));
  }
  print_row("start with wisdom over without, " + title + ", ms", milliseconds, "%.3f", "1");
}

void print_wisdom(const BenchOptions& options) {
  const ScratchFolder scratch;
  DeviceInfo device = unknown_device({"cuda", options.arch, 32});
  device.name = "made up";
  const auto files = make_real_file_system();
  update_wisdom_file(*files, scratch.path() / wisdom_file_name("stencil7"), made_wisdom(device));
  print_wisdom(options, device, scratch.path(), "file of 50 records");
  device.name = "NVIDIA H200";
  print_wisdom(options, device, fs::path(options.workload_folder) / "stencil7",
               "the shipped file of stencil7");
}

/// User and system time of this process and of children that have ended.
double cpu_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return seconds;
}

/// As get_async: a thread for each that is asked for.
double get_all(Host& host, int count, int& next) {
  Compiler& compiler = *host.engine().compilers().at("cuda");
  return seconds_of([&] {
    std::vector<std::future<void>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(std::async(
          std::launch::async,
          [&host, n = 2000 + next++, e = expect_compiles(compiler, 1)] { static_cast<void>(host.get(n)); }));
    }
    for (auto& one : all) one.get();
  });
}

struct Rates {
  std::vector<double> a_second, cpu_ms;
  void add(int count, double seconds, double cpu) {
    a_second.push_back(count / seconds);
    cpu_ms.push_back(cpu / count * 1e3);
  }
};

void print_many(const BenchOptions& options) {
  const int count = options.variants > 0 ? options.variants : 64;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int rounds = std::clamp(options.rounds / 3, 3, 9);
  const ScratchFolder scratch;
  int next = 0;
  static_cast<void>(compile_variants(options, scratch, cores, 1, next));
  Rates asynchronous, command, bare;
  for (int i = 0; i < rounds; ++i) {
    let_processes_go();
    double begin = cpu_seconds();
    double seconds = 0;
    {
      Host host(options, scratch.path() / ("cache" + std::to_string(i)));
      seconds = get_all(host, count, next);
    }
    asynchronous.add(count, seconds, cpu_seconds() - begin);
    let_processes_go();
    begin = cpu_seconds();
    seconds = compile_variants(options, scratch, cores, count, next);
    command.add(count, seconds, cpu_seconds() - begin);
    let_processes_go();
    begin = cpu_seconds();
    seconds = compile_bare(options, cores, count);
    bare.add(count, seconds, cpu_seconds() - begin);
  }
  const std::string variants = std::to_string(count) + " variants on " + std::to_string(cores) + " cores, ";
  print_row(variants + "variants a second: get_async without a device", asynchronous.a_second, "%.1f", "280");
  print_row(variants + "variants a second: kiln compile", command.a_second, "%.1f", "280");
  print_row(variants + "variants a second: as many bare processes", bare.a_second, "%.1f");
  print_row(variants + "CPU time of a compile, ms: get_async without a device", asynchronous.cpu_ms, "%.1f");
  print_row(variants + "CPU time of a compile, ms: kiln compile", command.cpu_ms, "%.1f");
  print_row(variants + "CPU time of a compile, ms: bare processes", bare.cpu_ms, "%.1f");
}

}  // namespace

void print_service_figures(const BenchOptions& options) {
  std::printf("%s, isolation %s\n\n| figure | median (quartiles) | goal |\n| --- | --- | --- |\n",
              options.arch.c_str(), options.isolation.c_str());
  print_disk_hits(options);
  print_wisdom(options);
  print_cold_compiles(options, true, 1000);
  print_cold_compiles(options, false, 1500);
  print_many(options);
}

}  // namespace kiln::bench
