#pragma once

#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A lambda with `__device__` in a function of the host.
struct HostLambda {
  std::string name;  ///< of its class: "kiln_lambda_1", by its place among them in the text
  int line = 0;
  std::string why_not;  ///< "captures by reference"; empty: it has a class
};

struct HostLambdas {
  std::string text;  ///< with a class in front of the function for each, and an object of it in its place
  std::vector<HostLambda> lambdas;
};

/// A text whose kernels take lambdas: `launch(n, [=] __device__(int i) { x[i] = a; })` becomes
/// `launch(n, kiln_lambda_1{x, a})`, and the members of the class `kiln_lambda_1` are the variables that the
/// lambda captures, by their declarations in the function. Lines stay where they are. `whole`: the text where
/// some branches of conditionals are blank in `text`; then the names count its lambdas.
[[nodiscard]] HostLambdas with_classes_of_lambdas(const std::string& text, const std::string& whole = {});

/// Does so where an entry names such a class. Throws bad_input for a name that no lambda of the text has.
void write_out_lambdas(Specialization& specialization);

}  // namespace kiln
