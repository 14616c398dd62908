#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// What the parameters of templates stand for, by their names. One whose argument is not known is not there.
using TemplateValues = std::map<std::string, std::string>;

constexpr std::size_t kMostInstantiations = 64;

/// With which arguments a program instantiates its templates. Arguments are followed through what chooses
/// them on the host: templates that call each other, with explicit, deduced and default arguments and
/// explicit instantiations; class templates and their members; generic lambdas, and templates that these are
/// passed to; local types and constants. What was found around a place of the program is kept for later
/// questions. The search in a program ends after 20000 calls whose arguments it looks at, which takes
/// seconds in headers of a library of templates such as Eigen's: what is further away is not found.
class Instantiations {
 public:
  explicit Instantiations(const ProgramText& program);
  ~Instantiations();
  Instantiations(const Instantiations&) = delete;
  Instantiations& operator=(const Instantiations&) = delete;

  /// Of a kernel, in the order of the program's text, each once: by launches and by names of it
  /// (`&kernel<float>`). Arguments of one instantiation belong together. At most `kMostInstantiations`.
  [[nodiscard]] std::vector<TemplateValues> of_kernel(const TextKernel& kernel);

  /// Of a class template: "Table<float,4>".
  [[nodiscard]] std::vector<std::string> of_class(const std::string& name);

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace kiln
