#include "study/findings.h"

#include <algorithm>

#include "base/text.h"
#include "study/amortisation.h"
#include "study/paired.h"
#include "study/verdicts.h"

namespace kiln {
namespace {

/// Both cases' medians of the rounds that visited both.
std::pair<std::vector<double>, std::vector<double>> common_rounds(const CaseData& left,
                                                                  const CaseData& right) {
  std::pair<std::vector<double>, std::vector<double>> values;
  for (const auto& [round, visit] : left.visits) {
    const auto other = right.visits.find(round);
    if (other == right.visits.end()) continue;
    values.first.push_back(visit.median());
    values.second.push_back(other->second.median());
  }
  return values;
}

bool is_unchecked(const CaseData& data) {
  return data.record.status == RunStatus::kUnchecked;
}

std::string values_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration.values()) text += assignment(name, value.to_string()) + "\n";
  return text;
}

class Finder {
 public:
  Finder(const DeviceCases& cases, const DeviceData& data) : cases_(cases), data_(data) {}

  StudyResult run() {
    describe();
    for (const StudyCase& which : cases_.cases) {
      if (!measured(which)) continue;
      compare(which);
      add_first_results(which);
    }
    result_.amortisation = amortise(cases_, data_);
    return std::move(result_);
  }

 private:
  void describe() {
    result_.section = cases_.section;
    result_.device = cases_.device.id;
    for (const StudyCase& which : cases_.cases) {
      if (const CaseData* data = data_of(which)) result_.cases.push_back(result_of(which, *data));
    }
    result_.unread = cases_.unread;
    result_.left_out = cases_.excluded;
    result_.no_ahead = cases_.no_ahead;
  }

  [[nodiscard]] const CaseData* data_of(const StudyCase& which) const {
    const auto found = data_.find(which.name);
    return found == data_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] bool measured(const StudyCase& which) const {
    const CaseData* data = data_of(which);
    return data != nullptr && data->measured();
  }

  [[nodiscard]] const StudyCase* find_case(CaseGroup group, bool fast_math, bool launch_bounds,
                                           const std::string& compiler = "") const {
    for (const StudyCase& which : cases_.cases) {
      const bool same = which.group == group && which.fast_math == fast_math &&
                        which.launch_bounds == launch_bounds && which.compiler == compiler;
      if (same && measured(which)) return &which;
    }
    return nullptr;
  }

  [[nodiscard]] std::optional<CaseRatio> ratio(const StudyCase& subject, const StudyCase* base,
                                               const std::string& what) const {
    if (base == nullptr) return std::nullopt;
    const CaseData& own = *data_of(subject);
    const CaseData& other = *data_of(*base);
    const auto [mine, theirs] = common_rounds(own, other);
    if (mine.empty()) return std::nullopt;
    CaseRatio result;
    result.subject = subject.name;
    result.base = base->name;
    result.speedup = paired_ratio(theirs, mine);
    result.effect = effect_of(result.speedup);
    result.instructions = own.costs->instructions();
    result.base_instructions = other.costs->instructions();
    result.same_code = own.costs->keys == other.costs->keys;
    const auto registers = resources_of(own.record).registers;
    const auto base_registers = resources_of(other.record).registers;
    if (registers && base_registers) result.registers_saved = *base_registers - *registers;
    result.verdict = verdict_of(
        result, {what, own.costs->code_bytes(), other.costs->code_bytes(), largest_error(own.record),
                 largest_error(other.record), is_unchecked(own) || is_unchecked(other)});
    return result;
  }

  static void keep(std::vector<CaseRatio>& list, std::optional<CaseRatio> ratio) {
    if (ratio) list.push_back(std::move(*ratio));
  }

  void compare(const StudyCase& which) {
    const StudyCase* generic = find_case(CaseGroup::kJitGeneric, which.fast_math, which.launch_bounds);
    const std::string flavour = which.name.substr(std::min(which.name.find(' '), which.name.size()));
    switch (which.group) {
      case CaseGroup::kOnly:
        keep(result_.constants,
             ratio(which, generic, which.constants.front() + " at compile time" + flavour));
        return;
      case CaseGroup::kAllBut:
        keep(result_.all_but,
             ratio(which, find_case(CaseGroup::kJitSpecialised, which.fast_math, which.launch_bounds),
                   which.name.substr(which.name.find('.') + 1) + " at run time, all else at compile time"));
        return;
      case CaseGroup::kFactorial:
        keep(result_.factorial,
             ratio(which, generic, join(which.constants, " and ") + " at compile time" + flavour));
        return;
      case CaseGroup::kJitSpecialised:
        keep(result_.constants, ratio(which, generic, "all at compile time" + flavour));
        compare_switches(which);
        break_even_of(which);
        return;
      case CaseGroup::kJitGeneric:
        keep(result_.controls,
             ratio(which, find_case(CaseGroup::kAotGeneric, which.fast_math, which.launch_bounds),
                   "control, the same code twice" + flavour));
        return;
      case CaseGroup::kAotGeneric:
      case CaseGroup::kAotInstantiated:
        compare_compilers(which);
        return;
    }
  }

  void compare_compilers(const StudyCase& which) {
    if (which.compiler.empty()) return;
    std::string name = which.name;
    name.erase(name.find("." + which.compiler), which.compiler.size() + 1);
    for (const StudyCase& other : cases_.cases) {
      if (other.name == name && measured(other))
        keep(result_.compilers, ratio(which, &other, name + " by " + which.compiler));
    }
  }

  void compare_switches(const StudyCase& which) {
    if (which.fast_math) {
      const StudyCase* precise = find_case(which.group, false, which.launch_bounds);
      keep(result_.switches,
           ratio(which, precise, which.launch_bounds ? "fast-math" : "fast-math without launch bounds"));
    }
    if (!which.launch_bounds) {
      const StudyCase* bounded = find_case(which.group, which.fast_math, true);
      keep(result_.switches,
           ratio(which, bounded, which.fast_math ? "no launch bounds, fast-math" : "no launch bounds"));
    }
  }

  /// The instance that an ahead-of-time program would take: of the same values, and, if another one, the
  /// fastest.
  [[nodiscard]] std::vector<const StudyCase*> instances_for(const StudyCase& which) const {
    const std::string wanted = values_text(variant_of(which).configuration);
    const StudyCase* same = nullptr;
    const StudyCase* best = nullptr;
    double best_seconds = 0;
    for (const StudyCase& other : cases_.cases) {
      if (other.group != CaseGroup::kAotInstantiated || other.fast_math != which.fast_math ||
          other.launch_bounds != which.launch_bounds || !measured(other))
        continue;
      if (other.compiler.empty() && values_text(variant_of(other).configuration) == wanted) same = &other;
      const double seconds = step_summary(*data_of(other))->median;
      if (best == nullptr || seconds < best_seconds) {
        best = &other;
        best_seconds = seconds;
      }
    }
    std::vector<const StudyCase*> found;
    if (same != nullptr) found.push_back(same);
    if (best != nullptr && best != same) found.push_back(best);
    return found;
  }

  [[nodiscard]] const Variant& variant_of(const StudyCase& which) const {
    return cases_.variants[static_cast<std::size_t>(&which - cases_.cases.data())];
  }

  void break_even_of(const StudyCase& which) {
    std::vector<const StudyCase*> bases = instances_for(which);
    const auto instances = bases.size();
    for (const StudyCase& other : cases_.cases) {
      if (other.group == CaseGroup::kAotGeneric && other.fast_math == which.fast_math &&
          other.launch_bounds == which.launch_bounds && measured(other))
        bases.insert(bases.end() - static_cast<std::ptrdiff_t>(instances), &other);
    }
    const CaseData& own = *data_of(which);
    const double load = summarize(own.costs->load_seconds).median;
    for (const StudyCase* base : bases) {
      const CaseData& other = *data_of(*base);
      const auto [mine, theirs] = common_rounds(own, other);
      if (mine.empty()) continue;
      Interval price = range_of(own.costs->compile_seconds);
      const double more = load - summarize(other.costs->load_seconds).median;
      price = {price.median + more, price.low + more, price.high + more};
      const Interval saved = paired_difference(theirs, mine);
      CaseBreakEven found{which.name, base->name, price, saved, break_even(price, saved), {}};
      found.verdict = verdict_of(found, is_unchecked(own) || is_unchecked(other));
      result_.break_even.push_back(std::move(found));
    }
  }

  void add_first_results(const StudyCase& which) {
    const bool shown = which.group == CaseGroup::kAotGeneric || which.group == CaseGroup::kJitGeneric ||
                       which.group == CaseGroup::kJitSpecialised;
    if (!shown) return;
    for (const auto& [way, times] : data_of(which)->costs->first) {
      FirstResult found{which.name, way, range_of(times.seconds), {}, {}};
      if (!times.swap_seconds.empty()) found.swap_seconds = summarize(times.swap_seconds).median;
      found.verdict = verdict_of(found, is_unchecked(*data_of(which)));
      result_.first_results.push_back(std::move(found));
    }
  }

  const DeviceCases& cases_;
  const DeviceData& data_;
  StudyResult result_;
};

}  // namespace

StudyResult find_effects(const DeviceCases& cases, const DeviceData& data) {
  return Finder(cases, data).run();
}

}  // namespace kiln
