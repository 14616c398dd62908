#include "workload/workload.h"

#include <algorithm>
#include <iterator>

namespace kiln {
namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::vector<const RecordMember*> RecordType::numbers_of(const std::string& wanted) const {
  std::vector<const RecordMember*> numbers;
  for (const RecordMember& member : members) {
    if (member.name == wanted || member.name.starts_with(wanted + "[") ||
        member.name.starts_with(wanted + "."))
      numbers.push_back(&member);
  }
  return numbers;
}

std::vector<ExpressionText> InitSpec::pointees() const {
  std::vector<ExpressionText> buffers;
  const auto add = [&](const std::vector<ExpressionText>& names) {
    std::copy_if(names.begin(), names.end(), std::back_inserter(buffers),
                 [](const ExpressionText& name) { return !name.text.empty(); });
  };
  add(addresses);
  for (const MemberInit& member : members) {
    if (member.addresses) add(member.values);
  }
  return buffers;
}

const ExpressionText& ParameterSpec::default_on(const std::string& backend) const {
  const auto own = defaults.find(backend);
  return own != defaults.end() ? own->second : defaults.at("otherwise");
}

bool Workload::changes(const ExpressionText& expression) const {
  if (variables.empty()) return false;
  const std::vector<std::string> names = names_in(expression);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& wanted) { return is_variable(wanted); });
}

bool Workload::is_variable(const std::string& wanted) const {
  return std::find(variables.begin(), variables.end(), wanted) != variables.end();
}

const ExpressionText* Workload::find_let(const std::string& wanted) const {
  const auto found =
      std::find_if(lets.begin(), lets.end(), [&](const auto& let) { return let.first == wanted; });
  return found == lets.end() ? nullptr : &found->second;
}

const ParameterSpec* Workload::find_parameter(const std::string& wanted) const {
  return find_named(parameters, wanted);
}
const BufferSpec* Workload::find_buffer(const std::string& wanted) const {
  return find_named(buffers, wanted);
}
const BufferSpec& Workload::memory_of(const BufferSpec& buffer) const {
  return buffer.view ? *find_buffer(buffer.view->of) : buffer;
}
const KernelSpec* Workload::find_kernel(const std::string& wanted) const {
  return find_named(kernels, wanted);
}
const RecordType* Workload::find_type(const std::string& wanted) const {
  return find_named(types, wanted);
}

}  // namespace kiln
