#include "ranks/launcher.h"

#include "base/text.h"

namespace kiln {
namespace {

struct LauncherVariables {
  const char* ranks;
  const char* rank;
};

/// A batch step of Slurm is one process, although it has SLURM_PROCID and SLURM_NTASKS. Only a step that srun
/// has started has SLURM_STEP_NUM_TASKS.
constexpr LauncherVariables kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};
constexpr const char* kPmixRank = "PMIX_RANK";  // PMIx has no variable for the number
constexpr const char* kNodeRanks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};

std::optional<int> read_number(const ReadVariable& read, const char* name) {
  const auto text = read(name);
  const auto value = text ? parse_integer(*text) : std::nullopt;
  return value && *value >= 0 ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int> read_node_rank(const ReadVariable& read) {
  for (const char* name : kNodeRanks) {
    if (const auto rank = read_number(read, name)) return rank;
  }
  return std::nullopt;
}

}  // namespace

std::string LaunchedRanks::to_string() const {
  return "rank " + (rank ? std::to_string(*rank) : "?") +
         (ranks ? " of " + std::to_string(*ranks) : std::string()) + " (" + variable + ")";
}

std::optional<LaunchedRanks> find_launched_ranks(const ReadVariable& read) {
  for (const LauncherVariables& names : kLaunchers) {
    const auto ranks = read_number(read, names.ranks);
    const auto rank = read_number(read, names.rank);
    if (!ranks || !rank) continue;
    if (*ranks <= 1) return std::nullopt;
    return LaunchedRanks{names.ranks, ranks, rank, read_node_rank(read)};
  }
  if (const auto rank = read_number(read, kPmixRank))
    return LaunchedRanks{kPmixRank, std::nullopt, rank, read_node_rank(read)};
  return std::nullopt;
}

std::string visible_device(const std::optional<std::string>& visible, int node_rank) {
  if (!visible) return std::to_string(node_rank);
  const std::vector<std::string> devices = split(*visible, ',');
  return devices[static_cast<std::size_t>(node_rank) % devices.size()];
}

}  // namespace kiln
