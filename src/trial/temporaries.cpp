#include "trial/temporaries.h"

#include <algorithm>

#include "trial/buffer_layout.h"
#include "workload/selection.h"

namespace kiln {
namespace {

struct Temporary {
  const BufferSpec* spec;
  std::uint64_t bytes;  ///< rounded up to the alignment
  std::size_t first, last;
  std::uint64_t offset = 0;

  [[nodiscard]] bool in_use_with(const Temporary& other) const {
    return first <= other.last && other.first <= last;
  }
};

/// The first and the last statement of `run` that each buffer with memory is used by.
std::map<std::string, std::pair<std::size_t, std::size_t>> find_uses(const Configuration& configuration) {
  const Workload& workload = configuration.workload();
  std::map<std::string, std::pair<std::size_t, std::size_t>> uses;
  for (std::size_t i = 0; i < workload.run.size(); ++i) {
    for (const auto& [name, where] : buffers_taken(configuration, workload.run[i])) {
      const auto [found, is_new] =
          uses.try_emplace(workload.memory_of(*workload.find_buffer(name)).name, i, i);
      found->second.second = i;
    }
  }
  return uses;
}

std::vector<Temporary> find_temporaries(const Configuration& configuration,
                                        const std::vector<std::string>& buffers) {
  std::vector<Temporary> temporaries;
  const auto uses = find_uses(configuration);
  for (const std::string& name : buffers) {
    const BufferSpec& spec = *configuration.workload().find_buffer(name);
    const auto use = uses.find(name);
    if (!spec.temporary || use == uses.end()) continue;
    const std::uint64_t bytes = layout_of(configuration, spec).bytes;
    constexpr std::uint64_t kUnit = TemporaryPlan::kAlignment;
    temporaries.push_back(
        {&spec, (bytes + kUnit - 1) / kUnit * kUnit, use->second.first, use->second.second});
  }
  return temporaries;
}

/// The lowest place that does not overlap buffers of `placed` in use at the same time.
std::uint64_t lowest_place(const Temporary& wanted, const std::vector<Temporary>& placed) {
  std::uint64_t place = 0;
  for (const Temporary& other : placed) {  // by offset
    if (!wanted.in_use_with(other) || other.offset + other.bytes <= place) continue;
    if (other.offset >= place + wanted.bytes) break;
    place = other.offset + other.bytes;
  }
  return place;
}

}  // namespace

TemporaryPlan plan_temporaries(const Configuration& configuration, const std::vector<std::string>& buffers) {
  std::vector<Temporary> temporaries = find_temporaries(configuration, buffers);
  std::stable_sort(temporaries.begin(), temporaries.end(),
                   [](const Temporary& a, const Temporary& b) { return a.bytes > b.bytes; });
  TemporaryPlan plan;
  std::vector<Temporary> placed;
  for (Temporary& temporary : temporaries) {
    temporary.offset = lowest_place(temporary, placed);
    plan.offsets[temporary.spec->name] = temporary.offset;
    plan.bytes = std::max(plan.bytes, temporary.offset + temporary.bytes);
    if (plan.bytes > kMostBufferBytes) {
      throw bad_input("buffers." + temporary.spec->name + ": the temporary buffers take more than 2^60 bytes",
                      temporary.spec->where);
    }
    const auto after =
        std::upper_bound(placed.begin(), placed.end(), temporary,
                         [](const Temporary& a, const Temporary& b) { return a.offset < b.offset; });
    placed.insert(after, temporary);
  }
  return plan;
}

}  // namespace kiln
