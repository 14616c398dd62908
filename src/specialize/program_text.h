#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "specialize/declarations.h"

namespace kiln {

/// A parameter of a kernel or of its template.
struct TextParameter {
  std::string type;  ///< "const float * __restrict__"; of a template: "typename", "int"
  std::string name;
  std::string default_value;  ///< of a template parameter; empty: none
  int line = 0;
};

/// A __global__ function with a body.
struct TextKernel {
  std::string name;  ///< with its namespaces
  int line = 0;
  std::vector<TextParameter> parameters, template_parameters;
  bool dynamic_shared = false;              ///< it has an `extern __shared__` array
  std::vector<std::string> names_in_body;   ///< each once
  std::vector<std::string> called_in_body;  ///< those that a parenthesis follows
  /// `tex2D<float>(tex, ...)`: by the texture's name, the function and its type (empty without one).
  std::map<std::string, std::pair<std::string, std::string>> fetches;
  std::vector<std::string> instantiation;  ///< arguments of `template __global__ void kernel<...>(...)`
};

/// `kernel<T, 4><<<grid, block, shared>>>(arguments)`, or the same by hipLaunchKernelGGL.
struct TextLaunch {
  std::string kernel;  ///< without namespaces
  std::vector<std::string> template_arguments, arguments;
  std::string grid, block, shared;  ///< as written; `shared` may be empty
  int line = 0;
};

/// A program as far as a workload is drafted from it.
struct ProgramText {
  std::vector<TextKernel> kernels;
  std::vector<TextLaunch> launches;                        ///< in the text's order
  std::map<std::string, std::string> constants;            ///< values of macros and variables
  std::map<std::string, std::vector<std::string>> shapes;  ///< initialisers of variables of the type dim3
  std::map<std::string, std::string> types;                ///< targets of typedef and using
  std::map<std::string, std::vector<TextParameter>>
      records;  ///< members of structs, with extents in the type
  /// Variables in constant memory, by name, with extents in the type: "float [16]".
  std::map<std::string, std::string> constant_variables;
};

/// `headers` are read first; lines of what stands there are 0.
[[nodiscard]] ProgramText read_program(const std::string& text, const std::vector<std::string>& headers = {});

}  // namespace kiln
