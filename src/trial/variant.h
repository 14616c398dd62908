#pragma once

#include <string>

#include "workload/configuration.h"

namespace kiln {

/// One point of a sweep on one device: every parameter has a value and a binding.
struct Variant {
  Configuration configuration;
  std::string label;   ///< "block_x=256 bind.nx=run"; empty if nothing is swept
  std::string device;  ///< "cpu", "cuda:0"
};

}  // namespace kiln
