#include "compile/cpu/split/kernel_split.h"

#include <algorithm>
#include <functional>
#include <set>

#include "compile/cpu/split/analysis.h"
#include "compile/cpu/split/find_calls.h"
#include "compile/cpu/split/places.h"
#include "compile/cpu/split/writer.h"

namespace kiln::fission {
namespace {

std::string letters(const std::vector<Level>& levels, const std::vector<Group>& groups) {
  std::string key;
  for (const Level level : levels) key += level == kItemLevel ? 'v' : 'u';
  for (const Group& group : groups) {
    if (group.kind == Group::Kind::kBlock)
      key += ",block";
    else if (group.kind == Group::Kind::kGrid)
      key += ",grid";
    else if (group.kind == Group::Kind::kTile)
      key += ",tile" + group.size;
    else
      key += ",";
  }
  return key;
}

}  // namespace

struct KernelSplitter::State {
  State(const Outline& parsed, std::string_view source, const std::vector<std::string>& entries)
      : outline(parsed),
        text(source),
        places(parsed, source),
        signatures(parsed),
        functions(parsed, entries),
        changing(parsed.changing.begin(), parsed.changing.end()) {
    for (const DefinitionOutline& definition : outline.definitions)
      named.emplace(definition.name, &definition);
  }

  const Outline& outline;
  std::string_view text;
  Places places;
  Signatures signatures;
  SyncFunctions functions;
  std::multimap<std::string_view, const DefinitionOutline*> named;  // functions, members and classes
  std::set<std::string_view> changing;                              // variables that kernels may write
  std::map<const DefinitionOutline*, std::unique_ptr<Body>> bodies;
  std::map<std::string_view, Sync> exact;
  std::set<std::string_view> being_judged;
  std::map<std::string, CalledVersion> versions;
  std::set<std::string> being_written;
  std::map<const DefinitionOutline*, std::string> additions;
  std::map<const DefinitionOutline*, std::set<const DefinitionOutline*>> callees;  // of what is added
  std::map<std::string, std::string> forms;                                        // by a form, its function
  int numbers = 0;

  const Body& body(const DefinitionOutline& definition) {
    std::unique_ptr<Body>& known = bodies[&definition];
    const auto waits = [&](std::size_t i) { return functions.may_wait(outline.source.tokens, i); };
    if (!known) known = std::make_unique<Body>(outline, definition, signatures, waits);
    if (!known->trouble().empty()) throw Trouble{known->trouble(), known->trouble_at()};
    return *known;
  }

  /// The work-items that a function waits for, from the calls that it makes.
  Sync sync_of(std::string_view name) {
    const auto known = exact.find(name);
    if (known != exact.end()) return known->second;
    if (!being_judged.insert(name).second)
      throw Trouble{"a function that calls itself, '" + std::string(name) + "'", 0};
    Sync most = Sync::kNone;
    for (const DefinitionOutline* definition : functions.definitions(name)) {
      const Body& its = body(*definition);
      std::vector<Group> groups;
      for (const Variable& variable : its.variables())
        groups.push_back(group_of(its.tokens(), variable.specifiers,
                                  variable.parameter >= 0 ? TokenRange{} : variable.declarator->initializer));
      for (const SyncCall& call : find_sync_calls(its, functions, groups, its.block().range))
        most = std::max(most, call.user ? sync_of(call.name) : call.sync);
    }
    being_judged.erase(name);
    if (most == Sync::kNone) most = functions.of(name);
    return exact[name] = most;
  }

  WriterInput writer_input(const std::string& name, bool masked) {
    WriterInput writer;
    writer.text = text;
    writer.line = [this](std::size_t token) { return places.line(token); };
    writer.changed_references = [this](const SyncCall& call) { return changed_references(call); };
    writer.name = name;
    writer.masked = masked;
    return writer;
  }

  std::vector<bool> changed_references(const SyncCall& call) {
    std::vector<bool> result;
    for (const DefinitionOutline* definition : functions.definitions(call.name)) {
      const Body& its = body(*definition);
      result.resize(std::max(result.size(), its.head().parameters.size()));
      for (const Variable& variable : its.variables()) {
        if (variable.parameter < 0 || !variable.declarator->reference || variable.declarator->array) continue;
        const auto p = static_cast<std::size_t>(variable.parameter);
        result[p] = result[p] || variable.modified;
      }
    }
    return result;
  }

  /// Calls of member functions that place_members() has not replaced, and names of classes that wait, cannot
  /// be followed.
  void refuse_hidden(const DefinitionOutline& definition) {
    const std::vector<Token>& tokens = outline.source.tokens;
    for (std::size_t i = definition.head.begin; i < definition.body.end; ++i) {
      const Token& token = tokens[i];
      const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (member && functions.waiting_member(token.text) && !functions.step_member(token.text) &&
          i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("<")))
        throw Trouble{
            "a call of '" + std::string(token.text) +
                "', a member function with barriers or warp operations, of a form that Kiln does not "
                "split",
            i};
      if (!token.identifier() || functions.kernel(token.text) || token.text == definition.name ||
          !functions.hidden(token.text))
        continue;
      // Operations of CUB are split; Analysis looks for calls of them that are not seen.
      if (functions.step_class(token.text) || (member && functions.step_member(token.text))) continue;
      const bool call =
          i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("<") || tokens[i + 1].is("{"));
      const bool type = i + 1 < tokens.size() && (tokens[i + 1].identifier() || tokens[i + 1].is("::"));
      if (member ? call : (call || type))
        throw Trouble{"'" + std::string(token.text) + "', which waits in a way that Kiln does not split", i};
    }
    for (const std::string_view name : {definition.name, std::string_view("operator")}) {
      if (functions.hidden(name) && !functions.step_class(name))
        throw Trouble{"'" + std::string(functions.cause(name)) + "', which Kiln does not split",
                      definition.body.begin};
    }
  }

  /// Functions that wait as values: a call by a pointer does not show what it calls.
  void refuse_values(const Body& its) const {
    const TokenRange range = its.block().range;
    const std::vector<Token>& tokens = its.tokens();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const bool function = tokens[i].identifier() && !functions.definitions(tokens[i].text).empty() &&
                            functions.of(tokens[i].text) != Sync::kNone;
      const bool member = i > range.begin && (its.is(i - 1, ".") || its.is(i - 1, "->"));
      if (!function || member || functions.kernel(tokens[i].text) || its.variable_at(i) >= 0) continue;
      std::size_t first = i;  // of its scopes
      while (first > range.begin + 1 && its.is(first - 1, "::") && tokens[first - 2].identifier()) first -= 2;
      const bool of_cub = its.is(first, "cub");  // a class, as is what `typedef` and `using` name
      const bool value = first > range.begin &&
                         (its.is(first - 1, "=") || its.is(first - 1, ",") || its.is(first - 1, "(") ||
                          its.is(first - 1, "&") || its.is(first - 1, "{") || its.is(first - 1, "?") ||
                          its.is(first - 1, ":") || its.is(first - 1, "<") || its.is(first - 1, "return"));
      if (of_cub || !value) continue;
      std::size_t behind = i + 1;
      if (its.is(behind, "<")) behind = after_template_arguments(tokens, behind, range.end);
      if (its.is(behind, ",") || its.is(behind, ")") || its.is(behind, ";") || its.is(behind, "}") ||
          its.is(behind, ">"))  // "reduce_by<warp_sum>(x)"
        throw Trouble{"'" + std::string(tokens[i].text) + "', a function that waits, as a value", i};
    }
  }

  /// Calls of objects: a class of the text may have an operator() that waits.
  void refuse_objects(const Body& its) const {
    if (!functions.waiting_member("operator")) return;
    for (std::size_t i = its.block().range.begin; i < its.block().range.end; ++i) {
      const int v = its.is(i + 1, "(") ? its.variable_at(i) : -1;
      if (v < 0 || i == its.variables()[static_cast<std::size_t>(v)].declarator->at) continue;
      const Variable& called = its.variables()[static_cast<std::size_t>(v)];
      const TokenRange value = called.parameter < 0 ? called.declarator->initializer : TokenRange{};
      if (value.begin < value.end && its.is(value.begin, "[")) continue;  // a lambda
      throw Trouble{"a call of the object '" + std::string(called.name) + "', whose operator() may wait", i};
    }
  }

  CalledVersion version(const SyncCall& call, const std::vector<Level>& levels,
                        const std::vector<Group>& groups, bool masked, Behind behind, Shape shape) {
    const std::string key = std::string(call.name) + " " + letters(levels, groups) + (masked ? " m" : "") +
                            " " + std::to_string(static_cast<int>(behind)) + (shape.warps ? " w" : "") +
                            (shape.flat ? " f" : "") + (shape.whole_rows ? " r" : "");
    if (const auto known = versions.find(key); known != versions.end()) return known->second;
    if (!being_written.insert(key).second)
      throw Trouble{"a function that calls itself, '" + std::string(call.name) + "'", call.range.begin};
    CalledVersion result;
    result.name = "kiln_s" + std::to_string(++numbers) + "_" + std::string(call.name);
    forms[result.name] = call.name;
    const Sync sync = sync_of(call.name);
    bool first = true;
    std::vector<std::pair<const DefinitionOutline*, std::string>> written;
    for (const DefinitionOutline* definition : functions.definitions(call.name)) {
      refuse_hidden(*definition);
      const Body& its = body(*definition);
      refuse_objects(its);
      refuse_values(its);
      if (its.head().parameters.size() < levels.size()) continue;
      Analysis::Input input;
      input.body = &its;
      input.functions = &functions;
      input.signatures = &signatures;
      input.shape = shape;
      input.warp_function = sync == Sync::kWarp;
      input.behind = behind;
      input.parameter_levels = levels;
      input.parameter_levels.resize(its.head().parameters.size(), kBlockLevel);
      input.parameter_groups = groups;
      input.user_sync = [this](std::string_view name) { return sync_of(name); };
      input.changes = [this](std::string_view name) { return changing.contains(name); };
      const Analysis analysis(std::move(input));
      WriterInput writer = writer_input(result.name, masked);
      writer.version = [&](const SyncCall& inner, const std::vector<Level>& inner_levels,
                           const std::vector<Group>& inner_groups, bool inner_masked) {
        const Behind inner_behind = analysis.behind(inner);
        const auto& below = functions.definitions(inner.name);
        callees[definition].insert(below.begin(), below.end());
        return version(inner, inner_levels, inner_groups, inner_masked, inner_behind, shape);
      };
      written.emplace_back(definition, write_split(analysis, writer));
      std::vector<bool> by_reference;
      for (std::size_t p = 0; p < its.head().parameters.size(); ++p) {
        bool constant = false;
        for (std::size_t i = its.head().specifiers[p].begin; i < its.head().specifiers[p].end; ++i)
          constant = constant || its.is(i, "const");
        by_reference.push_back(its.head().parameters[p]->reference && !constant);
      }
      const TokenRange type = its.head().result;
      const bool returns = !(type.end == type.begin + 1 && its.is(type.begin, "void"));
      if (!first && (by_reference != result.by_reference || returns != result.returns))
        throw Trouble{"functions of one name and different parameters, '" + std::string(call.name) + "'",
                      call.range.begin};
      first = false;
      result.by_reference = by_reference;
      result.returns = returns;
    }
    if (first) throw Trouble{"no definition of '" + std::string(call.name) + "' is seen", call.range.begin};
    for (auto& [definition, added] : written) additions[definition] += "\n" + added;
    being_written.erase(key);
    return versions[key] = result;
  }

  /// Calls visit(definition, token) for the bodies of the functions that a kernel may reach by name, its own
  /// first, until it returns true. `members`: also for classes and their members.
  template <class Visit>
  bool find_reached(std::string_view kernel, bool members, const Visit& visit) const {
    std::set<std::string_view> seen = {kernel};
    std::vector<std::string_view> open = {kernel};
    for (std::size_t next = 0; next < open.size(); ++next) {
      const auto [first, last] = named.equal_range(open[next]);
      for (auto found = first; found != last; ++found) {
        const DefinitionOutline& definition = *found->second;
        const auto& free = functions.definitions(open[next]);
        if (!members && std::find(free.begin(), free.end(), &definition) == free.end()) continue;
        for (std::size_t i = definition.body.begin; i < definition.body.end; ++i) {
          const Token& token = outline.source.tokens[i];
          if (!token.identifier()) continue;
          if (visit(definition, i)) return true;
          if (seen.insert(token.text).second) open.push_back(token.text);
        }
      }
    }
    return false;
  }

  /// Members of classes do not count: they have no warp operations, or the kernel is not split.
  bool uses_warps(std::string_view kernel) const {
    return find_reached(kernel, false, [&](const DefinitionOutline&, std::size_t i) {
      const Token& token = outline.source.tokens[i];
      return sync_of_builtin(token.text) == Sync::kWarp || tile_word(outline.source.tokens, i);
    });
  }

  /// Whether a kernel has the grid's sync; throws Trouble if its blocks then cannot take turns on a thread.
  bool syncs_grid(std::string_view kernel) const {
    const std::vector<Token>& tokens = outline.source.tokens;
    const bool syncs = find_reached(kernel, true, [&](const DefinitionOutline&, std::size_t i) {
      return tokens[i].is("this_grid") || tokens[i].is("grid_group");
    });
    if (!syncs) return false;
    find_reached(kernel, true, [&](const DefinitionOutline& definition, std::size_t i) {
      if (tokens[i].is("__shared__") && definition.name != kernel)
        throw Trouble{"'__shared__' of a function, beside the grid's sync", i};
      if (waits_for_memory(definition, i))
        throw Trouble{"the grid's sync, and a wait for what another block writes", i};
      return false;
    });
    return true;
  }

  [[nodiscard]] bool starts_statement(const DefinitionOutline& definition, std::size_t i) const {
    const std::vector<Token>& tokens = outline.source.tokens;
    const Token& before = tokens[i - 1];
    if (before.is(";") || before.is("{") || before.is("}") || before.is("else")) return true;
    if (!before.is(")")) return false;
    for (std::size_t t = i - 1; t > definition.body.begin; --t) {
      if (tokens[t].is("(") && tokens[t].close == i - 1)
        return tokens[t - 1].is("if") || tokens[t - 1].is("for") || tokens[t - 1].is("while");
    }
    return false;
  }

  /// Whether the token at `i` starts a loop without an assignment and without a call, fences excepted: only
  /// what others write can end it.
  [[nodiscard]] bool changes_nothing_in_loop(const DefinitionOutline& definition, std::size_t i) const {
    const std::vector<Token>& tokens = outline.source.tokens;
    const bool head = (tokens[i].is("while") || tokens[i].is("for")) && tokens[i + 1].is("(");
    if (!head && !tokens[i].is("do")) return false;
    if (tokens[i].is("while")) {  // not the end of "do ... while"
      std::size_t begin = i - 1;
      if (tokens[begin].is("}")) {
        while (begin > definition.body.begin && !(tokens[begin].is("{") && tokens[begin].close == i - 1))
          --begin;
        if (tokens[begin - 1].is("do")) return false;
      } else if (tokens[begin].is(";")) {
        while (begin > definition.body.begin && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("{") &&
               !tokens[begin - 1].is("}") && !tokens[begin].is("do"))
          --begin;
        if (tokens[begin].is("do")) return false;
      }
    }
    std::size_t end = head ? tokens[i + 1].close + 1 : i + 1;
    while (end < definition.body.end && !tokens[end].is("{") && !tokens[end].is(";")) ++end;
    if (end < definition.body.end && tokens[end].is("{")) end = tokens[end].close;
    if (!head) {  // and its condition
      while (end < definition.body.end && !tokens[end].is(";")) ++end;
    }
    for (std::size_t t = i + 1; t < end; ++t) {
      const Token& token = tokens[t];
      const bool compares = token.is("==") || token.is("!=") || token.is("<=") || token.is(">=");
      if (token.is("++") || token.is("--") || (!compares && !token.text.empty() && token.text.back() == '='))
        return false;
      const bool control = token.is("while") || token.is("if") || token.is("for");
      const bool fence = token.text.substr(0, 13) == "__threadfence" || token.is("__syncthreads") ||
                         token.is("__syncwarp") || token.is("__ldg");
      const bool name = token.identifier() || token.is(">");
      if (tokens[t + 1].is("(") && name && !control && !fence) return false;
      if (token.is("return") || token.is("asm")) return false;
    }
    return true;
  }

  /// Whether a token may belong to a loop that ends when another block has written: then each block needs a
  /// thread. In doubt it does.
  [[nodiscard]] bool waits_for_memory(const DefinitionOutline& definition, std::size_t i) const {
    const std::vector<Token>& tokens = outline.source.tokens;
    const Token& token = tokens[i];
    if (token.is("volatile") || token.is("__nanosleep") || token.is("__ldcv")) return true;
    if (i == 0) return false;
    if (changes_nothing_in_loop(definition, i)) return true;
    const bool of_object = tokens[i - 1].is(".") || tokens[i - 1].is("->");
    const bool member =
        of_object && (token.is("load") || token.is("exchange") || token.is("test") ||
                      token.text.substr(0, 6) == "fetch_" || token.text.substr(0, 16) == "compare_exchange");
    if (token.text.substr(0, 6) != "atomic" && !member) return false;
    if (starts_statement(definition, i)) return false;  // its result is not used
    for (std::size_t t = definition.body.begin; t < i; ++t) {
      const bool head = (tokens[t].is("while") || tokens[t].is("for")) && tokens[t + 1].is("(");
      if (!head && !tokens[t].is("do")) continue;
      std::size_t end = t + 1;
      if (head) end = tokens[end].close + 1;
      while (end < definition.body.end && !tokens[end].is("{") && !tokens[end].is(";")) ++end;
      if (end < definition.body.end && tokens[end].is("{")) end = tokens[end].close;
      if (tokens[t].is("do")) {  // and its condition
        while (end < definition.body.end && !tokens[end].is(";")) ++end;
      }
      if (i < end) return true;
    }
    return false;
  }

  [[nodiscard]] std::size_t last_token(const DefinitionOutline& definition) const {
    return std::min(definition.body.end, outline.source.tokens.size() - 1);
  }

  /// The blocks 'extern "C" {...}'.
  [[nodiscard]] std::vector<TokenRange> c_linkage() const {
    const std::vector<Token>& tokens = outline.source.tokens;
    std::vector<TokenRange> blocks;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].is("extern") && tokens[i + 1].is("\"C\"") && tokens[i + 2].is("{"))
        blocks.push_back({i + 2, tokens[i + 2].close});
    }
    return blocks;
  }

  /// Whether two places of the text are in one scope: all brackets between them match.
  [[nodiscard]] bool same_scope(std::size_t first, std::size_t second) const {
    const std::vector<Token>& tokens = outline.source.tokens;
    for (std::size_t i = first + 1; i <= second; ++i) {
      if (tokens[i].is("}")) return false;
      if (tokens[i].is("{") || tokens[i].is("(")) i = tokens[i].close;
      if (i > second) return false;
    }
    return true;
  }

  /// What is added stands behind its function; where that calls one that is only declared above it and
  /// defined below, behind the latter.
  [[nodiscard]] std::vector<TextEdit> edits() const {
    std::map<std::size_t, std::string> added;  // by token
    std::map<const DefinitionOutline*, std::size_t> known;
    const std::function<std::size_t(const DefinitionOutline*)> add =
        [&](const DefinitionOutline* definition) {
          if (const auto found = known.find(definition); found != known.end()) return found->second;
          std::size_t place = last_token(*definition);
          known[definition] = place;
          if (const auto below = callees.find(definition); below != callees.end()) {
            for (const DefinitionOutline* other : below->second) {
              const std::size_t there = add(other);
              if (there > place && same_scope(place, there)) place = there;
            }
          }
          if (const auto own = additions.find(definition); own != additions.end())
            added[place] += own->second;
          return known[definition] = place;
        };
    for (const auto& addition : additions) add(addition.first);
    const std::vector<TokenRange> with_c_linkage = c_linkage();
    std::vector<TextEdit> edits;
    for (const auto& [token, behind] : added) {
      const bool c = std::any_of(with_c_linkage.begin(), with_c_linkage.end(),
                                 [place = token](TokenRange block) { return block.contains(place); });
      edits.push_back({outline.source.tokens[token].end(), 0,
                       c ? "\nextern \"C++\" {" + behind + "}\n" : behind});  // no templates in C
    }
    return edits;
  }

  SplitKernel split(std::string_view kernel, const std::vector<std::optional<Dim3>>& blocks) {
    const std::vector<const DefinitionOutline*>& definitions = functions.definitions(kernel);
    if (definitions.size() != 1)
      throw Trouble{"several definitions of '" + std::string(kernel) + "', or none",
                    outline.source.tokens.size()};
    const DefinitionOutline& definition = *definitions.front();
    refuse_hidden(definition);
    refuse_objects(body(definition));
    refuse_values(body(definition));
    const bool grid = syncs_grid(kernel);
    Shape shape;
    shape.warps = uses_warps(kernel);
    shape.flat = shape.whole_rows = true;
    for (const std::optional<Dim3>& block : blocks) {
      shape.flat = shape.flat && block && block->y == 1 && block->z == 1;
      shape.whole_rows = shape.whole_rows && block && block->x % 32 == 0;
    }
    Analysis::Input input;
    input.body = &body(definition);
    input.functions = &functions;
    input.signatures = &signatures;
    input.shape = shape;
    input.user_sync = [this](std::string_view name) { return sync_of(name); };
    input.changes = [this](std::string_view name) { return changing.contains(name); };
    const Analysis analysis(std::move(input));
    SplitKernel result;
    result.function = "kiln_split_" + std::string(kernel);
    forms[result.function] = kernel;
    result.syncs_grid = grid;
    WriterInput writer = writer_input(result.function, false);
    writer.kernel = true;
    writer.version = [&](const SyncCall& call, const std::vector<Level>& levels,
                         const std::vector<Group>& groups, bool masked) {
      const auto& below = functions.definitions(call.name);
      callees[&definition].insert(below.begin(), below.end());
      return version(call, levels, groups, masked, analysis.behind(call), shape);
    };
    const std::string added = write_split(analysis, writer);
    additions[&definition] += "\n" + added;
    return result;
  }
};

KernelSplitter::KernelSplitter(const Outline& outline, std::string_view text,
                               const std::vector<std::string>& entries)
    : state_(std::make_unique<State>(outline, text, entries)) {}
KernelSplitter::~KernelSplitter() = default;

SplitKernel KernelSplitter::split(std::string_view kernel, const std::vector<std::optional<Dim3>>& blocks) {
  const auto additions = state_->additions;
  const auto versions = state_->versions;
  try {
    return state_->split(kernel, blocks);
  } catch (const Trouble& trouble) {
    state_->additions = additions;
    state_->versions = versions;
    state_->being_judged.clear();
    state_->being_written.clear();
    return {"", trouble.what + state_->places.of(trouble.at), false};
  }
}

const std::map<std::string, std::string>& KernelSplitter::forms() const {
  return state_->forms;
}

std::vector<TextEdit> KernelSplitter::edits() const {
  return state_->edits();
}

}  // namespace kiln::fission
