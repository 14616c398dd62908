#include "specialize/failed_host_code.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/whole_word.h"
#include "specialize/program_items.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

/// "cudaMallocHost", "hipHostMalloc".
bool is_of_runtime(const std::string& name) {
  const auto follows = [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
  };
  return follows("cuda") || follows("hip");
}

class FailureCutter {
 public:
  explicit FailureCutter(Specialization& specialization) : spec_(specialization), program_(specialization) {}

  std::vector<std::string> run(const std::vector<TextLine>& lines) {
    for (const TextLine& line : lines) {
      for (std::size_t text = 0; text < program_.files.size(); ++text) {
        if (is_file(text, line.file)) leave_out(text, line.line);
      }
    }
    return cut();
  }

  /// Of functions for the device, each alone.
  std::vector<std::string> run_for_devices(const std::vector<Redefinition>& redefined) {
    for (const auto& [message, line] : redefined) {
      for (std::size_t i = 0; i < program_.items.size(); ++i) {
        const Item& item = program_.items[i];
        const auto& names = item.declaration->names;
        if (!holds(item, item.text, line.line) || !is_file(item.text, line.file) || item.member ||
            !item.device || !item.whole || !program_.is_function(item) || item.declaration->body.empty() ||
            names.empty() || !has_word(message, names.front()))
          continue;
        left_out_.insert(i);
        names_.emplace(names.front());
      }
    }
    return cut();
  }

  /// Outside of classes, each alone.
  std::vector<std::string> run_unreached(const std::vector<TextLine>& lines,
                                         const std::function<bool(std::string_view)>& is_reached) {
    for (std::size_t i = 0; i < program_.items.size(); ++i) {
      const Item& item = program_.items[i];
      const auto& names = item.declaration->names;
      const bool kind = program_.is_function(item) || item.declaration->kind == Kind::kClass;
      if (!kind || item.member || !item.whole || names.empty() || names.front() == "operator" ||
          std::any_of(names.begin(), names.end(), is_reached))
        continue;
      const bool fails = std::any_of(lines.begin(), lines.end(), [&](const TextLine& line) {
        return holds(item, item.text, line.line) && is_file(item.text, line.file);
      });
      if (!fails) continue;
      left_out_.insert(i);
      names_.emplace(names.front());
    }
    return cut();
  }

  /// Whether a line stands in a function with marks of both sides.
  [[nodiscard]] bool is_for_both_sides(const TextLine& line) const {
    for (const Item& item : program_.items) {
      if (!item.device || !program_.is_function(item) || !holds(item, item.text, line.line) ||
          !is_file(item.text, line.file))
        continue;
      const std::vector<Token>& tokens = program_.tokens_of(item);
      for (std::size_t i = item.declaration->whole.begin; i < item.declaration->body.begin; ++i) {
        if (program_.marks_host(tokens[i])) return true;
      }
    }
    return false;
  }

 private:
  std::vector<std::string> cut() {
    std::map<std::size_t, std::vector<TextEdit>> edits;
    for (const std::size_t index : left_out_) {
      const Item& item = program_.items[index];
      if (!is_inside_another(item))
        edits[item.text].push_back(program_.without(item, program_.forward_declaration(item)));
    }
    for (auto& [text, of_text] : edits)
      *program_.files[text].text = apply_edits(program_.files[text].original, std::move(of_text));
    return {names_.begin(), names_.end()};
  }

  [[nodiscard]] bool is_file(std::size_t text, const std::string& file) const {
    if (program_.files[text].name == file) return true;
    const std::string& path = text == 0 ? spec_.source_path : spec_.headers[text - 1].path;
    return !path.empty() &&
           std::filesystem::path(path).lexically_normal() == std::filesystem::path(file).lexically_normal();
  }

  [[nodiscard]] bool holds(const Item& item, std::size_t text, int line) const {
    const TokenSpan span = item.declaration->whole;
    if (item.text != text || span.empty()) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    return tokens[span.begin].line <= line && line <= tokens[span.end - 1].line;
  }

  void leave_out(std::size_t text, int line) {
    const bool for_devices = spec_.left_out.empty();  // its errors must be seen
    if (for_devices && text == 0) return;
    std::size_t outer = Item::kNoOwner;
    for (std::size_t i = 0; i < program_.items.size(); ++i) {
      const Item& item = program_.items[i];
      if (!holds(item, text, line)) continue;
      if (!item.member) outer = i;
      if (item.member && !for_devices && leave_out_member(i)) return;
    }
    if (outer == Item::kNoOwner) return;
    const Item& item = program_.items[outer];
    const Kind kind = item.declaration->kind;
    if (!for_devices || kind == Kind::kClass || kind == Kind::kPrototype) leave_out_outer(item);
  }

  /// A member function that only code for the host can call, with its overloads. One that decides how
  /// objects are made or laid out goes with its class.
  bool leave_out_member(std::size_t index) {
    const Item& item = program_.items[index];
    if (is_friend(item)) {  // of a function for the host that is left out
      left_out_.insert(index);
      names_.insert("a friend");
      return true;
    }
    if (!program_.is_function(item) || item.owner == Item::kNoOwner || item.declaration->names.empty())
      return false;
    const Item& owner = program_.items[item.owner];
    std::vector<std::size_t> all;
    for (const std::size_t other : owner.members) {
      const Item& one = program_.items[other];
      if (one.declaration->names != item.declaration->names) continue;
      if (!program_.is_function(one) || one.device || !one.whole || is_virtual(one) || is_special(one, owner))
        return false;
      all.push_back(other);
    }
    left_out_.insert(all.begin(), all.end());
    const auto& names = owner.declaration->names;
    const std::string scope = names.empty() ? "" : std::string(names.front()) + "::";
    names_.insert(scope + std::string(item.declaration->names.front()));
    return true;
  }

  /// "friend void copy<T>(const Host<T>&, T*);"
  [[nodiscard]] bool is_friend(const Item& item) const {
    const Declaration& one = *item.declaration;
    return !item.device && one.body.empty() && program_.tokens_of(item)[one.whole.begin].is("friend");
  }

  [[nodiscard]] bool is_virtual(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan whole = item.declaration->whole, parameters = item.declaration->parameters;
    const std::size_t body = item.declaration->body.begin;
    for (std::size_t i = whole.begin; i < std::max(parameters.begin, body); ++i) {
      if (tokens[i].is("virtual") || tokens[i].is("override") || tokens[i].is("final")) return true;
    }
    for (std::size_t i = parameters.end; i < whole.end && body == 0; ++i) {
      if (tokens[i].is("override") || tokens[i].is("final")) return true;
    }
    return false;
  }

  /// A constructor, destructor or operator.
  [[nodiscard]] static bool is_special(const Item& item, const Item& owner) {
    const auto& names = item.declaration->names;
    const auto& of_owner = owner.declaration->names;
    return names.front() == "operator" || (!of_owner.empty() && names.front() == of_owner.front());
  }

  /// `static_assert(has_virtual_destructor<Logger>::value, "");` of a class of which only the declaration is
  /// left.
  [[nodiscard]] bool asserts_of_left_out(const Item& item) const {
    const std::vector<Token>& tokens = program_.tokens_of(item);
    const TokenSpan span = item.declaration->whole;
    if (!tokens[span.begin].is("static_assert")) return false;
    for (std::size_t i = span.begin + 1; i < span.end; ++i) {
      const auto named = program_.by_name.find(tokens[i].text);
      if (named == program_.by_name.end()) continue;
      const auto is_declared_only = [&](std::size_t index) {
        return program_.items[index].declaration->kind == Kind::kForward;
      };
      if (std::all_of(named->second.begin(), named->second.end(), is_declared_only)) return true;
    }
    return false;
  }

  void leave_out_outer(const Item& item) {
    const Kind kind = item.declaration->kind;
    const auto& names = item.declaration->names;
    if (kind == Kind::kOther && (program_.is_use_of_whole_macro(item) || asserts_of_left_out(item))) {
      add_alone(item);
      return;
    }
    if (item.device || !item.whole || kind == Kind::kOther || kind == Kind::kScope || kind == Kind::kUsing ||
        kind == Kind::kForward)
      return;
    if (program_.is_of_undefined_class(item) || launches_lambdas(item)) {  // no device code can call it
      left_out_.insert(index_of(item));
      names_.emplace(names.front());
      return;
    }
    if (kind == Kind::kInstantiation || names.empty() || names.front() == "operator") {
      add_alone(item);
      return;
    }
    std::vector<std::size_t> all;
    for (const std::string_view name : names) {
      for (const std::size_t index : program_.by_name.at(name)) {
        const Item& one = program_.items[index];
        if (one.member || one.declaration->kind == Kind::kForward) continue;
        if (!may_go(one)) return;
        all.push_back(index);
      }
    }
    // All overloads are for the host, so that device code calls none; the others may be what a class needs:
    // its swap().
    if (program_.is_function(item)) all = {index_of(item)};
    left_out_.insert(all.begin(), all.end());
    names_.emplace(names.front());
  }

  /// A function without a mark that has lambdas for the device, `[=] __device__(int i) {...}`, is the host's.
  [[nodiscard]] bool launches_lambdas(const Item& item) const {
    const Declaration& one = *item.declaration;
    if (!item.whole || one.kind != Kind::kFunction || one.names.empty()) return false;
    const std::vector<Token>& tokens = program_.tokens_of(item);
    for (std::size_t i = one.whole.begin; i < one.body.begin; ++i) {
      if (program_.marks_device(tokens[i])) return false;
    }
    for (std::size_t i = one.body.begin + 1; i < one.body.end; ++i) {
      if (tokens[i - 1].is("]") && program_.marks_device(tokens[i])) return true;
    }
    return false;
  }

  [[nodiscard]] std::size_t index_of(const Item& item) const {
    return static_cast<std::size_t>(&item - program_.items.data());
  }

  void add_alone(const Item& item) {
    if (!may_go(item)) return;
    left_out_.insert(index_of(item));
    names_.insert(item.declaration->names.empty() ? "a declaration"
                                                  : std::string(item.declaration->names.front()));
  }

  /// Whether it has no mark of the device, nor has one of its members.
  [[nodiscard]] bool may_go(const Item& item) const {
    return item.whole && !item.device && !program_.marked_elsewhere(item) &&
           std::all_of(item.members.begin(), item.members.end(),
                       [&](std::size_t member) { return may_go_as_member(program_.items[member]); });
  }

  [[nodiscard]] bool may_go_as_member(const Item& item) const {
    return !item.device && std::all_of(item.members.begin(), item.members.end(), [&](std::size_t member) {
      return may_go_as_member(program_.items[member]);
    });
  }

  [[nodiscard]] bool is_inside_another(const Item& item) const {
    for (std::size_t owner = item.member ? item.owner : Item::kNoOwner; owner != Item::kNoOwner;) {
      if (left_out_.contains(owner)) return true;
      const Item& around = program_.items[owner];
      owner = around.member ? around.owner : Item::kNoOwner;
    }
    return false;
  }

  Specialization& spec_;
  ProgramItems program_;
  std::set<std::size_t> left_out_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<std::string> define_runtime_of_host(Specialization& specialization,
                                                const std::vector<UnknownName>& unknown) {
  std::set<std::string> names;
  const FailureCutter program(specialization);
  for (const auto& [name, place] : unknown) {
    if (is_of_runtime(name) && !names.contains(name) && program.is_for_both_sides(place)) names.insert(name);
  }
  for (const std::string& name : names) {
    specialization.defines.emplace_back(
        name + "(...)", name.starts_with("hip") ? "hipErrorNotSupported" : "cudaErrorNotSupported");
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> leave_out_redefinitions(Specialization& specialization,
                                                 const std::vector<Redefinition>& redefined) {
  if (redefined.empty()) return {};
  return FailureCutter(specialization).run_for_devices(redefined);
}

std::vector<std::string> leave_out_unreached(Specialization& specialization,
                                             const std::vector<TextLine>& lines,
                                             const std::function<bool(std::string_view)>& is_reached) {
  return FailureCutter(specialization).run_unreached(lines, is_reached);
}

std::vector<std::string> leave_out_failed_host_code(Specialization& specialization,
                                                    const std::vector<TextLine>& lines) {
  return FailureCutter(specialization).run(lines);
}

}  // namespace kiln
