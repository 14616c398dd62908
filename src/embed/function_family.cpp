#include <algorithm>

#include "base/text.h"
#include "embed/made_function.h"
#include "embed/value_table.h"

namespace kiln {
namespace detail {

class FamilyState {
 public:
  using Made = std::shared_ptr<const FunctionState>;
  using Table = ValueTable<Made>;

  FamilyState(FunctionRequest request, std::vector<ArgumentType> arguments, const std::vector<int>& keyed)
      : request_(std::move(request)), arguments_(std::move(arguments)), functions_(keyed.size()) {
    for (const int index : keyed) {
      const ArgumentType& type = arguments_.at(static_cast<std::size_t>(index));
      keyed_.push_back({index, static_cast<std::uint8_t>(type.bytes), type.kind == ArgumentKind::kSigned});
    }
  }

  [[nodiscard]] const FunctionState& member(void* const* arguments) {
    Table::Key key{};
    for (std::size_t i = 0; i < keyed_.size(); ++i) key[i] = keyed_[i].read(arguments);
    const Made* found = functions_.find(key);
    return found != nullptr ? **found : *functions_.add(key, make(key));
  }

 private:
  [[nodiscard]] Made make(const Table::Key& key) const {
    FunctionRequest member = request_;
    for (std::size_t i = 0; i < keyed_.size(); ++i) {
      const auto index = static_cast<std::size_t>(keyed_[i].index);
      if (arguments_[index].kind == ArgumentKind::kBool)
        member.constant(keyed_[i].index, key[i] != 0);
      else if (arguments_[index].kind == ArgumentKind::kUnsigned)
        member.constant(keyed_[i].index, static_cast<std::uint64_t>(key[i]));
      else
        member.constant(keyed_[i].index, key[i]);
    }
    return member.make(arguments_);
  }

  FunctionRequest request_;
  std::vector<ArgumentType> arguments_;
  std::vector<IntegerArgument> keyed_;
  Table functions_;
};

const FunctionState& member_of(FamilyState& family, void* const* arguments) {
  return family.member(arguments);
}

}  // namespace detail

std::shared_ptr<detail::FamilyState> FunctionRequest::make_family(
    const std::vector<detail::ArgumentType>& arguments, const std::vector<int>& keyed) const {
  constexpr std::size_t kMost = detail::FamilyState::Table::kMostNumbers;
  const std::string place = "a family of kernel '" + impl_->name_expression() + "'";
  if (keyed.empty() || keyed.size() > kMost)
    throw bad_input(place + " is keyed by 1 to " + std::to_string(kMost) + " arguments, not " +
                    std::to_string(keyed.size()));
  for (const int index : keyed) {
    if (index < 0 || static_cast<std::size_t>(index) >= arguments.size())
      throw bad_input(place + ": argument " + std::to_string(index) + "; the kernel is passed " +
                      std::to_string(arguments.size()) + ", counted from 0");
    const detail::ArgumentType& type = arguments[static_cast<std::size_t>(index)];
    if (type.kind != detail::ArgumentKind::kSigned && type.kind != detail::ArgumentKind::kUnsigned &&
        type.kind != detail::ArgumentKind::kBool)
      throw bad_input(place + ": argument " + std::to_string(index) + " is " + type.name +
                      "; expected a whole number or bool");
    if (std::count(keyed.begin(), keyed.end(), index) > 1 || impl_->constants.contains(index))
      throw bad_input(place + ": argument " + std::to_string(index) +
                      " is named twice, or a constant already");
  }
  return std::make_shared<detail::FamilyState>(*this, arguments, keyed);
}

}  // namespace kiln
