#include "compile/cpu/split/call_text.h"

#include "compile/cpu/split/lambdas.h"

namespace kiln::fission {

bool CallText::same(TokenRange condition, Place around) const {
  return an_.facts(condition).level <= (around == Place::kBlock ? kBlockLevel : kWarpLevel);
}

void CallText::emit_calls(TokenRange range, Place around) {
  for (const SyncCall* call : an_.calls_in(range)) {
    if (results_.contains(call->range.begin)) continue;
    refuse_conditional(*call, range);
    if (call->sync == Sync::kWarp && around == Place::kBlock)
      throw Trouble{"a warp operation beside a barrier of the block", call->range.begin};
    Result result;
    result.end = call->range.end;
    result.sync = call->sync;
    result.name = "kiln_r" + std::to_string(++calls_);
    const bool whole = call->range.begin == range.begin && call->range.end + 1 == range.end;
    if (call->sync == Sync::kBlock && meets())
      out_ += "kiln_missed.at_barrier(kiln_b, kiln_alive, " + std::to_string(in_.line(call->range.begin)) +
              "u);\n";
    if (call->step)
      step_call(*call, whole, result);
    else if (call->sync == Sync::kBlock)
      block_call(*call, result);
    else
      warp_call(*call, result);
    results_.emplace(call->range.begin, result);
  }
}

void CallText::refuse_conditional(const SyncCall& call, TokenRange range) const {
  for (std::size_t i = range.begin; i < call.range.begin; ++i) {
    const bool closed = (body_.is(i, "(") || body_.is(i, "[") || body_.is(i, "{")) &&
                        body_.tokens()[i].close < call.range.begin;
    if (closed) {
      i = body_.tokens()[i].close;
      continue;
    }
    if (body_.is(i, "&&") || body_.is(i, "||") || body_.is(i, "?"))
      throw Trouble{"a warp operation or barrier in a part of a condition", i};
  }
  if (in_lambda(call.range.begin))
    throw Trouble{"a warp operation or barrier in " + why_in_lambda(body_, an_.functions(), call.range.begin),
                  call.range.begin};
}

bool CallText::plain(TokenRange argument, Place around) const {
  const Facts known = an_.facts_without_calls(argument);
  return same(argument, around) && !known.effects;
}

std::string CallText::argument(TokenRange range, Place around, bool by_reference) {
  const bool block = around == Place::kBlock;
  if (!by_reference && plain(range, around)) return render(range, around);
  if (body_.is(range.begin, "{")) throw Trouble{"a list in braces as argument", range.begin};
  if (range.end == range.begin + 1 && !by_reference) {
    const int v = body_.variable_at(range.begin);
    if (v >= 0 && an_.storage(v) == Storage::kItems && !variable(v).declarator->reference &&
        !variable(v).declarator->array) {
      if (block && an_.block_array(v)) return room(v);
      if (!block && !views_) return values_of(range, false, false);
      if (!block) return "kiln::cpu::view(" + room(v) + ", " + (an_.block_array(v) ? "kiln_base" : "0") + ")";
    }
  }
  return values_of(range, block, by_reference);
}

std::string CallText::values_of(TokenRange range, bool block, bool by_reference) {
  std::string name = "kiln_a" + std::to_string(++calls_);
  const Place around = block ? Place::kBlock : Place::kWarp;
  const auto expression = [&](Place place) {
    return std::string(by_reference ? "&" : "") + "(" + render(range, place) + ")";
  };
  out_ += std::string("kiln::cpu::") + (block ? "Items" : "Lanes") + "<kiln::cpu::Value<decltype(" +
          expression(around) + ")>" + (block ? ", KilnShape> " : "> ") + name + ";\n";
  item_loop({range}, around, [&] {
    return "kiln::cpu::keep<kiln::cpu::Value<decltype(" + expression(Place::kItem) + ")>>(" + name +
           (block ? "[kiln_i], " : "[kiln_lane], ") + expression(Place::kItem) + ");\n";
  });
  return name;
}

void CallText::block_call(const SyncCall& call, Result& result) {
  if (call.user) {
    user_call(call, result, Place::kBlock);
    return;
  }
  if (call.group.kind == Group::Kind::kGrid) {
    grid_sync(call);
    result.nothing = true;
    return;
  }
  if (call.name == "__syncthreads" || call.name == "sync" || call.name == "wait" ||
      call.name == "arrive_and_wait") {
    result.nothing = true;
    return;
  }
  const bool all = call.name == "__syncthreads_and";
  const bool count = call.name == "__syncthreads_count";
  const TokenRange predicate = call.arguments.at(0);
  out_ += "int " + result.name + " = " + (all ? "1" : "0") + ";\n";
  const auto inside = [&] {
    const std::string value = "static_cast<bool>(" + render(predicate, Place::kItem) + ")";
    return result.name + (all ? " &= " : count ? " += " : " |= ") + value + " ? 1 : 0;\n";
  };
  item_loop({predicate}, Place::kBlock, inside);
}

void CallText::step_call(const SyncCall& call, bool whole, Result& result) {
  if (an_.functions().waiting_member("operator"))
    throw Trouble{"an operation of cub beside an operator() with barriers or warp operations",
                  call.range.begin};
  for (const TokenRange argument : call.arguments) {
    if (!an_.changes_nothing(argument))
      throw Trouble{"an argument with an effect, of an operation of cub", argument.begin};
  }
  const auto expression = [&] { return "static_cast<void>(" + render(call.range, Place::kItem) + ");\n"; };
  out_ += "kiln_step_pass = 1;\n";
  item_loop({call.range}, Place::kBlock, expression);
  out_ += "kiln_step_pass = 2;\n";
  result.nothing = whole;
  if (whole)
    item_loop({call.range}, Place::kBlock, expression);
  else
    result.name = values_of(call.range, true, false);
  out_ += "kiln_step_pass = 0;\n";
}

void CallText::grid_sync(const SyncCall& call) {
  std::string here = "kiln_b.count()";
  if (masks_block()) {
    here = "kiln_here" + std::to_string(++calls_);
    out_ += "int " + here + " = 0;\n";
    out_ += warps_ ? "for (int kiln_w = 0; kiln_w < kiln_b.warps(); ++kiln_w) " + here +
                         " += __builtin_popcount(kiln_alive[kiln_w]);\n"
                   : "for (int kiln_j = 0; kiln_j < kiln_b.count(); ++kiln_j) " + here +
                         " += kiln_alive[kiln_j];\n";
  }
  out_ +=
      "kiln::cpu::grid_sync(kiln_b, " + here + ", " + std::to_string(in_.line(call.range.begin)) + "u);\n";
}

std::string CallText::active() const {
  return masked_ || an_.warp_function() ? "kiln_m" : "kiln_wp.all()";
}

std::string CallText::coalesced_members(TokenRange value) const {
  const std::vector<const SyncCall*> calls = an_.calls_in(value);
  if (calls.size() != 1 || calls[0]->name != "coalesced_threads" || calls[0]->range.end != value.end)
    throw Trouble{"a group of coalesced_threads that is copied", value.begin};
  return active();
}

std::string CallText::coalesced_call(const SyncCall& call, const std::vector<std::string>& arguments) const {
  const bool reduces = call.name == "reduce";
  const std::size_t first = reduces ? call.arguments.at(0).begin : call.range.begin;
  std::string text =
      "members_" + std::string(call.name) + "(" + active() + ", " + coalesced_lanes(body_.variable_at(first));
  for (std::size_t i = reduces ? 1 : 0; i < arguments.size(); ++i) text += ", " + arguments[i];
  return text + ")";
}

void CallText::warp_call(const SyncCall& call, Result& result) {
  if (call.user) {
    user_call(call, result, Place::kWarp);
    return;
  }
  std::string name(call.name);
  if (name == "coalesced_threads") {
    result.nothing = true;  // the declaration names the lanes
    return;
  }
  std::vector<std::string> arguments;
  // Of nvcuda::wmma: fragments are passed by their addresses.
  const bool stores = name == "store_matrix_sync", multiplies = name == "mma_sync";
  const std::size_t first_fragment = stores ? 1 : 0;
  const bool matrices = stores || multiplies || name == "load_matrix_sync";
  const std::size_t fragments = !matrices ? 0 : multiplies ? 4 : 1;
  views_ = true;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool fragment = i >= first_fragment && i < first_fragment + fragments;
    arguments.push_back(argument(call.arguments[i], Place::kWarp, fragment));
  }
  views_ = false;
  const auto joined = [&](std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < arguments.size(); ++i) text += ", " + arguments[i];
    return text;
  };
  const auto need = [&](std::size_t count) {
    if (arguments.size() < count) throw Trouble{"a warp operation with too few arguments", call.range.begin};
  };
  const std::string full = ", 0xffffffffu";
  std::string text;
  if (call.group.kind == Group::Kind::kCoalesced) {
    if (name == "sync") {
      result.nothing = true;
      return;
    }
    need(name == "reduce" ? 3 : name == "any" || name == "all" || name == "ballot" ? 1 : 2);
    text = coalesced_call(call, arguments);
  } else if (call.group.kind == Group::Kind::kTile) {
    const std::string size = "unsigned(" + call.group.size + ")";
    // Where this does not hold, the text is compiled as it is.
    if (!call.group.whole_warp()) out_ += "static_assert(" + size + " <= 32u);\n";
    if (name == "sync") {
      result.nothing = true;
      return;
    }
    if (name == "reduce") {
      need(3);
      text = "tile_reduce<" + size + ">(" + active() + joined(1) + ")";
    } else if (name == "ballot") {
      need(1);
      text = "tile_ballot<" + size + ">(" + active() + joined(0) + ")";
    } else if (name == "any" || name == "all") {
      need(1);
      text = name + "(" + active() + ", kiln::cpu::tile_mask<" + size + ">()" + joined(0) + ")";
    } else {
      need(2);
      text = name + "(" + active() + full + joined(0) + ", static_cast<int>(" + size + "))";
    }
  } else if (matrices) {
    need(first_fragment + fragments);
    result.nothing = true;
    out_ += "kiln::cpu::" + name + "(" + active() + joined(0) + ");\n";
    return;
  } else if (name == "__syncwarp" || name == "kiln_warp_step") {
    result.nothing = true;
    return;
  } else if (name == "__activemask") {
    out_ += "const unsigned " + result.name + " = " + active() + ";\n";
    return;
  } else {
    const bool masked = name.size() > 5 && name.substr(name.size() - 5) == "_sync";
    name = name.substr(2, name.size() - 2 - (masked ? 5 : 0));
    const std::size_t value = masked ? 1 : 0;
    need(value + 1);
    if (name.starts_with("shfl")) arguments[value] = "kiln::cpu::small(" + arguments[value] + ")";
    text = name + "(" + active() + (masked ? "" : full) + joined(0) + ")";
  }
  out_ += "const auto " + result.name + " = kiln::cpu::" + text + ";\n";
}

void CallText::user_call(const SyncCall& call, Result& result, Place around) {
  std::vector<Level> levels;
  std::vector<Group> groups;
  const std::vector<bool> changed = in_.changed_references(call);
  for (std::size_t p = 0; p < call.arguments.size(); ++p) {
    const TokenRange range = call.arguments[p];
    const int v = range.end == range.begin + 1 ? body_.variable_at(range.begin) : -1;
    groups.push_back(v >= 0 ? an_.group(v) : Group{});
    // What is changed by reference is changed in memory: one object of all work-items has the address of
    // each. No function changes a group.
    const bool one = plain(range, around) &&
                     (groups.back().kind != Group::Kind::kNone || !(p < changed.size() && changed[p]));
    levels.push_back(one ? kBlockLevel : kItemLevel);
    if (groups.back().kind == Group::Kind::kCoalesced)
      throw Trouble{"a group of coalesced_threads as argument of a function", range.begin};
  }
  const CalledVersion version = in_.version(call, levels, groups, masked_);
  if (version.by_reference.size() < call.arguments.size())
    throw Trouble{"a call with more arguments than parameters", call.range.begin};
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    arguments.push_back(levels[i] == kBlockLevel
                            ? render(call.arguments[i], around)
                            : argument(call.arguments[i], around, version.by_reference[i]));
  }
  std::string name;
  for (std::size_t i = call.qualified_name.begin; i < call.qualified_name.end; ++i) {
    if (body_.is(i, std::string(call.name)) && name.find(version.name) == std::string::npos) {
      // "X<T>::template f<...>"
      if (i > call.qualified_name.begin + 1 && body_.is(i - 1, "::") && body_.is(i - 2, ">"))
        name += "template ";
      name += version.name;
      name += body_.is(i + 1, "<") && i + 1 < call.qualified_name.end ? "<KilnShape, " : "<KilnShape>";
      if (body_.is(i + 1, "<") && i + 1 < call.qualified_name.end) ++i;
    } else {
      name += std::string(body_.tokens()[i].text);
      if (i + 1 < call.qualified_name.end && body_.tokens()[i].identifier() &&
          body_.tokens()[i + 1].identifier())
        name += " ";
    }
  }
  std::string text = name + "(" + (around == Place::kWarp ? "kiln_wp, " + active() : std::string("kiln_b"));
  if (masked_ && around == Place::kBlock) text += ", kiln_alive";
  for (const std::string& argument : arguments) text += ", " + argument;
  text += ");\n";
  result.nothing = !version.returns;
  out_ += (version.returns ? "const auto " + result.name + " = " : "") + text;
}
}  // namespace kiln::fission
