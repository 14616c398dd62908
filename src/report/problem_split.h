#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kiln {

/// Divides what sets records of one workload apart into the problem, which results must share to be compared,
/// and the variant, which is what is compared. Each parameter that is a type belongs to the problem. So do
/// those that the user chose; without a choice, each that no label (of a sweep) names, but not one whose
/// default differs between back ends, seen by each back end having one value of its own in all records, nor
/// one whose default is computed from what a sweep varies, seen by its varying on one device within one run.
class ProblemSplit {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  /// `records`: all of one workload. `chosen`: the problem's parameters; empty: none was chosen.
  ProblemSplit(const std::vector<const Record*>& records, const std::vector<std::string>& chosen);

  [[nodiscard]] Values problem(const Record& record) const;
  /// Those parts of the problem that differ between the records, and types.
  [[nodiscard]] std::string problem_text(const Record& record) const;
  /// The label without the problem's part, and what else differs on a device, in other jobs' labels, too:
  /// "ppwi=4 fast_math=true"; bindings that are all alike as "bind.all=run". The workload's name where
  /// nothing does. Words are in the label's order, or in the workload's where labels of several jobs differ
  /// in theirs.
  [[nodiscard]] std::string variant(const Record& record) const;
  /// Parameters left out because each back end has a value of its own.
  [[nodiscard]] const std::set<std::string>& by_backend() const { return by_backend_; }

 private:
  std::set<std::string> problem_, told_, by_backend_, computed_;
  std::set<std::string> varying_;  ///< on a device, and not the problem's
  bool several_orders_ = false;    ///< of the words in labels: of several jobs
};

}  // namespace kiln
