#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "search/place_kernel.h"

namespace kiln {

/// Regression of values of points by a Gaussian process (Rasmussen, Williams, Gaussian Processes for Machine
/// Learning, 2006, algorithm 2.1). Values are standardised; the scale of the covariance is the one of highest
/// likelihood, and so, step by step, is the kernel's shape. Time n^3 for n points.
class GaussianProcess {
 public:
  explicit GaussianProcess(const std::vector<SpaceParameter>& parameters) : kernel_(parameters) {}

  /// Takes new data and tries `tries` random shapes for them, each near the best one so far.
  void fit(std::vector<Point> points, const std::vector<double>& values, int tries, std::mt19937_64& random);

  /// The distributions of some points' values, in the unit of the values given.
  struct Predictions {
    std::vector<Point> points;
    std::vector<double> means, variances;
    std::vector<std::vector<double>> whitened;  ///< covariances with each known point, for `believe`
  };
  [[nodiscard]] Predictions predict(std::vector<Point> points) const;

  /// Narrows the predictions as if point `known` of them had been measured at its mean (kriging believer:
  /// Ginsbourger, Le Riche, Carraro, 2010), so that points asked for together differ.
  void believe(Predictions& predictions, std::size_t known) const;

 private:
  /// Factorises for the kernel's shape; returns the negative logarithm of the posterior density.
  double factorise();

  PlaceKernel kernel_;
  std::vector<Point> points_;
  std::vector<double> targets_;      // standardised
  std::vector<double> factor_;       // lower triangle of the Cholesky factor, by rows
  std::vector<double> weights_;      // inverse of the covariance times targets
  double mean_ = 0, deviation_ = 1;  // of the values
  double scale_ = 1;                 // of the covariance
};

}  // namespace kiln
