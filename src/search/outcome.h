#pragma once

#include <limits>

#include "base/word_table.h"

namespace kiln {

enum class OutcomeKind {
  kValue,   ///< measured
  kCut,     ///< sampling was given up: the value is at least `Outcome::value`
  kFailed,  ///< there is no value
};

template <>
inline constexpr auto kWords<OutcomeKind> = std::to_array<Word<OutcomeKind>>(
    {{OutcomeKind::kValue, "value"}, {OutcomeKind::kCut, "cut"}, {OutcomeKind::kFailed, "failed"}});

enum class FailureKind {
  kCompile,  ///< does not compile, or not within the limit of time
  kUnfit,    ///< needs more registers, shared memory or threads than the device has
  kFault,    ///< ended its process or its device
  kTimeout,  ///< was still running at the limit of time
  kWrong,    ///< the result differs from the reference
};

template <>
inline constexpr auto kWords<FailureKind> =
    std::to_array<Word<FailureKind>>({{FailureKind::kCompile, "compile failed"},
                                      {FailureKind::kUnfit, "does not fit"},
                                      {FailureKind::kFault, "fault"},
                                      {FailureKind::kTimeout, "timed out"},
                                      {FailureKind::kWrong, "wrong"}});

/// The result of an attempt to measure a point. Values are minimised and positive, as times are.
struct Outcome {
  OutcomeKind kind = OutcomeKind::kFailed;
  double value = 0;                             ///< for kValue, and the lower bound of kCut
  FailureKind failure = FailureKind::kCompile;  ///< of kFailed

  static Outcome measured(double value) { return {OutcomeKind::kValue, value, {}}; }
  static Outcome cut(double at_least) { return {OutcomeKind::kCut, at_least, {}}; }
  static Outcome failed(FailureKind kind) { return {OutcomeKind::kFailed, 0, kind}; }

  /// For searchers that only compare: infinite for a failure, the bound for a cut value.
  [[nodiscard]] double cost() const {
    return kind == OutcomeKind::kFailed ? std::numeric_limits<double>::infinity() : value;
  }
  bool operator==(const Outcome&) const = default;
};

}  // namespace kiln
