#pragma once

#include <memory>

#include "search/searcher.h"

namespace kiln {

// The factories that the table of searchers names, one for each file.
using SearcherPointer = std::unique_ptr<Searcher>;

SearcherPointer make_surrogate_searcher(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_wolf_pack(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_genetic_searcher(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_particle_swarm(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_differential_evolution(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_simulated_annealing(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_iterated_local_search(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_random_searcher(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_exhaustive_searcher(std::shared_ptr<History> history, const SearcherOptions& options);
SearcherPointer make_portfolio(std::shared_ptr<History> history, const SearcherOptions& options);

}  // namespace kiln
