#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/amortisation.h"
#include "study/case_data.h"
#include "study/paired.h"

namespace kiln {

/// One case against another of the same study.
struct CaseRatio {
  std::string subject, base;
  std::string what;                             ///< "natpro at compile time", "fast-math", "control"
  Interval speedup;                             ///< time of the base over that of the subject
  bool same_code = false;                       ///< the keys agree: any effect is noise
  std::optional<std::int64_t> registers_saved;  ///< against the base; absent where not told
  /// Of the machine code of a step; absent where not told.
  std::optional<std::uint64_t> instructions, base_instructions, code_bytes, base_code_bytes;
  std::optional<double> error, base_error;  ///< of the checks
  bool unchecked = false;                   ///< no check has compared the results of one of the two

  /// "natpro at compile time: 1.07x as fast [1.05, 1.09], 3 registers fewer".
  [[nodiscard]] std::string sentence() const;
};

/// When a kernel compiled at run time has earned back its compile and what loading it costs more.
struct CaseBreakEven {
  std::string subject, base;
  Interval price;  ///< seconds; low and high are the least and the most that was seen
  Interval saved;  ///< seconds a launch
  BreakEven result;
  bool unchecked = false;  ///< as of CaseRatio
  [[nodiscard]] std::string sentence() const;
};

/// From the wish for a kernel to its first result, as measured.
struct FirstResult {
  std::string subject;
  FirstWay way = FirstWay::kCold;
  Interval seconds;                    ///< low and high are the least and the most that was seen
  std::optional<double> swap_seconds;  ///< until generic code has made place; the median
  bool unchecked = false;              ///< no check has compared the case's results
  [[nodiscard]] std::string sentence() const;
};

/// What a study of one device shows; cases that failed take no part. Verdicts name results that are
/// unchecked.
struct Findings {
  std::vector<CaseRatio> constants;  ///< each against the generic case of its flavour, then all of them
  std::vector<CaseRatio> all_but;    ///< each against all of them
  std::vector<CaseRatio> factorial;
  std::vector<CaseRatio> compilers;  ///< programs' compilers against the run-time compiler, ahead of time
  std::vector<CaseRatio> switches;   ///< fast-math and launch bounds
  std::vector<CaseRatio> controls;   ///< the same code twice: how far the intervals can be trusted
  std::vector<CaseBreakEven> break_even;
  std::vector<FirstResult> first_results;
  std::vector<Amortisation> amortisation;  ///< of each flavour
};

[[nodiscard]] Findings find(const DeviceCases& cases, const DeviceData& data);

}  // namespace kiln
