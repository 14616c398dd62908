#include "record/record.h"

#include <cmath>

namespace kiln {

std::optional<double> largest_error(const Record& record) {
  std::optional<double> largest;
  for (const CheckResult& check : record.checks) {
    if (check.compared == 0) continue;
    const double error = check.max_relative_error;
    if (!largest || std::isnan(error) || error > *largest) largest = error;
  }
  return largest;
}

}  // namespace kiln
