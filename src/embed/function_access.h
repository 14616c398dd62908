#pragma once

#include <memory>
#include <vector>

#include "kiln/function.h"

namespace kiln::detail {

/// Access to FunctionRequest for an interface that has a function's signature at run time.
struct FunctionAccess {
  [[nodiscard]] static std::shared_ptr<const FunctionState> make(const FunctionRequest& request,
                                                                 const std::vector<ArgumentType>& arguments) {
    return request.make(arguments);
  }
  [[nodiscard]] static std::shared_ptr<FamilyState> make_family(const FunctionRequest& request,
                                                                const std::vector<ArgumentType>& arguments,
                                                                const std::vector<int>& keyed) {
    return request.make_family(arguments, keyed);
  }
};

}  // namespace kiln::detail
