// Spaces of Kernel Tuner's benchmark hub (https://github.com/AutoTuningAssociation/benchmark_hub:
// hotspot_milo, gemm_milo), the second one widened.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "figures.h"
#include "search/search_space.h"

namespace kiln::bench {
namespace {

using Values = std::vector<long>;
using Condition = std::function<bool(const std::array<long, 8>&)>;

/// Parameters with their values, and constraints over values instead of places.
struct NamedSpace {
  const char* name;
  std::vector<SpaceParameter> parameters = {};
  std::vector<Values> values = {};
  std::vector<SpaceConstraint> constraints = {};

  std::size_t add(const char* parameter, Values list) {
    parameters.push_back({parameter, static_cast<std::uint32_t>(list.size())});
    values.push_back(std::move(list));
    return parameters.size() - 1;
  }
  /// `holds` gets the values of the scope.
  void require(const char* text, std::vector<std::size_t> scope, Condition holds) {
    std::vector<Values> lists;
    for (const std::size_t parameter : scope) lists.push_back(values[parameter]);
    constraints.push_back({text, std::move(scope), [lists, holds](std::span<const std::uint32_t> places) {
                             std::array<long, 8> chosen{};
                             for (std::size_t i = 0; i < places.size(); ++i) chosen[i] = lists[i][places[i]];
                             return holds(chosen);
                           }});
  }
};

Values counted(long first, long last) {
  Values list(static_cast<std::size_t>(last - first + 1));
  std::iota(list.begin(), list.end(), first);
  return list;
}

NamedSpace hotspot() {
  NamedSpace space{"hotspot"};
  Values widths = {1, 2, 4, 8, 16};
  for (long i = 1; i <= 32; ++i) widths.push_back(32 * i);
  const std::size_t x = space.add("block_size_x", widths),
                    y = space.add("block_size_y", {1, 2, 4, 8, 16, 32});
  const std::size_t tile_x = space.add("tile_size_x", counted(1, 10)),
                    tile_y = space.add("tile_size_y", counted(1, 10));
  const std::size_t steps = space.add("temporal_tiling_factor", counted(1, 10));
  const std::size_t unroll = space.add("loop_unroll_factor_t", counted(1, 10)),
                    power = space.add("sh_power", {0, 1});
  const std::size_t blocks = space.add("blocks_per_sm", {0, 1, 2, 3, 4});
  const auto shared = [](const auto& v) {  // x, tile_x, steps, y, tile_y, power
    return (v[0] * v[1] + v[2] * 2) * (v[3] * v[4] + v[2] * 2) * (2 + v[5]) * 4;
  };
  space.require("threads >= 32", {x, y}, [](const auto& v) { return v[0] * v[1] >= 32; });
  space.require("steps % unroll == 0", {steps, unroll}, [](const auto& v) { return v[0] % v[1] == 0; });
  space.require("threads <= 1024", {x, y}, [](const auto& v) { return v[0] * v[1] <= 1024; });
  space.require("shared <= 48 KiB", {x, tile_x, steps, y, tile_y, power},
                [shared](const auto& v) { return shared(v) <= 49152; });
  space.require("shared * blocks <= 100 KiB", {x, tile_x, steps, y, tile_y, power, blocks},
                [shared](const auto& v) { return v[6] == 0 || shared(v) * v[6] <= 102400; });
  return space;
}

NamedSpace wide_gemm() {
  NamedSpace space{"gemm, widened"};
  const Values tiles = {8, 16, 32, 64, 128, 256}, threads = {4, 8, 16, 32, 64}, widths = {1, 2, 4, 8, 16};
  const std::size_t m = space.add("MWG", tiles), n = space.add("NWG", tiles),
                    k = space.add("KWG", {8, 16, 32, 64});
  const std::size_t mc = space.add("MDIMC", threads), nc = space.add("NDIMC", threads);
  const std::size_t ma = space.add("MDIMA", threads), nb = space.add("NDIMB", threads);
  const std::size_t ki = space.add("KWI", {1, 2, 4, 8}), vm = space.add("VWM", widths),
                    vn = space.add("VWN", widths);
  for (const char* name : {"STRM", "STRN", "SA", "SB"}) space.add(name, {0, 1});
  space.add("KREG", {1, 2, 4, 8});
  space.add("GEMMK", {0, 1});
  const auto divides = [](const auto& v) { return v[0] % (v[1] * v[2]) == 0; };
  // KWG % (MDIMC * NDIMC / MDIMA) == 0, exactly.
  const auto shares = [](const auto& v) { return v[0] * v[3] % (v[1] * v[2]) == 0; };
  space.require("KWG % KWI == 0", {k, ki}, [](const auto& v) { return v[0] % v[1] == 0; });
  space.require("MWG % (MDIMC * VWM) == 0", {m, mc, vm}, divides);
  space.require("NWG % (NDIMC * VWN) == 0", {n, nc, vn}, divides);
  space.require("MWG % (MDIMA * VWM) == 0", {m, ma, vm}, divides);
  space.require("NWG % (NDIMB * VWN) == 0", {n, nb, vn}, divides);
  space.require("KWG % (MDIMC * NDIMC / MDIMA) == 0", {k, mc, nc, ma}, shares);
  space.require("KWG % (MDIMC * NDIMC / NDIMB) == 0", {k, mc, nc, nb}, shares);
  return space;
}

/// Of the processor: other processes do not count.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void print_row(const NamedSpace& named, int rounds) {
  std::vector<double> builds;
  for (int i = 0; i < rounds; ++i)
    builds.push_back(seconds_of([&] { (void)SearchSpace(named.parameters, named.constraints); }));
  std::sort(builds.begin(), builds.end());
  const SearchSpace space(named.parameters, named.constraints);
  std::mt19937_64 random(1);
  constexpr std::uint64_t kSamples = 10000;
  std::size_t around = 0;
  const double sampling = seconds_of([&] {
    for (const std::uint64_t rank : space.sample(kSamples, random)) around += space.point(rank).size();
  });
  const double neighbours = seconds_of([&] {
    for (const std::uint64_t rank : space.sample(1000, random))
      around += space.neighbours(space.point(rank), Neighbourhood::kHamming).size();
  });
  std::printf("| %s | %.3g | %llu | %zu | %.1f ms | %.2f us | %.1f us |\n", named.name, space.raw_count(),
              static_cast<unsigned long long>(space.count()), space.nodes(), builds[builds.size() / 2] * 1e3,
              sampling / kSamples * 1e6, around > 0 ? neighbours / 1000 * 1e6 : 0);
}

}  // namespace

void print_space_figures(const BenchOptions& options) {
  std::printf(
      "| space | raw points | valid points | nodes | built in, processor time (median) | one sample | "
      "neighbours of a point "
      "|\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const NamedSpace& named : {hotspot(), wide_gemm()}) print_row(named, options.rounds);
}

}  // namespace kiln::bench
