#include "study/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace kiln {
namespace {

template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 96> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

/// Enough digits to tell the ends of the interval from each other and from 1.
std::string ratio_text(const Interval& ratio) {
  constexpr double kClose = 0.01;
  const bool close = ratio.high - ratio.low < kClose;
  return print(close ? "%.4fx [%.4f, %.4f]" : "%.2fx [%.2f, %.2f]", ratio.median, ratio.low, ratio.high);
}

std::string count_text(double count) {
  return print("%.0f", count);
}

std::string launches_text(double count) {
  return count_text(count) + (count == 1 ? " launch" : " launches");
}

std::string registers_text(std::int64_t saved) {
  if (saved == 0) return ", registers unchanged";
  const std::int64_t size = std::abs(saved);
  return ", " + std::to_string(size) + (size == 1 ? " register " : " registers ") +
         (saved > 0 ? "fewer" : "more");
}

Interval range_of(const std::vector<double>& values) {
  const Summary summary = summarize(values);
  return {summary.median, summary.min, summary.max};
}

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

/// Stands at the end of a verdict.
std::string remark_of(bool unchecked) {
  return unchecked ? ", results unchecked" : "";
}

std::string values_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration.values()) text += assignment(name, value.to_string()) + "\n";
  return text;
}

class Finder {
 public:
  Finder(const DeviceCases& cases, const DeviceData& data) : cases_(cases), data_(data) {}

  Findings run() {
    for (const StudyCase& which : cases_.cases) {
      if (!measured(which)) continue;
      compare(which);
      add_first_results(which);
    }
    findings_.amortisation = amortise(cases_, data_);
    return std::move(findings_);
  }

 private:
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
    result.what = what;
    result.speedup = paired_ratio(theirs, mine);
    result.instructions = own.costs->instructions();
    result.base_instructions = other.costs->instructions();
    result.code_bytes = own.costs->code_bytes();
    result.base_code_bytes = other.costs->code_bytes();
    result.same_code = own.costs->keys == other.costs->keys;
    const auto registers = resources_of(own.record).registers;
    const auto base_registers = resources_of(other.record).registers;
    if (registers && base_registers) result.registers_saved = *base_registers - *registers;
    result.error = worst_error(own.record);
    result.base_error = worst_error(other.record);
    result.unchecked = is_unchecked(own) || is_unchecked(other);
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
        keep(findings_.constants,
             ratio(which, generic, which.constants.front() + " at compile time" + flavour));
        return;
      case CaseGroup::kAllBut:
        keep(findings_.all_but,
             ratio(which, find_case(CaseGroup::kJitSpecialised, which.fast_math, which.launch_bounds),
                   which.name.substr(which.name.find('.') + 1) + " at run time, all else at compile time"));
        return;
      case CaseGroup::kFactorial:
        keep(findings_.factorial,
             ratio(which, generic, join(which.constants, " and ") + " at compile time" + flavour));
        return;
      case CaseGroup::kJitSpecialised:
        keep(findings_.constants, ratio(which, generic, "all at compile time" + flavour));
        compare_switches(which);
        break_even_of(which);
        return;
      case CaseGroup::kJitGeneric:
        keep(findings_.controls,
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
        keep(findings_.compilers, ratio(which, &other, name + " by " + which.compiler));
    }
  }

  void compare_switches(const StudyCase& which) {
    if (which.fast_math) {
      const StudyCase* precise = find_case(which.group, false, which.launch_bounds);
      keep(findings_.switches,
           ratio(which, precise, which.launch_bounds ? "fast-math" : "fast-math without launch bounds"));
    }
    if (!which.launch_bounds) {
      const StudyCase* bounded = find_case(which.group, which.fast_math, true);
      keep(findings_.switches,
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
      findings_.break_even.push_back({which.name, base->name, price, saved, break_even(price, saved),
                                      is_unchecked(own) || is_unchecked(other)});
    }
  }

  void add_first_results(const StudyCase& which) {
    const bool shown = which.group == CaseGroup::kAotGeneric || which.group == CaseGroup::kJitGeneric ||
                       which.group == CaseGroup::kJitSpecialised;
    if (!shown) return;
    for (const auto& [way, times] : data_of(which)->costs->first) {
      FirstResult result{which.name, way, range_of(times.seconds), {}, is_unchecked(*data_of(which))};
      if (!times.swap_seconds.empty()) result.swap_seconds = summarize(times.swap_seconds).median;
      findings_.first_results.push_back(std::move(result));
    }
  }

  const DeviceCases& cases_;
  const DeviceData& data_;
  Findings findings_;
};

}  // namespace

std::string CaseRatio::sentence() const {
  std::string text = what + ": ";
  switch (effect_of(speedup)) {
    case Effect::kFaster:
      text += ratio_text(speedup) + " as fast";
      break;
    case Effect::kSlower:
      text += "slower, " + ratio_text(speedup) + " as fast";
      break;
    case Effect::kNone:
      text += "no measurable effect, " + ratio_text(speedup);
      break;
  }
  if (same_code) return text + ", the same code" + remark_of(unchecked);
  if (registers_saved) text += registers_text(*registers_saved);
  if (instructions && base_instructions) {
    text += ", instructions " + std::to_string(*base_instructions) + " -> " + std::to_string(*instructions);
  } else if (code_bytes && base_code_bytes) {
    text += ", machine code " + format_bytes(*base_code_bytes) + " -> " + format_bytes(*code_bytes);
  }
  if (error && base_error && *error != *base_error)
    text += print(", largest relative error %.1e in place of %.1e", *error, *base_error);
  return text + remark_of(unchecked);
}

std::string CaseBreakEven::sentence() const {
  const std::string pair = subject + " against " + base + ": ";
  const std::string cost = format_seconds(std::max(0.0, price.median)) + " more before the first launch";
  switch (result.kind) {
    case BreakEven::Kind::kNever:
      return pair + "never, it is not faster; " + cost + remark_of(unchecked);
    case BreakEven::Kind::kNotShown:
      return pair + "not shown, for what a launch saves may be nothing; not before " +
             launches_text(*result.low) + "; " + cost + remark_of(unchecked);
    case BreakEven::Kind::kAfter:
      break;
  }
  return pair + "after " + launches_text(*result.launches) + " [" + count_text(*result.low) + ", " +
         count_text(*result.high) + "]; " + cost + ", " + format_seconds(saved.median) + " saved by each" +
         remark_of(unchecked);
}

std::string FirstResult::sentence() const {
  std::string time = format_seconds(seconds.median);
  if (seconds.low < seconds.high)
    time += " [" + format_seconds(seconds.low) + ", " + format_seconds(seconds.high) + "]";
  const std::string remark = remark_of(unchecked);
  switch (way) {
    case FirstWay::kAhead:
      return subject + ", compiled ahead: " + time + remark;
    case FirstWay::kCold:
      return subject + ", cold: " + time + remark;
    case FirstWay::kDisk:
      return subject + ", with a disk hit: " + time + remark;
    case FirstWay::kBackground:
    case FirstWay::kBackgroundDisk:
      break;
  }
  return subject + ", in the background, generic code " +
         (way == FirstWay::kBackground ? "compiled first: " : "on disk: ") + time +
         (swap_seconds ? ", its own code after " + format_seconds(*swap_seconds) : "") + remark;
}

Findings find(const DeviceCases& cases, const DeviceData& data) {
  return Finder(cases, data).run();
}

}  // namespace kiln
