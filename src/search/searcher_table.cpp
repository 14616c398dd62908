#include "base/text.h"
#include "kiln/error.h"
#include "search/searchers.h"

namespace kiln {

const std::vector<SearcherKind>& searcher_kinds() {
  static const std::vector<SearcherKind> kinds = {
      {"default", "a model of values and failures, with crossover and descent", make_surrogate_searcher},
      {"wolf_pack", "adaptive tabu grey wolf pack", make_wolf_pack},
      {"genetic", "genetic algorithm", make_genetic_searcher},
      {"particle_swarm", "particle swarm", make_particle_swarm},
      {"differential_evolution", "differential evolution, best/1/bin", make_differential_evolution},
      {"annealing", "simulated annealing", make_simulated_annealing},
      {"local_search", "iterated local search", make_iterated_local_search},
      {"portfolio", "a bandit over the searchers above, with one history", make_portfolio},
      {"random", "uniform samples without replacement", make_random_searcher},
      {"exhaustive", "every point, in order", make_exhaustive_searcher},
  };
  return kinds;
}

const SearcherKind& searcher_kind(const std::string& name, const SourceLocation& where) {
  std::vector<std::string> names;
  for (const SearcherKind& kind : searcher_kinds()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw bad_input("no searcher is called " + in_quotes(name) + suggestion(name, names), where);
}

std::unique_ptr<Searcher> make_searcher(const std::string& name, const SearchSpace& space,
                                        const SearcherOptions& options) {
  return searcher_kind(name).make(std::make_shared<History>(space), options);
}

}  // namespace kiln
