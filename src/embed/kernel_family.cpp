#include <algorithm>

#include "base/text.h"
#include "embed/handles.h"
#include "embed/value_table.h"
#include "kiln/kernel.h"

namespace kiln {

struct [[gnu::visibility("hidden")]] KernelFamily::Impl {
  using Table = ValueTable<Kernel>;

  explicit Impl(std::size_t numbers) : kernels(numbers) {}

  KernelRequest request;
  std::vector<std::string> parameters;
  std::vector<bool> is_bool;
  Table kernels;

  const Kernel& make(const Table::Key& values) {
    KernelRequest member = request;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (is_bool[i] && (values[i] == 0 || values[i] == 1))
        member.set(parameters[i], KernelRequest::Value(values[i] == 1));
      else
        member.set(parameters[i], values[i]);
    }
    return kernels.add(values, member.get());
  }
};

const Kernel& KernelFamily::at(std::span<const std::int64_t> values) const {
  Impl& self = *impl_;
  if (values.size() != self.parameters.size()) {
    throw bad_input("the family of kernels is keyed by " + join(self.parameters, ", ") + "; " +
                    std::to_string(values.size()) + " values are given");
  }
  Impl::Table::Key key{};
  std::copy(values.begin(), values.end(), key.begin());
  const Kernel* found = self.kernels.find(key);
  return found != nullptr ? *found : self.make(key);
}

namespace {

/// Whether every value of the parameter is a whole number, of whatever type the request makes it.
bool is_whole(const ParameterSpec& parameter) {
  const auto type = parse_scalar_type(parameter.scalar_type);
  return type && !is_real(*type);
}

}  // namespace

KernelFamily KernelRequest::family(const std::vector<std::string>& parameters) const {
  if (parameters.empty() || parameters.size() > ValueTable<Kernel>::kMostNumbers)
    throw bad_input("a family of kernels is keyed by 1 to 8 parameters, not " +
                    std::to_string(parameters.size()));
  KernelFamily family;
  family.impl_ = std::make_shared<KernelFamily::Impl>(parameters.size());
  family.impl_->request = *this;
  family.impl_->parameters = parameters;
  std::vector<std::string> known{"fast_math", "launch_bounds"};
  for (const ParameterSpec& parameter : impl_->workload->parameters) {
    if (parameter.kind == ParameterKind::kScalar && is_whole(parameter)) known.push_back(parameter.name);
  }
  for (const std::string& name : parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const ParameterSpec* other = impl_->workload->find_parameter(name);
      if (other != nullptr && other->kind == ParameterKind::kScalar)
        throw bad_input("workload '" + impl_->workload->name + "': parameter '" + name + "' is of type " +
                        other->scalar_type + "; a family is keyed by whole numbers and bools");
      throw bad_input("workload '" + impl_->workload->name + "' has no number parameter '" + name + "'" +
                      suggestion(name, known));
    }
    const ParameterSpec* parameter = impl_->workload->find_parameter(name);
    family.impl_->is_bool.push_back(parameter == nullptr || parameter->scalar_type == "bool");
  }
  return family;
}

}  // namespace kiln
