#include <random>

#include "search/searchers.h"

namespace kiln {
namespace {

class RandomSearcher : public Searcher {
 public:
  RandomSearcher(std::shared_ptr<History> history, const SearcherOptions& options)
      : Searcher(std::move(history)), random_(options.seed) {}

  std::vector<std::uint64_t> ask(std::size_t wanted) override {
    std::vector<std::uint64_t> asked = history().sample_unknown(wanted, random_);
    for (const std::uint64_t rank : asked) shared_history().ask(rank);
    return asked;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

std::unique_ptr<Searcher> make_random_searcher(std::shared_ptr<History> history,
                                               const SearcherOptions& options) {
  return std::make_unique<RandomSearcher>(std::move(history), options);
}

}  // namespace kiln
