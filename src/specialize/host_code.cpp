#include "specialize/host_code.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "specialize/declarations.h"
#include "specialize/host_names.h"
#include "specialize/include_scan.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;
using Names = std::set<std::string_view>;

bool is_device_mark(std::string_view name) {
  return name == "__global__" || name == "__device__" || name == "__constant__" || name == "__managed__" ||
         name == "__shared__" || name == "__grid_constant__";
}

/// For macros that no text defines: "MY_DEVICE_FUNCTION", "HD". They may come from a missing header.
bool may_be_device_macro(std::string_view name) {
  const bool upper = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!upper) return false;
  for (const std::string_view part : {"DEVICE", "GLOBAL", "KERNEL", "CUDA", "GPU", "HOST_DEV"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return name == "HD" || name == "DH";
}

bool is_word_of_statement(const Token& token) {
  static const std::set<std::string_view> words = {"return", "else",   "case",  "goto",    "delete", "throw",
                                                   "new",    "sizeof", "using", "if",      "for",    "while",
                                                   "do",     "switch", "break", "continue"};
  return words.contains(token.text);
}

struct Text {
  std::string* text = nullptr;  ///< the result
  std::string name, original;   ///< tokens and names are views into the second
  TokenizedText source;
  std::vector<Declaration> declarations;
};

/// A declaration that may be left out by itself, and what is known of it.
struct Item {
  static constexpr std::size_t kNoOwner = static_cast<std::size_t>(-1);
  const Declaration* declaration = nullptr;
  std::size_t text = 0;
  bool member = false;  ///< of a class
  bool device = false;  ///< has a mark such as __device__
  bool host = false;    ///< names things of the host, or calls what does
  bool whole = false;   ///< begins and ends in the same branch of the same conditionals
  bool kept = false;
  std::size_t owner = kNoOwner;           ///< for a member: its class
  std::vector<std::size_t> members = {};  ///< for a class: its items
};

class Cutter {
 public:
  Cutter(Specialization& specialization, const std::vector<std::string>& kept)
      : spec_(specialization), kept_(kept) {
    add_text(spec_.source_text, spec_.source_name);
    for (IncludedHeader& header : spec_.headers) add_text(header.text, header.name);
    learn_macros();
    for (Text& text : texts_) text.declarations = read_declarations(text.source, device_macros_);
  }

  void run() {
    for (const Text& text : texts_) learn_types(text.declarations);
    for (std::size_t t = 0; t < texts_.size(); ++t) {
      for (const Declaration& declaration : texts_[t].declarations) add_item(declaration, t, false);
    }
    find_device_names();
    find_host_functions();
    const bool cuts = std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.host; });
    keep_roots(cuts);
    follow();
    if (cuts) {
      cut_what_names_nothing();
      for (std::size_t t = 0; t < texts_.size(); ++t) cut(t);
    }
    for (std::size_t t = 0; t < texts_.size(); ++t) finish(t);
  }

 private:
  void add_text(std::string& text, const std::string& name) {
    Text& added = texts_.emplace_back();
    added.text = &text;
    added.name = name;
    added.original = text;
    added.source = tokenize(added.original);
  }

  [[nodiscard]] const std::vector<Token>& tokens_of(const Item& item) const {
    return texts_[item.text].source.tokens;
  }

  // ---------------------------------------------------------------------------------------- macros

  void learn_macros() {
    for (const Text& text : texts_) {
      for (const Directive& directive : text.source.directives) {
        const std::vector<Token>& words = directive.tokens;
        if (words.size() < 2 || !words[0].is("define")) continue;
        macros_[words[1].text].push_back(&words);
        const bool function_like = words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
        if (function_like) function_macros_.insert(words[1].text);
        learn_pasting(words, function_like);
      }
    }
    defined_texts_.reserve(spec_.defines.size());
    for (const auto& [name, value] : spec_.defines) {
      // The directive's form: "#define NAME VALUE" and "define NAME VALUE" have the same tokens.
      defined_texts_.push_back("define " + name + " " + value);
    }
    for (const std::string& text : defined_texts_) {
      defined_words_.push_back(tokenize(text).tokens);
      if (defined_words_.back().size() > 1)
        macros_[defined_words_.back()[1].text].push_back(&defined_words_.back());
    }
    for (bool found = true; found;) {
      found = false;
      for (const auto& [name, definitions] : macros_) {
        if (device_macros_.contains(name)) continue;
        for (const std::vector<Token>* words : definitions) {
          const bool marks = std::any_of(words->begin() + 2, words->end(), [&](const Token& word) {
            return is_device_mark(word.text) || device_macros_.contains(word.text);
          });
          // One that opens a body stands for more than specifiers.
          const bool opens = std::any_of(words->begin() + 2, words->end(),
                                         [](const Token& word) { return word.is("{") || word.is(";"); });
          if (!marks || opens) continue;
          found = device_macros_.insert(name).second || found;
        }
      }
    }
  }

  void learn_types(const std::vector<Declaration>& declarations) {
    for (const Declaration& declaration : declarations) {
      const Kind kind = declaration.kind;
      if (kind == Kind::kClass || kind == Kind::kEnum || kind == Kind::kAlias)
        types_.insert(declaration.names.begin(), declaration.names.end());
      learn_types(declaration.members);
    }
  }

  /// Learns the text that a macro puts in front of other words, or behind them.
  void learn_pasting(const std::vector<Token>& words, bool function_like) {
    const std::size_t begin = function_like ? std::min(words[2].close, words.size()) : 2;
    const auto add = [&](std::size_t i) {
      const auto parameters = words.begin() + static_cast<std::ptrdiff_t>(begin);
      const bool parameter = std::any_of(words.begin() + 2, parameters,
                                         [&](const Token& word) { return word.is(words[i].text); });
      if (words[i].identifier() && !parameter) pasted_.insert(words[i].text);
    };
    for (std::size_t i = begin; i < words.size(); ++i) {
      if (!words[i].is("##")) continue;
      if (i > begin) add(i - 1);
      if (i + 1 < words.size()) add(i + 1);
    }
  }

  [[nodiscard]] bool may_be_pasted(const Item& item) const {
    const auto& names = item.declaration->names;
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return std::any_of(pasted_.begin(), pasted_.end(), [&](std::string_view part) {
        return name.starts_with(part) || name.ends_with(part);
      });
    });
  }

  [[nodiscard]] bool marks_device(const Token& token) const {
    if (!token.identifier()) return false;
    return is_device_mark(token.text) || device_macros_.contains(token.text);
  }

  [[nodiscard]] bool may_be_mark(const Token& token) const {
    return token.identifier() && !macros_.contains(token.text) && !names_type(token.text) &&
           may_be_device_macro(token.text);
  }

  [[nodiscard]] bool names_type(std::string_view name) const { return types_.contains(name); }

  // ---------------------------------------------------------------------------------------- items

  std::size_t add_item(const Declaration& declaration, std::size_t text, bool member) {
    if (declaration.kind == Kind::kScope && !declaration.members.empty()) {
      for (const Declaration& inner : declaration.members) add_item(inner, text, member);
      return items_.size();
    }
    const std::size_t index = items_.size();
    Item& item = items_.emplace_back();
    item.declaration = &declaration;
    item.text = text;
    item.member = member;
    item.whole = is_whole(item);
    item.device = has_device_mark(item);
    if (declaration.kind == Kind::kClass) {
      for (const Declaration& inner : declaration.members) {
        const std::size_t member_index = add_item(inner, text, true);
        items_[member_index].owner = index;
        items_[index].members.push_back(member_index);
      }
    }
    return index;
  }

  /// Heads, and __shared__ in a body. A class has no mark of its own.
  [[nodiscard]] bool has_device_mark(const Item& item) const {
    const Declaration& declaration = *item.declaration;
    if (declaration.kind == Kind::kClass || declaration.kind == Kind::kEnum) return false;
    const std::vector<Token>& tokens = tokens_of(item);
    for (std::size_t i = declaration.whole.begin; i < declaration.whole.end; ++i) {
      const TokenSpan head = declaration.template_head;
      if (i >= head.begin && i < head.end) continue;  // a parameter may be called GPU_THREADS
      const bool inside = i >= declaration.body.begin && i < declaration.body.end;
      if (inside ? tokens[i].is("__shared__") : marks_device(tokens[i])) return true;
      // Behind the name stand types, which may be spelled like macros.
      const bool in_front = declaration.parameters.begin == 0 || i < declaration.parameters.begin;
      const auto& names = declaration.names;
      const bool own = std::find(names.begin(), names.end(), tokens[i].text) != names.end();
      if (in_front && !inside && !own && may_be_mark(tokens[i])) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_whole(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    if (span.empty()) return false;
    const std::size_t begin = tokens[span.begin].offset, end = tokens[span.end - 1].end();
    int depth = 0;
    for (const Directive& directive : directives_in(item.text, begin, end)) {
      if (directive.tokens.empty()) continue;
      const Token& word = directive.tokens[0];
      if (word.is("if") || word.is("ifdef") || word.is("ifndef")) ++depth;
      if (word.is("endif")) --depth;
      const bool other_branch = word.is("else") || word.is("elif");
      if (depth < 0 || (other_branch && depth == 0)) return false;
    }
    return depth == 0;
  }

  struct Directives {
    const Directive* first;
    const Directive* last;
    [[nodiscard]] const Directive* begin() const { return first; }
    [[nodiscard]] const Directive* end() const { return last; }
  };

  [[nodiscard]] Directives directives_in(std::size_t text, std::size_t begin, std::size_t end) const {
    const std::vector<Directive>& all = texts_[text].source.directives;
    const auto before = [](const Directive& directive, std::size_t offset) {
      return directive.offset < offset;
    };
    const auto first = std::lower_bound(all.begin(), all.end(), begin, before);
    const auto last = std::lower_bound(first, all.end(), end, before);
    return {all.data() + (first - all.begin()), all.data() + (last - all.begin())};
  }

  /// A function that is marked where it is declared is marked where it is defined.
  void find_device_names() {
    for (const Item& item : items_) {
      if (item.device) device_names_.insert(item.declaration->names.begin(), item.declaration->names.end());
    }
    device_names_.erase("operator");
  }

  [[nodiscard]] bool is_function(const Item& item) const {
    return item.declaration->kind == Kind::kFunction || item.declaration->kind == Kind::kPrototype;
  }

  [[nodiscard]] bool marked_elsewhere(const Item& item) const {
    const auto& names = item.declaration->names;
    return is_function(item) && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
             return device_names_.contains(name);
           });
  }

  // ---------------------------------------------------------------------------------------- host code

  void find_host_functions() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      for (const std::string_view name : items_[i].declaration->names) by_name_[name].push_back(i);
    }
    for (Item& item : items_) {
      if (item.device || !item.whole) continue;
      const Kind kind = item.declaration->kind;
      if (kind == Kind::kOther) item.host = is_use_of_host_macro(item);
      if (kind == Kind::kClass) item.host = holds_host_data(item);
      if (kind == Kind::kOther || kind == Kind::kClass || kind == Kind::kEnum || kind == Kind::kScope)
        continue;
      if (item.member && !is_function(item)) continue;  // data decides the layout
      item.host = names_host(item) || is_main(item) || says_host(item) || uses_host_namespace(item);
    }
    for (bool found = true; found;) {
      found = false;
      for (Item& item : items_) {
        const bool candidate = item.declaration->kind == Kind::kFunction && !item.device && item.whole &&
                               !item.host && !marked_elsewhere(item);
        if (!candidate || !calls_host(item)) continue;
        item.host = found = true;
      }
    }
  }

  /// A class with members such as std::vector: no kernel can have one.
  [[nodiscard]] bool holds_host_data(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    return std::any_of(item.members.begin(), item.members.end(), [&](std::size_t member) {
      const Declaration& declaration = *items_[member].declaration;
      if (declaration.kind != Kind::kVariable) return false;
      for (std::size_t i = declaration.whole.begin + 2; i < declaration.whole.end; ++i) {
        if (tokens[i - 2].is("std") && names_host_only(tokens, i)) return true;
      }
      return false;
    });
  }

  /// `__host__` in front of a function that has no mark of the device.
  [[nodiscard]] bool says_host(const Item& item) const {
    if (!is_function(item)) return false;
    const std::vector<Token>& tokens = tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    for (std::size_t i = span.begin; i < std::min(span.end, item.declaration->parameters.begin); ++i) {
      if (tokens[i].is("__host__")) return true;
    }
    return false;
  }

  /// `using namespace cv;` of a library of the host. Device code may use Thrust's and CUB's names.
  [[nodiscard]] bool uses_host_namespace(const Item& item) const {
    if (item.declaration->kind != Kind::kUsing) return false;
    const std::vector<Token>& tokens = tokens_of(item);
    const std::size_t name = item.declaration->whole.begin + 2;
    if (name >= tokens.size() || tokens[name].is("thrust") || tokens[name].is("cub")) return false;
    return std::any_of(
        spec_.unseen_headers.begin(), spec_.unseen_headers.end(),
        [&](const std::string& header) { return prefix_of_host_library(header) == tokens[name].text; });
  }

  [[nodiscard]] static bool is_main(const Item& item) {
    const auto& names = item.declaration->names;
    return !item.member && item.declaration->kind == Kind::kFunction && names.size() == 1 &&
           names[0] == "main";
  }

  [[nodiscard]] bool names_host(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (!names_host_only(tokens, i)) continue;
      const auto declared = by_name_.find(tokens[i].text);
      const bool own = declared != by_name_.end() &&  // a function of the text that is called `time`
                       std::any_of(declared->second.begin(), declared->second.end(),
                                   [&](std::size_t other) { return is_function(items_[other]); });
      if (!own) return true;
    }
    return std::any_of(span_begin(item), span_end(item),
                       [&](const Token& token) { return host_macro(token); });
  }

  [[nodiscard]] std::vector<Token>::const_iterator span_begin(const Item& item) const {
    return tokens_of(item).begin() + static_cast<std::ptrdiff_t>(item.declaration->whole.begin);
  }
  [[nodiscard]] std::vector<Token>::const_iterator span_end(const Item& item) const {
    return tokens_of(item).begin() + static_cast<std::ptrdiff_t>(item.declaration->whole.end);
  }

  /// `CHECK(...)` whose replacement names things of the host.
  [[nodiscard]] bool host_macro(const Token& token) const {
    if (!token.identifier()) return false;
    const auto found = macros_.find(token.text);
    if (found == macros_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [](const std::vector<Token>* words) {
      for (std::size_t i = 2; i < words->size(); ++i) {
        if (names_host_only(*words, i)) return true;
      }
      return false;
    });
  }

  /// `DEFINE_LAUNCHER(name, float)` at namespace scope: a macro that stands for whole functions of the host.
  [[nodiscard]] bool is_use_of_host_macro(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    if (item.member || span.begin + 1 >= span.end || !function_macros_.contains(tokens[span.begin].text))
      return false;
    const std::size_t behind =
        tokens[span.begin + 1].is("(") ? tokens[span.begin + 1].close + 1 : span.end + 1;
    if (behind != span.end && !(behind + 1 == span.end && tokens[behind].is(";"))) return false;
    const auto& definitions = macros_.at(tokens[span.begin].text);
    const bool whole = std::all_of(definitions.begin(), definitions.end(), [&](const auto* words) {
      int depth = 0;
      for (std::size_t i = 2; i < words->size(); ++i) {
        if ((*words)[i].is("{")) ++depth;
        if ((*words)[i].is("}") && --depth < 0) return false;
        if (marks_device((*words)[i])) return false;
      }
      return depth == 0;
    });
    return whole && host_macro(tokens[span.begin]);
  }

  /// Whether it calls a name that only functions of the host have.
  [[nodiscard]] bool calls_host(const Item& item) const {
    const TokenSpan body = item.declaration->body;
    return calls_host(tokens_of(item), body, 0);
  }

  [[nodiscard]] bool calls_host(const std::vector<Token>& tokens, TokenSpan span, int depth) const {
    constexpr int kDeepestMacro = 4;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (!tokens[i].identifier()) continue;
      const auto macro = depth < kDeepestMacro ? macros_.find(tokens[i].text) : macros_.end();
      if (macro != macros_.end()) {
        for (const std::vector<Token>* words : macro->second) {
          if (calls_host(*words, {2, words->size()}, depth + 1)) return true;
        }
      }
      if (i + 1 >= span.end || !(tokens[i + 1].is("(") || tokens[i + 1].is("<"))) continue;
      const auto found = by_name_.find(tokens[i].text);
      if (found == by_name_.end()) continue;
      const bool all = std::all_of(found->second.begin(), found->second.end(),
                                   [&](std::size_t other) { return items_[other].host; });
      if (all) return true;
    }
    return false;
  }

  // ---------------------------------------------------------------------------------------- what stays

  void keep_roots(bool cuts) {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      const Kind kind = item.declaration->kind;
      if (item.member) continue;  // with its class
      const bool understood = item.whole && (item.host || kind != Kind::kOther) && kind != Kind::kScope;
      const bool specialises = kind != Kind::kInstantiation && of_unknown_template(item);
      if (!cuts || item.device || !understood || (!item.host && marked_elsewhere(item)) || specialises ||
          (kind == Kind::kUsing && !item.host) || is_operator(item) || (!item.host && may_be_pasted(item)))
        keep(i);
    }
    root_texts_.assign(kept_.begin(), kept_.end());
    for (const EntryPoint& entry : spec_.entries) root_texts_.push_back(entry.name_expression);
    root_texts_.push_back(spec_.params_header);
    for (const auto& [name, value] : spec_.defines) root_texts_.push_back(name + " " + value);
    for (const std::string& text : root_texts_) {
      const std::vector<Token>& tokens = root_tokens_.emplace_back(tokenize(text).tokens);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        learn_std_name(tokens, i);
        reach(tokens[i], true);
      }
    }
    for (const Text& text : texts_) {
      for (const Directive& directive : text.source.directives) {
        if (directive.tokens.empty() || !directive.tokens[0].is("pragma")) continue;
        for (const Token& token : directive.tokens) reach(token, false);
      }
    }
  }

  /// Operators are called without their name, so those that may serve device code stay.
  [[nodiscard]] bool is_operator(const Item& item) const {
    const auto& names = item.declaration->names;
    return !item.host && std::find(names.begin(), names.end(), "operator") != names.end();
  }

  /// A specialisation of a template of another's: code of that other's may lead to it.
  [[nodiscard]] bool of_unknown_template(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    const std::size_t begin = item.declaration->whole.begin;
    const bool specialisation = begin + 2 < tokens.size() && tokens[begin].is("template") &&
                                tokens[begin + 1].is("<") && tokens[begin + 2].is(">");
    if (!specialisation || item.host) return false;
    return std::all_of(item.declaration->names.begin(), item.declaration->names.end(),
                       [&](std::string_view name) { return by_name_.at(name).size() == 1; });
  }

  void keep(std::size_t index) {
    Item& item = items_[index];
    if (item.kept) return;
    item.kept = true;
    open_.push_back(index);
  }

  void follow() {
    while (!open_.empty()) {
      const std::size_t index = open_.front();
      open_.pop_front();
      follow_item(index);
    }
  }

  void follow_item(std::size_t index) {
    const Item& item = items_[index];
    const Declaration& declaration = *item.declaration;
    if (declaration.kind == Kind::kClass) {
      const std::size_t head_end = declaration.body.empty() ? declaration.whole.end : declaration.body.begin;
      reach_tokens(item, {declaration.whole.begin, head_end}, {});
      const std::vector<std::size_t> members = item.members;
      for (const std::size_t member : members) {
        if (!items_[member].host) keep(member);
      }
      return;
    }
    if (declaration.kind != Kind::kFunction) {
      reach_tokens(item, declaration.whole, {});
      return;
    }
    Names names = parameter_names(item);
    const TokenSpan parameters = declaration.parameters;
    reach_tokens(item, {declaration.whole.begin, parameters.begin}, {});
    reach_tokens(item, parameters, names);
    reach_tokens(item, {parameters.end, declaration.body.begin}, {});
    names.merge(local_names(item));
    reach_tokens(item, declaration.body, names);
    const std::size_t rest = std::max(declaration.body.end, declaration.body.begin);
    reach_tokens(item, {rest, declaration.whole.end}, {});
  }

  /// In the body these are not the names of declarations outside.
  [[nodiscard]] Names parameter_names(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    Names names;
    const TokenSpan parameters = item.declaration->parameters;
    for (std::size_t i = parameters.begin; i < parameters.end; ++i) {
      if (tokens[i].is("(") || tokens[i].is("[")) i = std::min(tokens[i].close, parameters.end);
      const bool last = i + 1 == parameters.end ||
                        (i + 1 < parameters.end &&
                         (tokens[i + 1].is(",") || tokens[i + 1].is("=") || tokens[i + 1].is("[")));
      const bool has_type = i > parameters.begin && !tokens[i - 1].is(",") && !tokens[i - 1].is("=");
      if (i < parameters.end && tokens[i].identifier() && last && has_type) names.insert(tokens[i].text);
    }
    return names;
  }

  /// What the body declares at its outermost level before it uses the name: likewise.
  [[nodiscard]] Names local_names(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    Names names, seen;
    const TokenSpan body = item.declaration->body;
    std::size_t statement = body.begin;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (tokens[i].is("{")) {
        for (std::size_t inner = i; inner < std::min(tokens[i].close, body.end); ++inner) {
          if (tokens[inner].identifier()) seen.insert(tokens[inner].text);
        }
        i = std::min(tokens[i].close, body.end);
        statement = i + 1;
      } else if (tokens[i].is(";")) {
        statement = i + 1;
      } else if (tokens[i].identifier()) {
        const bool fresh = seen.insert(tokens[i].text).second;
        if (fresh && declares(tokens, statement, i, body.end)) names.insert(tokens[i].text);
      }
    }
    return names;
  }

  /// Whether the statement that begins at `begin` declares a variable by the name at `at`: types in front of
  /// it, nothing else.
  [[nodiscard]] static bool declares(const std::vector<Token>& tokens, std::size_t begin, std::size_t at,
                                     std::size_t end) {
    if (at == begin || at + 1 >= end) return false;
    const Token& next = tokens[at + 1];
    if (!next.is("=") && !next.is(";") && !next.is(",") && !next.is("[") && !next.is("{")) return false;
    for (std::size_t i = begin; i < at; ++i) {
      const Token& token = tokens[i];
      const bool of_type = (token.identifier() && !is_word_of_statement(token)) || token.is("*") ||
                           token.is("&") || token.is("::");
      if (!of_type) return false;
    }
    return tokens[begin].identifier() && !tokens[at - 1].is("::");
  }

  void reach_tokens(const Item& item, TokenSpan span, const Names& shadowed) {
    reach_tokens(tokens_of(item), span, shadowed);
  }

  void reach_tokens(const std::vector<Token>& tokens, TokenSpan span, const Names& shadowed) {
    std::size_t in_macro = 0;  // up to here the arguments of a macro
    for (std::size_t i = span.begin; i < span.end; ++i) learn_std_name(tokens, i);
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const Token& token = tokens[i];
      if (!token.identifier() || shadowed.contains(token.text)) continue;
      const bool has_next = i + 1 < tokens.size(), has_last = i > 0;
      const bool called =
          i < in_macro ||
          (has_next && (tokens[i + 1].is("(") || tokens[i + 1].is("<") || tokens[i + 1].is(">"))) ||
          (has_last && (tokens[i - 1].is("&") || tokens[i - 1].is("<")));
      if (has_next && tokens[i + 1].is("(") && function_macros_.contains(token.text))
        in_macro = std::max(in_macro, tokens[i + 1].close);
      reach(token, called);
    }
  }

  /// `X` of `std::X`; `cuda::std::X` is of another library.
  void learn_std_name(const std::vector<Token>& tokens, std::size_t i) {
    constexpr std::size_t kLongest = 4;
    if (!tokens[i].identifier() || i < 2 || !tokens[i - 1].is("::") || !tokens[i - 2].is("std")) return;
    if (i >= kLongest && tokens[i - 3].is("::") && tokens[i - kLongest].is("cuda")) return;
    std_names_.insert(tokens[i].text);
  }

  /// `called`: as a function is called or passed on; a variable's use is not.
  void reach(const Token& token, bool called) {
    if (!token.identifier()) return;
    const bool first = reached_.insert(token.text).second;
    if (!first && (!called || !called_.insert(token.text).second)) return;
    if (first && called) called_.insert(token.text);
    if (first) {
      const auto macro = macros_.find(token.text);
      if (macro != macros_.end()) {
        for (const std::vector<Token>* words : macro->second) {
          for (std::size_t i = 2; i < words->size(); ++i) {
            learn_std_name(*words, i);
            reach((*words)[i], true);
          }
        }
      }
    }
    const auto found = by_name_.find(token.text);
    if (found == by_name_.end()) return;
    for (const std::size_t index : found->second) {
      const Item& item = items_[index];
      const Kind kind = item.declaration->kind;
      if (item.host || item.member || kind == Kind::kInstantiation) continue;
      const bool enough = !is_function(item) || called || token.text != item.declaration->names.front();
      if (enough) keep(index);
    }
  }

  // ---------------------------------------------------------------------------------------- edits

  /// Instantiations and using-declarations of what is left out.
  void cut_what_names_nothing() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      const Kind kind = item.declaration->kind;
      if (kind != Kind::kInstantiation || item.kept || item.member) continue;
      bool names_kept = item.declaration->names.empty();
      for (const std::string_view name : item.declaration->names) {
        for (const std::size_t other : by_name_.at(name)) {
          const Item& one = items_[other];
          names_kept = names_kept || (one.kept && one.declaration->kind != Kind::kInstantiation);
        }
      }
      if (names_kept && !item.host) item.kept = true;
    }
  }

  [[nodiscard]] bool is_cut(const Item& item) const {
    if (item.member) return item.host;
    return !item.kept;
  }

  void cut(std::size_t text) {
    std::vector<TextEdit> edits;
    std::vector<std::string> functions;
    std::size_t others = 0;
    for (const Item& item : items_) {
      if (item.text != text || !is_cut(item)) continue;
      if (item.member && !is_in_kept_class(item)) continue;
      edits.push_back(blank(item));
      const bool function = item.declaration->kind == Kind::kFunction && !item.declaration->names.empty();
      const std::string name = function ? std::string(item.declaration->names.front()) : "";
      if (!function) {
        ++others;
      } else if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
        functions.push_back(name);
      }
    }
    if (edits.empty()) return;
    *texts_[text].text = apply_edits(texts_[text].original, std::move(edits));
    constexpr std::size_t kMostNames = 6;
    std::string what;
    if (functions.size() > kMostNames) {
      others += functions.size() - kMostNames;
      functions.resize(kMostNames);
    }
    what = join(functions, ", ");
    if (others > 0) {
      what += (what.empty() ? "" : " and ") + std::to_string(others) + (functions.empty() ? "" : " other") +
              (others == 1 ? " declaration" : " declarations");
    }
    phrases_[text].push_back(what);
  }

  [[nodiscard]] bool is_in_kept_class(const Item& member) const {
    const Item* item = &member;
    while (item->member) {
      if (item->owner == Item::kNoOwner) return false;
      item = &items_[item->owner];
      if (is_cut(*item)) return false;
    }
    return true;
  }

  /// Line ends and the directives that other text may depend on stay.
  [[nodiscard]] TextEdit blank(const Item& item) const {
    const std::vector<Token>& tokens = tokens_of(item);
    const std::string_view text = texts_[item.text].original;
    const TokenSpan span = item.declaration->whole;
    const std::size_t begin = tokens[span.begin].offset, end = tokens[span.end - 1].end();
    TextEdit edit{begin, end - begin, ""};
    std::size_t at = begin;
    const auto skip_to = [&](std::size_t next) {
      for (; at < next; ++at) {
        if (text[at] == '\n') edit.replacement += '\n';
      }
    };
    for (const Directive& directive : directives_in(item.text, begin, end)) {
      if (directive.tokens.empty()) continue;
      skip_to(directive.offset);
      const Token& word = directive.tokens[0];
      const bool stays = !word.is("include") && !word.is("pragma") && !word.is("error") &&
                         !word.is("warning") && !word.is("line") && !word.is("import");
      if (!stays) continue;
      edit.replacement += text.substr(directive.offset, directive.tokens.back().end() - directive.offset);
      at = directive.tokens.back().end();
    }
    skip_to(end);
    return edit;
  }

  // ---------------------------------------------------------------------------------------- headers

  /// Takes out the includes of which nothing is used, and adds what the text has lost to the report.
  void finish(std::size_t index) {
    Text& text = texts_[index];
    std::vector<TextEdit> edits;
    std::vector<std::string> names;
    for (const IncludeUse& use : find_include_uses(*text.text)) {
      if (use.kind != IncludeUse::Kind::kInclude || !is_left_out(use.header.name)) continue;
      const std::size_t line = text.text->rfind('\n', use.offset);
      const std::size_t begin = line == std::string::npos ? 0 : line + 1;
      // nvcc's own headers declare these names without an include.
      const bool needs_math = edits.empty() && !std_names_.empty();
      edits.push_back({begin, use.offset + use.length - begin, needs_math ? "#include <cmath>" : ""});
      names.push_back("<" + use.header.name + ">");
      removed_.insert(use.header.name);
    }
    if (!edits.empty()) {
      *text.text = apply_edits(*text.text, std::move(edits));
      phrases_[index].push_back("the headers " + join(names, ", "));
    }
    const auto found = phrases_.find(index);
    if (found != phrases_.end()) spec_.left_out.push_back(text.name + ": " + join(found->second, "; "));
    if (index + 1 == texts_.size()) forget_headers();
  }

  [[nodiscard]] bool is_left_out(const std::string& header) const {
    const auto& unseen = spec_.unseen_headers;
    if (std::find(unseen.begin(), unseen.end(), header) == unseen.end())
      return false;  // a file of the user's
    if (const auto* names = names_of_host_header(header)) {
      return std::none_of(names->begin(), names->end(),
                          [&](std::string_view name) { return std_names_.contains(name); });
    }
    if (const auto* names = names_of_type_header(header)) {
      return std::none_of(names->begin(), names->end(),
                          [&](std::string_view name) { return reached_.contains(name); });
    }
    if (const std::string_view algorithm = algorithm_of_thrust(header); !algorithm.empty())
      return !reached_.contains(algorithm);
    const std::string_view prefix = prefix_of_host_library(header);
    return !prefix.empty() && std::none_of(reached_.begin(), reached_.end(),
                                           [&](std::string_view name) { return name.starts_with(prefix); });
  }

  /// The compilers look for what is still included.
  void forget_headers() {
    std::set<std::string> included;
    for (const Text& text : texts_) {
      for (const IncludeUse& use : find_include_uses(*text.text)) included.insert(use.header.name);
    }
    bool added = false;
    std::erase_if(spec_.unseen_headers, [&](const std::string& name) {
      return removed_.contains(name) && !included.contains(name);
    });
    const auto& unseen = spec_.unseen_headers;
    const bool knows = std::find(unseen.begin(), unseen.end(), "cmath") != unseen.end();
    added = included.contains("cmath") && !knows;
    if (!added) return;
    spec_.unseen_headers.emplace_back("cmath");
    std::sort(spec_.unseen_headers.begin(), spec_.unseen_headers.end());
  }

  Specialization& spec_;
  const std::vector<std::string>& kept_;
  std::deque<Text> texts_;
  std::vector<std::string> defined_texts_;
  std::deque<std::vector<Token>> defined_words_;
  std::map<std::string_view, std::vector<const std::vector<Token>*>> macros_;
  Names function_macros_, device_macros_;
  Names pasted_;  // parts of names that macros put together
  std::vector<Item> items_;
  std::map<std::string_view, std::vector<std::size_t>> by_name_;
  Names device_names_, types_;
  std::deque<std::string> root_texts_;
  std::deque<std::vector<Token>> root_tokens_;
  Names reached_, called_, std_names_;
  std::set<std::string> removed_;  // headers
  std::deque<std::size_t> open_;
  std::map<std::size_t, std::vector<std::string>> phrases_;
};

}  // namespace

void leave_out_host_code(Specialization& specialization, const std::vector<std::string>& kept) {
  Cutter(specialization, kept).run();
}

std::string left_out_note(const Specialization& specialization) {
  if (specialization.left_out.empty()) return "";
  return "left out as host code: " + join(specialization.left_out, "; ");
}

}  // namespace kiln
