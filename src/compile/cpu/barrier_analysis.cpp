#include "compile/cpu/barrier_analysis.h"

#include <algorithm>
#include <array>
#include <set>

#include "compile/reached_names.h"

namespace kiln {
namespace {

constexpr std::array<std::string_view, 32> kWaitingPrefixes = {"__syncthreads",
                                                               "kiln_warp_step",
                                                               "kiln_named_barrier",
                                                               "lanes_by_",
                                                               "__mbarrier",
                                                               "try_acquire",
                                                               "__syncwarp",
                                                               "__shfl",
                                                               "__ballot",
                                                               "__any",
                                                               "__all",
                                                               "__match_",
                                                               "__reduce_",
                                                               "__barrier",
                                                               "__active",
                                                               "this_thread",
                                                               "tiled_partition",
                                                               "coalesced_threads",
                                                               "cooperative_groups",
                                                               "this_grid",
                                                               "labeled_partition",
                                                               "binary_partition",
                                                               "mma_sync",
                                                               "load_matrix_sync",
                                                               "store_matrix_sync",
                                                               "arrive_and_wait",
                                                               "try_wait",
                                                               "wait_parity",
                                                               "consumer_wait",
                                                               "producer_acquire",
                                                               "make_pipeline",
                                                               "__cluster_barrier"};

/// Whether a call ends the program: the block is then given up, which a plain loop cannot do.
bool ends_process(std::string_view name) {
  return name == "exit" || name == "_exit" || name == "_Exit" || name == "quick_exit" || name == "abort";
}

bool waits(std::string_view name) {
  return name == "sync" || name == "wait" || name == "acquire" || ends_process(name) || name == "asm" ||
         name == "__asm__" ||
         std::any_of(kWaitingPrefixes.begin(), kWaitingPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

}  // namespace

bool may_wait(std::string_view name_expression, const std::vector<const Outline*>& texts) {
  const ReachedNames names(texts);
  return names.find(name_expression,
                    [&](std::string_view name) { return waits(name) || names.pastes(name); });
}

std::vector<std::string> included_names(const Outline& text) {
  std::vector<std::string> names;
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("include")) continue;
    std::string name;
    if (tokens[1].kind == Token::Kind::kString) {
      name = std::string(tokens[1].text.substr(1, tokens[1].text.size() - 2));
    } else {
      for (std::size_t i = 2; i < tokens.size() && !tokens[i].is(">"); ++i) name += tokens[i].text;
    }
    names.push_back(std::move(name));
  }
  return names;
}

bool includes_unseen_header(const Outline& text, const std::set<std::string>& known) {
  static constexpr std::array<std::string_view, 26> kHarmless = {"cuda_runtime.h",
                                                                 "cuda_runtime_api.h",
                                                                 "device_launch_parameters.h",
                                                                 "cuda.h",
                                                                 "math_constants.h",
                                                                 "assert.h",
                                                                 "cassert",
                                                                 "cstdint",
                                                                 "cstddef",
                                                                 "cstdio",
                                                                 "cstdlib",
                                                                 "cstring",
                                                                 "cmath",
                                                                 "cfloat",
                                                                 "climits",
                                                                 "limits",
                                                                 "type_traits",
                                                                 "utility",
                                                                 "stdint.h",
                                                                 "stddef.h",
                                                                 "stdio.h",
                                                                 "stdlib.h",
                                                                 "string.h",
                                                                 "math.h",
                                                                 "float.h",
                                                                 "limits.h"};
  const std::vector<std::string> names = included_names(text);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.rfind("kiln/", 0) != 0 && known.count(name) == 0 &&
           std::find(kHarmless.begin(), kHarmless.end(), name) == kHarmless.end();
  });
}

}  // namespace kiln
