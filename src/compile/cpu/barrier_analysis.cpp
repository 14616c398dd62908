#include "compile/cpu/barrier_analysis.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace kiln {
namespace {

constexpr std::array<std::string_view, 14> kWaitingPrefixes = {
    "__syncthreads",     "__syncwarp",        "__shfl",    "__ballot", "__any",       "__all",
    "__match_",          "__reduce_",         "__barrier", "__active", "this_thread", "tiled_partition",
    "coalesced_threads", "cooperative_groups"};

bool waits(std::string_view name) {
  return name == "sync" || name == "asm" || name == "__asm__" ||
         std::any_of(kWaitingPrefixes.begin(), kWaitingPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

/// For each name, where its definitions' tokens are.
struct Places {
  struct Place {
    const Token* begin;
    const Token* end;
  };
  std::map<std::string_view, std::vector<Place>> by_name;
  std::set<std::string_view> pasting_macros;

  void add(std::string_view name, const std::vector<Token>& tokens, TokenRange range) {
    if (range.begin >= range.end) return;
    by_name[name].push_back({tokens.data() + range.begin, tokens.data() + range.end});
  }

  void add(const Outline& text) {
    for (const DefinitionOutline& definition : text.definitions) {
      add(definition.name, text.source.tokens, definition.head);
      add(definition.name, text.source.tokens, definition.body);
    }
    for (const Directive& directive : text.source.directives) {
      const std::vector<Token>& tokens = directive.tokens;
      if (tokens.size() < 2 || !tokens[0].is("define")) continue;
      add(tokens[1].text, tokens, {2, tokens.size()});
      if (std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("##"); })) {
        pasting_macros.insert(tokens[1].text);
      }
    }
  }
};

}  // namespace

bool may_wait(std::string_view name_expression, const std::vector<const Outline*>& texts) {
  Places places;
  for (const Outline* text : texts) places.add(*text);

  const TokenizedText expression = tokenize(name_expression);
  std::set<std::string_view> seen = {"operator"};  // operators are called without their name
  std::vector<std::string_view> open = {"operator"};
  const auto reach = [&](const Token& token) {
    if (token.identifier() && seen.insert(token.text).second) open.push_back(token.text);
  };
  for (const Token& token : expression.tokens) reach(token);
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    if (waits(name) || places.pasting_macros.count(name) != 0) return true;
    const auto found = places.by_name.find(name);
    if (found == places.by_name.end()) continue;
    for (const Places::Place& place : found->second) std::for_each(place.begin, place.end, reach);
  }
  return false;
}

bool includes_unseen_header(const Outline& text, const std::vector<std::string>& known) {
  static constexpr std::array<std::string_view, 26> kHarmless = {"cuda_runtime.h",
                                                                 "cuda_runtime_api.h",
                                                                 "device_launch_parameters.h",
                                                                 "cuda.h",
                                                                 "math_constants.h",
                                                                 "assert.h",
                                                                 "cassert",
                                                                 "cstdint",
                                                                 "cstddef",
                                                                 "cstdio",
                                                                 "cstdlib",
                                                                 "cstring",
                                                                 "cmath",
                                                                 "cfloat",
                                                                 "climits",
                                                                 "limits",
                                                                 "type_traits",
                                                                 "utility",
                                                                 "stdint.h",
                                                                 "stddef.h",
                                                                 "stdio.h",
                                                                 "stdlib.h",
                                                                 "string.h",
                                                                 "math.h",
                                                                 "float.h",
                                                                 "limits.h"};
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("include")) continue;
    std::string name;
    if (tokens[1].kind == Token::Kind::kString) {
      name = std::string(tokens[1].text.substr(1, tokens[1].text.size() - 2));
    } else {
      for (std::size_t i = 2; i < tokens.size() && !tokens[i].is(">"); ++i) name += tokens[i].text;
    }
    const bool seen = name.rfind("kiln/", 0) == 0 ||
                      std::find(known.begin(), known.end(), name) != known.end() ||
                      std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end();
    if (!seen) return true;
  }
  return false;
}

}  // namespace kiln
