#include "specialize/object_calls.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kiln {

std::map<std::string, std::size_t> object_calls(const std::vector<Token>& tokens, TokenSpan body,
                                                const std::vector<std::string>& objects) {
  std::map<std::string, std::size_t> found;
  for (std::size_t i = body.begin; i + 1 < body.end; ++i) {
    const bool member = i > body.begin && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    if (member || !tokens[i + 1].is("(") || tokens[i + 1].close >= body.end) continue;
    const std::string name(tokens[i].text);
    if (std::find(objects.begin(), objects.end(), name) == objects.end()) continue;
    std::size_t& most = found[name];
    most = std::max(most, parts_of(tokens, {i + 2, tokens[i + 1].close}, true).size());
  }
  return found;
}

void add_passed_calls(std::map<std::string, std::size_t>& called_with,
                      const std::vector<PassedArgument>& passed,
                      const std::multimap<std::string, ObjectUser>& users) {
  for (const PassedArgument& first : passed) {
    std::set<std::pair<std::string, std::size_t>> seen;
    std::vector<std::pair<std::string, std::size_t>> left = {{first.function, first.argument}};
    while (!left.empty() && !called_with.contains(first.name)) {
      const auto place = left.back();
      left.pop_back();
      if (!seen.insert(place).second) continue;
      const auto [begin, end] = users.equal_range(place.first);
      const auto uses = [&](const ObjectUser& one) {
        if (place.second >= one.parameters.size()) return false;
        const std::string& name = one.parameters[place.second];
        return one.called_with.contains(name) ||
               std::any_of(one.passed.begin(), one.passed.end(),
                           [&](const PassedArgument& next) { return next.name == name; });
      };
      // Of several functions of a name any may be meant.
      if (!std::all_of(begin, end, [&](const auto& user) { return uses(user.second); })) continue;
      for (auto user = begin; user != end; ++user) {
        const ObjectUser& one = user->second;
        const std::string& name = one.parameters[place.second];
        if (const auto call = one.called_with.find(name); call != one.called_with.end())
          called_with.emplace(first.name, call->second);
        for (const PassedArgument& next : one.passed) {
          if (next.name == name) left.emplace_back(next.function, next.argument);
        }
      }
    }
  }
}

}  // namespace kiln
