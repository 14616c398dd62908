#include "search/place_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kiln {
namespace {

constexpr double kLength = 1;       // length of a new shape
constexpr double kOrdered = 0.8;    // part of the correlation that falls with the distance
constexpr double kUnordered = 0.6;  // how fast the rest falls where values differ
constexpr double kShortest = 0.05, kLongest = 5, kLeastNoise = 1e-5, kMostNoise = 0.3;

double matern_3_2(double distance) {
  const double r = std::numbers::sqrt3 * distance;
  return (1 + r) * std::exp(-r);
}

double square(double value) {
  return value * value;
}

}  // namespace

KernelShape KernelShape::perturbed(double step, std::mt19937_64& random) const {
  std::normal_distribution<double> normal;
  const auto moved = [&](double value) { return value * std::exp(step * normal(random)); };
  KernelShape shape = *this;
  for (double& length : shape.lengths) {
    if (std::bernoulli_distribution()(random)) length = std::clamp(moved(length), kShortest, kLongest);
  }
  shape.single = moved(shape.single);
  shape.pairs = moved(shape.pairs);
  shape.all = moved(shape.all);
  const double sum = shape.single + shape.pairs + shape.all;
  for (double* weight : {&shape.single, &shape.pairs, &shape.all}) *weight /= sum;
  shape.noise = std::clamp(moved(shape.noise), kLeastNoise, kMostNoise);
  return shape;
}

double KernelShape::penalty() const {
  const KernelShape usual;
  double sum = square(std::log(single / usual.single)) + square(std::log(pairs / usual.pairs)) +
               square(std::log(all / usual.all)) + square(std::log(noise / usual.noise)) / 4;
  for (const double length : lengths) sum += square(std::log(length / kLength));
  return sum / 2;
}

PlaceKernel::PlaceKernel(const std::vector<SpaceParameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].values > 1) dimensions_.push_back({i, std::vector<double>(parameters[i].values)});
  }
  set_shape(new_shape());
}

KernelShape PlaceKernel::new_shape() const {
  KernelShape shape;
  shape.lengths.assign(dimensions_.size(), kLength);
  return shape;
}

void PlaceKernel::set_shape(KernelShape shape) {
  shape_ = std::move(shape);
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    std::vector<double>& table = dimensions_[i].by_distance;
    const double length = shape_.lengths[i], unordered = std::exp(-kUnordered / length);
    const double last = static_cast<double>(table.size() - 1);
    table[0] = 1;
    for (std::size_t distance = 1; distance < table.size(); ++distance) {
      const double ordered = matern_3_2(static_cast<double>(distance) / last / length);
      table[distance] = kOrdered * ordered + (1 - kOrdered) * unordered;
    }
  }
}

double PlaceKernel::operator()(const Point& one, const Point& other) const {
  double sum = 0, squares = 0, product = 1;
  for (const Dimension& dimension : dimensions_) {
    const std::uint32_t a = one[dimension.parameter], b = other[dimension.parameter];
    const double correlation = dimension.by_distance[a > b ? a - b : b - a];
    sum += correlation;
    squares += square(correlation);
    product *= correlation;
  }
  const auto count = static_cast<double>(dimensions_.size());
  const double single = count > 0 ? sum / count : 1;
  const double pairs = count > 1 ? (square(sum) - squares) / (count * (count - 1)) : 1;
  return shape_.single * single + shape_.pairs * pairs + shape_.all * product;
}

}  // namespace kiln
