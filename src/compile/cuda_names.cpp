#include "compile/cuda_names.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "specialize/tokens.h"

namespace kiln {
namespace {

struct CudaNames {
  const char* header;
  std::vector<std::string_view> names;  ///< behind `cuda::`; the beginnings of names
};

const std::vector<CudaNames>& cuda_names() {
  static const std::vector<CudaNames> all = {
      {"cuda/std/optional", {"std::optional", "std::nullopt", "std::make_optional"}},
      {"cuda/std/variant", {"std::variant", "std::monostate", "std::visit"}},
      {"cuda/std/array", {"std::array"}},
      {"cuda/std/tuple", {"std::tuple", "std::make_tuple", "std::tie", "std::get<"}},
      {"cuda/std/span", {"std::span"}},
      {"cuda/std/complex", {"std::complex"}},
      {"cuda/std/utility",
       {"std::pair", "std::make_pair", "std::move", "std::forward", "std::swap", "std::exchange",
        "std::declval", "std::index_sequence", "std::integer_sequence", "std::make_index_sequence",
        "std::make_integer_sequence"}},
      {"cuda/std/limits", {"std::numeric_limits"}},
      {"cuda/std/type_traits",
       {"std::is_", "std::enable_if", "std::conditional", "std::remove_", "std::decay",
        "std::integral_constant", "std::bool_constant", "std::true_type", "std::false_type",
        "std::make_unsigned", "std::make_signed", "std::common_type", "std::underlying_type", "std::void_t",
        "std::add_", "std::invoke_result"}},
      {"cuda/std/cstdint",
       {"std::int8", "std::int16", "std::int32", "std::int64", "std::uint", "std::intptr"}},
      {"cuda/std/cstddef", {"std::size_t", "std::ptrdiff_t", "std::byte", "std::nullptr_t"}},
      {"cuda/std/bit",
       {"std::bit_cast", "std::popcount", "std::countl_", "std::countr_", "std::bit_width", "std::bit_ceil",
        "std::bit_floor", "std::has_single_bit", "std::rotl", "std::rotr"}},
      {"cuda/std/functional",
       {"std::plus", "std::minus", "std::multiplies", "std::divides", "std::less", "std::greater",
        "std::equal_to", "std::identity", "std::bit_and", "std::bit_or", "std::bit_xor", "std::logical_"}},
      {"cuda/functional", {"minimum", "maximum", "proclaim_return_type"}},
      {"cuda/cmath", {"ceil_div", "round_up", "round_down", "ilog2", "is_power_of_two"}},
      {"cuda/std/cmath",
       {"std::isnan", "std::isinf", "std::isfinite", "std::abs", "std::sqrt", "std::exp", "std::log",
        "std::pow", "std::sin", "std::cos", "std::tan", "std::floor", "std::ceil", "std::round", "std::fmin",
        "std::fmax"}},
      {"cuda/std/algorithm", {"std::max", "std::min", "std::clamp"}},
      {"cuda/std/__algorithm/max.h", {"std::max"}},
      {"cuda/std/__algorithm/min.h", {"std::min"}},
      {"cuda/std/__algorithm/clamp.h", {"std::clamp"}},
      {"cuda/atomic", {"atomic", "memory_order", "thread_scope", "std::atomic", "std::memory_order"}},
      {"cuda/barrier", {"barrier<", "barrier ", "memcpy_async", "aligned_size_t"}},
      {"cuda/pipeline", {"pipeline", "make_pipeline"}},
      {"cuda/latch", {"latch"}},
      {"cuda/semaphore", {"binary_semaphore", "counting_semaphore"}}};
  return all;
}

/// Whether `cuda::` at `at` names the namespace: `cv::cuda::` and `mycuda::` do not.
bool is_outermost(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  if (continues_identifier(text[at - 1])) return false;
  const bool scoped = at >= 2 && text.substr(at - 2, 2) == "::";
  return !scoped || at == 2 || !(continues_identifier(text[at - 3]) || text[at - 3] == '>');
}

bool declares_namespace(std::string_view text) {
  constexpr std::string_view kWord = "namespace";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    std::size_t name = at + kWord.size();
    while (name < text.size() && text[name] == ' ') ++name;
    std::size_t behind = name;
    while (behind < text.size() && continues_identifier(text[behind])) ++behind;
    if (text.substr(name, behind - name) != "cuda") continue;
    while (behind < text.size() && std::isspace(static_cast<unsigned char>(text[behind])) != 0) ++behind;
    const bool using_it = at >= 6 && text.substr(at - 6, 5) == "using";
    if (!using_it && behind < text.size() && (text[behind] == '{' || text[behind] == '=')) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> implied_cuda_headers(const std::vector<std::string_view>& texts,
                                              const std::vector<std::string>& included,
                                              const std::function<bool(const std::string&)>& has) {
  constexpr std::string_view kScope = "cuda::";
  std::vector<std::string_view> uses;  // what stands behind `cuda::`
  for (const std::string_view text : texts) {
    for (std::size_t at = text.find(kScope); at != std::string_view::npos; at = text.find(kScope, at + 1)) {
      if (is_outermost(text, at)) uses.push_back(text.substr(at + kScope.size()));
    }
  }
  if (uses.empty() || std::any_of(texts.begin(), texts.end(), declares_namespace)) return {};
  std::vector<std::string> headers;
  for (const auto& [header, names] : cuda_names()) {
    const bool used = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return std::any_of(uses.begin(), uses.end(),
                         [&](std::string_view use) { return use.starts_with(name); });
    });
    const bool again = std::find(included.begin(), included.end(), header) != included.end();
    if (used && !again && has(header)) headers.emplace_back(header);
  }
  return headers;
}

}  // namespace kiln
