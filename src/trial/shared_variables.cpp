#include "trial/shared_variables.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string_view>

#include "compile/reached_names.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The last part of "ns::table".
std::string unscoped(const std::string& name) {
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// The use of its texts' variables by a unit's kernels.
struct VariableUse {
  std::map<std::string, std::string>
      changing;                              ///< those that kernels can write: one of the kernels that use it
  std::map<std::string, std::string> given;  ///< those that are given by `symbols`: a kernel that is given it
  std::map<std::string, std::string> used;   ///< all identifiers that kernels lead to: one of these kernels
};

bool mentions_variables(const Specialization& specialization) {
  const auto mentions = [](const std::string& text) {
    return text.find("__device__") != std::string::npos || text.find("__managed__") != std::string::npos ||
           text.find("__constant__") != std::string::npos;
  };
  return mentions(specialization.source_text) ||
         std::any_of(specialization.headers.begin(), specialization.headers.end(),
                     [&](const IncludedHeader& header) { return mentions(header.text); });
}

VariableUse use_of(const Configuration& configuration, const Unit& unit) {
  VariableUse use;
  if (!mentions_variables(unit.specialization)) return use;
  std::deque<Outline> outlines = {outline(unit.specialization.source_text)};
  for (const IncludedHeader& header : unit.specialization.headers) outlines.push_back(outline(header.text));
  std::vector<const Outline*> texts;
  std::set<std::string_view> changing;
  for (const Outline& text : outlines) {
    texts.push_back(&text);
    changing.insert(text.changing.begin(), text.changing.end());
  }
  const ReachedNames names(texts);
  for (const auto& [kernel, expression] : unit.name_expressions) {
    names.find(expression, [&, &kernel_name = kernel](std::string_view name) {
      if (changing.contains(name)) use.changing.emplace(name, kernel_name);
      use.used.emplace(name, kernel_name);
      return false;
    });
    for (const auto& [symbol, buffer] : configuration.workload().find_kernel(kernel)->symbols)
      use.given.emplace(unscoped(symbol), kernel);
  }
  return use;
}

struct SharedVariable {
  std::string name, first, second;  ///< kernels
  bool by_symbols = false;          ///< only the first of them is given it
};

std::optional<SharedVariable> find_given(const VariableUse& by, const VariableUse& to) {
  for (const auto& [name, kernel] : by.given) {
    const auto other = to.used.find(name);
    if (other != to.used.end() && !to.given.contains(name))
      return SharedVariable{name, kernel, other->second, true};
  }
  return std::nullopt;
}

std::optional<SharedVariable> find_shared(const VariableUse& a, const VariableUse& b) {
  for (const auto& [name, kernel] : a.changing) {
    const auto other = b.changing.find(name);
    if (other != b.changing.end()) return SharedVariable{name, kernel, other->second};
  }
  auto given = find_given(a, b);
  return given ? given : find_given(b, a);
}

}  // namespace

std::set<std::string> kernels_that_share(const Configuration& configuration, const std::vector<Unit>& step,
                                         const std::vector<Unit>& data) {
  std::set<std::string> kernels;
  for (const Unit& unit : data) {
    for (const Unit& other : step) {
      if (other.specialization.source_path != unit.specialization.source_path) continue;
      if (!find_shared(use_of(configuration, other), use_of(configuration, unit))) continue;
      for (const auto& [kernel, expression] : unit.name_expressions) kernels.insert(kernel);
    }
  }
  return kernels;
}

void require_shared_variables(const Configuration& configuration, const std::vector<const Unit*>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::size_t j = i + 1; j < units.size(); ++j) {
      const Specialization &a = units[i]->specialization, &b = units[j]->specialization;
      if (a.source_path != b.source_path) continue;
      const auto shared = find_shared(use_of(configuration, *units[i]), use_of(configuration, *units[j]));
      if (!shared) continue;
      const std::string text = "kernels." + shared->second + ": it uses the variable '" + shared->name +
                               "' of " + a.source_name + ", as kernel '" + shared->first +
                               "' does, but the two are compiled apart (" +
                               (a.target == b.target ? "other macros or options" : "for another device") +
                               "), so that each would have a variable of its own; ";
      const std::string remedy =
          shared->by_symbols ? "name it in the 'symbols' of both"
                             : "give both the same 'defines' and 'options' on one device, or hand the "
                               "value over in a buffer";
      throw bad_input(text + remedy, configuration.workload().find_kernel(shared->second)->where);
    }
  }
}

}  // namespace kiln
