#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/shard.h"
#include "kiln/error.h"
#include "search/history.h"

namespace kiln {

struct SearcherOptions {
  std::uint64_t seed = 1;
  std::uint64_t evaluations = 220;  ///< how many the user expects; schedules that cool or narrow end there
  Shard shard = {};                 ///< part of the exhaustive order; other searchers ignore it
};

/// Decides which points of a space are measured next, and depends on no compiler or device. The order of
/// calls of ask and tell and the seed determine its proposals. Several points may be outstanding, and
/// outcomes come in any order. No point is proposed twice. Searchers of one history share all outcomes.
class Searcher {
 public:
  explicit Searcher(std::shared_ptr<History> history) : history_(std::move(history)) {}
  virtual ~Searcher() = default;
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;

  /// Ranks of at most `wanted` points that the history does not know. Fewer where the searcher has to wait
  /// for outcomes or few points are left; at least one where nothing is outstanding and points are left.
  [[nodiscard]] virtual std::vector<std::uint64_t> ask(std::size_t wanted) = 0;
  /// The outcome of a point, asked for or not.
  void tell(std::uint64_t rank, const Outcome& outcome) {
    history_->tell(rank, outcome);
    learn(rank, outcome);
  }
  /// Updates the searcher after a new outcome in the history.
  virtual void learn(std::uint64_t /*rank*/, const Outcome& /*outcome*/) {}

  [[nodiscard]] const History& history() const { return *history_; }

 protected:
  [[nodiscard]] const SearchSpace& space() const { return history_->space(); }
  [[nodiscard]] History& shared_history() { return *history_; }
  [[nodiscard]] const std::shared_ptr<History>& history_pointer() const { return history_; }

 private:
  std::shared_ptr<History> history_;
};

/// One row of the table of searchers.
struct SearcherKind {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Searcher> (*make)(std::shared_ptr<History> history, const SearcherOptions& options);
};

/// All searchers, the default one first.
[[nodiscard]] const std::vector<SearcherKind>& searcher_kinds();
/// Throws bad_input with the nearest name, at `where`, where there is none of this name.
[[nodiscard]] const SearcherKind& searcher_kind(const std::string& name, const SourceLocation& where = {});
/// Throws as above. The space has to outlive the searcher.
[[nodiscard]] std::unique_ptr<Searcher> make_searcher(const std::string& name, const SearchSpace& space,
                                                      const SearcherOptions& options);

}  // namespace kiln
