#pragma once

#include <functional>
#include <string>

namespace kiln::fission {

/// A preprocessed text in which a cuda::pipeline that a whole block fills and reads, "make_pipeline(block,
/// &state)", has barriers of the block for its waits: copies are made at once. Pipelines with roles, or that
/// are passed to functions, stay. `seen`: as for place_lambdas().
[[nodiscard]] std::string place_pipelines(std::string text,
                                          const std::function<std::string(const std::string&)>& seen);

}  // namespace kiln::fission
