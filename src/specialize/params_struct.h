#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "workload/configuration.h"

namespace kiln {

/// A run-time member of `struct Params`.
struct ParamsField {
  std::string name;
  ScalarType type = ScalarType::kInt;
  std::size_t offset = 0;
};

/// The generated `kiln/params.h` and the layout of the run-time part of its `struct Params`, which the launch
/// packs. The layout is that of a C++ standard-layout struct on every target: natural alignment, members in
/// order; a struct with no run-time member still occupies one byte.
struct ParamsStruct {
  std::string header;
  std::set<std::string> headers;  ///< that it includes for the types: "cuda_fp16.h"
  std::vector<ParamsField> fields;
  std::size_t bytes = 1;
  std::vector<std::string> constants;  ///< names bound at compile time
};

/// Makes the struct with the parameters in `mentioned` only, so that a value that a kernel does not look at
/// cannot make it be compiled again. `prefer_run_time` binds at run time whatever may be (inputs and
/// references, which gain nothing from constants and would be compiled again for each point of a sweep).
[[nodiscard]] ParamsStruct make_params_struct(const Configuration& configuration,
                                              const std::set<std::string>& mentioned, bool prefer_run_time);

/// The bytes of the argument for a kernel that takes `const Params p`; `variables` come before the
/// configuration's values.
[[nodiscard]] std::vector<std::byte> pack_params(const ParamsStruct& params,
                                                 const Configuration& configuration,
                                                 const Variables& variables = {});

/// The bytes of one scalar value as `type`.
[[nodiscard]] std::vector<std::byte> scalar_bytes(ScalarType type, const ParameterValue& value);

/// Every identifier in a C++ text, comments and literals left out.
[[nodiscard]] std::set<std::string> identifiers_in(const std::string& text);

}  // namespace kiln
