#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kiln {

/// Divides the settings in which records of one workload differ into the problem, which results must share to
/// be compared, and the variant, which is compared. Each parameter that is a type belongs to the problem. So
/// do the parameters that the user chose. Without a choice these are the parameters that no label (of a
/// sweep) names, with two exceptions. The first is a parameter whose default differs between back ends: each
/// back end has one value in all its records. The second is a parameter whose default is computed from swept
/// values: it varies on one device within one run.
class ProblemSplit {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  /// `records` are all of one workload. `chosen`: the parameters of the problem; empty: the user chose none.
  ProblemSplit(const std::vector<const Record*>& records, const std::vector<std::string>& chosen);

  [[nodiscard]] Values problem(const Record& record) const;
  /// The parts of the problem that differ between the records, and the types.
  [[nodiscard]] std::string problem_text(const Record& record) const;
  /// The label without the problem's part, and every other setting that differs on a device, also in labels
  /// of other jobs: "ppwi=4 fast_math=true". Bindings that are all alike become "bind.all=run". The
  /// workload's name if no setting differs. Words are in the label's order, or in the workload's order where
  /// labels of several jobs have different orders.
  [[nodiscard]] std::string variant(const Record& record) const;
  /// Parameters that were left out because each back end has its own value.
  [[nodiscard]] const std::set<std::string>& by_backend() const { return by_backend_; }

 private:
  std::set<std::string> problem_, told_, by_backend_, computed_;
  std::set<std::string> varying_;  ///< settings that vary on a device and do not belong to the problem
  bool several_orders_ = false;    ///< labels of several jobs have different orders of their words
};

}  // namespace kiln
