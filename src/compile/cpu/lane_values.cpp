#include "compile/cpu/lane_values.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compile/cpu/lane_expression.h"
#include "compile/cpu/split/statements.h"

namespace kiln {
namespace {

using fission::among;

constexpr std::size_t kMostUnknowns = 4096;

/// The value of an operation on two numbers; none: it has none, or is not known.
std::optional<long long> computed(std::string_view operation, long long a, long long b) {
  constexpr long long kLargest = 1LL << 40;
  if (a > kLargest || a < -kLargest || b > kLargest || b < -kLargest) return std::nullopt;
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*")
    return a != 0 && (a > (1LL << 21) || b > (1LL << 21)) ? std::nullopt : std::optional(a * b);
  if (operation == "/" || operation == "%") {
    if (b == 0) return std::nullopt;
    return operation == "/" ? a / b : a % b;
  }
  if (operation == "&") return a & b;
  if (operation == "|") return a | b;
  if (operation == "^") return a ^ b;
  if (operation == "<<" || operation == ">>") {
    if (b < 0 || b > 20 || a < 0) return std::nullopt;
    return operation == "<<" ? a << b : a >> b;
  }
  if (operation == "<") return a < b ? 1 : 0;
  if (operation == ">") return a > b ? 1 : 0;
  if (operation == "<=") return a <= b ? 1 : 0;
  if (operation == ">=") return a >= b ? 1 : 0;
  if (operation == "==") return a == b ? 1 : 0;
  if (operation == "!=") return a != b ? 1 : 0;
  if (operation == "&&") return a != 0 && b != 0 ? 1 : 0;
  if (operation == "||") return a != 0 || b != 0 ? 1 : 0;
  if (operation == "min") return std::min(a, b);
  if (operation == "max") return std::max(a, b);
  return std::nullopt;
}

}  // namespace

LaneValues::LaneValues(const std::vector<Token>& tokens, const KnownNumbers& known,
                       const std::set<std::string_view>& arrays, std::optional<Dim3> block)
    : tokens_(tokens), known_(known), arrays_(arrays), block_(block) {
  const Dim3 shape = block.value_or(Dim3{2 * kLanesOfWarp, 1, 1});
  const std::size_t count = std::min<std::size_t>(shape.volume(), 1024);
  const std::size_t last = (count - 1) / kLanesOfWarp;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t warp = i / kLanesOfWarp;
    if (warp != 0 && warp != last) continue;
    items_.push_back({static_cast<long long>(i % shape.x), static_cast<long long>(i / shape.x % shape.y),
                      static_cast<long long>(i / shape.x / shape.y), static_cast<long long>(i), warp});
  }
}

int LaneValues::new_unknown(bool varying) {
  if (unknowns_.size() < kMostUnknowns)
    unknowns_.push_back({varying, std::nullopt, std::nullopt});
  else
    unknowns_.back() = {true, std::nullopt, std::nullopt};
  return static_cast<int>(unknowns_.size()) - 1;
}

LaneForm LaneValues::constant(long long number) const {
  return {std::vector<long long>(items_.size(), number), {}};
}

LaneForm LaneValues::multiple(int unknown, long long factor) const {
  LaneForm form = constant(0);
  form.terms[unknown] = std::vector<long long>(items_.size(), factor);
  return form;
}

LaneForm LaneValues::unknown(bool varying) {
  return multiple(new_unknown(varying), 1);
}

std::optional<long long> LaneValues::common_number(const LaneForm& form) const {
  if (!exact(form) || form.number.empty()) return std::nullopt;
  const bool same = std::all_of(form.number.begin(), form.number.end(),
                                [&](long long one) { return one == form.number.front(); });
  return same ? std::optional(form.number.front()) : std::nullopt;
}

bool LaneValues::varies(const LaneForm& form) const {
  const auto differs = [this](const std::vector<long long>& all) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i] != all[i - 1] && items_[i].warp == items_[i - 1].warp) return true;
    }
    return false;
  };
  if (differs(form.number)) return true;
  return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
    return unknowns_[static_cast<std::size_t>(term.first)].varying || differs(term.second);
  });
}

LaneForm LaneValues::first_turn(const LaneForm& form) const {
  LaneForm result = form;
  for (const auto& [unknown, factors] : form.terms) {
    const auto& first = unknowns_[static_cast<std::size_t>(unknown)].first;
    if (!first) continue;
    for (std::size_t i = 0; i < factors.size(); ++i) result.number[i] += factors[i] * *first;
    result.terms.erase(unknown);
  }
  return result;
}

LaneForm LaneValues::derived(const std::string& operation, const LaneForm& a, const LaneForm& b) {
  const auto small = [](const LaneForm& form) {
    constexpr long long kLargest = 1LL << 30;
    const auto fits = [](long long one) { return one < kLargest && one > -kLargest; };
    return std::all_of(form.number.begin(), form.number.end(), fits) &&
           std::all_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
             return std::all_of(term.second.begin(), term.second.end(), fits);
           });
  };
  const auto combine = [&](long long sign) {
    LaneForm sum = a;
    for (std::size_t i = 0; i < sum.number.size(); ++i) sum.number[i] += sign * b.number[i];
    for (const auto& [unknown, factors] : b.terms) {
      auto& known = sum.terms.try_emplace(unknown, sum.number.size(), 0).first->second;
      for (std::size_t i = 0; i < known.size(); ++i) known[i] += sign * factors[i];
      if (std::all_of(known.begin(), known.end(), [](long long factor) { return factor == 0; }))
        sum.terms.erase(unknown);
    }
    return sum;
  };
  const auto each = [&](const LaneForm& form, const auto& change) {
    LaneForm result = form;
    for (std::size_t i = 0; i < result.number.size(); ++i) {
      result.number[i] = change(form.number[i], i);
      for (auto& [unknown, factors] : result.terms) factors[i] = change(factors[i], i);
    }
    return result;
  };
  const bool named = operation.size() > 2 && operation != "min" && operation != "max";
  const bool sum = !named && (operation == "+" || operation == "-");
  if (sum && small(a) && small(b)) return combine(operation == "+" ? 1 : -1);
  if (!named && exact(a) && exact(b)) {
    LaneForm result = a;
    bool known = true;
    for (std::size_t i = 0; i < result.number.size() && known; ++i) {
      const auto value = computed(operation, a.number[i], b.number[i]);
      known = value.has_value();
      result.number[i] = value.value_or(0);
    }
    if (known) return result;
  }
  if (operation == "*" && (exact(a) || exact(b)) && small(a) && small(b)) {
    const LaneForm& factor = exact(a) ? a : b;
    return each(exact(a) ? b : a, [&](long long one, std::size_t i) { return one * factor.number[i]; });
  }
  if (const auto right = common_number(b); right && *right > 0 && small(a)) {
    long long divisor = 0;
    if (operation == "<<" && *right < 20)
      return each(a, [&](long long one, std::size_t) { return one * (1LL << *right); });
    if (operation == "/" || operation == "%") divisor = *right;
    if (operation == ">>" && *right < 20) divisor = 1LL << *right;
    if (operation == "&" && ((*right + 1) & *right) == 0) divisor = *right + 1;
    const auto divides = [&](const auto& term) {
      return std::all_of(term.second.begin(), term.second.end(),
                         [&](long long factor) { return factor % divisor == 0; });
    };
    const bool whole = divisor > 0 && std::all_of(a.terms.begin(), a.terms.end(), divides) &&
                       std::all_of(a.number.begin(), a.number.end(), [](long long one) { return one >= 0; });
    if (whole && (operation == "%" || operation == "&")) {
      LaneForm rest = constant(0);
      for (std::size_t i = 0; i < rest.number.size(); ++i) rest.number[i] = a.number[i] % divisor;
      return rest;
    }
    if (whole && operation != "<<") return each(a, [&](long long one, std::size_t) { return one / divisor; });
  }
  // The same operation on the same values has the same result.
  std::string key = operation;
  bool varying = false;
  for (const LaneForm* form : {&a, &b}) {
    varying = varying || varies(*form);
    key += '|';
    for (const long long one : form->number) key.append(std::to_string(one)).append(",");
    for (const auto& [unknown, factors] : form->terms) {
      key.append("u").append(std::to_string(unknown)).append(":");
      for (const long long one : factors) key.append(std::to_string(one)).append(",");
    }
  }
  const auto [known, first] = interned_.try_emplace(std::move(key), -1);
  if (first) known->second = new_unknown(varying);
  return multiple(known->second, 1);
}

LaneValue LaneValues::value(TokenRange range) {
  LaneExpression reader(*this, tokens_, range, false);
  LaneForm form = reader.all();
  return {std::make_shared<const LaneForm>(std::move(form)), reader.array()};
}

LaneValue LaneValues::likely_value(TokenRange range) {
  LaneExpression reader(*this, tokens_, range, true);
  LaneForm form = first_turn(reader.all());
  return {std::make_shared<const LaneForm>(std::move(form)), reader.array()};
}

LaneValue LaneValues::address(std::string_view name) {
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  if (!arrays_.contains(name)) return {};
  return {std::make_shared<const LaneForm>(constant(0)), name};
}

void LaneValues::add_offset(Use& use, const LaneForm& offset, bool pointer) {
  if (use.index.size() == 1) {
    use.index[0] = derived("+", use.index[0], offset);
    if (!use.likely.empty()) use.likely[0] = derived("+", use.likely[0], first_turn(offset));
  } else if (pointer) {
    use.index = {unknown(true)};
  }
  if (use.likely.size() != use.index.size()) use.likely = use.index;
}

void LaneValues::set(std::string_view name, LaneForm form, std::string_view array) {
  names_[name] = {std::make_shared<const LaneForm>(std::move(form)), array};
}

void LaneValues::parameter(std::string_view name, bool common) {
  set(name, unknown(!common));
}

void LaneValues::index_parameter(std::string_view name, bool lane) {
  LaneForm form = constant(0);
  for (std::size_t i = 0; i < items_.size(); ++i)
    form.number[i] = lane ? items_[i].index % static_cast<long long>(kLanesOfWarp) : items_[i].x;
  set(name, std::move(form));
}

void LaneValues::declare(std::string_view name, TokenRange initializer) {
  if (initializer.begin >= initializer.end) {
    set(name, unknown(true));
    return;
  }
  names_[name] = value(initializer);
}

std::set<std::string_view> LaneValues::assigned(TokenRange range) const {
  static constexpr std::array<std::string_view, 11> kAfter = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
  std::set<std::string_view> found;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!tokens_[i].identifier()) continue;
    const bool member = i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->"));
    if (member) continue;
    const bool counted = i > range.begin && (tokens_[i - 1].is("++") || tokens_[i - 1].is("--"));
    const bool shifted = i + 3 < range.end && (tokens_[i + 1].is("<") || tokens_[i + 1].is(">")) &&
                         tokens_[i + 2].is(tokens_[i + 1].is("<") ? "<=" : ">=");
    const bool changed = i + 1 < range.end && among(kAfter, tokens_[i + 1].text);
    // The address of a number goes to a function that may change it.
    const bool passed = i > range.begin + 1 && tokens_[i - 1].is("&") &&
                        (tokens_[i - 2].is("(") || tokens_[i - 2].is(",")) && i + 1 < range.end &&
                        (tokens_[i + 1].is(")") || tokens_[i + 1].is(","));
    if (counted || shifted || changed || passed) found.insert(tokens_[i].text);
  }
  return found;
}

void LaneValues::assign_one(std::string_view name, std::string_view operation, TokenRange value_range) {
  const LaneValue given = value(value_range);
  if (operation == "=") {
    names_[name] = given;
    return;
  }
  const LaneValue known = address(name);
  if (!known.form) return;
  set(name, derived(std::string(operation.substr(0, 1)), *known.form, *given.form), known.array);
}

void LaneValues::assign(TokenRange range) {
  for (const std::string_view name : assigned(range)) {
    const LaneValue known = address(name);
    std::size_t at = range.begin;
    if (at < range.end && (tokens_[at].is("++") || tokens_[at].is("--"))) ++at;
    const bool plain = at < range.end && tokens_[at].is(name);
    if (plain && at == range.begin + 1 && at + 1 == range.end) {
      if (known.form)
        set(name, derived(tokens_[range.begin].is("++") ? "+" : "-", *known.form, constant(1)), known.array);
      continue;
    }
    if (plain && at == range.begin && at + 1 < range.end) {
      const Token& operation = tokens_[at + 1];
      const bool last = at + 2 == range.end || (at + 3 == range.end && tokens_[at + 2].is(";"));
      if ((operation.is("++") || operation.is("--")) && last) {
        if (known.form)
          set(name, derived(operation.is("++") ? "+" : "-", *known.form, constant(1)), known.array);
        continue;
      }
      std::size_t end = range.end;
      while (end > at + 2 && tokens_[end - 1].is(";")) --end;
      const TokenRange rest{at + 2, end};
      const bool comma = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(rest.begin),
                                     tokens_.begin() + static_cast<std::ptrdiff_t>(rest.end),
                                     [](const Token& one) { return one.is("=") || one.is(","); });
      static constexpr std::array<std::string_view, 9> kSimple = {
          "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
      if (!comma && among(kSimple, operation.text)) {
        assign_one(name, operation.text, rest);
        continue;
      }
    }
    set(name, unknown(true), known.array);
  }
}

LaneMask LaneValues::all() const {
  return {std::vector<bool>(items_.size(), true), std::vector<bool>(items_.size(), true), true};
}

std::optional<std::vector<bool>> LaneValues::truth(TokenRange part, bool first_turns, bool& limit) {
  while (part.begin + 2 < part.end && tokens_[part.begin].is("(") &&
         tokens_[part.begin].close == part.end - 1)
    part = {part.begin + 1, part.end - 1};
  const LaneValue whole = first_turns ? likely_value(part) : value(part);
  std::vector<bool> holds(items_.size());
  if (exact(*whole.form)) {
    for (std::size_t i = 0; i < holds.size(); ++i) holds[i] = whole.form->number[i] != 0;
    return holds;
  }
  // A limit that is the same for all lanes: "i < n".
  limit = false;
  for (std::size_t i = part.begin + 1; i + 1 < part.end; ++i) {
    if ((tokens_[i].is("(") || tokens_[i].is("[")) && tokens_[i].close < part.end) {
      i = tokens_[i].close;
      continue;
    }
    const std::string_view operation = binary_operator(tokens_, i, part.end);
    if (operation.empty() || precedence(operation) > 7) continue;
    if (precedence(operation) < 7) return std::nullopt;
    const auto shared = [&](const LaneForm& form) {
      return std::none_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
        return unknowns_[static_cast<std::size_t>(term.first)].varying;
      });
    };
    const LaneValue a = likely_value({part.begin, i}), b = likely_value({i + 1, part.end});
    limit = shared(*a.form) && shared(*b.form);
    return std::nullopt;
  }
  return std::nullopt;
}

LaneMask LaneValues::narrowed(const LaneMask& mask, TokenRange condition, bool negated) {
  while (condition.begin + 2 < condition.end && tokens_[condition.begin].is("(") &&
         tokens_[condition.begin].close == condition.end - 1)
    condition = {condition.begin + 1, condition.end - 1};
  LaneMask result = mask;
  const std::string_view separator = negated ? "||" : "&&";
  const std::string_view other = negated ? "&&" : "||";
  std::vector<TokenRange> parts;
  std::size_t begin = condition.begin;
  bool mixed = false;
  for (std::size_t i = condition.begin; i <= condition.end; ++i) {
    if (i == condition.end || tokens_[i].is(separator)) {
      if (begin < i) parts.push_back({begin, i});
      begin = i + 1;
    } else if ((tokens_[i].is("(") || tokens_[i].is("[")) && tokens_[i].close < condition.end) {
      i = tokens_[i].close;
    } else {
      mixed = mixed || tokens_[i].is(other) || tokens_[i].is("?");
    }
  }
  if (mixed) parts = {condition};
  for (const TokenRange part : parts) {
    bool limit = false;
    if (const auto holds = truth(part, false, limit)) {
      for (std::size_t i = 0; i < holds->size(); ++i) {
        if ((*holds)[i] == negated) result.possible[i] = result.likely[i] = false;
      }
      continue;
    }
    if (const auto holds = truth(part, true, limit)) {
      for (std::size_t i = 0; i < holds->size(); ++i) {
        if ((*holds)[i] == negated) result.likely[i] = false;
      }
    } else if (!limit && varies(*value(part).form)) {  // else all lanes of a warp take the same branch
      result.clear = false;
    }
  }
  return result;
}

/// What a name grows by in each turn, if the loop only adds the same number to it.
std::optional<LaneForm> LaneValues::growth(std::string_view name, TokenRange loop) {
  std::optional<LaneForm> found;
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    if (!tokens_[i].is(name) || assigned({i > 0 ? i - 1 : i, std::min(i + 4, loop.end)}).count(name) == 0)
      continue;
    if (found) return std::nullopt;
    const bool in_front = tokens_[i - 1].is("++") || tokens_[i - 1].is("--");
    const Token& sign = in_front ? tokens_[i - 1] : tokens_[i + 1];
    if (sign.is("++") || sign.is("--")) {
      found = constant(sign.is("++") ? 1 : -1);
      continue;
    }
    if (!sign.is("+=") && !sign.is("-=")) return std::nullopt;
    std::size_t end = i + 2;
    while (end < loop.end && !tokens_[end].is(";") && !tokens_[end].is(")") && !tokens_[end].is(","))
      end = (tokens_[end].is("(") || tokens_[end].is("[")) && tokens_[end].close < loop.end
                ? tokens_[end].close + 1
                : end + 1;
    const LaneForm step = *value({i + 2, end}).form;
    found = sign.is("+=") ? step : derived("-", constant(0), step);
  }
  return found;
}

void LaneValues::enter_turn(TokenRange range, TokenRange condition, TokenRange step, int turn) {
  const std::set<std::string_view> changed = assigned(range);
  static constexpr std::array<std::string_view, 4> kBranches = {"if", "switch", "break", "continue"};
  const bool conditional = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                       tokens_.begin() + static_cast<std::ptrdiff_t>(range.end),
                                       [](const Token& token) { return among(kBranches, token.text); });
  Names next = names_;
  for (const std::string_view name : changed) {
    const auto known = names_.find(name);
    if (known == names_.end()) continue;
    const LaneForm start = *known->second.form;
    // In the second turn the value is what the step has made of the first one, once more.
    const auto grows = growth(name, range);
    const bool some_lanes = conditional && assigned(step).count(name) == 0;
    const std::string_view array = known->second.array;
    const auto stored = [&](LaneForm form) {
      next[name] = {std::make_shared<const LaneForm>(std::move(form)), array};
    };
    if (grows && common_number(*grows)) {
      const long long distance = *common_number(*grows);
      const int turns = new_unknown(some_lanes);
      unknowns_[static_cast<std::size_t>(turns)].first = 0;
      LaneForm form = derived("+", start, multiple(turns, distance));
      // "i < 8" from a known start: no more turns than that.
      const auto from = common_number(start);
      if (turn == 0 && from && distance > 0 && condition.end == condition.begin + 3 &&
          tokens_[condition.begin].is(name)) {
        const auto to = common_number(*value({condition.begin + 2, condition.end}).form);
        const bool equal = tokens_[condition.begin + 1].is("<=");
        if (to && (equal || tokens_[condition.begin + 1].is("<")) && *to >= *from)
          unknowns_[static_cast<std::size_t>(turns)].range = {0, (*to - *from - (equal ? 0 : 1)) / distance};
      } else if (turn == 1) {
        // Counted from the values of the first turn, with the same limit.
        for (const auto& [unknown, factors] : start.terms) {
          const Unknown& earlier = unknowns_[static_cast<std::size_t>(unknown)];
          if (earlier.first && earlier.range && *earlier.first == 0 && factors.front() == distance) {
            form = derived("-", start, multiple(unknown, distance));
            form = derived("+", form, multiple(turns, distance));
            unknowns_[static_cast<std::size_t>(turns)].range = earlier.range;
            break;
          }
        }
      }
      stored(std::move(form));
      continue;
    }
    bool common = !varies(start) && !some_lanes;
    for (std::size_t i = range.begin; common && i < range.end; ++i) {
      if (!tokens_[i].is(name) || i + 1 >= range.end) continue;
      std::size_t end = i + 1;
      while (end < range.end && !tokens_[end].is(";") && !tokens_[end].is(",") && !tokens_[end].is(")"))
        end = (tokens_[end].is("(") || tokens_[end].is("[")) && tokens_[end].close < range.end
                  ? tokens_[end].close + 1
                  : end + 1;
      if (assigned({i, end}).count(name) == 0) continue;
      for (std::size_t k = i + 1; k < end; ++k) {
        const bool memory = tokens_[k].is("[") || tokens_[k].is("(") || tokens_[k].is("threadIdx");
        const auto used = names_.find(tokens_[k].text);
        if (memory || (used != names_.end() && varies(*used->second.form))) common = false;
      }
    }
    const int value_of_turn = new_unknown(!common);
    if (turn == 0 && common) unknowns_[static_cast<std::size_t>(value_of_turn)].first = common_number(start);
    LaneForm form = multiple(value_of_turn, 1);
    if (common && grows && !varies(*grows)) {
      if (turn == 0) unknowns_[static_cast<std::size_t>(value_of_turn)].first = 0;
      form = derived("+", start, form);
    }
    stored(std::move(form));
  }
  names_ = std::move(next);
}

void LaneValues::leave_loop(TokenRange range) {
  for (const std::string_view name : assigned(range)) {
    const auto known = names_.find(name);
    if (known != names_.end()) set(name, unknown(varies(*known->second.form)), known->second.array);
  }
}

void LaneValues::join(const Names& one, const Names& other, bool common) {
  Names joined;
  for (const auto& [name, value] : one) {
    const auto second = other.find(name);
    if (second == other.end()) continue;
    const LaneForm &a = *value.form, &b = *second->second.form;
    if (value.form == second->second.form || (a.number == b.number && a.terms == b.terms)) {
      joined[name] = value;
    } else {
      joined[name] = {std::make_shared<const LaneForm>(unknown(!common || varies(a) || varies(b))),
                      value.array == second->second.array ? value.array : std::string_view()};
    }
  }
  names_ = std::move(joined);
}

LaneValues::Meeting LaneValues::meeting(const LaneForm& a, std::size_t lane_a, const LaneForm& b,
                                        std::size_t lane_b) const {
  const long long distance = a.number[lane_a] - b.number[lane_b];
  long long divisor = 0, least = distance, most = distance;
  bool bounded = true;
  const auto add = [&](int unknown, long long factor) {
    if (factor == 0) return;
    divisor = std::gcd(divisor, factor);
    const auto& range = unknowns_[static_cast<std::size_t>(unknown)].range;
    if (!range) {
      bounded = false;
      return;
    }
    const long long low = factor * range->first, high = factor * range->second;
    least += std::min(low, high);
    most += std::max(low, high);
  };
  for (const auto& [unknown, factors] : a.terms) {
    const auto second = b.terms.find(unknown);
    const bool varying = unknowns_[static_cast<std::size_t>(unknown)].varying;
    if (second == b.terms.end() || varying) {
      add(unknown, factors[lane_a]);
    } else {
      add(unknown, factors[lane_a] - second->second[lane_b]);
    }
  }
  for (const auto& [unknown, factors] : b.terms) {
    const bool varying = unknowns_[static_cast<std::size_t>(unknown)].varying;
    if (varying || !a.terms.contains(unknown)) add(unknown, -factors[lane_b]);
  }
  if (divisor == 0) return distance == 0 ? Meeting::kCertain : Meeting::kNever;
  if (distance % divisor != 0) return Meeting::kNever;
  if (bounded && (least > 0 || most < 0)) return Meeting::kNever;
  return Meeting::kUnclear;
}

/// Of known numbers: whether no two lanes of a warp have the same. Most uses of an array end here.
bool LaneValues::are_apart(const LaneForm& one, const LaneForm& other) const {
  if (!one.terms.empty() || !other.terms.empty()) return false;
  for (std::size_t a = 0; a < items_.size(); ++a) {
    for (std::size_t b = 0; b < items_.size(); ++b) {
      if (one.number[a] == other.number[b] && a != b && items_[a].warp == items_[b].warp) return false;
    }
  }
  return true;
}

LaneValues::Meeting LaneValues::meeting(const Use& first, const Use& second) const {
  if (first.index.size() != second.index.size() || first.index.empty()) return Meeting::kUnclear;
  for (std::size_t d = 0; d < first.index.size(); ++d) {
    if (are_apart(first.index[d], second.index[d]) && are_apart(first.likely[d], second.likely[d]))
      return Meeting::kNever;
  }
  const auto of_all = [&](std::size_t a, std::size_t b, bool likely) {
    Meeting result = Meeting::kCertain;
    for (std::size_t d = 0; d < first.index.size(); ++d) {
      const Meeting one = likely ? meeting(first.likely[d], a, second.likely[d], b)
                                 : meeting(first.index[d], a, second.index[d], b);
      if (one == Meeting::kNever) return one;
      if (one == Meeting::kUnclear) result = one;
    }
    return result;
  };
  bool clear = first.mask.clear && second.mask.clear;
  if (first.stores && second.stores) {
    // Where all lanes store twice they may store the same; where some do, they store more.
    bool fewer = false;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      fewer = fewer || (first.mask.likely[i] && !second.mask.likely[i]);
    }
    clear = clear && fewer;
  }
  Meeting worst = Meeting::kNever;
  for (std::size_t a = 0; a < items_.size(); ++a) {
    if (!first.mask.possible[a]) continue;
    // A lane that reads before a later one stores is in order.
    const std::size_t end = first.stores && !second.stores ? items_.size() : a;
    for (std::size_t b = 0; b < end; ++b) {
      if (a == b || items_[a].warp != items_[b].warp || !second.mask.possible[b]) continue;
      if (worst == Meeting::kNever && of_all(a, b, false) != Meeting::kNever) worst = Meeting::kUnclear;
      if (!clear || !first.mask.likely[a] || !second.mask.likely[b]) continue;
      if (of_all(a, b, true) != Meeting::kCertain) continue;
      // Where that lane has stored it itself, the value that is there is not determined.
      const bool itself = first.stores && first.mask.possible[b] && of_all(b, b, true) == Meeting::kCertain;
      if (!itself) return Meeting::kCertain;
    }
  }
  return worst;
}

bool LaneValues::apart_by_unknown(const LaneForm& one, const LaneForm& other) const {
  const auto has = [&](const LaneForm& a, const LaneForm& b) {
    return std::any_of(a.terms.begin(), a.terms.end(), [&](const auto& term) {
      const auto same = b.terms.find(term.first);
      return !unknowns_[static_cast<std::size_t>(term.first)].varying &&
             (same == b.terms.end() || same->second != term.second);
    });
  };
  return has(one, other) || has(other, one);
}

bool LaneValues::rows_of_lanes(const Use& first, const Use& second) const {
  if (first.index.size() != second.index.size()) return false;
  const std::vector<long long> none(items_.size(), 0);
  for (std::size_t d = 0; d < first.index.size(); ++d) {
    const LaneForm &a = first.index[d], &b = second.index[d];
    bool same = true, apart = false;
    const auto compare = [&](const std::vector<long long>& one, const std::vector<long long>& other,
                             long long least) {
      bool distant = items_.size() > 1;
      for (std::size_t i = 1; i < items_.size(); ++i) {
        same = same && one[i] - other[i] == one[0] - other[0];
        const long long distance = one[i] - one[i - 1];
        distant = distant && (distance >= least || distance <= -least);
      }
      apart = apart || distant;
    };
    compare(a.number, b.number, 2);
    for (const auto& [unknown, factors] : a.terms) {
      const auto other = b.terms.find(unknown);
      compare(factors, other == b.terms.end() ? none : other->second, 1);
    }
    for (const auto& [unknown, factors] : b.terms) {
      if (!a.terms.contains(unknown)) compare(none, factors, 1);
    }
    if (same && apart) return true;
  }
  return false;
}

}  // namespace kiln
