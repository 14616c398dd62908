#include "trial/tolerance.h"

#include "base/text.h"

namespace kiln {
namespace {

double value_of(const Configuration& configuration, const std::optional<ExpressionText>& text,
                bool is_relative) {
  if (!text) return 0;
  const double value = configuration.evaluate(*text);  // finite
  if (value >= 0 && (value < 1 || !is_relative)) return value;
  const std::string found = format_number(value) == text->text
                                ? "found " + text->text
                                : "'" + text->text + "' is " + format_number(value);
  throw bad_input(text->key + ": expected a number of at least 0" +
                      (is_relative ? " and below 1 (with 1, zeros agree with any result); " : "; ") + found,
                  text->where);
}

}  // namespace

Tolerance tolerance_of(const Configuration& configuration, const CheckSpec& check) {
  return {value_of(configuration, check.rtol, true), value_of(configuration, check.atol, false),
          value_of(configuration, check.skip_below, false)};
}

void require_tolerances(const Configuration& configuration) {
  for (const CheckSpec& check : configuration.workload().checks) {
    if (!check.when || configuration.evaluate_condition(*check.when))
      static_cast<void>(tolerance_of(configuration, check));
  }
}

}  // namespace kiln
