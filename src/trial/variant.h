#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "workload/configuration.h"

namespace kiln {

/// A buffer and the file that it is written to.
struct KeptOutput {
  std::string buffer, file;
};

/// One point of a sweep on one device: every parameter has a value and a binding.
struct Variant {
  Configuration configuration;
  std::string label;                     ///< "block_x=256 bind.nx=run"; empty if nothing is swept
  std::string device;                    ///< "cpu", "cuda:0"
  std::vector<KeptOutput> keep = {};     ///< once its checks are done
  std::optional<WisdomUse> wisdom = {};  ///< which values it has by wisdom
  std::shared_ptr<const Configuration> otherwise = nullptr;  ///< runs in its place where those fail
};

}  // namespace kiln
