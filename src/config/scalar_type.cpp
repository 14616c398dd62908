#include "config/scalar_type.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace kiln {
namespace {

template <class T>
ScalarFacts make_facts(ScalarType type, const char* name, const char* width_name, const char* cpp,
                       const char* header, const char* host_name, TensorMapLayout::Element element) {
  constexpr bool kReal = !std::numeric_limits<T>::is_integer;
  const double epsilon = kReal ? static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
  return {type, name, width_name, cpp, header, host_name, sizeof(T), kReal, epsilon, element};
}

}  // namespace

const std::vector<ScalarFacts>& scalar_types() {
  static const std::vector<ScalarFacts> facts{
#define KILN_FACTS(enumerator, name, width_name, cpp, header, host, element)                            \
  make_facts<host>(ScalarType::enumerator, name, width_name, cpp, header, header[0] != 0 ? #host : cpp, \
                   TensorMapLayout::Element::element),
      KILN_SCALAR_ROWS(KILN_FACTS)
#undef KILN_FACTS
  };
  return facts;
}

const ScalarFacts& facts_of(ScalarType type) {
  return scalar_types().at(static_cast<std::size_t>(type));
}

std::optional<ScalarType> parse_scalar_type(const std::string& name) {
  for (const ScalarFacts& candidate : scalar_types()) {
    if (name == candidate.name || (!name.empty() && name == candidate.width_name)) return candidate.type;
  }
  return std::nullopt;
}

const std::vector<std::string>& scalar_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ScalarFacts& candidate : scalar_types()) list.emplace_back(candidate.name);
    for (const ScalarFacts& candidate : scalar_types()) {
      if (*candidate.width_name != 0) list.emplace_back(candidate.width_name);
    }
    return list;
  }();
  return names;
}

std::string to_string(ScalarType type) {
  return facts_of(type).name;
}
std::string cpp_name(ScalarType type) {
  return facts_of(type).cpp;
}
std::size_t size_of(ScalarType type) {
  return facts_of(type).bytes;
}
std::size_t ElementType::alignment() const {
  constexpr std::size_t kMost = 16;
  return lanes == 3 ? size_of(scalar) : std::max(size_of(scalar), std::min(kMost, bytes()));
}

std::optional<ElementType> parse_element_type(const std::string& name) {
  if (const auto scalar = parse_scalar_type(name)) return ElementType{*scalar, 1};
  constexpr std::string_view kLanes = "234";
  if (name.empty() || kLanes.find(name.back()) == std::string_view::npos) return std::nullopt;
  // CUDA's names besides the scalars' names.
  static const std::map<std::string, std::string> others{
      {"uint", "unsigned"}, {"longlong", "long"}, {"ulonglong", "ulong"}};
  const std::string stem = name.substr(0, name.size() - 1);
  const auto other = others.find(stem);
  const auto scalar = parse_scalar_type(other == others.end() ? stem : other->second);
  if (!scalar || stem == facts_of(*scalar).width_name) return std::nullopt;
  return ElementType{*scalar, static_cast<std::size_t>(name.back() - '0')};
}

std::string cpp_name(const ElementType& type) {
  if (type.lanes == 1) return cpp_name(type.scalar);
  static const std::map<ScalarType, std::string> stems{{ScalarType::kUnsigned, "uint"},
                                                       {ScalarType::kLong, "longlong"},
                                                       {ScalarType::kUnsignedLong, "ulonglong"}};
  const auto stem = stems.find(type.scalar);
  const ScalarFacts& facts = facts_of(type.scalar);
  const std::string of_others = *facts.header == 0 ? facts.name : facts.cpp;
  return (stem == stems.end() ? of_others : stem->second) + std::to_string(type.lanes);
}

bool is_real(ScalarType type) {
  return facts_of(type).real;
}
bool has_constants(ScalarType type) {
  return *facts_of(type).header == 0;
}

}  // namespace kiln
