#include "specialize/program_items.h"

#include <algorithm>

#include "specialize/host_libraries.h"
#include "specialize/host_names.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

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

}  // namespace

ProgramItems::ProgramItems(Specialization& specialization) : spec_(specialization) {
  add_text(specialization.source_text, specialization.source_name, "");
  for (IncludedHeader& header : specialization.headers) add_text(header.text, header.name, header.path);
  learn_macros();
  Names specifiers = attribute_macros_;
  specifiers.insert(device_macros_.begin(), device_macros_.end());
  const Names scopes = scope_macros();
  for (ProgramFile& text : files) text.declarations = read_declarations(text.source, specifiers, scopes);
  for (const ProgramFile& text : files) {
    learn_types(text.declarations);
    learn_scopes(text.source.tokens);
    for (const Directive& directive : text.source.directives) learn_scopes(directive.tokens);
  }
  for (std::size_t t = 0; t < files.size(); ++t) {
    for (const Declaration& declaration : files[t].declarations) add_item(declaration, t, false);
  }
  find_torn_items();
  find_device_names();
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const std::string_view name : items[i].declaration->names) by_name[name].push_back(i);
  }
}

const std::vector<Token>& ProgramItems::tokens_of(const Item& item) const {
  return files[item.text].source.tokens;
}

ProgramItems::Directives ProgramItems::directives_in(std::size_t text, std::size_t begin,
                                                     std::size_t end) const {
  const std::vector<Directive>& all = files[text].source.directives;
  const auto before = [](const Directive& directive, std::size_t offset) {
    return directive.offset < offset;
  };
  const auto first = std::lower_bound(all.begin(), all.end(), begin, before);
  const auto last = std::lower_bound(first, all.end(), end, before);
  return {all.data() + (first - all.begin()), all.data() + (last - all.begin())};
}

bool ProgramItems::marks_device(const Token& token) const {
  if (!token.identifier()) return false;
  return is_device_mark(token.text) || device_macros_.contains(token.text);
}

bool ProgramItems::marks_host(const Token& token) const {
  return token.is("__host__") || (token.identifier() && host_macros_.contains(token.text));
}

bool ProgramItems::is_use_of_whole_macro(const Item& item) const {
  const std::vector<Token>& tokens = tokens_of(item);
  const TokenSpan span = item.declaration->whole;
  if (item.member || span.begin + 1 >= span.end || !function_macros.contains(tokens[span.begin].text))
    return false;
  const std::size_t behind = tokens[span.begin + 1].is("(") ? tokens[span.begin + 1].close + 1 : span.end + 1;
  if (behind != span.end && !(behind + 1 == span.end && tokens[behind].is(";"))) return false;
  const auto& definitions = macros.at(tokens[span.begin].text);
  return std::all_of(definitions.begin(), definitions.end(), [&](const auto* words) {
    int depth = 0;
    for (std::size_t i = 2; i < words->size(); ++i) {
      if ((*words)[i].is("{")) ++depth;
      if ((*words)[i].is("}") && --depth < 0) return false;
      if (marks_device((*words)[i])) return false;
    }
    return depth == 0;
  });
}

bool ProgramItems::may_paste(std::string_view macro, const Item& item) const {
  const auto parts = pasted_.find(macro);
  if (parts == pasted_.end()) return false;
  const auto& names = item.declaration->names;
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return std::any_of(parts->second.begin(), parts->second.end(),
                       [&](std::string_view part) { return name.starts_with(part) || name.ends_with(part); });
  });
}

bool ProgramItems::is_function(const Item& item) const {
  return item.declaration->kind == Kind::kFunction || item.declaration->kind == Kind::kPrototype;
}

TextEdit ProgramItems::without(const Item& item, const std::string& instead) const {
  const std::vector<Token>& tokens = tokens_of(item);
  const std::string_view text = files[item.text].original;
  const TokenSpan span = item.declaration->whole;
  const std::size_t begin = tokens[span.begin].offset, end = tokens[span.end - 1].end();
  TextEdit edit{begin, end - begin, instead};
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

std::string ProgramItems::forward_declaration(const Item& item) const {
  const Declaration& declaration = *item.declaration;
  const std::vector<Token>& tokens = tokens_of(item);
  if (declaration.kind == Kind::kAlias && !item.member && !declaration.template_head.empty()) {
    // `template <class T> using Host = std::vector<T>;` may be the default of a template's parameter.
    const std::string head = text_of(tokens, {declaration.whole.begin, declaration.template_head.end + 1});
    const bool plain =
        head.find('=') == std::string::npos && tokens[declaration.template_head.end + 1].is("using");
    return plain ? head + " class " + std::string(declaration.names.front()) + ";" : "";
  }
  if (declaration.kind != Kind::kClass || item.member || declaration.body.empty()) return "";
  std::size_t word = declaration.whole.begin;
  if (!declaration.template_head.empty()) word = declaration.template_head.end + 1;
  const bool plain = word < declaration.body.begin &&
                     (tokens[word].is("class") || tokens[word].is("struct")) &&
                     declaration.body.end + 2 == declaration.whole.end;  // "};"
  if (!plain) return "";
  std::size_t end = word + 1;  // of the words in front of ": Base" or of the brace
  while (end + 1 < declaration.body.begin && !tokens[end].is(":")) ++end;
  if (tokens[end - 1].is("final")) --end;
  const Token& name = tokens[end - 1];
  if (end - 1 <= word || !name.identifier() || !name.is(declaration.names.front())) return "";
  const std::string head = text_of(tokens, {declaration.whole.begin, word + 1});
  if (head.find('=') != std::string::npos) return "";  // default arguments of a template stand once
  return head + " " + std::string(name.text) + ";";
}

bool ProgramItems::marked_elsewhere(const Item& item) const {
  const auto& names = item.declaration->names;
  if (const auto marked = marked_in_class(item)) return *marked;
  return is_function(item) && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
           return device_names_.contains(name);
         });
}

const std::vector<std::size_t>* ProgramItems::class_around(const Item& item) const {
  const std::size_t open = item.declaration->parameters.begin;  // behind the name and "("
  constexpr std::size_t kWords = 4;
  if (item.member || !is_function(item) || item.declaration->names.empty() || open < kWords) return nullptr;
  const std::vector<Token>& tokens = tokens_of(item);
  const std::string_view name = item.declaration->names.front();
  if (!tokens[open - 2].is(name) || !tokens[open - 3].is("::")) return nullptr;
  std::size_t scope = open - kWords;
  for (int depth = 0; scope > 0 && (depth > 0 || tokens[scope].is(">")); --scope) {  // of "Image<T>::f"
    if (tokens[scope].is(">")) ++depth;
    if (tokens[scope].is("<")) --depth;
  }
  const auto found = by_name.find(tokens[scope].text);
  return found == by_name.end() ? nullptr : &found->second;
}

bool ProgramItems::is_of_undefined_class(const Item& item) const {
  const std::vector<std::size_t>* of_name = class_around(item);
  return of_name != nullptr && std::all_of(of_name->begin(), of_name->end(), [&](std::size_t index) {
           const Kind kind = items[index].declaration->kind;
           return kind == Kind::kForward || kind == Kind::kFunction;  // also constructors outside of it
         });
}

std::optional<bool> ProgramItems::marked_in_class(const Item& item) const {
  const std::vector<std::size_t>* of_name = class_around(item);
  if (of_name == nullptr) return std::nullopt;
  const std::string_view name = item.declaration->names.front();
  std::optional<bool> marked;
  for (const std::size_t index : *of_name) {
    const Item& one = items[index];
    if (one.declaration->kind != Kind::kClass || one.declaration->body.empty()) continue;
    marked = marked.value_or(false) ||
             std::any_of(one.members.begin(), one.members.end(), [&](std::size_t member) {
               const auto& names = items[member].declaration->names;
               return items[member].device && std::find(names.begin(), names.end(), name) != names.end();
             });
  }
  return marked;
}

void ProgramItems::add_text(std::string& text, const std::string& name, const std::string& path) {
  uses_std = uses_std || text.find("using namespace std;") != std::string::npos;
  ProgramFile& added = files.emplace_back();
  added.text = &text;
  added.name = name;
  added.whole = is_of_eigen(path);
  added.original = text;
  added.source = tokenize(added.original);
}

void ProgramItems::learn_macros() {
  for (const ProgramFile& text : files) {
    for (const Directive& directive : text.source.directives) {
      const std::vector<Token>& words = directive.tokens;
      if (words.size() < 2 || !words[0].is("define")) continue;
      macros[words[1].text].push_back(&words);
      const bool function_like = words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
      if (function_like) function_macros.insert(words[1].text);
      if (is_attribute(words, function_like)) attribute_macros_.insert(words[1].text);
      learn_pasting(words, function_like);
    }
  }
  defined_texts_.reserve(spec_.defines.size());
  for (const auto& [name, value] : spec_.defines) {
    // The directive's form: "#define NAME VALUE" and "define NAME VALUE" have the same tokens.
    defined_texts_.emplace_back("define ").append(name).append(" ").append(value);
  }
  for (const std::string& text : defined_texts_) {
    defined_words_.push_back(tokenize(text).tokens);
    if (defined_words_.back().size() > 1)
      macros[defined_words_.back()[1].text].push_back(&defined_words_.back());
  }
  learn_marks(device_macros_, is_device_mark);
  learn_marks(host_macros_, [](std::string_view name) { return name == "__host__"; });
}

/// `#define LIBRARY_BEGIN namespace library {`: macros that open or close a scope, also in other texts.
Names ProgramItems::scope_macros() const {
  Names found;
  for (const auto& [name, definitions] : macros) {
    const bool all = std::all_of(definitions.begin(), definitions.end(), [](const std::vector<Token>* words) {
      const auto count = [&](std::string_view brace) {
        return std::count_if(words->begin(), words->end(), [&](const Token& word) { return word.is(brace); });
      };
      return count("{") != count("}");
    });
    if (all && !function_macros.contains(name)) found.insert(name);
  }
  return found;
}

bool ProgramItems::is_attribute(const std::vector<Token>& words, bool function_like) {
  const std::size_t begin = function_like ? words[2].close + 1 : 2;
  if (begin + 1 >= words.size()) return false;
  const bool brackets = words[begin].is("[") && words[begin + 1].is("[");  // [[deprecated(text)]]
  if (brackets) return words[begin].close + 1 == words.size();
  const bool named = words[begin].is("__attribute__") || words[begin].is("__declspec");
  return named && words[begin + 1].is("(") && words[begin + 1].close + 1 == words.size();
}

void ProgramItems::learn_marks(Names& marks, const std::function<bool(std::string_view)>& is_mark) const {
  for (bool found = true; found;) {
    found = false;
    for (const auto& [name, definitions] : macros) {
      if (marks.contains(name)) continue;
      for (const std::vector<Token>* words : definitions) {
        const bool has_mark = std::any_of(words->begin() + 2, words->end(), [&](const Token& word) {
          return is_mark(word.text) || marks.contains(word.text);
        });
        // One that opens a body stands for more than specifiers.
        const bool opens = std::any_of(words->begin() + 2, words->end(),
                                       [](const Token& word) { return word.is("{") || word.is(";"); });
        if (!has_mark || opens) continue;
        found = marks.insert(name).second || found;
      }
    }
  }
}

void ProgramItems::learn_scopes(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool opens = tokens[i].is("namespace") && !(i > 0 && tokens[i - 1].is("using"));
    if (!opens && !tokens[i].is("typename") && !tokens[i].is("class") && !tokens[i].is("struct")) continue;
    for (std::size_t name = i + 1; name < tokens.size(); ++name) {  // namespace API a::b
      if (tokens[name].identifier()) scopes_.insert(tokens[name].text);
      const bool more = tokens[name].identifier() || tokens[name].is("::");
      if (!opens || !more) break;
    }
  }
}

void ProgramItems::learn_types(const std::vector<Declaration>& declarations) {
  for (const Declaration& declaration : declarations) {
    const Kind kind = declaration.kind;
    if (kind == Kind::kClass || kind == Kind::kEnum || kind == Kind::kAlias || kind == Kind::kForward)
      types_.insert(declaration.names.begin(), declaration.names.end());
    learn_types(declaration.members);
  }
}

void ProgramItems::learn_pasting(const std::vector<Token>& words, bool function_like) {
  const std::size_t begin = function_like ? std::min(words[2].close, words.size()) : 2;
  const auto add = [&](std::size_t i) {
    const auto parameters = words.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool parameter =
        std::any_of(words.begin() + 2, parameters, [&](const Token& word) { return word.is(words[i].text); });
    const bool part = words[i].identifier() || words[i].kind == Token::Kind::kNumber;
    if (part && !parameter) pasted_[words[1].text].insert(words[i].text);
  };
  for (std::size_t i = begin; i < words.size(); ++i) {
    if (!words[i].is("##")) continue;
    if (i > begin) add(i - 1);
    if (i + 1 < words.size()) add(i + 1);
  }
}

bool ProgramItems::may_be_mark(const Token& token) const {
  return token.identifier() && !macros.contains(token.text) && !declares_scope(token.text) &&
         may_be_device_macro(token.text) && !is_callback_mark(token.text);
}

bool ProgramItems::names_type(std::string_view name) const {
  return types_.contains(name);
}

std::size_t ProgramItems::add_item(const Declaration& declaration, std::size_t text, bool member) {
  if (declaration.kind == Kind::kScope && !declaration.members.empty()) {
    for (const Declaration& inner : declaration.members) add_item(inner, text, member);
    return items.size();
  }
  const std::size_t index = items.size();
  Item& item = items.emplace_back();
  item.declaration = &declaration;
  item.text = text;
  item.member = member;
  item.whole = is_whole(item);
  item.device = has_device_mark(item);
  if (declaration.kind == Kind::kClass) {
    for (const Declaration& inner : declaration.members) {
      const std::size_t member_index = add_item(inner, text, true);
      items[member_index].owner = index;
      items[index].members.push_back(member_index);
    }
  }
  return index;
}

bool ProgramItems::has_device_mark(const Item& item) const {
  const Declaration& declaration = *item.declaration;
  if (declaration.kind == Kind::kClass || declaration.kind == Kind::kEnum) return false;
  const std::vector<Token>& tokens = tokens_of(item);
  bool value = false;
  const std::size_t first = declaration.whole.begin;
  const bool use = declaration.kind == Kind::kOther && first + 1 < declaration.whole.end &&
                   function_macros.contains(tokens[first].text) && tokens[first + 1].is("(");
  bool host = false;
  for (std::size_t i = first; i < declaration.whole.end; ++i) {
    const TokenSpan head = declaration.template_head;
    if (i >= head.begin && i < head.end) continue;  // a parameter may be called GPU_THREADS
    host = host || tokens[i].is("__host__");
    // Some headers define `inline` as `__device__ inline` for what they include, and undo that.
    if (host && tokens[i].is("inline")) continue;
    const bool inside = i >= declaration.body.begin && i < declaration.body.end;
    if (inside ? tokens[i].is("__shared__") : marks_device(tokens[i])) return true;
    // Behind the name stand types and values, which may be spelled like macros.
    value = value || tokens[i].is("=");
    const bool in_front = !value && (declaration.parameters.begin == 0 || i < declaration.parameters.begin);
    const auto& names = declaration.names;
    const bool own = std::find(names.begin(), names.end(), tokens[i].text) != names.end();
    const bool argument = use && i < tokens[first + 1].close;  // REGISTER(CUDA, Step)
    if (in_front && !inside && !own && !argument && may_be_mark(tokens[i])) return true;
  }
  return false;
}

bool ProgramItems::is_whole(const Item& item) const {
  const std::vector<Token>& tokens = tokens_of(item);
  const TokenSpan span = item.declaration->whole;
  if (span.empty()) return false;
  const bool function = item.declaration->kind == Declaration::Kind::kFunction;
  const std::size_t body = function ? tokens[item.declaration->body.begin - 1].offset : 0;
  const std::size_t begin = tokens[span.begin].offset, end = tokens[span.end - 1].end();
  int depth = 0;
  for (const Directive& directive : directives_in(item.text, begin, end)) {
    if (directive.tokens.empty()) continue;
    const Token& word = directive.tokens[0];
    if (word.is("if") || word.is("ifdef") || word.is("ifndef")) ++depth;
    if (word.is("endif")) --depth;
    const bool other_branch = word.is("else") || word.is("elif");
    // Branches may hold heads of a function that have one body, behind them.
    if (depth >= 0 && !(other_branch && depth == 0)) continue;
    if (directive.offset > body || depth < -1) return false;
  }
  return depth == 0 || (depth == -1 && function);
}

void ProgramItems::find_torn_items() {
  std::size_t text = 0, end = 0;  // of the conditional in which an item ended that began in front of it
  for (Item& item : items) {
    const std::vector<Token>& tokens = tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    if (span.empty()) continue;
    const std::size_t first = tokens[span.begin].offset;
    if (item.text == text && first < end) item.whole = false;
    if (item.whole || item.member) continue;
    std::vector<std::size_t> open;  // offsets of #if
    for (const Directive& directive : directives_in(item.text, first, tokens[span.end - 1].end())) {
      if (directive.tokens.empty()) continue;
      if (directive.tokens[0].text.starts_with("if")) open.push_back(directive.offset);
      if (directive.tokens[0].is("endif") && !open.empty()) open.pop_back();
    }
    if (open.empty()) continue;
    int depth = 0;
    for (const Directive& directive :
         directives_in(item.text, open.front(), files[item.text].original.size())) {
      if (directive.tokens.empty()) continue;
      if (directive.tokens[0].text.starts_with("if")) ++depth;
      if (!directive.tokens[0].is("endif") || --depth > 0) continue;
      text = item.text;
      end = directive.offset;
      break;
    }
  }
}

void ProgramItems::find_device_names() {
  for (const Item& item : items) {
    if (item.device) device_names_.insert(item.declaration->names.begin(), item.declaration->names.end());
  }
  device_names_.erase("operator");
}

}  // namespace kiln
