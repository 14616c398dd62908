#include "search/gaussian_process.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace kiln {
namespace {

constexpr double kLeastVariance = 1e-9, kLeastScale = 1e-3;
constexpr double kFar = 0.8, kNear = 0.3;  // steps of the shapes that are tried in turn

/// Row i of a triangle begins here.
std::size_t row(std::size_t i) {
  return i * (i + 1) / 2;
}

/// Four sums at once: a compiler may not reorder the additions of one.
double dot(const double* one, const double* other, std::size_t count) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += one[i + lane] * other[i + lane];
  }
  for (; i < count; ++i) sums[0] += one[i] * other[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// one += factor * other
void add_multiple(std::vector<double>& one, double factor, const std::vector<double>& other) {
  for (std::size_t i = 0; i < one.size(); ++i) one[i] += factor * other[i];
}

/// In place; false where the matrix is not positive definite.
bool cholesky(std::vector<double>& triangle, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    double* own = &triangle[row(i)];
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = &triangle[row(j)];
      own[j] = (own[j] - dot(own, other, j)) / other[j];
    }
    const double rest = own[i] - dot(own, own, i);
    if (!(rest > 0)) return false;
    own[i] = std::sqrt(rest);
  }
  return true;
}

void solve_lower(const std::vector<double>& triangle, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (values[i] - dot(&triangle[row(i)], values.data(), i)) / triangle[row(i) + i];
}

void solve_transposed(const std::vector<double>& triangle, std::vector<double>& values) {
  for (std::size_t i = values.size(); i-- > 0;) {
    values[i] /= triangle[row(i) + i];
    for (std::size_t j = 0; j < i; ++j) values[j] -= triangle[row(i) + j] * values[i];
  }
}

}  // namespace

void GaussianProcess::fit(std::vector<Point> points, const std::vector<double>& values, int tries,
                          std::mt19937_64& random) {
  points_ = std::move(points);
  const auto count = static_cast<double>(values.size());
  mean_ = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean_) * (value - mean_);
  deviation_ = std::sqrt(squares / count) + kLeastVariance;
  targets_.clear();
  for (const double value : values) targets_.push_back((value - mean_) / deviation_);

  KernelShape best = kernel_.shape();
  double least = factorise();
  if (!std::isfinite(least)) best = kernel_.new_shape();
  for (int i = 0; i < tries; ++i) {
    kernel_.set_shape(best.perturbed(i % 2 == 0 ? kFar : kNear, random));
    if (const double density = factorise(); density < least) {
      least = density;
      best = kernel_.shape();
    }
  }
  kernel_.set_shape(best);
  factorise();
}

double GaussianProcess::factorise() {
  const std::size_t count = points_.size();
  factor_.resize(row(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) factor_[row(i) + j] = kernel_(points_[i], points_[j]);
    factor_[row(i) + i] = kernel_.variance() + kernel_.shape().noise;
  }
  if (!cholesky(factor_, count)) return std::numeric_limits<double>::infinity();
  weights_ = targets_;
  solve_lower(factor_, weights_);
  const auto n = static_cast<double>(count);
  scale_ = std::max(kLeastScale, dot(weights_.data(), weights_.data(), count) / n);
  double log_determinant = 0;
  for (std::size_t i = 0; i < count; ++i) log_determinant += 2 * std::log(factor_[row(i) + i]);
  solve_transposed(factor_, weights_);
  return (n * std::log(scale_) + log_determinant) / 2 + kernel_.shape().penalty();
}

GaussianProcess::Predictions GaussianProcess::predict(std::vector<Point> points) const {
  Predictions found{std::move(points), {}, {}, {}};
  const std::size_t count = found.points.size();
  const double unit = scale_ * deviation_ * deviation_;
  found.means.assign(count, mean_);
  found.variances.assign(count, unit * kernel_.variance());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    std::vector<double> covariances(count);
    for (std::size_t j = 0; j < count; ++j) covariances[j] = kernel_(points_[i], found.points[j]);
    add_multiple(found.means, deviation_ * weights_[i], covariances);
    for (std::size_t k = 0; k < i; ++k) add_multiple(covariances, -factor_[row(i) + k], found.whitened[k]);
    for (std::size_t j = 0; j < count; ++j) {
      covariances[j] /= factor_[row(i) + i];
      found.variances[j] -= unit * covariances[j] * covariances[j];
    }
    found.whitened.push_back(std::move(covariances));
  }
  for (double& variance : found.variances) variance = std::max(unit * kLeastVariance, variance);
  return found;
}

void GaussianProcess::believe(Predictions& predictions, std::size_t known) const {
  const double unit = scale_ * deviation_ * deviation_;
  const double root = std::sqrt(predictions.variances[known] / unit + kernel_.shape().noise);
  std::vector<double> parts;
  for (const Point& point : predictions.points) parts.push_back(kernel_(point, predictions.points[known]));
  for (const std::vector<double>& covariances : predictions.whitened)
    add_multiple(parts, -covariances[known], covariances);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    parts[j] /= root;
    double& variance = predictions.variances[j];
    variance = std::max(unit * kLeastVariance, variance - unit * parts[j] * parts[j]);
  }
  predictions.whitened.push_back(std::move(parts));
}

}  // namespace kiln
