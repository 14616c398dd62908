#include "compile/cpu/unit_lanes.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "compile/cpu/barrier_analysis.h"
#include "compile/cpu/split/head.h"
#include "compile/reached_names.h"
#include "specialize/symbol_expression.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

std::optional<int> small_number(std::string_view text) {
  while (!text.empty() &&
         (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L'))
    text.remove_suffix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  if (text.empty() || text.size() > 4) return std::nullopt;
  int value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The names that `__shared__` at `at` declares as arrays.
void collect_shared(const std::vector<Token>& tokens, std::size_t at, std::size_t end, Names& names) {
  for (std::size_t i = at + 1; i + 1 < end && !tokens[i].is(";"); ++i) {
    if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("["))
      i = std::max(i, std::min(tokens[i].close, end));
    else if (tokens[i].identifier() && tokens[i + 1].is("["))
      names.insert(tokens[i].text);
  }
}

/// The arrays in shared memory that the text declares outside of functions.
void collect_outside(const Outline& text, Names& names) {
  const std::vector<Token>& tokens = text.source.tokens;
  std::vector<bool> inside(tokens.size());
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.is_class) continue;
    const std::size_t end = std::min(definition.body.end, tokens.size());
    for (std::size_t i = definition.body.begin; i < end; ++i) inside[i] = true;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!inside[i] && tokens[i].is("__shared__")) collect_shared(tokens, i, tokens.size(), names);
  }
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    if (array.at_namespace_scope) names.insert(array.name);
  }
}

/// The statement's end behind `i`, or the end of a part of it.
std::size_t value_end(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  while (i < end && !tokens[i].is(";") && !tokens[i].is(",") && !tokens[i].is(")"))
    i = (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) && tokens[i].close < end
            ? tokens[i].close + 1
            : i + 1;
  return std::min(i, end);
}

/// Whether a value contains the address of one of the arrays, and not only its elements.
bool has_address(const std::vector<Token>& tokens, TokenRange value, const Names& arrays) {
  for (std::size_t i = value.begin; i < value.end; ++i) {
    if (!arrays.contains(tokens[i].text)) continue;
    const bool element = i + 1 < value.end && (tokens[i + 1].is("[") || tokens[i + 1].is("->"));
    const bool taken = i > 0 && tokens[i - 1].is("&") &&
                       (i - 1 == value.begin || tokens[i - 2].is("(") || tokens[i - 2].is(","));
    const bool content = i > 0 && tokens[i - 1].is("*") &&
                         (i - 1 == value.begin || tokens[i - 2].is("(") || tokens[i - 2].is(","));
    if (taken || (!element && !content)) return true;
  }
  return false;
}

class Survey {
 public:
  Survey(const std::vector<const Outline*>& texts, UnitLanes& unit) : texts_(texts), unit_(unit) {}

  void run(const Specialization& specialization) {
    for (const Outline* text : texts_) collect_outside(*text, unit_.shared);
    find_macros();
    find_synchronizing();
    find_views();
    find_functions();
    find_shared_parameters();
    find_without_waits(specialization);
  }

 private:
  template <class Visit>
  void each_function(const Visit& visit) const {
    for (const Outline* text : texts_) {
      for (const DefinitionOutline& definition : text->definitions) {
        if (!definition.is_class && definition.body.end < text->source.tokens.size())
          visit(text->source.tokens, definition);
      }
    }
  }

  void find_macros() {
    std::map<std::string_view, std::string> bodies;
    Names several;
    for (const Outline* text : texts_) {
      for (const Directive& directive : text->source.directives) {
        const std::vector<Token>& words = directive.tokens;
        if (words.size() < 3 || !words[0].is("define")) continue;
        if (words[2].is("(") && words[2].offset == words[1].end()) continue;
        const std::string body = text_of(words, {2, words.size()});
        const auto [known, first] = bodies.try_emplace(words[1].text, body);
        if (!first && known->second != body) several.insert(words[1].text);
        unit_.numbers.macros[words[1].text] = words;
      }
    }
    for (const auto& [name, value] : unit_.macros) {
      const auto defined = bodies.find(name);
      if (defined == bodies.end())
        unit_.numbers.values[name] = value;
      else if (defined->second != std::to_string(value))
        several.insert(defined->first);
    }
    for (const std::string_view name : several) unit_.numbers.macros.erase(name);
  }

  /// The functions and macros that have a barrier or an operation of a warp, or call one that has.
  void find_synchronizing() {
    Names& found = unit_.synchronizing;
    const auto waits = [&](const Token& token) {
      return token.identifier() && (synchronizes(token.text) || found.contains(token.text));
    };
    for (std::size_t known = std::string::npos; known != found.size();) {
      known = found.size();
      each_function([&](const std::vector<Token>& tokens, const DefinitionOutline& definition) {
        const TokenRange body = definition.body;
        if (std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(body.begin),
                        tokens.begin() + static_cast<std::ptrdiff_t>(body.end), waits))
          found.insert(definition.name);
      });
      for (const Outline* text : texts_) {
        for (const Directive& directive : text->source.directives) {
          const std::vector<Token>& words = directive.tokens;
          if (words.size() > 2 && words[0].is("define") && std::any_of(words.begin() + 2, words.end(), waits))
            found.insert(words[1].text);
        }
      }
    }
  }

  /// Classes with an operator that uses an array in shared memory.
  void find_views() {
    for (const Outline* text : texts_) {
      const std::vector<Token>& tokens = text->source.tokens;
      for (const DefinitionOutline& definition : text->definitions) {
        if (!definition.is_class || definition.body.end >= tokens.size()) continue;
        bool uses = false, indexes = false;
        for (std::size_t i = definition.body.begin; i + 1 < definition.body.end; ++i) {
          uses = uses || unit_.shared.contains(tokens[i].text);
          indexes = indexes || (tokens[i].is("operator") && (tokens[i + 1].is("(") || tokens[i + 1].is("[")));
        }
        if (uses && indexes) unit_.views.insert(definition.name);
      }
    }
  }

  [[nodiscard]] bool names_view(const std::vector<Token>& tokens, TokenRange range) const {
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(range.begin),
                       tokens.begin() + static_cast<std::ptrdiff_t>(range.end),
                       [&](const Token& token) { return unit_.views.contains(token.text); });
  }

  void find_functions() {
    each_function([&](const std::vector<Token>& tokens, const DefinitionOutline& definition) {
      if (definition.kernel) return;
      const fission::Head head = fission::parse_head(tokens, definition);
      std::vector<LaneParameter>& known = unit_.functions[definition.name];
      for (std::size_t p = 0; p < head.parameters.size(); ++p) {
        const fission::Declarator& parameter = *head.parameters[p];
        const TokenRange type = head.specifiers[p];
        const bool view = names_view(tokens, type);
        const bool constant = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(type.begin),
                                          tokens.begin() + static_cast<std::ptrdiff_t>(type.end),
                                          [](const Token& token) { return token.is("const"); });
        if (known.size() <= p) known.resize(p + 1);
        if (!parameter.pointer && !parameter.array && !view) continue;
        known[p].address = true;
        known[p].changed = known[p].changed || view || !constant;
      }
    });
  }

  void find_shared_parameters() {
    bool changed = true;
    constexpr int kCallDepth = 8;
    for (int round = 0; changed && round < kCallDepth; ++round) {
      changed = false;
      each_function([&](const std::vector<Token>& tokens, const DefinitionOutline& definition) {
        const auto own = unit_.shared_parameters.find(definition.name);
        const Names arrays =
            common_arrays(tokens, definition, unit_.shared,
                          own == unit_.shared_parameters.end() ? std::set<std::size_t>() : own->second);
        if (arrays.empty()) return;
        for (std::size_t i = definition.body.begin; i + 1 < definition.body.end; ++i) {
          const auto called = unit_.functions.find(tokens[i].text);
          if (called == unit_.functions.end()) continue;
          std::size_t open = i + 1;
          if (tokens[open].is("<")) open = behind_angles(tokens, open, definition.body.end);
          if (open >= definition.body.end || !tokens[open].is("(") ||
              tokens[open].close >= definition.body.end)
            continue;
          const std::vector<TokenSpan> parts = parts_of_call(tokens, {open + 1, tokens[open].close});
          for (std::size_t p = 0; p < std::min(parts.size(), called->second.size()); ++p) {
            if (called->second[p].address && has_address(tokens, {parts[p].begin, parts[p].end}, arrays) &&
                unit_.shared_parameters[called->first].insert(p).second)
              changed = true;
          }
        }
      });
    }
  }

  void find_without_waits(const Specialization& specialization) {
    const ReachedNames reached(texts_);
    Names kernels, others;
    for (const EntryPoint& entry : specialization.entries) {
      if (names_variable(entry.name_expression)) continue;
      const std::string kernel = kernel_name(entry.name_expression);
      bool uses_shared = false;
      const bool waits =
          may_wait(entry.name_expression, texts_) ||
          reached.find(entry.name_expression, [&](std::string_view name) {
            uses_shared = uses_shared || name == "__shared__" || unit_.shared.contains(name);
            return synchronizes(name) || name == "volatile" || name == "cub" || name == "thrust";
          });
      each_function([&](const std::vector<Token>&, const DefinitionOutline& definition) {
        if (definition.kernel && definition.name == kernel)
          (!waits && uses_shared ? kernels : others).insert(definition.name);
      });
    }
    for (const std::string_view kernel : others) kernels.erase(kernel);
    if (kernels.empty()) return;
    // Functions that no other kernel of the unit reaches.
    Names elsewhere;
    for (const EntryPoint& entry : specialization.entries) {
      const std::string kernel = kernel_name(entry.name_expression);
      if (kernels.contains(kernel)) continue;
      reached.find(entry.name_expression, [&](std::string_view name) {
        elsewhere.insert(name);
        return false;
      });
    }
    unit_.without_waits = kernels;
    for (const EntryPoint& entry : specialization.entries) {
      if (!kernels.contains(kernel_name(entry.name_expression))) continue;
      reached.find(entry.name_expression, [&](std::string_view name) {
        const auto called = unit_.shared_parameters.find(name);
        const auto function = unit_.functions.find(name);
        if (function != unit_.functions.end() && !elsewhere.contains(name)) {
          unit_.without_waits.insert(function->first);
        }
        static_cast<void>(called);
        return false;
      });
    }
  }

  const std::vector<const Outline*>& texts_;
  UnitLanes& unit_;
};

}  // namespace

bool synchronizes(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t sync = lower.find("sync");
  if (sync != std::string::npos && (sync == 0 || lower[sync - 1] != 'a')) return true;
  return lower.starts_with("__shfl") || lower.starts_with("__ballot") || lower.starts_with("__any") ||
         lower.starts_with("__all") || lower.starts_with("__barrier");
}

std::set<std::string_view> common_arrays(const std::vector<Token>& tokens,
                                         const DefinitionOutline& definition,
                                         const std::set<std::string_view>& everywhere,
                                         const std::set<std::size_t>& parameters) {
  Names names = everywhere;
  if (!definition.is_class && !parameters.empty()) {
    const fission::Head head = fission::parse_head(tokens, definition);
    for (std::size_t p = 0; p < head.parameters.size(); ++p) {
      const fission::Declarator& parameter = *head.parameters[p];
      if ((parameter.pointer || parameter.array) && parameters.contains(p)) names.insert(parameter.name);
    }
  }
  for (std::size_t i = definition.body.begin; i + 1 < definition.body.end; ++i) {
    if (tokens[i].is("__shared__")) collect_shared(tokens, i, definition.body.end, names);
    // "float* part = s + 16;", "part = &s[16];"
    if (!tokens[i].is("=") || !tokens[i - 1].identifier()) continue;
    const bool declares =
        tokens[i - 2].is("*") || (tokens[i - 2].is("__restrict__") && tokens[i - 3].is("*"));
    const bool simple = tokens[i + 1].is("&") || tokens[i + 1].is("(") || names.contains(tokens[i + 1].text);
    const bool assigns = (tokens[i - 2].is(";") || tokens[i - 2].is("{") || tokens[i - 2].is("}")) &&
                         simple &&
                         names.contains(tokens[i + 1].is("&") ? tokens[i + 2].text : tokens[i + 1].text);
    const TokenRange value{i + 1, value_end(tokens, i + 1, definition.body.end)};
    if ((declares || assigns) && has_address(tokens, value, names)) names.insert(tokens[i - 1].text);
  }
  return names;
}

UnitLanes unit_numbers(const Specialization& specialization) {
  UnitLanes found;
  std::set<std::string> large;
  for (const EntryPoint& entry : specialization.entries) {
    const std::string kernel = kernel_name(entry.name_expression);
    const auto& block = entry.fixed_block;
    const bool fits = block && block->volume() <= kLanesOfWarp;
    (fits ? found.one_warp_kernels : large).insert(kernel);
    std::vector<std::optional<Dim3>>& shapes = found.blocks[kernel];
    if (std::find(shapes.begin(), shapes.end(), block) == shapes.end()) shapes.push_back(block);
    const std::vector<std::string> arguments = template_id(entry.name_expression).arguments;
    const auto [known, first] = found.template_arguments.try_emplace(kernel);
    if (first) known->second.assign(arguments.size(), std::nullopt);
    known->second.resize(std::min(known->second.size(), arguments.size()));
    for (std::size_t i = 0; i < known->second.size(); ++i) {
      const std::optional<int> value = small_number(arguments[i]);
      std::optional<NumberRange>& range = known->second[i];
      if (!value || (!first && !range))
        range = std::nullopt;
      else
        range = first ? NumberRange{*value, *value}
                      : NumberRange{std::min(range->least, *value), std::max(range->most, *value)};
    }
  }
  for (const std::string& kernel : large) found.one_warp_kernels.erase(kernel);
  for (const auto& [name, text] : specialization.defines) {
    if (const auto value = small_number(text)) found.macros[name] = *value;
  }
  return found;
}

UnitLanes unit_lanes(const Specialization& specialization, const std::vector<const Outline*>& texts) {
  UnitLanes unit = unit_numbers(specialization);
  Survey(texts, unit).run(specialization);
  return unit;
}

}  // namespace kiln
