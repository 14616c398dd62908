#include "trial/shared_variables.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "compile/reached_names.h"
#include "kiln/error.h"
#include "specialize/any_text.h"

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
  return any_text(specialization, mentions);
}

/// A unit's text and headers, as far as its variables are concerned.
struct UnitTexts {
  explicit UnitTexts(const Specialization& specialization) {
    outlines.push_back(outline(specialization.source_text));
    for (const IncludedHeader& header : specialization.headers) outlines.push_back(outline(header.text));
    std::vector<const Outline*> texts;
    for (const Outline& text : outlines) {
      texts.push_back(&text);
      changing.insert(text.changing.begin(), text.changing.end());
    }
    names.emplace(texts);
  }

  std::deque<Outline> outlines;
  std::set<std::string_view> changing;
  std::optional<ReachedNames> names;
};

/// Finds the use of each unit once, and reads texts that several units have once.
class VariableUses {
 public:
  explicit VariableUses(const Configuration& configuration) : configuration_(configuration) {}

  const VariableUse& of(const Unit& unit) {
    const auto [found, is_new] = uses_.try_emplace(&unit);
    if (is_new && mentions_variables(unit.specialization)) found->second = make(unit);
    return found->second;
  }

 private:
  VariableUse make(const Unit& unit) {
    std::string key = unit.specialization.source_text;
    for (const IncludedHeader& header : unit.specialization.headers) key.append(1, '\0').append(header.text);
    auto& texts = texts_[std::move(key)];
    if (!texts) texts = std::make_unique<UnitTexts>(unit.specialization);
    VariableUse use;
    for (const auto& [kernel, expression] : unit.name_expressions) {
      texts->names->find(expression, [&, &kernel_name = kernel](std::string_view name) {
        if (texts->changing.contains(name)) use.changing.emplace(name, kernel_name);
        use.used.emplace(name, kernel_name);
        return false;
      });
      for (const auto& [symbol, buffer] : configuration_.workload().find_kernel(kernel)->symbols)
        use.given.emplace(unscoped(symbol), kernel);
    }
    return use;
  }

  const Configuration& configuration_;
  std::map<const Unit*, VariableUse> uses_;
  std::map<std::string, std::unique_ptr<UnitTexts>> texts_;
};

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
  VariableUses uses(configuration);
  for (const Unit& unit : data) {
    for (const Unit& other : step) {
      if (other.specialization.source_path != unit.specialization.source_path) continue;
      if (!find_shared(uses.of(other), uses.of(unit))) continue;
      for (const auto& [kernel, expression] : unit.name_expressions) kernels.insert(kernel);
    }
  }
  return kernels;
}

void require_shared_variables(const Configuration& configuration, const std::vector<const Unit*>& units) {
  VariableUses uses(configuration);
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::size_t j = i + 1; j < units.size(); ++j) {
      const Specialization &a = units[i]->specialization, &b = units[j]->specialization;
      if (a.source_path != b.source_path) continue;
      const auto shared = find_shared(uses.of(*units[i]), uses.of(*units[j]));
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
