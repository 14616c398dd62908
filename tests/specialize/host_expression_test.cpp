#include "specialize/host_expression.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

std::string expression(const std::string& text) {
  const std::map<std::string, TextFunction> functions = {{"divide", {{"a", "b"}, "((a+b-1)/b)"}},
                                                         {"up", {{"a", "b"}, "((a%b!=0)?(a/b+1):(a/b))"}}};
  const std::map<std::string, std::string> values = {
      {"n", "n"},   {"m", "rows"}, {"kBlock", "256"}, {"image.cols", "width"}, {"v.size()", "count"},
      {"p->n", "n"}};
  HostNames names;
  names.value_of = [&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  names.size_of = [](const std::string& type) {
    return type == "float" ? std::optional<std::string>("4") : std::nullopt;
  };
  names.nested = [&](const std::string& inside) { return host_expression(inside, functions, names); };
  return host_expression(text, functions, names).value_or("-");
}

TEST(HostExpression, OfGridsAndSizesAreThoseOfAWorkload) {
  const struct {
    const char* text;
    const char* expression;
  } cases[] = {
      {"(n + kBlock - 1) / kBlock", "(n + 256 - 1) // 256"},
      {"(::n+::kBlock-1)/::kBlock", "(n + 256 - 1) // 256"},
      {"n / m", "n // max(1, rows)"},
      {"Config::kBlock * 2u", "256 * 2"},
      {"static_cast<size_t>(n) * m * sizeof(float)", "n * rows * 4"},
      {"(size_t)n * (unsigned int)m", "n * rows"},
      {"size_t(n + 1)", "(n + 1)"},
      {"(image.cols + 15) / 16", "(width + 15) // 16"},
      {"v.size() + p->n", "count + n"},
      {"ceil(n / (double)kBlock)", "ceil(n / 256)"},
      {"(int)ceil(float(n) / m)", "ceil(n / max(1, rows))"},
      {"ceilf(1.0f * n / 16)", "ceil(1 * n / 16)"},
      {"std::ceil(n / 2.5)", "ceil(n / 2.5)"},
      {"ceil(n / 16)", "(n // 16)"},
      {"divide(n, kBlock)", "((n + 256 - 1) // 256)"},
      {"divide(n + 1, 4)", "(((n + 1) + 4 - 1) // 4)"},
      {"up(n, 8)", "((n % 8 != 0) ? (n // 8 + 1) : (n // 8))"},
      {"std::min(n, 65535)", "min(n, 65535)"},
      {"max((n + 31) / 32, 1)", "max((n + 31) // 32, 1)"},
      {"-n + 2", "-n + 2"},
      {"n >> 1", "n // 2"},
      {"n + 255 >> 8", "(n + 255) // 256"},
      {"((n + 31) >> 5) * m", "((n + 31) // 32) * rows"},
      {"n << 2", "n * 4"},
      {"max(n >> 3, 1 << 4)", "max(n // 8, 1 * 16)"},
      // What a workload cannot say.
      {"unknown", "-"},
      {"image.rows", "-"},
      {"1 << n", "-"},
      {"n << 2 >> 1", "-"},
      {"n > m >> 1", "-"},
      {"n >> 1 ? n : m", "-"},
      {"n >> 41", "-"},
      {"n >> -1", "-"},
      {"n >>", "-"},
      {"n / 0", "-"},
      {"n & 3", "-"},
      {"n +", "-"},
      {"blocks(n)", "-"},
      {"n * 0.5", "-"},
      {"sizeof(Node)", "-"},
      {"divide(n)", "-"},
      {"", "-"},
  };
  for (const auto& one : cases) EXPECT_EQ(expression(one.text), one.expression) << one.text;
}

}  // namespace
}  // namespace kiln
