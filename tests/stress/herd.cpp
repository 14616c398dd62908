// Many processes want the same kernels at once, through the whole service.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "base/text.h"
#include "stress.h"

namespace kiln::stress {
namespace {

constexpr std::size_t kBytes = 20'000;

struct Herd {
  int processes, keys;
  bool locks;
};

/// Bad loads and missing kernels, and warnings.
int ask_for_all(Place& place, const Herd& herd, unsigned seed) {
  test::RecordingLog log;
  DiskCache disk(*place.files, *place.clock, log, DiskCacheOptions{place.path("cache"), herd.locks, 600});
  CountingCompiler compiler(*place.files, place.path("count"), kBytes, 5);
  KernelService service(&disk, *place.clock);
  std::vector<int> order(static_cast<std::size_t>(herd.keys));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  int wrong = 0;
  for (const int key : order) {
    const Specialization wanted = test::make_specialization("kernel " + std::to_string(key));
    const auto result = service.get(wanted, compiler, nullptr);
    const auto* got = std::get_if<ServiceResult>(&result);
    if (got == nullptr || got->code->code().binary != counted_binary(wanted, kBytes)) ++wrong;
  }
  return std::min(200, wrong + static_cast<int>(log.warnings().size()));
}

Row run(const Options& options, const Herd& herd) {
  Place place(options);
  std::array<int, 2> gate{};
  if (::pipe(gate.data()) != 0) return {"herd", "no pipe", Row::Verdict::kFails};
  std::vector<pid_t> children;
  for (int i = 0; i < herd.processes; ++i) {
    children.push_back(start_child([&, i] {
      ::close(gate[1]);
      char byte = 0;
      static_cast<void>(!::read(gate[0], &byte, 1));  // until the parent opens the gate
      return ask_for_all(place, herd, static_cast<unsigned>(i));
    }));
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int wrong = 0;
  for (const pid_t child : children) wrong += wait_for(child);
  std::map<std::string, int> compiles;
  int all = 0;
  for (const std::string& line : split(place.files->read_file(place.path("count")).value_or(""), '\n')) {
    if (line.empty()) continue;
    ++compiles[line];
    ++all;
  }
  const bool once = all == herd.keys && compiles.size() == static_cast<std::size_t>(herd.keys);
  const bool each = compiles.size() == static_cast<std::size_t>(herd.keys);
  return {std::to_string(herd.processes) + " processes ask for " + std::to_string(herd.keys) +
              " keys at once" + (herd.locks ? "" : ", locks off"),
          std::to_string(all) + " compiles; " + std::to_string(wrong) + " errors or bad loads",
          holds_if(wrong == 0 && (herd.locks ? once : each))};
}

}  // namespace

Rows herd(const Options& options) {
  const int processes = options.quick ? 12 : 64;
  const int keys = options.quick ? 10 : 50;
  return {run(options, {processes, keys, true}), run(options, {processes, keys, false})};
}

}  // namespace kiln::stress
