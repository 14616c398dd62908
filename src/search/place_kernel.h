#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "search/search_space.h"

namespace kiln {

/// The parameters that a kernel of places learns from data.
struct KernelShape {
  std::vector<double>
      lengths;  ///< by varied parameter: correlation length of its values, in parts of its range
  double single = 0.5, pairs = 0.2, all = 0.3;  ///< weights: single parameters, pairs of them, all together
  double noise = 1e-3;

  /// Nearby, by log-normal steps: one in four lengths large.
  [[nodiscard]] KernelShape perturbed(double step, std::mt19937_64& random) const;
  /// The negative logarithm of the prior: log-normal around a new shape.
  [[nodiscard]] double penalty() const;
};

/// The covariance of two points' values: an additive kernel of first, second and full order (Duvenaud,
/// Nickisch, Rasmussen, Additive Gaussian Processes, NIPS 2011). For one parameter it mixes a Matern 3/2 of
/// the distance of the places with "equal or not". Parameters with one value are left out.
class PlaceKernel {
 public:
  explicit PlaceKernel(const std::vector<SpaceParameter>& parameters);

  [[nodiscard]] KernelShape new_shape() const;
  void set_shape(KernelShape shape);
  [[nodiscard]] const KernelShape& shape() const { return shape_; }
  [[nodiscard]] double operator()(const Point& one, const Point& other) const;
  /// Covariance of a point with itself.
  [[nodiscard]] double variance() const { return shape_.single + shape_.pairs + shape_.all; }

 private:
  struct Dimension {
    std::size_t parameter = 0;
    std::vector<double> by_distance;  // correlation
  };
  std::vector<Dimension> dimensions_;
  KernelShape shape_;
};

}  // namespace kiln
