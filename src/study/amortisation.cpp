#include "study/amortisation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kiln {
namespace {

/// A case that was measured, and its median step.
struct MeasuredCase {
  const StudyCase* which = nullptr;
  const CaseData* data = nullptr;
  double seconds = 0;
};

std::vector<MeasuredCase> measured_cases(const DeviceCases& cases, const DeviceData& data, bool fast_math,
                                         bool launch_bounds) {
  std::vector<MeasuredCase> found;
  for (const StudyCase& which : cases.cases) {
    const auto own = data.find(which.name);
    if (which.fast_math != fast_math || which.launch_bounds != launch_bounds || own == data.end() ||
        !own->second.measured())
      continue;
    found.push_back({&which, &own->second, step_summary(own->second)->median});
  }
  return found;
}

/// Launches that begin before the swap, the first among them.
double launches_before(double first_seconds, double launch_seconds, double swap_seconds) {
  if (launch_seconds <= 0) return 1;
  return 1 + std::max(0.0, std::ceil((swap_seconds - first_seconds) / launch_seconds));
}

void add_curves(std::vector<AmortisationCurve>& curves, const MeasuredCase& own,
                const MeasuredCase* generic) {
  for (const auto& [way, times] : own.data->costs->first) {
    AmortisationCurve curve{own.which->name, way, summarize(times.seconds).median, own.seconds, {}, {}};
    if (!times.swap_seconds.empty()) {
      if (generic == nullptr) continue;
      const double swap = summarize(times.swap_seconds).median;
      curve.before = {generic->which->name, generic->seconds, swap,
                      launches_before(curve.first_seconds, generic->seconds, swap)};
    }
    curves.push_back(std::move(curve));
  }
}

/// Whether more launches no longer change which curve lies below which.
bool is_settled(const std::vector<AmortisationCurve>& curves, double launches) {
  for (const AmortisationCurve& one : curves) {
    for (const AmortisationCurve& other : curves) {
      if (one.launch_seconds < other.launch_seconds && one.after(launches) > other.after(launches))
        return false;
    }
  }
  return true;
}

std::vector<double> launch_counts(const std::vector<AmortisationCurve>& curves) {
  constexpr double kLeast = 1e3;
  constexpr double kMost = 1e9;
  constexpr double kDecade = 10;
  constexpr std::array<double, 3> kInDecade = {1, 2, 5};
  std::vector<double> counts;
  double decade = 1;
  for (bool settled = false; !settled && decade < kMost; decade *= kDecade) {
    settled = decade * kDecade >= kLeast && is_settled(curves, decade);
    for (const double digit : kInDecade) counts.push_back(digit * decade);
  }
  counts.push_back(decade);
  return counts;
}

Amortisation amortise_flavour(const DeviceCases& cases, const DeviceData& data, bool fast_math,
                              bool launch_bounds) {
  Amortisation result{fast_math, launch_bounds, {}, {}};
  const std::vector<MeasuredCase> measured = measured_cases(cases, data, fast_math, launch_bounds);
  const MeasuredCase* best = nullptr;
  const MeasuredCase* generic = nullptr;
  for (const MeasuredCase& own : measured) {
    if (own.which->group == CaseGroup::kAotGeneric) add_curves(result.curves, own, nullptr);
    if (own.which->group == CaseGroup::kJitGeneric) generic = &own;
    if (own.which->group == CaseGroup::kAotInstantiated && (best == nullptr || own.seconds < best->seconds))
      best = &own;
  }
  if (best != nullptr) add_curves(result.curves, *best, nullptr);
  for (const MeasuredCase& own : measured) {
    if (own.which->group == CaseGroup::kJitSpecialised) add_curves(result.curves, own, generic);
  }
  if (result.curves.size() > 1) result.launches = launch_counts(result.curves);
  for (AmortisationCurve& curve : result.curves) {
    for (const double launches : result.launches) curve.seconds.push_back(curve.after(launches));
  }
  return result;
}

}  // namespace

std::vector<Amortisation> amortise(const DeviceCases& cases, const DeviceData& data) {
  std::vector<std::pair<bool, bool>> flavours;
  std::vector<Amortisation> all;
  for (const StudyCase& which : cases.cases) {
    const std::pair flavour{which.fast_math, which.launch_bounds};
    if (std::find(flavours.begin(), flavours.end(), flavour) != flavours.end()) continue;
    flavours.push_back(flavour);
    Amortisation result = amortise_flavour(cases, data, flavour.first, flavour.second);
    if (result.curves.size() > 1) all.push_back(std::move(result));
  }
  return all;
}

}  // namespace kiln
