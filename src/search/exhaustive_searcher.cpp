#include "search/searchers.h"

namespace kiln {
namespace {

/// By rank: points that follow each other share the values of all but the last levels of the space.
class ExhaustiveSearcher : public Searcher {
 public:
  using Searcher::Searcher;

  std::vector<std::uint64_t> ask(std::size_t wanted) override {
    std::vector<std::uint64_t> asked;
    for (; asked.size() < wanted && next_ < space().count(); ++next_) {
      if (history().knows(next_)) continue;
      shared_history().ask(next_);
      asked.push_back(next_);
    }
    return asked;
  }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Searcher> make_exhaustive_searcher(std::shared_ptr<History> history,
                                                   const SearcherOptions& /*options*/) {
  return std::make_unique<ExhaustiveSearcher>(std::move(history));
}

}  // namespace kiln
