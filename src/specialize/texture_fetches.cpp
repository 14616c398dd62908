#include "specialize/texture_fetches.h"

#include <algorithm>
#include <compare>
#include <set>
#include <string_view>

namespace kiln {
namespace {

/// What is between "tex2D" or "surf2DLayered" and the name's end.
bool is_access(std::string_view rest, const TextureFetch& fetch) {
  if (fetch.kind.surface) return rest == "read" || rest == "write";
  if (rest.empty()) return true;
  if (rest == "Lod" || rest == "Grad") return true;
  if (fetch.kind.layers) return false;
  if (rest == "fetch") return fetch.kind.dimensions == 1;
  return rest == "gather" && fetch.kind.dimensions == 2;
}

/// The access of a function's name, without its type.
std::optional<TextureFetch> access_of(std::string_view name) {
  TextureFetch fetch;
  fetch.kind.surface = name.starts_with("surf");
  if (!fetch.kind.surface && !name.starts_with("tex")) return std::nullopt;
  name.remove_prefix(fetch.kind.surface ? 4 : 3);
  if (name.size() < 2 || name[0] < '1' || name[0] > '3' || name[1] != 'D') return std::nullopt;
  fetch.kind.dimensions = name[0] - '0';
  name.remove_prefix(2);
  constexpr std::string_view kLayered = "Layered";
  fetch.kind.layers = name.starts_with(kLayered);
  if (fetch.kind.layers) name.remove_prefix(kLayered.size());
  if ((fetch.kind.layers && fetch.kind.dimensions == 3) || !is_access(name, fetch)) return std::nullopt;
  fetch.linear = name == "fetch";
  fetch.writes = name == "write";
  return fetch;
}

/// The type of the first declaration of `name` in the body; "float4" of `float4 sum = ...`.
std::string declared_type(const std::vector<Token>& tokens, TokenSpan body, std::string_view name) {
  for (std::size_t i = body.begin + 1; i < body.end; ++i) {
    const Token& before = tokens[i - 1];
    if (tokens[i].is(name) && before.identifier() && !before.is("return") && !before.is("auto"))
      return std::string(before.text);
  }
  return "";
}

/// The element's type, of a call that does not write it: that of `sizeof` in a coordinate, of `make_uchar4`
/// in what is written, or of the variable that is written or read into.
std::string type_of(const std::vector<Token>& tokens, TokenSpan body,
                    const std::vector<TokenSpan>& arguments) {
  const TokenSpan all{arguments.front().begin, arguments.back().end};
  for (std::size_t i = all.begin; i + 2 < all.end; ++i) {
    if (tokens[i].is("sizeof") && tokens[i + 1].is("(")) {
      const std::string type = text_of(tokens, {i + 2, std::min(tokens[i + 1].close, all.end)});
      const std::string declared = declared_type(tokens, body, type);
      return declared.empty() ? type : declared;
    }
  }
  std::size_t first = arguments.front().begin;
  if (first < all.end && tokens[first].is("&")) ++first;
  if (first >= arguments.front().end || !tokens[first].identifier()) return "";
  constexpr std::string_view kMake = "make_";
  if (tokens[first].text.starts_with(kMake)) return std::string(tokens[first].text.substr(kMake.size()));
  return first + 1 == arguments.front().end ? declared_type(tokens, body, tokens[first].text) : "";
}

}  // namespace

std::map<std::string, TextureFetch> texture_fetches(const std::vector<Token>& tokens, TokenSpan body) {
  std::map<std::string, TextureFetch> found;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    auto fetch = access_of(tokens[i].text);
    if (!fetch) continue;
    std::size_t open = i + 1;
    if (open < body.end && tokens[open].is("<")) {
      const std::size_t behind = behind_angles(tokens, open, body.end);
      if (behind < open + 2) continue;
      fetch->type = text_of(tokens, {open + 1, behind - 1});
      open = behind;
    }
    if (open >= body.end || !tokens[open].is("(") || tokens[open].close >= body.end) continue;
    const std::vector<TokenSpan> arguments = parts_of(tokens, {open + 1, tokens[open].close}, true);
    if (arguments.size() < 2) continue;
    if (fetch->type.empty()) fetch->type = type_of(tokens, body, arguments);
    for (const TokenSpan& argument : {arguments[0], arguments[1]}) {
      if (argument.end == argument.begin + 1 && tokens[argument.begin].identifier())
        found.emplace(std::string(tokens[argument.begin].text), *fetch);
    }
  }
  return found;
}

bool is_texture_type(const std::string& type) {
  const std::vector<Token> tokens = tokenize(type).tokens;
  const auto names = [&](std::string_view word) {
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) { return token.is(word); });
  };
  return !names("*") &&
         (names("cudaTextureObject_t") || names("cudaSurfaceObject_t") || names("CUtexObject") ||
          names("CUsurfObject") || names("hipTextureObject_t") || names("hipSurfaceObject_t"));
}

std::vector<PassedArgument> passed_arguments(const std::vector<Token>& tokens, TokenSpan body,
                                             const std::vector<std::string>& names) {
  std::vector<PassedArgument> passed;
  for (std::size_t i = body.begin; !names.empty() && i + 1 < body.end; ++i) {
    if (!tokens[i].identifier()) continue;
    std::size_t open = i + 1;
    if (tokens[open].is("<")) open = std::max(open, behind_angles(tokens, open, body.end));
    if (open >= body.end || !tokens[open].is("(") || tokens[open].close >= body.end) continue;
    const std::vector<TokenSpan> arguments = parts_of(tokens, {open + 1, tokens[open].close}, true);
    for (std::size_t place = 0; place < arguments.size(); ++place) {
      const TokenSpan argument = arguments[place];
      if (argument.end != argument.begin + 1) continue;
      const std::string name(tokens[argument.begin].text);
      if (std::find(names.begin(), names.end(), name) != names.end())
        passed.push_back({name, std::string(tokens[i].text), place});
    }
  }
  return passed;
}

void add_passed_fetches(std::map<std::string, TextureFetch>& fetches,
                        const std::vector<PassedArgument>& passed,
                        const std::multimap<std::string, TextureUser>& users) {
  struct Place {
    std::string function;
    std::size_t argument;
    // clang-tidy takes the 0 of the compiler's comparison for a pointer.
    auto operator<=>(const Place&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  for (const PassedArgument& first : passed) {
    if (fetches.contains(first.name)) continue;
    std::set<Place> seen;
    for (std::vector<Place> left = {{first.function, first.argument}}; !left.empty();) {
      const Place place = left.back();
      left.pop_back();
      if (!seen.insert(place).second) continue;
      const auto [begin, end] = users.equal_range(place.function);
      for (auto user = begin; user != end; ++user) {
        if (place.argument >= user->second.parameters.size()) continue;
        const std::string& name = user->second.parameters[place.argument];
        const auto fetch = user->second.fetches.find(name);
        if (fetch != user->second.fetches.end()) {
          const auto known = fetches.find(first.name);
          if (known == fetches.end())
            fetches.emplace(first.name, fetch->second);
          else
            known->second.writes = known->second.writes || fetch->second.writes;
        }
        for (const PassedArgument& next : user->second.passed) {
          if (next.name == name) left.push_back({next.function, next.argument});
        }
      }
    }
  }
}

}  // namespace kiln
