#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

/// What the parameters of templates stand for, by their names. One whose argument is not known is not there.
using TemplateValues = std::map<std::string, std::string>;

/// With which arguments a program instantiates a kernel's template, in the order of its text, each once: by
/// launches and by names of it (`&kernel<float>`). Arguments are followed through what chooses them on the
/// host: templates that call each other, with explicit, deduced and default arguments and explicit
/// instantiations; class templates and their members; generic lambdas, and templates that these are passed
/// to; local types and constants. Arguments of one instantiation belong together. At most
/// `kMostInstantiations`.
[[nodiscard]] std::vector<TemplateValues> instantiations_of(const ProgramText& program,
                                                            const TextKernel& kernel);

/// The same for a class template: "Table<float,4>".
[[nodiscard]] std::vector<std::string> instantiations_of_class(const ProgramText& program,
                                                               const std::string& name);

constexpr std::size_t kMostInstantiations = 64;

}  // namespace kiln
