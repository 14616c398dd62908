// Expressions of workload files.
#include <cmath>
#include <string>

#include "config/expression.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string text = test::text_of(data, size);
  const SourceLocation where{"fuzz.yaml", 3, 7};
  test::attempt([&] {
    const double value =
        evaluate_expression(text, {{"n", 1000}, {"m", -3}, {"x", 0.5}, {"T", -1010}}, where, "let.a");
    test::require(std::isfinite(value));
  });
  test::attempt([&] {
    for (const std::string& name : expression_names(text, where, "let.a")) test::require(!name.empty());
  });
  return 0;
}
