#include "specialize/host_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "specialize/host_libraries.h"
#include "specialize/host_names.h"
#include "specialize/macro_expander.h"
#include "specialize/type_words.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

class HostFinder {
 public:
  HostFinder(ProgramItems& program, const Specialization& specialization)
      : program_(program), spec_(specialization) {}

  void run() {
    for (Item& item : program_.items) {
      if (item.device || !item.whole || program_.files[item.text].whole) continue;
      const Kind kind = item.declaration->kind;
      if (kind == Kind::kOther)
        item.host = is_use_of_host_macro(item) || is_use_of_unknown_macro(item) ||
                    is_use_of_registering_macro(item) || names_host(item) || names_unknown_namespace(item);
      if (kind == Kind::kClass) item.host = holds_host_data(item) && !stands_in_for_containers(item);
      if (kind == Kind::kOther || kind == Kind::kClass || kind == Kind::kEnum || kind == Kind::kScope ||
          kind == Kind::kForward)
        continue;
      const bool data = item.member && !program_.is_function(item) && kind != Kind::kAlias;
      if (data || !item.stand_in.empty()) continue;  // decides the layout
      item.host = names_host(item) || is_main(item) || says_host(item) || uses_host_namespace(item) ||
                  names_unknown_namespace(item) || has_name_of_device_code(item);
    }
    for (bool found = true; found;) {
      found = false;
      for (Item& item : program_.items) {
        if (item.device || !item.whole || item.host || program_.files[item.text].whole) continue;
        const Kind kind = item.declaration->kind;
        const bool own = program_.is_function(item) && !program_.marked_elsewhere(item) &&
                         ((kind == Kind::kFunction && (calls_host(item) || uses_host_variable(item))) ||
                          names_host_class(item, item.declaration->whole));
        const bool of_container = uses_container(item);
        // Device code has no such argument, whatever it calls by this name.
        const bool function = own || (program_.is_function(item) && !item.declaration->parameters.empty() &&
                                      names_host_class(item, item.declaration->parameters));
        const bool variable = (kind == Kind::kAlias || (kind == Kind::kVariable && !item.member)) &&
                              names_host_class(item, item.declaration->whole);
        const bool holds = kind == Kind::kClass && (holds_host_class(item) || has_host_base(item));
        const bool macro =
            kind == Kind::kOther && program_.is_use_of_whole_macro(item) &&
            (calls_host(program_.tokens_of(item), item.declaration->whole, 0) || gets_function_of_host(item));
        if (function || variable || holds || macro || of_container) item.host = found = true;
      }
    }
    for (Item& item : program_.items) {
      if (is_declared_copy_or_destructor(item)) item.host = true;
    }
    for (std::size_t i = 0; i < program_.items.size(); ++i) keep_virtual(program_.items[i], i);
    keep_enumerations_of_macros();
  }

 private:
  /// A class with members such as std::vector, or that is for one: no kernel can have it.
  [[nodiscard]] bool holds_host_data(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    for (std::size_t i = item.declaration->whole.begin; i + 1 < item.declaration->body.begin; ++i) {
      if (names_host_only(tokens, i)) return true;  // hash<std::string>
    }
    return std::any_of(item.members.begin(), item.members.end(), [&](std::size_t member) {
      const Declaration& declaration = *program_.items[member].declaration;
      if (declaration.kind != Kind::kVariable || may_be_left_out(item, declaration)) return false;
      for (std::size_t i = declaration.whole.begin + 2; i < declaration.whole.end; ++i) {
        if (tokens[i - 2].is("std") && names_host_only(tokens, i)) return true;
        if (program_.uses_std && names_host_only_of_std(tokens, i - 2)) return true;
      }
      return false;
    });
  }

  /// `DEFINE_ENUM(Axis, X, Y)` that stands for an enumeration and functions of the host: the first stays.
  void keep_enumerations_of_macros() {
    std::optional<MacroExpander> macros;
    for (Item& item : program_.items) {
      if (!item.host || item.declaration->kind != Kind::kOther || !program_.is_use_of_whole_macro(item))
        continue;
      if (!macros) {
        macros.emplace();
        for (const auto& [name, definitions] : program_.macros) {
          for (const std::vector<Token>* words : definitions) {
            Directive directive;
            directive.tokens = *words;
            if (const auto macro = macro_of(directive)) macros->learn(name, *macro);
          }
        }
      }
      const std::vector<Token>& tokens = program_.tokens_of(item);
      const std::size_t name = item.declaration->whole.begin, open = name + 1;
      std::vector<std::string> use;
      for (std::size_t i = name; i <= (tokens[open].is("(") ? tokens[open].close : name); ++i)
        use.emplace_back(tokens[i].text);
      if (const auto expansion = macros->expanded(use)) item.stand_in = enumerations_of(expansion->words);
    }
  }

  /// "enum Axis { X, Y };" of words that have declarations of other kinds, too.
  [[nodiscard]] static std::string enumerations_of(const std::vector<std::string>& words) {
    std::string all, result;
    for (const std::string& word : words) append_token(all, word);
    const TokenizedText source = tokenize(all);
    for (const Declaration& declaration : read_declarations(source)) {
      if (declaration.kind == Kind::kEnum && !declaration.body.empty())
        result += text_of(source.tokens, declaration.whole) + " ";
    }
    return result;
  }

  /// Whether a member stands in a branch of a conditional inside of a class that has functions for the
  /// device, or that such functions get: device code is compiled without it, if it is for the host.
  [[nodiscard]] bool may_be_left_out(const Item& of_class, const Declaration& member) const {
    const std::vector<Token>& tokens = program_.tokens_of(of_class);
    int depth = 0;
    for (const Directive& directive :
         program_.directives_in(of_class.text, tokens[of_class.declaration->body.begin - 1].offset,
                                tokens[member.whole.begin].offset)) {
      if (directive.tokens.empty()) continue;
      const Token& word = directive.tokens[0];
      if (word.is("if") || word.is("ifdef") || word.is("ifndef")) ++depth;
      if (word.is("endif")) --depth;
    }
    if (depth == 0) return false;
    const auto& names = of_class.declaration->names;
    return std::any_of(of_class.members.begin(), of_class.members.end(),
                       [&](std::size_t index) { return program_.items[index].device; }) ||
           std::any_of(names.begin(), names.end(), [&](std::string_view name) {
             return is_carried(name) || is_parameter_of_device_code(name);
           });
  }

  /// A virtual function of the host leaves one without arguments in its class: objects begin with a pointer
  /// because of it.
  void keep_virtual(Item& item, std::size_t number) {
    if (!item.host || !item.member || !item.stand_in.empty() || !program_.is_function(item) ||
        item.owner == Item::kNoOwner || program_.items[item.owner].host)
      return;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    for (std::size_t i = item.declaration->whole.begin; i < item.declaration->parameters.begin; ++i) {
      if (tokens[i].is("virtual"))
        item.stand_in = "virtual void kiln_virtual_" + std::to_string(number) + "() {}";
    }
  }

  /// `~Mesh();`, `virtual ~Mesh();` and `Mesh(const Mesh&);` in the class of an object that a kernel takes by
  /// value, defined by code of the host or in another file: a kernel never calls them, and its argument is
  /// copied as bytes.
  [[nodiscard]] bool is_declared_copy_or_destructor(const Item& item) const {
    if (item.device || item.host || !item.whole || !item.member || item.owner == Item::kNoOwner ||
        program_.files[item.text].whole)
      return false;
    const Declaration& owner = *program_.items[item.owner].declaration;
    if (owner.names.empty() || program_.marked_elsewhere(item)) return false;
    const std::string_view name = owner.names.front();
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan whole = item.declaration->whole;
    std::size_t begin = whole.begin;
    while (tokens[begin].is("virtual") || tokens[begin].is("explicit") || tokens[begin].is("inline")) ++begin;
    const bool destructor = tokens[begin].is("~");
    const std::size_t called = destructor ? begin + 1 : begin;
    if (!tokens[called].is(name) || !tokens[called + 1].is("(")) return false;
    const TokenSpan parameters{called + 2, tokens[called + 1].close};
    const bool with_body = destructor && tokens[whole.end - 1].is("}");
    if (!with_body && !ends_as_declared(tokens, parameters.end + 1, whole.end)) return false;
    if (!destructor && !is_copied(tokens, parameters, name, true)) return false;
    if (!is_carried(name)) return false;
    const std::vector<std::size_t>& named = program_.by_name.at(name);
    return std::none_of(named.begin(), named.end(), [&](std::size_t index) {
      const Item& one = program_.items[index];
      if (one.host || !is_defined_constructor(one)) return false;
      const std::vector<Token>& words = program_.tokens_of(one);
      const TokenSpan taken = one.declaration->parameters;
      return destructor ? words[taken.begin - 3].is("~") : is_copied(words, taken, name, false);
    });
  }

  /// `;` or `noexcept;` behind parameters: no body, neither deleted nor defaulted.
  [[nodiscard]] static bool ends_as_declared(const std::vector<Token>& tokens, std::size_t behind,
                                             std::size_t end) {
    static constexpr std::array<std::string_view, 4> kSpecifiers = {"noexcept", "throw", "override", "final"};
    while (behind < end && std::any_of(kSpecifiers.begin(), kSpecifiers.end(),
                                       [&](std::string_view word) { return tokens[behind].is(word); })) {
      ++behind;
      if (behind < end && tokens[behind].is("(")) behind = tokens[behind].close + 1;
    }
    return behind + 1 == end;
  }

  /// `const Mesh& other` or `Mesh&& other` as the first parameter, with defaults for the others (`= 0` stands
  /// in the class).
  [[nodiscard]] static bool is_copied(const std::vector<Token>& tokens, TokenSpan parameters,
                                      std::string_view name, bool in_class) {
    const std::vector<TokenSpan> parts = parts_of(tokens, parameters, true);
    const auto has = [&](TokenSpan part, std::string_view text) {
      return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(part.begin),
                         tokens.begin() + static_cast<std::ptrdiff_t>(part.end),
                         [&](const Token& token) { return token.is(text); });
    };
    if (parts.empty() || !has(parts.front(), name)) return false;
    if (!has(parts.front(), "&") && !has(parts.front(), "&&")) return false;
    return !in_class ||
           std::all_of(parts.begin() + 1, parts.end(), [&](TokenSpan part) { return has(part, "="); });
  }

  /// Whether a kernel takes objects of the class by value, or of a class with such a member or base.
  [[nodiscard]] bool is_carried(std::string_view name) const {
    if (!carried_) carried_ = find_carried_classes();
    return carried_->contains(name);
  }

  [[nodiscard]] Names find_carried_classes() const {
    Names found;
    std::vector<std::string_view> open;
    const auto add = [&](std::string_view name) {
      const bool known = program_.by_name.contains(name);
      if (known && found.insert(name).second) open.push_back(name);
    };
    for (const Item& one : program_.items) {
      if (!one.device || !program_.is_function(one) || !is_kernel(one)) continue;
      for_objects(program_.tokens_of(one), one.declaration->parameters, add);
    }
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      for (const std::size_t index : program_.by_name.at(name)) {
        const Item& one = program_.items[index];
        if (one.declaration->kind != Kind::kClass) continue;
        const std::vector<Token>& tokens = program_.tokens_of(one);
        bool bases = false;
        for (std::size_t i = one.declaration->whole.begin; i < one.declaration->body.begin; ++i) {
          bases = bases || tokens[i].is(":");
          if (bases && tokens[i].identifier()) add(tokens[i].text);
        }
        for (const std::size_t member : one.members) {
          const Declaration& declaration = *program_.items[member].declaration;
          if (declaration.kind == Kind::kVariable) for_objects(tokens, declaration.whole, add);
        }
      }
    }
    return found;
  }

  /// Calls `use` with each `name` of `name x` and `name<T> x` in the span.
  template <class Use>
  static void for_objects(const std::vector<Token>& tokens, TokenSpan span, const Use& use) {
    for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
      if (!tokens[i].identifier()) continue;
      const std::size_t behind = tokens[i + 1].is("<") ? behind_angles(tokens, i + 1, span.end) : i + 1;
      if (behind < span.end && tokens[behind].identifier()) use(tokens[i].text);
    }
  }

  /// A class that a kernel takes by value, or whose other members functions for the device use by a pointer
  /// or a reference, stays, with bytes for each of its containers, and so do the classes of its members. Not
  /// where a member is something else of the host.
  bool stands_in_for_containers(const Item& item) {
    if (item.declaration->names.empty()) return false;
    const std::string_view class_name = item.declaration->names.front();
    if (!is_carried(class_name) && !is_parameter_of_device_code(class_name)) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    std::map<std::size_t, std::string> stand_ins;
    for (const std::size_t index : item.members) {
      const Declaration& member = *program_.items[index].declaration;
      if (member.kind != Kind::kVariable || may_be_left_out(item, member)) continue;
      const std::size_t begin = member.whole.begin;
      const bool of_std = tokens[begin].is("std") && tokens[begin + 1].is("::");
      const std::size_t name = of_std ? begin + 2 : begin;
      if (!of_std && !(program_.uses_std && names_host_only_of_std(tokens, name))) continue;
      const std::size_t words = words_of_container(tokens[name].text);
      const std::size_t behind =
          tokens[name + 1].is("<") ? behind_angles(tokens, name + 1, member.whole.end) : name + 1;
      std::string text;
      for (std::size_t at = behind; words > 0 && at + 1 < member.whole.end && tokens[at].identifier();) {
        std::size_t next = at + 1;  // behind the extents of `std::vector<int> rows[8]`
        while (next < member.whole.end && tokens[next].is("[")) next = tokens[next].close + 1;
        text += (text.empty() ? "unsigned long long " : ", ") + std::string(tokens[at].text) +
                text_of(tokens, {at + 1, next}) + "[" + std::to_string(words) + "]";
        const bool more = next < member.whole.end && tokens[next].is(",");
        if (next >= member.whole.end ||
            (!more && !tokens[next].is(";") && !tokens[next].is("=") && !tokens[next].is("{")))
          break;
        at = more ? next + 1 : member.whole.end;  // `std::string a, b;`
        if (!more) stand_ins[index] = text + ";";
      }
      if (!stand_ins.contains(index)) return false;
    }
    for (auto& [index, text] : stand_ins) {
      for (const std::string_view name : program_.items[index].declaration->names)
        containers_[class_name].insert(name);
      program_.items[index].stand_in = std::move(text);
      program_.items[index].host = true;
    }
    return !stand_ins.empty();
  }

  /// A member function without a mark, or a constructor, that names a container of its class of which only
  /// the bytes are left.
  [[nodiscard]] bool uses_container(const Item& item) const {
    if (containers_.empty()) return false;
    const Names* containers = nullptr;
    if (item.member && item.owner != Item::kNoOwner) {
      const auto& names = program_.items[item.owner].declaration->names;
      const auto found = names.empty() ? containers_.end() : containers_.find(names.front());
      if (found != containers_.end()) containers = &found->second;
    } else if (const std::vector<std::size_t>* around = program_.class_around(item)) {
      for (const std::size_t index : *around) {
        const auto& names = program_.items[index].declaration->names;
        const auto found = names.empty() ? containers_.end() : containers_.find(names.front());
        if (found != containers_.end()) containers = &found->second;
      }
    }
    const Kind kind = item.declaration->kind;
    if (containers == nullptr || kind == Kind::kVariable || kind == Kind::kClass ||
        program_.marked_elsewhere(item))
      return false;
    return std::any_of(span_begin(item), span_end(item),
                       [&](const Token& token) { return containers->contains(token.text); });
  }

  /// `__device__ float mass_of(const Mesh* mesh)`.
  [[nodiscard]] bool is_parameter_of_device_code(std::string_view name) const {
    return std::any_of(program_.items.begin(), program_.items.end(), [&](const Item& one) {
      if (!one.device || !program_.is_function(one)) return false;
      const std::vector<Token>& tokens = program_.tokens_of(one);
      const TokenSpan parameters = one.declaration->parameters;
      for (std::size_t i = parameters.begin; i < parameters.end; ++i) {
        if (tokens[i].is(name)) return true;
      }
      return false;
    });
  }

  /// Whether a member that is no pointer has a type that only the host has.
  [[nodiscard]] bool holds_host_class(const Item& item) const {
    return std::any_of(item.members.begin(), item.members.end(), [&](std::size_t index) {
      const Item& member = program_.items[index];
      if (member.declaration->kind != Kind::kVariable || !member.stand_in.empty() ||
          may_be_left_out(item, *member.declaration))
        return false;
      const std::vector<Token>& tokens = program_.tokens_of(member);
      const TokenSpan whole = member.declaration->whole;
      const TokenSpan head = member.declaration->template_head;
      if (tokens[head.empty() ? whole.begin : head.end + 1].is("friend")) return false;
      const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(whole.end);
      const bool pointer = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(whole.begin), end,
                                       [](const Token& token) { return token.is("*") || token.is("&"); });
      return !pointer && names_host_class(member, whole);
    });
  }

  /// Whether one of its bases is for the host.
  [[nodiscard]] bool has_host_base(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan body = item.declaration->body;
    for (std::size_t i = item.declaration->whole.begin; i < body.begin; ++i) {
      if (tokens[i].is(":")) return names_host_class(item, {i + 1, body.begin});
    }
    return false;
  }

  /// `Codec::Mode` and `Codec::kFast` of `class Codec { enum Mode { kFast }; ... };`, whose enumerations and
  /// constants stay.
  [[nodiscard]] bool names_value(const std::vector<Token>& tokens, std::size_t at, std::size_t end) const {
    if (at + 2 >= end || !tokens[at + 1].is("::")) return false;
    const std::vector<std::size_t>& named = program_.by_name.at(tokens[at].text);
    return std::any_of(named.begin(), named.end(), [&](std::size_t index) {
      const std::vector<std::size_t>& members = program_.items[index].members;
      return std::any_of(members.begin(), members.end(), [&](std::size_t one) {
        const Item& member = program_.items[one];
        const std::vector<Token>& words = program_.tokens_of(member);
        const TokenSpan whole = member.declaration->whole;
        return is_value(words, *member.declaration) &&
               std::any_of(words.begin() + static_cast<std::ptrdiff_t>(whole.begin),
                           words.begin() + static_cast<std::ptrdiff_t>(whole.end),
                           [&](const Token& word) { return word.is(tokens[at + 2].text); });
      });
    });
  }

  /// Whether it names classes or aliases that are all for the host. An alias in branches that stays, as it
  /// is not whole, is what it stands for: `through_alias` is set while that is looked at.
  [[nodiscard]] bool names_host_class(const Item& item, TokenSpan span, bool through_alias = false) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      const auto found = member ? program_.by_name.end() : program_.by_name.find(tokens[i].text);
      if (found == program_.by_name.end() || names_value(tokens, i, span.end)) continue;
      bool all = true, own = false, all_own = true;  // of the same class: these come first
      bool any = false;
      for (const std::size_t other : found->second) {
        const Item& one = program_.items[other];
        if (is_constructor(one) || is_defined_constructor(one) || one.declaration->kind == Kind::kForward)
          continue;
        if (&one == &item && is_using_declaration(item)) continue;
        any = true;
        const Kind kind = one.declaration->kind;
        const bool stays = kind == Kind::kAlias && !one.whole && !through_alias;
        const bool host = (one.host && &one != &item && (kind == Kind::kClass || kind == Kind::kAlias)) ||
                          (stays && names_host_class(one, one.declaration->whole, true));
        const bool beside = item.member && one.member && one.owner == item.owner;
        own = own || beside;
        all = all && host;
        all_own = all_own && (host || !beside);
        if (!all && !item.member) break;
      }
      if (any && (own ? all_own : all)) return true;
    }
    return false;
  }

  /// Or a destructor: a member function that is called like its class.
  [[nodiscard]] bool is_constructor(const Item& item) const {
    if (!item.member || item.owner == Item::kNoOwner) return false;
    const auto& names = program_.items[item.owner].declaration->names;
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return std::find(item.declaration->names.begin(), item.declaration->names.end(), name) !=
             item.declaration->names.end();
    });
  }

  /// `using ns::A;`
  [[nodiscard]] bool is_using_declaration(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const std::size_t begin = item.declaration->whole.begin;
    return item.declaration->kind == Kind::kAlias && tokens[begin].is("using") && !tokens[begin + 2].is("=");
  }

  /// `A::A(...) {...}`, `A<T>::A(...) {...}`, `A::~A() {...}` or `A::~A() = default;` outside of the class.
  [[nodiscard]] bool is_defined_constructor(const Item& item) const {
    if (!program_.is_function(item) || item.member) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const std::size_t name = item.declaration->parameters.begin - 2;  // in front of the bracket
    if (name >= tokens.size()) return false;
    const bool destructor = name >= 1 && tokens[name - 1].is("~");
    std::size_t scope = destructor ? name - 1 : name;  // behind "::"
    if (scope < 2 || !tokens[scope - 1].is("::")) return false;
    scope -= 2;
    for (int depth = 0; scope > 0 && (depth > 0 || tokens[scope].is(">")); --scope) {  // of A<T>::A
      if (tokens[scope].is(">")) ++depth;
      if (tokens[scope].is("<")) --depth;
    }
    return tokens[scope].is(tokens[name].text);
  }

  /// Whether `Grid(...)` with so many arguments constructs an object of a class by a constructor that is for
  /// the host.
  [[nodiscard]] bool constructs_by_host(std::string_view name, std::size_t arguments) const {
    bool any = false;
    for (const Item* item : constructors_of(name)) {
      if (!takes(*item, arguments)) continue;
      if (!item->host) return false;
      any = true;
    }
    return any;
  }

  /// With the arguments behind the bracket at `open`.
  [[nodiscard]] bool constructs_by_host(std::string_view name, const std::vector<Token>& tokens,
                                        std::size_t open) const {
    if (!program_.by_name.contains(name)) return false;
    const TokenSpan inside{open + 1, tokens[open].close};
    const bool none = inside.end > tokens.size() || inside.empty();
    return constructs_by_host(name, none ? 0 : parts_of(tokens, inside, true).size());
  }

  /// Declared in the classes of the name.
  [[nodiscard]] std::vector<const Item*> constructors_of(std::string_view name) const {
    std::vector<const Item*> constructors;
    const auto found = program_.by_name.find(name);
    if (found == program_.by_name.end()) return constructors;
    for (const std::size_t index : found->second) {
      const Item& item = program_.items[index];
      if (!is_constructor(item) || item.declaration->parameters.begin == 0) continue;
      if (!is_destructor(item)) constructors.push_back(&item);
    }
    return constructors;
  }

  [[nodiscard]] bool is_destructor(const Item& item) const {
    const std::size_t name = item.declaration->parameters.begin - 2;
    return name > 0 && program_.tokens_of(item)[name - 1].is("~");
  }

  /// Whether a class has a constructor that stays, so that it has none without arguments of its own.
  [[nodiscard]] bool has_other_constructor(std::string_view name) const {
    const std::vector<const Item*> constructors = constructors_of(name);
    return std::any_of(constructors.begin(), constructors.end(),
                       [](const Item* item) { return !item->host; });
  }

  /// The class of a constructor's definition; null for all other items.
  [[nodiscard]] const Item* class_constructed_by(const Item& item) const {
    if (item.declaration->kind != Kind::kFunction || item.declaration->names.empty() || is_destructor(item))
      return nullptr;
    if (is_constructor(item)) return &program_.items[item.owner];
    if (!is_defined_constructor(item)) return nullptr;
    for (const std::size_t index : program_.by_name.at(item.declaration->names.front())) {
      if (program_.items[index].declaration->kind == Kind::kClass) return &program_.items[index];
    }
    return nullptr;
  }

  /// The classes of the bases and of the members that are objects, by the names that initialisers have for
  /// them. A member with an initialiser in the class is not among them.
  [[nodiscard]] std::map<std::string_view, std::string_view> objects_of(const Item& owner) const {
    std::map<std::string_view, std::string_view> objects;
    const std::vector<Token>& tokens = program_.tokens_of(owner);
    const Declaration& head = *owner.declaration;
    bool bases = false;
    for (std::size_t i = head.whole.begin; i + 1 < head.body.begin; ++i) {
      bases = bases || tokens[i].is(":");
      const bool last = tokens[i + 1].is(",") || tokens[i + 1].is("{") || tokens[i + 1].is("<");
      if (bases && tokens[i].identifier() && last) objects.emplace(tokens[i].text, tokens[i].text);
      if (bases && tokens[i + 1].is("<")) i = behind_angles(tokens, i + 1, head.body.begin) - 1;
    }
    for (const std::size_t index : owner.members) {
      const Declaration& member = *program_.items[index].declaration;
      if (member.kind != Kind::kVariable || member.names.empty()) continue;
      std::string_view type;
      bool object = true;
      for (std::size_t i = member.whole.begin; i + 1 < member.whole.end; ++i) {
        const Token& token = tokens[i];
        object = object && !token.is("*") && !token.is("&") && !token.is("=") && !token.is("{") &&
                 !token.is("static");
        if (type.empty() && token.identifier() && program_.by_name.contains(token.text)) type = token.text;
      }
      for (const std::string_view name : member.names) {
        if (object && !type.empty() && name != type) objects.emplace(name, type);
      }
    }
    return objects;
  }

  [[nodiscard]] bool takes(const Item& function, std::size_t arguments) const {
    const std::vector<Token>& tokens = program_.tokens_of(function);
    const TokenSpan span = function.declaration->parameters;
    std::size_t most = 0, least = 0;
    for (const TokenSpan& part : parts_of(tokens, span, true)) {
      if (part.empty()) continue;
      ++most;
      const bool may_lack = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                        tokens.begin() + static_cast<std::ptrdiff_t>(part.end),
                                        [](const Token& token) { return token.is("="); });
      if (!may_lack) ++least;
    }
    return least <= arguments && arguments <= most;
  }

  /// `__host__` in front of a function that has no mark of the device.
  [[nodiscard]] bool says_host(const Item& item) const {
    if (!program_.is_function(item)) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    for (std::size_t i = span.begin; i < std::min(span.end, item.declaration->parameters.begin); ++i) {
      if (program_.marks_host(tokens[i])) return true;
    }
    return false;
  }

  /// `using namespace cv;` and `using at::Tensor;` of a library of the host. Device code may use Thrust's and
  /// CUB's names.
  [[nodiscard]] bool uses_host_namespace(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const std::size_t begin = item.declaration->whole.begin;
    if (begin + 2 >= tokens.size() || !tokens[begin].is("using")) return false;
    if (uses_namespace_of_torch(tokens, item.declaration->whole)) return true;
    if (item.declaration->kind != Kind::kUsing) return false;
    const std::size_t name = begin + 2;
    if (tokens[name].is("thrust") || tokens[name].is("cub")) return false;
    const bool of_std = tokens[name].is("std") && name + 2 < tokens.size() && tokens[name + 1].is("::");
    const std::string_view inside = tokens[of_std ? name + 2 : name].text;
    const bool part_of_std = inside == "chrono" || inside == "filesystem" || inside.ends_with("literals");
    if (of_std || (program_.uses_std && part_of_std)) return part_of_std;
    return std::any_of(
        spec_.unseen_headers.begin(), spec_.unseen_headers.end(),
        [&](const std::string& header) { return prefix_of_host_library(header) == tokens[name].text; });
  }

  /// `using at::Tensor;`, `using namespace torch;`: of what is declared there, code for devices has Half and
  /// BFloat16.
  [[nodiscard]] bool uses_namespace_of_torch(const std::vector<Token>& tokens, TokenSpan span) const {
    const std::size_t name = span.begin + (tokens[span.begin + 1].is("namespace") ? 2 : 1);
    const bool torch = tokens[name].is("at") || tokens[name].is("c10") || tokens[name].is("torch");
    if (!torch || program_.declares_scope(tokens[name].text)) return false;
    const Token& last = tokens[span.end - 2];
    if (last.is("Half") || last.is("BFloat16")) return false;
    return std::any_of(spec_.unseen_headers.begin(), spec_.unseen_headers.end(), is_header_of_torch);
  }

  /// A function without a mark that names a member of a namespace which no text declares, such as
  /// `cimg_library::CImg` of a header that is not there: only host code can call it.
  [[nodiscard]] bool names_unknown_namespace(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    const bool constructor = item.declaration->kind == Kind::kOther && item.member &&
                             span.begin + 1 < span.end && tokens[span.begin + 1].is("(");
    if (!(constructor || program_.is_function(item)) || spec_.unseen_headers.empty()) return false;
    for (std::size_t i = span.begin; i + 2 < span.end; ++i) {
      if (tokens[i].is("constexpr")) return false;
    }
    for (std::size_t i = span.begin; i + 2 < span.end; ++i) {
      const bool scope = tokens[i].identifier() && tokens[i + 1].is("::") && tokens[i + 2].identifier();
      const bool outermost = i == span.begin || !tokens[i - 1].is("::");
      if (scope && outermost && !program_.declares_scope(tokens[i].text) &&
          !is_namespace_of_device_code(tokens[i].text))
        return true;
    }
    return false;
  }

  /// `void step(Grid&);` beside `__global__ void step(float*, int)`; and a function of a file that is
  /// compiled with the program, whose own one of this name and these parameters is for the device.
  [[nodiscard]] bool has_name_of_device_code(const Item& item) const {
    if (item.member || !program_.is_function(item) || item.declaration->names.empty()) return false;
    const bool prototype = item.declaration->kind == Kind::kPrototype;
    const std::vector<std::string> own = parameters_of(item);
    bool beside_kernel = false, again = false;
    for (const std::size_t index : program_.by_name.at(item.declaration->names.front())) {
      const Item& one = program_.items[index];
      if (!one.device || one.member || !program_.is_function(one)) continue;
      const std::vector<std::string> parameters = parameters_of(one);
      if (prototype && parameters.size() == own.size()) return false;
      beside_kernel = beside_kernel || (prototype && is_kernel(one));
      again = again || (!prototype && one.declaration->kind == Kind::kFunction && one.text != item.text &&
                        parameters == own);
    }
    return beside_kernel || (again && !is_constexpr(item));
  }

  /// As they are written: "float x".
  [[nodiscard]] std::vector<std::string> parameters_of(const Item& function) const {
    const std::vector<Token>& tokens = program_.tokens_of(function);
    std::vector<std::string> parameters;
    for (const TokenSpan& part : parts_of(tokens, function.declaration->parameters, true)) {
      if (!part.empty()) parameters.push_back(text_of(tokens, part));
    }
    return parameters;
  }

  [[nodiscard]] bool is_kernel(const Item& function) const { return has_word(function, "__global__"); }

  [[nodiscard]] bool is_constexpr(const Item& function) const { return has_word(function, "constexpr"); }

  /// In front of the parameters.
  [[nodiscard]] bool has_word(const Item& function, std::string_view word) const {
    const std::vector<Token>& tokens = program_.tokens_of(function);
    for (std::size_t i = function.declaration->whole.begin; i < function.declaration->parameters.begin; ++i) {
      if (tokens[i].is(word)) return true;
    }
    return false;
  }

  [[nodiscard]] static bool is_namespace_of_device_code(std::string_view name) {
    static const std::set<std::string_view> names = {
        "std",    "cuda", "cub",    "thrust", "cooperative_groups",
        "nvcuda", "cg",   "hipcub", "glm",    "rocprim",
        "Eigen",  "at",   "c10",    "torch",  "kiln"};
    return names.contains(name);
  }

  [[nodiscard]] static bool is_main(const Item& item) {
    const auto& names = item.declaration->names;
    return !item.member && item.declaration->kind == Kind::kFunction && names.size() == 1 &&
           names[0] == "main";
  }

  [[nodiscard]] bool names_host(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      const auto declared = program_.by_name.find(tokens[i].text);
      const bool of_std = program_.uses_std && declared == program_.by_name.end();
      if (!names_host_only(tokens, i) && !(of_std && names_host_only_of_std(tokens, i))) continue;
      const bool of_namespace = i > span.begin && tokens[i - 1].is("::");
      const bool own = !of_namespace && declared != program_.by_name.end() &&  // the text's own `time`
                       std::any_of(declared->second.begin(), declared->second.end(), [&](std::size_t other) {
                         return program_.is_function(program_.items[other]);
                       });
      if (!own) return true;
    }
    return std::any_of(span_begin(item), span_end(item),
                       [&](const Token& token) { return host_macro(token); });
  }

  [[nodiscard]] std::vector<Token>::const_iterator span_begin(const Item& item) const {
    return program_.tokens_of(item).begin() + static_cast<std::ptrdiff_t>(item.declaration->whole.begin);
  }

  [[nodiscard]] std::vector<Token>::const_iterator span_end(const Item& item) const {
    return program_.tokens_of(item).begin() + static_cast<std::ptrdiff_t>(item.declaration->whole.end);
  }

  /// `CHECK(...)` whose replacement names things of the host.
  [[nodiscard]] bool host_macro(const Token& token) const {
    if (!token.identifier()) return false;
    const auto found = program_.macros.find(token.text);
    if (found == program_.macros.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [](const std::vector<Token>* words) {
      for (std::size_t i = 2; i < words->size(); ++i) {
        if (names_host_only(*words, i)) return true;
      }
      return false;
    });
  }

  /// `DEFINE_LAUNCHER(name, float)` at namespace scope: a macro that stands for whole functions of the host.
  [[nodiscard]] bool is_use_of_host_macro(const Item& item) const {
    return program_.is_use_of_whole_macro(item) &&
           host_macro(program_.tokens_of(item)[item.declaration->whole.begin]);
  }

  /// `FOR_TYPES(INSTANTIATE, convert)`: what the macro makes of it names a function that is left out.
  [[nodiscard]] bool gets_function_of_host(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    for (std::size_t i = span.begin + 2; i + 1 < span.end; ++i) {
      const bool whole = (tokens[i - 1].is("(") || tokens[i - 1].is(",")) &&
                         (tokens[i + 1].is(")") || tokens[i + 1].is(","));
      const auto found = whole ? program_.by_name.find(tokens[i].text) : program_.by_name.end();
      if (found == program_.by_name.end()) continue;
      const auto has_body = [&](std::size_t other) {
        return program_.items[other].declaration->kind == Kind::kFunction;
      };
      const auto stays = [&](std::size_t other) {
        const Item& one = program_.items[other];
        return one.device || (!one.host && (has_body(other) || !program_.is_function(one)));
      };
      if (std::any_of(found->second.begin(), found->second.end(), has_body) &&
          std::none_of(found->second.begin(), found->second.end(), stays))
        return true;
    }
    return false;
  }

  /// `REGISTER(f)` of `#define REGISTER(NAME) static Entry NAME##_entry(#NAME, &NAME);`: an object that is
  /// constructed with a name or a text when the host's program starts. Device code has no such objects.
  [[nodiscard]] bool is_use_of_registering_macro(const Item& item) const {
    if (!program_.is_use_of_whole_macro(item)) return false;
    const auto& all = program_.macros.at(program_.tokens_of(item)[item.declaration->whole.begin].text);
    const auto is_empty = [](const auto* words) {
      return words->size() < 3 || ((*words)[2].is("(") && (*words)[2].close + 1 >= words->size());
    };
    return std::all_of(all.begin(), all.end(),
                       [&](const auto* words) { return is_empty(words) || registers(*words); }) &&
           !std::all_of(all.begin(), all.end(), is_empty);
  }

  /// Whether a function-like macro stands for one static object that is constructed with a text.
  [[nodiscard]] static bool registers(const std::vector<Token>& words) {
    const std::size_t begin = words[2].is("(") ? words[2].close + 1 : words.size();
    if (begin >= words.size() || !words[begin].is("static")) return false;
    bool text = false, value = false;
    for (std::size_t i = begin + 1; i < words.size(); ++i) {
      const Token& word = words[i];
      const bool ends = word.is(";") && i + 1 < words.size();
      value = value || word.is("(") || word.is("{") || word.is("=");
      if (ends || (!value && (word.is("const") || word.is("constexpr")))) return false;
      text = text || word.is("#") || word.kind == Token::Kind::kString;
    }
    return text;
  }

  /// `BENCHMARK(f)->Arg(8);`: a macro of a library of the host whose header is not there.
  [[nodiscard]] bool is_use_of_unknown_macro(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    const std::string_view name = tokens[span.begin].text;
    const bool macro = tokens[span.begin].identifier() && !name.starts_with('_') &&
                       std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (!macro || item.member || spec_.unseen_headers.empty() || program_.macros.contains(name) ||
        span.begin + 1 >= span.end || !tokens[span.begin + 1].is("("))
      return false;
    const auto declared = program_.by_name.find(name);
    const bool known = declared != program_.by_name.end() &&
                       std::any_of(declared->second.begin(), declared->second.end(), [&](std::size_t other) {
                         return program_.items[other].declaration->kind != Kind::kOther;
                       });
    if (known) return false;
    const std::size_t behind = tokens[span.begin + 1].close + 1;
    return behind >= span.end || tokens[behind].is(";") || tokens[behind].is(".") || tokens[behind].is("->");
  }

  /// Whether it calls a name that only functions of the host have.
  [[nodiscard]] bool calls_host(const Item& item) const {
    const TokenSpan body = item.declaration->body;
    return calls_host(program_.tokens_of(item), body, 0, &item) || initializes_by_host(item);
  }

  /// `caller`: the function that calls, if it is known.
  [[nodiscard]] bool calls_host(const std::vector<Token>& tokens, TokenSpan span, int depth,
                                const Item* caller = nullptr) const {
    constexpr int kDeepestMacro = 4;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (!tokens[i].identifier()) continue;
      const auto macro = depth < kDeepestMacro ? program_.macros.find(tokens[i].text) : program_.macros.end();
      if (macro != program_.macros.end()) {
        for (const std::vector<Token>* words : macro->second) {
          if (calls_host(*words, {2, words->size()}, depth + 1)) return true;
        }
      }
      if (i + 1 >= span.end || !(tokens[i + 1].is("(") || tokens[i + 1].is("<"))) continue;
      const bool of_object = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (is_host_only(tokens[i].text, of_object ? caller : nullptr)) return true;
      const std::size_t open = tokens[i + 1].is("<") ? behind_angles(tokens, i + 1, span.end) : i + 1;
      if (!of_object && open < span.end && tokens[open].is("(") &&
          constructs_by_host(tokens[i].text, tokens, open))
        return true;
    }
    return false;
  }

  /// Whether a constructor makes one of its bases, or a member, by a constructor that is for the host, or
  /// leaves its work to such a constructor of its own class: `Field(int n) : Grid(n, n), data_(n) {}`.
  /// Without an initialiser the constructor without arguments counts.
  [[nodiscard]] bool initializes_by_host(const Item& item) const {
    const Item* owner = class_constructed_by(item);
    if (owner == nullptr) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    std::map<std::string_view, std::string_view> parts = objects_of(*owner);
    std::size_t i = item.declaration->parameters.end + 1;
    const std::size_t end = item.declaration->body.begin - 1;
    while (i < end && !tokens[i].is(":")) i = tokens[i].is("(") ? tokens[i].close + 1 : i + 1;
    for (++i; i + 1 < end; ++i) {
      if (!tokens[i].identifier()) continue;
      const std::size_t open = tokens[i + 1].is("<") ? behind_angles(tokens, i + 1, end) : i + 1;
      if (open >= end || !(tokens[open].is("(") || tokens[open].is("{"))) continue;
      const auto part = parts.find(tokens[i].text);
      const std::string_view type = part == parts.end() ? tokens[i].text : part->second;
      const bool own = item.declaration->names.front() == type;
      if ((part != parts.end() || own) && constructs_by_host(type, tokens, open)) return true;
      if (own) return false;  // the other constructor makes the parts
      if (part != parts.end()) parts.erase(part);
      i = tokens[open].close;
    }
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
      return constructs_by_host(part.second, 0) && has_other_constructor(part.second);
    });
  }

  /// Whether the function uses a variable outside of classes that is for the host, as its type is. A name
  /// that the function declares itself, or that stands behind what may be its type, says nothing.
  [[nodiscard]] bool uses_host_variable(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    Names declared;
    const TokenSpan whole = item.declaration->whole, body = item.declaration->body;
    const TokenSpan parameters = item.declaration->parameters;
    for (std::size_t i = whole.begin + 1; i < whole.end; ++i) {
      const bool parameter = i >= parameters.begin && i < parameters.end;
      if (tokens[i].identifier() && (parameter || may_end_type(tokens, i - 1) || is_bound(tokens, i, whole)))
        declared.insert(tokens[i].text);
    }
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (!tokens[i].identifier() || declared.contains(tokens[i].text)) continue;
      const bool scoped = tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::");
      if (!scoped && is_variable_of_host(tokens[i].text)) return true;
    }
    return false;
  }

  /// `int (&row)[4]`, `auto [row, n]`.
  [[nodiscard]] static bool is_bound(const std::vector<Token>& tokens, std::size_t name, TokenSpan whole) {
    if (name < whole.begin + 2 || name + 2 >= whole.end) return false;
    const bool sign = tokens[name - 1].is("&") || tokens[name - 1].is("*");
    if (sign && tokens[name - 2].is("(") && tokens[name + 1].is(")"))
      return tokens[name + 2].is("[") || tokens[name + 2].is("(");
    std::size_t open = name - 1;
    while (open > whole.begin && (tokens[open].is(",") || tokens[open].identifier())) --open;
    if (!tokens[open].is("[") || open == whole.begin) return false;
    std::size_t type = open - 1;
    while (type > whole.begin && (tokens[type].is("&") || tokens[type].is("&&"))) --type;
    return tokens[type].is("auto");
  }

  [[nodiscard]] static bool may_end_type(const std::vector<Token>& tokens, std::size_t at) {
    static const std::set<std::string_view> words = {"return", "else", "case", "throw",
                                                     "delete", "new",  "do"};
    while (at > 0 && (tokens[at].is("*") || tokens[at].is("&") || tokens[at].is("&&"))) --at;
    return tokens[at].identifier() ? !words.contains(tokens[at].text) : tokens[at].is(">");
  }

  [[nodiscard]] bool is_variable_of_host(std::string_view name) const {
    const auto found = program_.by_name.find(name);
    return found != program_.by_name.end() &&
           std::all_of(found->second.begin(), found->second.end(), [&](std::size_t index) {
             const Item& one = program_.items[index];
             return one.host && !one.member && one.declaration->kind == Kind::kVariable;
           });
  }

  /// Whether all functions of the name are for the host; their prototypes say nothing if there is a body.
  /// `except`: one that calls the name of another object, `void stop() { timer.stop(); }`. Others that do the
  /// same say nothing either: `void stop() { clock.stop(); }` of the object's owner.
  [[nodiscard]] bool is_host_only(std::string_view name, const Item* except) const {
    const auto found = program_.by_name.find(name);
    if (found == program_.by_name.end()) return false;
    bool has_host = false;
    for (const std::size_t other : found->second) {
      const Item& item = program_.items[other];
      const Kind kind = item.declaration->kind;
      const bool says_nothing = (kind == Kind::kPrototype && !item.device) || kind == Kind::kForward;
      const bool passes_on = except != nullptr && (&item == except || calls_of_object(item, name));
      if (!item.host && !says_nothing && !passes_on) return false;
      has_host = has_host || item.host;
    }
    return has_host;
  }

  /// A function that calls the name of an object and that device code does not call.
  [[nodiscard]] bool calls_of_object(const Item& item, std::string_view name) const {
    if (item.device || item.declaration->kind != Kind::kFunction || program_.marked_elsewhere(item) ||
        is_constexpr(item))
      return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan body = item.declaration->body;
    for (std::size_t i = body.begin + 1; i + 1 < body.end; ++i) {
      if (tokens[i].is(name) && tokens[i + 1].is("(") && (tokens[i - 1].is(".") || tokens[i - 1].is("->")))
        return true;
    }
    return false;
  }

  ProgramItems& program_;
  const Specialization& spec_;
  mutable std::optional<Names> carried_;          // names of classes that kernels take by value
  std::map<std::string_view, Names> containers_;  // by class: members of which the bytes are left
};

}  // namespace

void find_host_functions(ProgramItems& program, const Specialization& specialization) {
  HostFinder(program, specialization).run();
}

}  // namespace kiln
