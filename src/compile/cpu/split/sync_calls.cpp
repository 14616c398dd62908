#include "compile/cpu/split/sync_calls.h"

#include <algorithm>
#include <array>

#include "compile/cpu/split/class_scope.h"

namespace kiln::fission {
namespace {

constexpr std::array<std::string_view, 4> kBlockBarriers = {"__syncthreads", "__syncthreads_count",
                                                            "__syncthreads_and", "__syncthreads_or"};
constexpr std::array<std::string_view, 28> kWarpOperations = {"__syncwarp",
                                                              "kiln_warp_step",
                                                              "__shfl_sync",
                                                              "__shfl_up_sync",
                                                              "__shfl_down_sync",
                                                              "__shfl_xor_sync",
                                                              "__shfl",
                                                              "__shfl_up",
                                                              "__shfl_down",
                                                              "__shfl_xor",
                                                              "__ballot_sync",
                                                              "__any_sync",
                                                              "__all_sync",
                                                              "__activemask",
                                                              "__match_any_sync",
                                                              "__match_all_sync",
                                                              "__reduce_add_sync",
                                                              "__reduce_min_sync",
                                                              "__reduce_max_sync",
                                                              "__reduce_and_sync",
                                                              "__reduce_or_sync",
                                                              "__reduce_xor_sync",
                                                              "__ballot",
                                                              "load_matrix_sync",
                                                              "store_matrix_sync",
                                                              "mma_sync",
                                                              "__any",
                                                              "__all"};
constexpr std::array<std::string_view, 8> kTileOperations = {"sync",     "shfl", "shfl_up", "shfl_down",
                                                             "shfl_xor", "any",  "all",     "ballot"};

/// Names of operations that wait and that this transformation does not support.
bool unknown_operation(std::string_view name) {
  return name == "this_cluster" || name == "this_multi_grid" || name == "binary_partition" ||
         name == "cluster_group" || (name.starts_with("__cluster") && name != "__cluster_dims__") ||
         name == "kiln_cluster_address" || name == "block_tile_memory" || name == "labeled_partition" ||
         name == "exit" || name == "_exit" || name == "abort" || name == "quick_exit" || name == "_Exit" ||
         name.starts_with("__mbarrier_") || name == "__isShared" || name == "__isGlobal" ||
         name == "__isLocal" || name == "kiln_named_barrier" || name == "__barrier_sync" ||
         name == "__barrier_sync_count" || name == "thread_group" || name == "wait_prior" ||
         name == "match_any" || name == "match_all";
}

/// Whether a token names the group of the lanes that are here, but not as "auto g = coalesced_threads();" or
/// "coalesced_group g = coalesced_threads();", which the transformation supports.
bool other_coalesced(const std::vector<Token>& tokens, std::size_t i) {
  const auto is = [&](std::size_t t, std::string_view text) {
    return t < tokens.size() && tokens[t].is(text);
  };
  if (tokens[i].is("coalesced_group")) {
    return !(i + 2 < tokens.size() && tokens[i + 1].identifier() && tokens[i + 2].is("=")) &&
           !(is(i + 1, "const") && is(i + 3, "="));
  }
  if (!tokens[i].is("coalesced_threads")) return false;
  std::size_t first = i;
  while (first >= 2 && is(first - 1, "::")) first -= 2;
  return !is(i + 1, "(") || !is(i + 2, ")") || !is(i + 3, ";") || first < 2 || !is(first - 1, "=") ||
         !tokens[first - 2].identifier();
}

/// Operations of cuda::barrier and cuda::pipeline that some work-items of a block may make alone.
bool of_a_part(std::string_view name) {
  return name == "arrive_and_drop" || name == "try_wait" || name == "test_wait" || name == "wait_parity" ||
         name == "try_wait_parity" || name == "try_wait_for" || name == "pipeline_shared_state";
}

/// A name of cooperative groups that makes a block's group or a tile; not a variable of this name.
bool group_word(const std::vector<Token>& tokens, std::size_t i) {
  return tokens[i].is("this_thread_block") || tile_word(tokens, i);
}

/// Functions of cooperative groups whose names a text may give to its own functions.
bool scan_of_group(std::string_view name) {
  return name == "inclusive_scan" || name == "exclusive_scan" || name == "invoke_one" ||
         name == "reduce_store_async";
}

/// Whether the outline took "template <class T, int N = 32> class X {...};" for a variable T, too.
bool template_of_class(const std::vector<Token>& tokens, const DefinitionOutline& definition) {
  if (definition.is_class || definition.body.begin != definition.head.begin) return false;
  std::size_t i = definition.head.begin;
  while (i + 1 < definition.head.end && tokens[i].is("template") && tokens[i + 1].is("<"))
    i = behind_angles(tokens, i + 1, definition.head.end);
  return i < definition.head.end &&
         (tokens[i].is("class") || tokens[i].is("struct") || tokens[i].is("union"));
}

/// "operator()".
bool call_operator(const std::vector<Token>& tokens, const DefinitionOutline& definition) {
  for (std::size_t i = definition.head.begin; i + 2 < definition.head.end; ++i) {
    if (tokens[i].is("operator")) return tokens[i + 1].is("(") && tokens[i + 2].is(")");
  }
  return false;
}

}  // namespace

bool member_wait(const std::vector<Token>& tokens, std::size_t i) {
  return (tokens[i].is("arrive_and_wait") || tokens[i].is("wait")) && i > 0 &&
         (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
}

bool tile_operation(std::string_view name) {
  return among(kTileOperations, name);
}

Sync sync_of_builtin(std::string_view name) {
  if (among(kBlockBarriers, name)) return Sync::kBlock;
  return among(kWarpOperations, name) ? Sync::kWarp : Sync::kNone;
}

bool tile_word(const std::vector<Token>& tokens, std::size_t i) {
  if (tokens[i].is("coalesced_threads")) return true;
  const bool named = tokens[i].is("tiled_partition") || tokens[i].is("thread_block_tile");
  return named && i + 1 < tokens.size() && (tokens[i + 1].is("<") || tokens[i + 1].is("("));
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
      const bool lanes = token.text.starts_with("kiln_") &&
                         (token.text.ends_with("value_of_lane") || token.text.ends_with("kiln_from") ||
                          token.text.starts_with("kiln_warp_"));
      if (lanes || token.is("kiln_block_step") || sync_of_builtin(token.text) != Sync::kNone) return true;
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

SyncFunctions::SyncFunctions(const Outline& text, const std::vector<std::string>& entries)
    : tokens_(text.source.tokens) {
  find_step_classes(text);
  const std::vector<Token>& tokens = text.source.tokens;
  std::map<std::string_view, std::set<std::string_view>> calls;  // names that its definitions mention
  std::map<std::string_view, std::set<std::string_view>> all;    // the same, of harmless definitions, too
  std::set<std::string_view> members, object_members;
  std::map<std::string_view, std::string_view> scans;  // functions of groups, unless they are the text's own
  const bool groups_known = std::any_of(tokens.begin(), tokens.end(),
                                        [](const Token& token) { return token.is("cooperative_groups"); });
  // Of kiln/atomic.h and kiln/semaphore.h, which are part of a preprocessed text that includes them.
  const auto has = [&](std::string_view word) {
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) { return token.is(word); });
  };
  const bool semaphores = has("counting_semaphore"), values = semaphores || has("AtomicOperations");
  const ClassesAround around(text);
  for (const DefinitionOutline& definition : text.definitions) {
    if (template_of_class(tokens, definition)) continue;
    (definition.kernel ? kernels_ : called_).insert(definition.name);
    if (definition.is_class) classes_.insert(definition.name);
    if (of_cub_and_harmless(text, definition)) {
      for (std::size_t i = definition.head.begin; i < definition.body.end; ++i)
        if (tokens[i].identifier()) all[definition.name].insert(tokens[i].text);
      continue;
    }
    const DefinitionOutline* owner = around.of(definition);
    const bool function = !definition.is_class && definition.body.begin > definition.head.end;
    const bool object_member = function && owner != nullptr && !is_static(text, definition) &&
                               definition.name != owner->name &&
                               (definition.name != "operator" || call_operator(tokens, definition));
    const bool free_function = function && !object_member && definition.name != "operator" &&
                               (owner == nullptr || definition.name != owner->name);
    if (object_member)
      object_members.insert(definition.name);
    else if (!free_function && !definition.is_class)  // a function may have a class's name
      members.insert(definition.name);
    if (definition.is_class) {  // it has its members as definitions of their own
      for (std::size_t i = definition.head.begin; i < definition.body.begin; ++i) {  // its bases
        if (tokens[i].identifier()) all[definition.name].insert(tokens[i].text);
      }
      for (std::size_t i = definition.body.begin; i < definition.body.end; ++i) {
        if (tokens[i].is("{") && (tokens[i - 1].is(")") || tokens[i - 1].is("const"))) i = tokens[i].close;
        if (tokens[i].identifier()) all[definition.name].insert(tokens[i].text);
      }
      continue;
    }
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
      if (unknown_operation(token.text) || of_a_part(token.text) || sized_later || other_coalesced(tokens, i))
        hidden_.emplace(definition.name, token.text);
      const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (member && ((values && token.is("wait")) ||
                     (semaphores && (token.is("acquire") || token.is("arrive_and_wait")))))
        hidden_.emplace(definition.name, token.text);
      if (group_word(tokens, i) && here == Sync::kNone) here = Sync::kWarp;
      if (groups_known &&
          (token.is("sync") || token.is("thread_block") || token.is("this_grid") || token.is("grid_group")))
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
  for (const std::string_view name : object_members) {
    if (sync_[name] != Sync::kNone) waiting_members_.insert(name);
  }
  indexed_.insert("memcpy_async");
  // `cg::grid_group::thread_rank()`
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const Token& name = tokens[i];
    const bool member = name.is("thread_rank") || name.is("thread_index") || name.is("meta_group_rank");
    if (member && tokens[i - 1].is("::") && tokens[i + 1].is("(")) indexed_.insert(name.text);
  }
  for (const auto& [name, names] : calls) all[name].insert(names.begin(), names.end());
  for (const auto& [name, names] : all) {
    const bool reads =
        names.contains("threadIdx") || names.contains("thread_rank") || names.contains("memcpy_async");
    if (reads) indexed_.insert(name);
  }
  // A type by another name: "using Load = BlockLoad<float>;", "typedef BlockLoad<float> Load;".
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool alias = tokens[i].is("using") && tokens[i + 2].is("=");
    if (!alias && !tokens[i].is("typedef")) continue;
    std::size_t end = i + 1;
    std::vector<std::size_t> others;  // names
    if (alias) others.push_back(i + 1);
    for (; end < tokens.size() && !tokens[end].is(";"); ++end) {
      if (tokens[end].is("{") && tokens[end].close > end)
        end = std::min(tokens[end].close, tokens.size() - 1);
      const bool last = end + 1 < tokens.size() && (tokens[end + 1].is(",") || tokens[end + 1].is(";"));
      if (!alias && last && tokens[end].identifier()) others.push_back(end);
    }
    for (const std::size_t name : others) {
      classes_.insert(tokens[name].text);
      for (std::size_t t = i + 1; t < std::min(end, tokens.size()); ++t) {
        if (t != name && tokens[t].identifier()) all[tokens[name].text].insert(tokens[t].text);
      }
    }
    i = end;
  }
  find_index_readers(text, entries, all);
}

/// `names`: what the definitions of each name mention.
void SyncFunctions::find_index_readers(const Outline& text, const std::vector<std::string>& entries,
                                       std::map<std::string_view, std::set<std::string_view>>& names) {
  const auto grow = [&] {
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& [name, mentioned] : names) {
        if (indexed_.contains(name)) continue;
        const bool reads = std::any_of(mentioned.begin(), mentioned.end(), [&](std::string_view called) {
          return !kernel(called) && indexed_.contains(called);
        });
        if (reads) grown = indexed_.insert(name).second || grown;
      }
    }
  };
  grow();
  // A template with such a class as argument names it by a parameter.
  const auto reading_argument = [&](const std::vector<Token>& tokens, std::size_t i) {
    const bool begins = tokens[i - 1].is("<") || tokens[i - 1].is(",") || tokens[i - 1].is("::");
    const bool ends = tokens[i + 1].is(">") || tokens[i + 1].is(",") || tokens[i + 1].is("<");
    return begins && ends && tokens[i].identifier() && indexed_.contains(tokens[i].text) &&
           classes_.contains(tokens[i].text);
  };
  const auto any_argument = [&](const std::vector<Token>& tokens) {
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (reading_argument(tokens, i)) return true;
    }
    return false;
  };
  bool passed = any_argument(tokens_);
  for (const std::string& entry : entries) passed = passed || any_argument(tokenize(entry).tokens);
  if (!passed) return;
  for (const DefinitionOutline& definition : text.definitions) {
    for (std::size_t i = definition.head.begin; i + 1 < definition.head.end; ++i) {
      const bool parameter = tokens_[i].is("class") || tokens_[i].is("typename");
      const bool ends = parameter && i + 2 < tokens_.size() &&
                        (tokens_[i + 2].is(",") || tokens_[i + 2].is(">") || tokens_[i + 2].is("="));
      if (ends && tokens_[i + 1].identifier()) indexed_.insert(tokens_[i + 1].text);
    }
  }
  grow();
}

bool SyncFunctions::step_object(TokenRange specifiers) const {
  for (std::size_t i = specifiers.begin; i < specifiers.end; ++i) {
    if (step_class(tokens_[i].text) && !tokens_[i + 1].is("::")) return true;
  }
  return false;
}

bool SyncFunctions::may_wait(const std::vector<Token>& tokens, std::size_t i) const {
  const Token& token = tokens[i];
  if (!token.identifier()) return false;
  const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
  if (member && (tile_operation(token.text) || step_member(token.text))) return true;
  return sync_of_builtin(token.text) != Sync::kNone || of(token.text) != Sync::kNone || hidden(token.text) ||
         waiting_member(token.text) || token.is("sync") || member_wait(tokens, i);
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
      if (tokens[i].is("coalesced_group") || tokens[i].is("coalesced_threads"))
        return {Group::Kind::kCoalesced, ""};
      if (i > range.begin && i + 3 < range.end && tokens[i + 1].is("(") && tokens[i + 3].is("."))
        continue;  // "this_grid().size()" makes a number
      if (tokens[i].is("thread_block") || tokens[i].is("this_thread_block")) return {Group::Kind::kBlock, ""};
      if (tokens[i].is("grid_group") || tokens[i].is("this_grid")) return {Group::Kind::kGrid, ""};
    }
  }
  return {};
}

}  // namespace kiln::fission
