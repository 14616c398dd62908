#include "pair_timer.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace kiln::bench {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double quartile(std::vector<double> values, int q) {
  std::sort(values.begin(), values.end());
  return values.at((values.size() - 1) * static_cast<std::size_t>(q) / 4);
}

Pair time_pair(const std::function<void()>& kiln, const std::function<void()>& other, int rounds) {
  std::vector<double> mine;
  std::vector<double> theirs;
  std::vector<double> ratios;
  kiln();
  other();
  for (int round = 0; round < rounds; ++round) {
    // Who goes first alternates.
    if (round % 2 == 0) mine.push_back(seconds_of(kiln));
    theirs.push_back(seconds_of(other));
    if (round % 2 != 0) mine.push_back(seconds_of(kiln));
    ratios.push_back(theirs.back() / mine.back());
  }
  return {summarize(mine), summarize(theirs), quartile(ratios, 2), quartile(ratios, 1), quartile(ratios, 3)};
}

}  // namespace kiln::bench
