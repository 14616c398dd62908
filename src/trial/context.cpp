#include "trial/context.h"

#include "kiln/error.h"

namespace kiln {

Compiler& JobContext::compiler_for(const std::string& backend) const {
  const auto found = compilers.find(backend);
  if (found == compilers.end()) throw environment_error("no compiler for '" + backend + "' devices");
  return *found->second;
}

}  // namespace kiln
