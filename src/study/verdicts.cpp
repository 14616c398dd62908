#include "study/verdicts.h"

#include <algorithm>
#include <cmath>

#include "base/print.h"
#include "base/text.h"

namespace kiln {
namespace {

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

/// Stands at the end of a verdict.
std::string remark_of(bool unchecked) {
  return unchecked ? ", results unchecked" : "";
}

}  // namespace

std::string verdict_of(const CaseRatio& ratio, const RatioFacts& facts) {
  const std::string speedup = ratio_text(ratio.speedup);
  std::string text = facts.what + ": ";
  switch (ratio.effect) {
    case Effect::kFaster:
      text += speedup + " as fast";
      break;
    case Effect::kSlower:
      text += "slower, " + speedup + " as fast";
      break;
    case Effect::kNone:
      text += "no measurable effect, " + speedup;
      break;
  }
  if (ratio.same_code) return text + ", the same code" + remark_of(facts.unchecked);
  if (ratio.registers_saved) text += registers_text(*ratio.registers_saved);
  if (ratio.instructions && ratio.base_instructions) {
    text += ", instructions " + std::to_string(*ratio.base_instructions) + " -> " +
            std::to_string(*ratio.instructions);
  } else if (facts.code_bytes && facts.base_code_bytes) {
    text +=
        ", machine code " + format_bytes(*facts.base_code_bytes) + " -> " + format_bytes(*facts.code_bytes);
  }
  if (facts.error && facts.base_error && *facts.error != *facts.base_error)
    text += print(", largest relative error %.1e in place of %.1e", *facts.error, *facts.base_error);
  return text + remark_of(facts.unchecked);
}

std::string verdict_of(const CaseBreakEven& found, bool unchecked) {
  const BreakEven& result = found.result;
  const std::string pair = found.subject + " against " + found.base + ": ";
  const std::string cost =
      format_seconds(std::max(0.0, found.price.median)) + " more before the first launch";
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
         count_text(*result.high) + "]; " + cost + ", " + format_seconds(found.saved.median) +
         " saved by each" + remark_of(unchecked);
}

std::string verdict_of(const FirstResult& found, bool unchecked) {
  const Interval& seconds = found.seconds;
  const std::string& subject = found.subject;
  std::string time = format_seconds(seconds.median);
  if (seconds.low < seconds.high)
    time += " [" + format_seconds(seconds.low) + ", " + format_seconds(seconds.high) + "]";
  const std::string remark = remark_of(unchecked);
  switch (found.way) {
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
         (found.way == FirstWay::kBackground ? "compiled first: " : "on disk: ") + time +
         (found.swap_seconds ? ", its own code after " + format_seconds(*found.swap_seconds) : "") + remark;
}

}  // namespace kiln
