#pragma once

#include <set>
#include <string>

#include "trial/context.h"
#include "trial/variant.h"
#include "workload/workload.h"

namespace kiln {

/// Identifies points that run alike: points whose code has the same cache keys, whose launches have the same
/// shapes and which pass the same values are one variant under several labels, such as points that differ in
/// a parameter that the chosen kernels do not use.
class VariantIdentity {
 public:
  explicit VariantIdentity(const Workload& workload);

  /// A digest; specialises, compiles nothing. Throws what specialising throws.
  [[nodiscard]] std::string of(const Variant& variant, const JobContext& context) const;
  /// Parameters that are used elsewhere than in kernel texts, launch shapes and constraints: by buffers,
  /// arguments, the program, checks, metrics.
  [[nodiscard]] const std::set<std::string>& used_by_host() const { return used_by_host_; }

 private:
  std::set<std::string> used_by_host_;
};

}  // namespace kiln
