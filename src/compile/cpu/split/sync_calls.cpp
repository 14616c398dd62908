#include "compile/cpu/split/sync_calls.h"

#include <algorithm>
#include <array>

namespace kiln::fission {
namespace {

constexpr std::array<std::string_view, 5> kBlockBarriers = {
    "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__barrier_sync"};
constexpr std::array<std::string_view, 25> kWarpOperations = {
    "__syncwarp",        "__shfl_sync",       "__shfl_up_sync",
    "__shfl_down_sync",  "__shfl_xor_sync",   "__shfl",
    "__shfl_up",         "__shfl_down",       "__shfl_xor",
    "__ballot_sync",     "__any_sync",        "__all_sync",
    "__activemask",      "__match_any_sync",  "__match_all_sync",
    "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
    "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync",
    "__ballot",          "load_matrix_sync",  "store_matrix_sync",
    "mma_sync"};
constexpr std::array<std::string_view, 8> kTileOperations = {"sync",     "shfl", "shfl_up", "shfl_down",
                                                             "shfl_xor", "any",  "all",     "ballot"};

/// Names of operations that wait and that this transformation does not support.
bool unknown_operation(std::string_view name) {
  return name == "coalesced_threads" || name == "this_cluster" || name == "this_multi_grid" ||
         name == "binary_partition" || name == "labeled_partition" || name == "exit" || name == "_exit" ||
         name == "abort" || name == "quick_exit" || name == "_Exit" || name == "thread_group" ||
         name == "coalesced_group" || name == "wait_prior" || name == "match_any" || name == "match_all";
}

/// Operations of cuda::barrier and cuda::pipeline that some work-items of a block may make alone.
bool of_a_part(std::string_view name) {
  return name == "arrive_and_drop" || name == "try_wait" || name == "test_wait" || name == "wait_parity" ||
         name == "try_wait_parity" || name == "try_wait_for" || name == "pipeline_shared_state";
}

/// "bar.arrive_and_wait", "bars[i]->wait": the last token, if the chain at `i` is a wait of a cuda::barrier.
std::size_t barrier_wait(const std::vector<Token>& tokens, std::size_t i) {
  const std::size_t count = tokens.size();
  for (++i; i < count && tokens[i].is("[");) i = tokens[i].close + 1;
  if (i + 2 >= count || !(tokens[i].is(".") || tokens[i].is("->")) || !tokens[i + 2].is("(")) return 0;
  return tokens[i + 1].is("arrive_and_wait") || tokens[i + 1].is("wait") ? i + 1 : 0;
}
bool member_wait(const std::vector<Token>& tokens, std::size_t i) {
  return (tokens[i].is("arrive_and_wait") || tokens[i].is("wait")) && i > 0 &&
         (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
}

/// Functions of cooperative groups whose names a text may give to its own functions.
bool scan_of_group(std::string_view name) {
  return name == "inclusive_scan" || name == "exclusive_scan" || name == "invoke_one" ||
         name == "reduce_store_async";
}

bool member_of_class(const Outline& text, const DefinitionOutline& definition) {
  return std::any_of(text.definitions.begin(), text.definitions.end(), [&](const DefinitionOutline& other) {
    return other.is_class && &other != &definition && other.body.begin <= definition.head.begin &&
           definition.body.end <= other.body.end;
  });
}

}  // namespace

Sync sync_of_builtin(std::string_view name) {
  if (among(kBlockBarriers, name)) return Sync::kBlock;
  return among(kWarpOperations, name) ? Sync::kWarp : Sync::kNone;
}

void SyncFunctions::find_step_classes(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  std::vector<const DefinitionOutline*> classes;
  for (const DefinitionOutline& definition : text.definitions) {
    if (!definition.is_class || !definition.name.starts_with("Block")) continue;
    bool steps = false;
    for (std::size_t i = definition.body.begin; i < definition.body.end && !steps; ++i)
      steps = tokens[i].is("kiln_block_step");
    if (!steps) continue;
    step_classes_.insert(definition.name);
    classes.push_back(&definition);
  }
  if (classes.empty()) return;
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.name == "NoStorage") cub_.begin = definition.head.begin;  // the first of them
  }
  cub_.end = classes.back()->body.end + 1;
  for (const DefinitionOutline& member : text.definitions) {
    const bool inside = std::any_of(classes.begin(), classes.end(), [&](const DefinitionOutline* of) {
      return &member != of && of->body.begin <= member.head.begin && member.body.end <= of->body.end;
    });
    if (inside && !member.is_class) step_members_.insert(member.name);
  }
  // "typedef cub::BlockReduce<float, 256> Reduce;", "using Reduce = cub::BlockReduce<float, 256>;"
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool alias = tokens[i].is("using") && tokens[i + 2].is("=");
    if (!alias && !tokens[i].is("typedef")) continue;
    std::size_t at = alias ? i + 3 : i + 1;
    while (at + 1 < tokens.size() &&
           (tokens[at].is("typename") || tokens[at].is("::") || tokens[at + 1].is("::")))
      ++at;
    if (at >= tokens.size() || !step_classes_.contains(tokens[at].text)) continue;
    std::size_t end = at + 1;
    if (end < tokens.size() && tokens[end].is("<"))
      end = after_template_arguments(tokens, end, tokens.size());
    if (alias)
      step_classes_.insert(tokens[i + 1].text);
    else if (end < tokens.size() && tokens[end].identifier())
      step_classes_.insert(tokens[end].text);
  }
}

/// Whether a definition is one of Kiln's own headers for CUB that waits for nothing. By its name alone it
/// would be taken for another one that does: "Max" for each class with an operator.
bool SyncFunctions::of_cub_and_harmless(const Outline& text, const DefinitionOutline& definition) const {
  if (cub_.begin == cub_.end || definition.head.begin < cub_.begin || definition.body.end > cub_.end)
    return false;
  const auto waits = [&](const DefinitionOutline& one) {
    if (one.is_class && one.name.starts_with("Warp")) return true;
    for (std::size_t i = one.body.begin; i < one.body.end; ++i) {
      const Token& token = text.source.tokens[i];
      if (token.is("kiln_block_step") || sync_of_builtin(token.text) != Sync::kNone) return true;
    }
    return false;
  };
  return std::none_of(text.definitions.begin(), text.definitions.end(), [&](const DefinitionOutline& other) {
    const bool around =
        &other == &definition || (other.is_class && other.body.begin <= definition.head.begin &&
                                  definition.body.end <= other.body.end);
    return around && waits(other);
  });
}

SyncFunctions::SyncFunctions(const Outline& text) {
  find_step_classes(text);
  const std::vector<Token>& tokens = text.source.tokens;
  std::map<std::string_view, std::set<std::string_view>> calls;  // names that its definitions mention
  std::map<std::string_view, std::set<std::string_view>> all;    // the same, of harmless definitions, too
  std::set<std::string_view> members;
  std::map<std::string_view, std::string_view> scans;  // functions of groups, unless they are the text's own
  const bool groups_known = std::any_of(tokens.begin(), tokens.end(),
                                        [](const Token& token) { return token.is("cooperative_groups"); });
  for (const DefinitionOutline& definition : text.definitions) {
    (definition.kernel ? kernels_ : called_).insert(definition.name);
    if (of_cub_and_harmless(text, definition)) {
      for (std::size_t i = definition.head.begin; i < definition.body.end; ++i)
        if (tokens[i].identifier()) all[definition.name].insert(tokens[i].text);
      continue;
    }
    const bool free_function = !definition.is_class && !member_of_class(text, definition) &&
                               definition.name != "operator" && definition.body.begin > definition.head.end;
    if (!free_function) members.insert(definition.name);
    if (free_function) definitions_[definition.name].push_back(&definition);
    std::set<std::string_view>& names = calls[definition.name];
    for (std::size_t i = definition.head.begin; i < definition.body.end; ++i) {
      const Token& token = tokens[i];
      if (!token.identifier()) continue;
      names.insert(token.text);
      Sync here = sync_of_builtin(token.text);
      const bool called = i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("<"));
      if (called && groups_known && scan_of_group(token.text)) scans.emplace(definition.name, token.text);
      const bool sized_later = token.is("tiled_partition") && i + 1 < tokens.size() && tokens[i + 1].is("(");
      if (unknown_operation(token.text) || of_a_part(token.text) || sized_later)
        hidden_.emplace(definition.name, token.text);
      const bool groups =
          token.is("this_thread_block") || token.is("tiled_partition") || token.is("thread_block_tile");
      if (groups && here == Sync::kNone) here = Sync::kWarp;
      if (token.is("sync") || token.is("thread_block") || token.is("this_grid") || token.is("grid_group"))
        here = Sync::kBlock;
      if (member_wait(tokens, i)) {
        here = Sync::kBlock;
        partial_.insert(definition.name);
      }
      // The sync of a tile is a warp's; the search for calls distinguishes the two.
      Sync& known = sync_[definition.name];
      known = std::max(known, here);
    }
  }
  for (const auto& [name, called] : scans) {
    if (!calls.contains(called)) hidden_.emplace(name, called);
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [name, names] : calls) {
      for (const std::string_view called : names) {
        if (kernel(called)) continue;  // a variable, perhaps
        const auto found = sync_.find(called);
        if (called != name && found != sync_.end() && found->second > sync_[name]) {
          sync_[name] = found->second;
          grown = true;
        }
        if (partial_.contains(called) && partial_.insert(name).second) grown = true;
        const auto leads = hidden_.find(called);
        if (leads != hidden_.end() && hidden_.emplace(name, leads->second).second) grown = true;
      }
    }
  }
  for (const std::string_view name : members) {
    if (sync_[name] != Sync::kNone) hidden_.emplace(name, name);
  }
  indexed_.insert("memcpy_async");
  for (const auto& [name, names] : calls) all[name].insert(names.begin(), names.end());
  for (const auto& [name, names] : all) {
    const bool reads =
        names.contains("threadIdx") || names.contains("thread_rank") || names.contains("memcpy_async");
    if (reads) indexed_.insert(name);
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [name, names] : all) {
      if (indexed_.contains(name)) continue;
      const bool reads = std::any_of(names.begin(), names.end(), [&](std::string_view called) {
        return !kernel(called) && indexed_.contains(called);
      });
      if (reads) grown = indexed_.insert(name).second;
    }
  }
}

Sync SyncFunctions::of(std::string_view function) const {
  const auto found = sync_.find(function);
  return found == sync_.end() ? Sync::kNone : found->second;
}

const std::vector<const DefinitionOutline*>& SyncFunctions::definitions(std::string_view name) const {
  static const std::vector<const DefinitionOutline*> none;
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? none : found->second;
}

Group group_of(const std::vector<Token>& tokens, TokenRange specifiers, TokenRange initializer) {
  const auto size_at = [&](std::size_t i) {
    std::string size;
    for (++i; i < tokens.size() && !tokens[i].is(",") && !tokens[i].is(">"); ++i) {
      size += (size.empty() ? "" : " ") + std::string(tokens[i].text);
    }
    return size;
  };
  for (const TokenRange range : {specifiers, initializer}) {
    for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
      if ((tokens[i].is("thread_block_tile") || tokens[i].is("tiled_partition")) && tokens[i + 1].is("<"))
        return {Group::Kind::kTile, size_at(i + 1)};
    }
  }
  for (const TokenRange range : {specifiers, initializer}) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (i > range.begin && i + 3 < range.end && tokens[i + 1].is("(") && tokens[i + 3].is("."))
        continue;  // "this_grid().size()" makes a number
      if (tokens[i].is("thread_block") || tokens[i].is("this_thread_block")) return {Group::Kind::kBlock, ""};
      if (tokens[i].is("grid_group") || tokens[i].is("this_grid")) return {Group::Kind::kGrid, ""};
    }
  }
  return {};
}

namespace {

class Finder {
 public:
  Finder(const Body& body, const SyncFunctions& functions, const std::vector<Group>& groups)
      : body_(body), functions_(functions), groups_(groups) {}

  void find(TokenRange range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!body_.tokens()[i].identifier()) continue;
      if (member_wait(body_.tokens(), i))
        throw Trouble{"a wait for a cuda::barrier, reached by an expression", i};
      SyncCall call;
      std::size_t open = 0;
      if (!match(i, range, call, open)) continue;
      const std::size_t close = std::min(body_.tokens()[open].close, range.end);  // "(" of the arguments
      call.range.end = std::min(close + 1, range.end);
      const TokenRange inside{open + 1, close};
      call.arguments = split_commas(body_.tokens(), inside, false);
      find(inside);
      if (call.sync != Sync::kNone) found.push_back(std::move(call));
      i = close;
    }
  }

  std::vector<SyncCall> found;

 private:
  [[nodiscard]] Group group_at(std::size_t i) const {
    const int variable = body_.variable_at(i);
    if (variable >= 0) return groups_[static_cast<std::size_t>(variable)];
    return {};
  }

  bool match(std::size_t i, TokenRange range, SyncCall& call, std::size_t& open) const {
    const std::vector<Token>& tokens = body_.tokens();
    const std::string_view name = tokens[i].text;
    call.range.begin = i;
    call.name = name;
    const std::size_t wait = barrier_wait(tokens, i);
    if (wait != 0 && group_at(i).kind == Group::Kind::kNone) {
      call.name = tokens[wait].text;
      call.sync = Sync::kBlock;
      call.partial = true;
      open = wait + 1;
      return true;
    }
    if (body_.variable_at(i) >= 0) {  // group.operation(...)
      call.group = group_at(i);
      if (call.group.kind == Group::Kind::kNone || !body_.is(i + 1, ".") || !body_.is(i + 3, "("))
        return false;
      call.name = tokens[i + 2].text;
      open = i + 3;
      if (call.group.kind == Group::Kind::kBlock && call.name == "sync") call.sync = Sync::kBlock;
      if (call.group.kind == Group::Kind::kGrid && (call.name == "sync" || call.name == "barrier_wait"))
        call.sync = Sync::kBlock;
      if (call.group.kind == Group::Kind::kTile && among(kTileOperations, call.name)) call.sync = Sync::kWarp;
      return call.sync != Sync::kNone;
    }
    if (i > 0 && (body_.is(i - 1, ".") || body_.is(i - 1, "->"))) return false;
    open = i + 1;
    if (body_.is(open, "<")) open = after_template_arguments(tokens, open, range.end);
    if (!body_.is(open, "(")) return false;
    if (functions_.step_class(name)) {  // BlockReduce(storage).Sum(x)
      const std::size_t member = tokens[open].close + 2;
      if (member + 1 >= range.end || !body_.is(member - 1, ".") ||
          !functions_.step_member(tokens[member].text))
        return false;
      open = member + 1;
      if (body_.is(open, "<")) open = after_template_arguments(tokens, open, range.end);
      if (!body_.is(open, "(")) return false;
      while (call.range.begin >= range.begin + 2 && body_.is(call.range.begin - 1, "::") &&
             tokens[call.range.begin - 2].identifier())
        call.range.begin -= 2;
      call.name = tokens[member].text;
      call.sync = Sync::kBlock;
      call.step = true;
      return true;
    }
    std::size_t first = i;
    while (first >= range.begin + 2 && body_.is(first - 1, "::") && tokens[first - 2].identifier())
      first -= 2;
    if (first > range.begin && body_.is(first - 1, "::")) --first;
    call.range.begin = first;
    call.qualified_name = {first, open};
    call.sync = sync_of_builtin(name);
    if (call.sync != Sync::kNone) return true;
    if (name == "this_thread_block" || name == "this_grid") {  // cg::this_grid().sync()
      if (!body_.is(open + 1, ")") || !body_.is(open + 2, ".") || !body_.is(open + 3, "sync") ||
          !body_.is(open + 4, "("))
        return false;
      call.group.kind = name == "this_grid" ? Group::Kind::kGrid : Group::Kind::kBlock;
      call.name = "sync";
      call.sync = Sync::kBlock;
      open += 4;
      return true;
    }
    if (name == "tiled_partition") return false;
    const TokenRange inside{open + 1, std::min(tokens[open].close, range.end)};
    const bool waits = name == "sync" || (name == "wait" && functions_.definitions(name).empty());
    if ((name == "reduce" || waits) && inside.begin < inside.end) {
      call.group = group_at(inside.begin);
      if (call.group.kind == Group::Kind::kTile) call.sync = Sync::kWarp;
      if (call.group.kind == Group::Kind::kBlock && waits) call.sync = Sync::kBlock;
      if (call.group.kind == Group::Kind::kGrid && name == "sync") call.sync = Sync::kBlock;
      if (call.sync != Sync::kNone) return true;
    }
    call.sync = functions_.definitions(name).empty() ? Sync::kNone : functions_.of(name);
    call.user = call.sync != Sync::kNone;
    call.partial = call.user && functions_.partial(name);
    return call.user;
  }

  const Body& body_;
  const SyncFunctions& functions_;
  const std::vector<Group>& groups_;
};

}  // namespace

std::vector<SyncCall> find_sync_calls(const Body& body, const SyncFunctions& functions,
                                      const std::vector<Group>& groups, TokenRange range) {
  Finder finder(body, functions, groups);
  finder.find(range);
  return std::move(finder.found);
}

}  // namespace kiln::fission
