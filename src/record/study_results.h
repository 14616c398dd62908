#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/word_table.h"
#include "record/record.h"
#include "record/study_lines.h"

// The findings of a study: the line of a result, and the model that `study` fills and `report` shows.
namespace kiln {

enum class Effect { kFaster, kSlower, kNone };
template <>
inline constexpr auto kWords<Effect> = std::to_array<Word<Effect>>({{Effect::kFaster, "faster"},
                                                                    {Effect::kSlower, "slower"},
                                                                    {Effect::kNone, "none"}});

/// After how many launches a price paid once is earned back by what each launch saves.
struct BreakEven {
  enum class Kind {
    kAfter,     ///< after `launches`, surely not before `low` and, at 95 %, not after `high`
    kNotShown,  ///< the interval of what a launch saves holds 0: not before `low`, if ever
    kNever,     ///< a launch saves nothing: the interval lies below 0
  };
  Kind kind = Kind::kNever;
  std::optional<double> launches, low, high;  ///< whole numbers of launches
};
template <>
inline constexpr auto kWords<BreakEven::Kind> =
    std::to_array<Word<BreakEven::Kind>>({{BreakEven::Kind::kAfter, "after"},
                                          {BreakEven::Kind::kNotShown, "not shown"},
                                          {BreakEven::Kind::kNever, "never"}});

/// One case against another of the same study.
struct CaseRatio {
  std::string subject, base;
  Interval speedup;  ///< time of the base over that of the subject
  Effect effect = Effect::kNone;
  bool same_code = false;                                        ///< the keys agree: any effect is noise
  std::optional<std::int64_t> registers_saved;                   ///< against the base; absent if unknown
  std::optional<std::uint64_t> instructions, base_instructions;  ///< for a step; absent if unknown
  /// "natpro at compile time: 1.07x as fast [1.05, 1.09], 3 registers fewer".
  std::string verdict;
};

/// When a kernel compiled at run time has earned back its compile and what loading it costs more.
struct CaseBreakEven {
  std::string subject, base;
  Interval price;  ///< seconds; low and high are the least and the most that was seen
  Interval saved;  ///< seconds a launch
  BreakEven result;
  std::string verdict;
};

/// From the wish for a kernel to its first result, as measured.
struct FirstResult {
  std::string subject;
  FirstWay way = FirstWay::kCold;
  Interval seconds;                    ///< low and high are the least and the most that was seen
  std::optional<double> swap_seconds;  ///< until generic code has made place; the median
  std::string verdict;
};

/// How long a program has waited for its results after so many launches, from the wish for the kernel on.
/// All numbers are medians of what was measured.
struct AmortisationCurve {
  /// The code that ran before the case's own code, if it started in the background.
  struct Before {
    std::string subject;
    double launch_seconds = 0;
    double swap_seconds = 0;  ///< from the wish until the case's own code was in use
    double launches = 0;      ///< that began before the swap, the first among them
  };

  std::string subject;
  FirstWay way = FirstWay::kCold;
  double first_seconds = 0;   ///< to the end of the first launch
  double launch_seconds = 0;  ///< time of each further launch, with the case's own code
  std::optional<Before> before;
  std::vector<double> seconds;  ///< after each of Amortisation::launches

  /// After `launches` of them, at least one, one after the other.
  [[nodiscard]] double after(double launches) const;
};

/// The curves of one choice of switches, over the same numbers of launches.
struct Amortisation {
  bool fast_math = false, launch_bounds = true;
  std::vector<double> launches;  ///< 1, 2, 5, 10, ...: a decade beyond the last crossing, 10^3 to 10^9
  std::vector<AmortisationCurve> curves;
};

/// Resources of the largest kernel of a step; absent if the back end does not report them.
struct Resources {
  std::optional<std::int64_t> registers, local_bytes, shared_bytes;
  std::optional<double> occupancy;  ///< the least
};

/// The time of a step: the medians of the rounds, summed up.
struct RoundsSummary : Interval {
  std::size_t rounds = 0;
  double min = 0, max = 0;
};

/// A metric of the workload, from the median step.
struct CaseMetric {
  std::string name, unit;
  double value = 0;
};

struct CaseResult {
  std::string name;
  RunStatus status = RunStatus::kOk;
  std::string message;  ///< why the status is not ok
  std::optional<RoundsSummary> step;
  std::vector<CaseMetric> metrics;
  std::optional<std::uint64_t> code_bytes, instructions;  ///< sums over the step's kernels
  Resources resources;
  std::optional<double> error;  ///< the largest relative one of the checks
};

/// The result of a study of one workload on one device; failed cases are left out of everything after the
/// list of cases. Verdicts name results that are unchecked.
struct StudyResult {
  std::string section, device;
  std::vector<CaseResult> cases;
  std::vector<std::string> unread, left_out;
  std::string no_ahead;  ///< why there are no cases of the compiler that programs are built with, or empty
  std::vector<CaseRatio> constants;  ///< each against the generic case of its flavour, then all of them
  std::vector<CaseRatio> all_but;    ///< each against all of them
  std::vector<CaseRatio> factorial;
  std::vector<CaseRatio> switches;   ///< fast-math and launch bounds
  std::vector<CaseRatio> compilers;  ///< programs' compilers against the run-time compiler, ahead of time
  std::vector<CaseRatio> controls;   ///< the same code twice: how far the intervals can be trusted
  std::vector<CaseBreakEven> break_even;
  std::vector<FirstResult> first_results;
  std::vector<Amortisation> amortisation;  ///< of each flavour
};

/// A result with what views show beside it (schemas/study_result.schema.json). Times are in seconds.
struct StudyReport : StudyHeader, StudyResult {
  std::string workload;  ///< a study of several workloads has a section for each
  std::string device_name;
  std::map<std::string, std::optional<CaseCosts>> costs;  ///< by case

  /// The speed-up of a case against the generic one, of the control its own; null for a case without one.
  [[nodiscard]] const CaseRatio* ratio_of(const std::string& name) const;
  /// Null for a case that does not compile.
  [[nodiscard]] const CaseCosts* costs_of(const std::string& name) const;
};

}  // namespace kiln
