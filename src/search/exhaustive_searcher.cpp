#include "search/searchers.h"

namespace kiln {
namespace {

/// By rank: points that follow each other share the values of all but the last levels of the space. Of a
/// shard, those that it takes.
class ExhaustiveSearcher : public Searcher {
 public:
  ExhaustiveSearcher(std::shared_ptr<History> history, const Shard& shard)
      : Searcher(std::move(history)), shard_(shard), next_(shard.index) {}

  std::vector<std::uint64_t> ask(std::size_t wanted) override {
    std::vector<std::uint64_t> asked;
    for (; asked.size() < wanted && next_ < space().count(); next_ += shard_.count) {
      if (history().knows(next_)) continue;
      shared_history().ask(next_);
      asked.push_back(next_);
    }
    return asked;
  }

 private:
  Shard shard_;
  std::uint64_t next_;
};

}  // namespace

std::unique_ptr<Searcher> make_exhaustive_searcher(std::shared_ptr<History> history,
                                                   const SearcherOptions& options) {
  return std::make_unique<ExhaustiveSearcher>(std::move(history), options.shard);
}

}  // namespace kiln
