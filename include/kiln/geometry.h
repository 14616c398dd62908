#pragma once

#include <cstdint>
#include <optional>

// The shape of a launch, and the driver's function that launches it.
namespace kiln {

/// Blocks of a grid, or work-items of a block; x is the fastest.
struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// The shape of one launch. Absent members keep the function's values.
struct Geometry {
  Extent grid;
  std::optional<Extent> block = {};                ///< only for a function that was made without a block
  std::optional<std::uint32_t> shared_bytes = {};  ///< dynamic shared memory
};

/// cuLaunchKernel or hipModuleLaunchKernel with its function handle: for callers that cannot afford a call in
/// between. `arguments[i]` points at the i-th argument's value. Returns 0 if it was enqueued.
struct DirectLaunch {
  using Call = int (*)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                       void** arguments, void** extra);
  Call call = nullptr;  ///< null: launch this function through Kiln
  void* function = nullptr;
};

}  // namespace kiln
