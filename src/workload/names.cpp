#include "workload/names.h"

#include <set>

#include "config/expression.h"
#include "config/scalar_type.h"
#include "workload/device_words.h"

namespace kiln {

bool is_word_of_format(const std::string& name) {
  static const std::set<std::string> reserved{"params",    "null",          "time",     "file_bytes", "all",
                                              "fast_math", "launch_bounds", "lineinfo", "graph"};
  return reserved.contains(name) || is_device_word(name) || parse_scalar_type(name);
}

bool is_word_of_expressions(const std::string& name) {
  return name == "_pi" || name == "_e" || is_expression_function(name);
}

}  // namespace kiln
