// Host compilers that misbehave, through the service and, where the row says so, a worker process.
#include <sys/stat.h>

#include "base/text.h"
#include "embed/engine.h"
#include "stress.h"

namespace kiln::stress {
namespace {

constexpr double kTimeLimit = 2;
constexpr std::uint64_t kMemoryLimit = 500'000'000;

struct Bad {
  std::string what;
  std::string script;    ///< what it does in place of compiling
  std::string expected;  ///< in the summary
};

const std::vector<Bad>& all_bad() {
  static const std::vector<Bad> bad = {
      {"crashes", "kill -SEGV $$", "(Segmentation fault)"},
      {"hangs", "sleep 60", "did not finish within"},
      {"eats memory", "head -c 3000000000 /dev/zero | tail -n 1 > /dev/null; exit $?", "memory exhausted"},
      {"prints 100 MB", "exec head -c 100000000 /dev/zero", "printed without end"},
      {"returns garbage", "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo junk > \"$2\"; shift; done",
       "no shared object"}};
  return bad;
}

std::string make_compiler(Place& place, const Bad& bad) {
  const auto path = place.path("g++");
  place.files->write_file(
      path,
      "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'g++ (fake) 12.2.0'; exit 0; fi\n" + bad.script + "\n",
      false);
  ::chmod(path.c_str(), 0755);
  return path.string();
}

Specialization make_kernel(Compiler& compiler) {
  Specialization wanted =
      test::make_specialization("extern \"C\" __global__ void axpy(float* y) { y[0] = 1; }");
  wanted.params_header = "#pragma once\nstruct Params {};\n";
  wanted.target = compiler.target_for("native");
  return wanted;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsLimited = false;
#elif defined(__has_feature)
constexpr bool kMemoryIsLimited = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kMemoryIsLimited = true;
#endif

Row run(const Options& options, const Bad& bad, const std::string& isolation) {
  if (bad.what == "eats memory" && !kMemoryIsLimited)
    return {"compiler that eats memory", "skipped: no limit on memory under a sanitizer",
            Row::Verdict::kSkipped};
  Place place(options);
  test::RecordingLog log;
  Settings settings;
  settings.cache_dir = place.path("cache").string();
  settings.cpu_compiler = make_compiler(place, bad);
  settings.isolation = isolation;
  settings.worker = KILN_WORKER_PROGRAM;
  settings.compile_time_limit = kTimeLimit;
  settings.compile_memory_limit = kMemoryLimit;
  Engine engine(settings, *place.files, *place.clock, log);
  Compiler& compiler = *engine.compilers().at("cpu");
  const Specialization wanted = make_kernel(compiler);

  const std::int64_t begin = place.clock->steady_ns();
  const auto result = engine.service().get(wanted, compiler, nullptr);
  const double seconds = seconds_between(begin, place.clock->steady_ns());
  const auto* diagnostic = std::get_if<Diagnostic>(&result);
  const bool told = diagnostic != nullptr && diagnostic->compiler_fault &&
                    diagnostic->summary.find(bad.expected) != std::string::npos;
  const bool capsule = told && place.files->status(diagnostic->capsule).has_value();
  const bool kept = !place.files->list(place.path("cache/v1")).empty();
  constexpr double kMargin = 15;  // of a loaded machine
  return {"compiler that " + bad.what + ", isolation " + isolation,
          told ? "Diagnostic \"" + bad.expected + "\" after " + format_seconds(seconds) +
                     (capsule ? ", capsule kept" : ", NO CAPSULE")
               : "NO DIAGNOSTIC",
          holds_if(told && capsule && !kept && seconds < kTimeLimit + kMargin)};
}

}  // namespace

Rows compilers(const Options& options) {
  Rows rows;
  for (const Bad& bad : all_bad()) {
    rows.push_back(run(options, bad, "process"));
    // The memory of a compiler is limited in worker processes only.
    if (!options.quick && bad.what != "eats memory") rows.push_back(run(options, bad, "none"));
  }
  return rows;
}

}  // namespace kiln::stress
