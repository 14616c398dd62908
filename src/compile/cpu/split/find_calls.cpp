#include "compile/cpu/split/find_calls.h"

#include <algorithm>

namespace kiln::fission {
namespace {

/// "bar.arrive_and_wait", "bars[i]->wait": the last token, if the chain at `i` is a wait of a cuda::barrier.
std::size_t barrier_wait(const std::vector<Token>& tokens, std::size_t i) {
  const std::size_t count = tokens.size();
  for (++i; i < count && tokens[i].is("[");) i = tokens[i].close + 1;
  if (i + 2 >= count || !(tokens[i].is(".") || tokens[i].is("->")) || !tokens[i + 2].is("(")) return 0;
  return tokens[i + 1].is("arrive_and_wait") || tokens[i + 1].is("wait") ? i + 1 : 0;
}

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

  /// Of `cg::this_grid()` and `cg::this_thread_block()` as an argument.
  [[nodiscard]] Group made_group(TokenRange argument) const {
    if (argument.end < argument.begin + 3 || !body_.is(argument.end - 1, ")") ||
        !body_.is(argument.end - 2, "("))
      return {};
    if (body_.is(argument.end - 3, "this_grid")) return {Group::Kind::kGrid, ""};
    return body_.is(argument.end - 3, "this_thread_block") ? Group{Group::Kind::kBlock, ""} : Group{};
  }

  /// The first token of "ns::X<T>::template f", for "f" at `i`.
  [[nodiscard]] std::size_t scope_begin(std::size_t i, std::size_t begin) const {
    if (i > begin + 1 && body_.is(i - 1, "template") && body_.is(i - 2, "::")) --i;
    while (i >= begin + 2 && body_.is(i - 1, "::")) {
      std::size_t name = i - 2;
      if (body_.is(name, ">")) {
        int depth = 0;
        for (; name > begin; --name) {
          if (body_.is(name, ")")) name = body_.matching_open(name);
          if (body_.is(name, ">")) ++depth;
          if (body_.is(name, "<") && --depth == 0) break;
        }
        if (name <= begin) break;
        --name;
      }
      if (!body_.tokens()[name].identifier()) break;
      i = name;
    }
    return i > begin && body_.is(i - 1, "::") ? i - 1 : i;
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
    if (body_.variable_at(i) >= 0 && body_.is(i + 1, ".") && functions_.step_member(tokens[i + 2].text) &&
        functions_.step_object(
            body_.variables()[static_cast<std::size_t>(body_.variable_at(i))].specifiers)) {
      open = i + 3;
      if (body_.is(open, "<")) open = after_template_arguments(tokens, open, range.end);
      if (!body_.is(open, "(")) return false;
      call.name = tokens[i + 2].text;
      call.sync = Sync::kBlock;
      call.step = true;
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
      const bool lanes = call.group.kind == Group::Kind::kTile || call.group.kind == Group::Kind::kCoalesced;
      if (lanes && tile_operation(call.name)) call.sync = Sync::kWarp;
      return call.sync != Sync::kNone;
    }
    if (i > 0 && (body_.is(i - 1, ".") || body_.is(i - 1, "->"))) return false;
    open = i + 1;
    if (body_.is(open, "<")) open = after_template_arguments(tokens, open, range.end);
    if (!body_.is(open, "(")) return false;
    const std::size_t member = tokens[open].close + 2;
    const bool of_step = functions_.step_class(name) && member + 1 < range.end && body_.is(member - 1, ".") &&
                         functions_.step_member(tokens[member].text);
    if (of_step) {  // BlockReduce(storage).Sum(x); a text may have a function of this name, too
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
    const std::size_t first = scope_begin(i, range.begin);
    call.range.begin = first;
    call.qualified_name = {first, open};
    call.sync = sync_of_builtin(name);
    if (call.sync != Sync::kNone) return true;
    if (name == "coalesced_threads" && functions_.definitions(name).empty()) {
      call.sync = Sync::kWarp;
      return true;
    }
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
      if (waits && call.group.kind == Group::Kind::kNone) call.group = made_group(inside);
      if (call.group.kind == Group::Kind::kTile || call.group.kind == Group::Kind::kCoalesced)
        call.sync = Sync::kWarp;
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
