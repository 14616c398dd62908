#include "compile/cpu/split/statement_text.h"
#include "specialize/attributes.h"

#include <algorithm>
#include <utility>

namespace kiln::fission {

void StatementText::list(const Statement& statement, Place around) {
  std::vector<const Statement*> chunk;
  const auto flush = [&] {
    if (chunk.empty()) return;
    if (around == Place::kBlock && warps_)
      warp_chunk(chunk);
    else
      region(chunk, around);
    chunk.clear();
  };
  const auto one = [&](const Statement& child) {
    const Place place = an_.place(child);
    const bool in_chunk = around == Place::kBlock ? place != Place::kBlock : place == Place::kItem;
    if (in_chunk) {
      const bool of_warps = around == Place::kBlock && warps_;
      if (!chunk.empty() && !of_warps && !an_.same_loop(*chunk.back(), child)) flush();
      chunk.push_back(&child);
    } else if (an_.hoisted(child)) {
      if (hides(child, chunk)) flush();
      hoisted(child, around);
    } else {
      flush();
      outer(child, around);
    }
  };
  if (statement.kind == Kind::kBlock) {
    for (const auto& child : statement.children) one(*child);
  } else {
    one(statement);
  }
  flush();
}

bool StatementText::hides(const Statement& declaration, const std::vector<const Statement*>& before) const {
  return std::any_of(before.begin(), before.end(), [&](const Statement* statement) {
    for (std::size_t i = statement->range.begin; i < statement->range.end; ++i) {
      for (const Declarator& declarator : declaration.declarators) {
        if (body_.is(i, declarator.name)) return true;
      }
    }
    return false;
  });
}

void StatementText::hoisted(const Statement& statement, Place around) {
  if (statement.is_shared) {
    shared(statement);
  } else if (statement.kind == Kind::kDeclaration) {
    for (const Declarator& declarator : statement.declarators)
      out_ += raw(statement.specifiers) + " " + render(declarator.range, around) + ";\n";
  } else if (statement.kind != Kind::kEmpty) {
    out_ += render(statement.range, around) + "\n";
  }
}

void StatementText::shared(const Statement& statement) {
  bool dynamic = false;
  for (std::size_t i = statement.specifiers.begin; i < statement.specifiers.end; ++i)
    dynamic = dynamic || body_.is(i, "extern");
  if (!in_.kernel || dynamic || statement.declarators.empty()) {
    out_ += render(statement.range, Place::kBlock) + "\n";
    return;
  }
  out_ += "alignas(64) ";
  for (std::size_t i = statement.specifiers.begin; i < statement.specifiers.end; ++i) {
    if (body_.is(i, "static") || body_.is(i, "__shared__")) continue;
    if (is_alignment(body_.tokens()[i])) {
      out_ += raw({i, body_.tokens()[i + 1].close + 1}) + " ";
      i = body_.tokens()[i + 1].close;
      continue;
    }
    out_ += std::string(body_.tokens()[i].text) + " ";
  }
  out_ += raw({statement.specifiers.end, statement.range.end}) + "\n";
  for (const Declarator& declarator : statement.declarators) {
    out_ += "static thread_local __attribute__((used)) char kiln_shared_" + std::string(declarator.name) +
            "[sizeof(" + std::string(declarator.name) + ")];\n";
  }
}

void StatementText::warp_chunk(const std::vector<const Statement*>& chunk) {
  std::vector<TokenRange> ranges;
  for (const Statement* statement : chunk) {
    ranges.push_back(statement->range);
    declare_rooms(*statement, Place::kBlock);
  }
  const int number = ++chunks_;
  const std::string end = "kiln_warp_end" + std::to_string(number);
  chunk_end_ = end;
  used_chunk_end_ = false;
  const std::string before = std::exchange(out_, "");
  std::vector<const Statement*> items;
  const auto flush = [&] {
    if (!items.empty()) region(items, Place::kWarp);
    items.clear();
  };
  for (const Statement* statement : chunk) {
    if (an_.place(*statement) == Place::kItem) {
      if (!items.empty() && !an_.same_loop(*items.back(), *statement)) flush();
      items.push_back(statement);
    } else if (an_.hoisted(*statement)) {
      hoisted(*statement, Place::kWarp);
    } else {
      flush();
      outer(*statement, Place::kWarp);
    }
  }
  flush();
  const std::string inside = std::exchange(out_, before);
  out_ += "KILN_WARPS\n";
  const bool alive = masks_block();
  out_ += alive ? "unsigned kiln_m = kiln_alive[kiln_w];\nif (!kiln_m) continue;\nunsigned& kiln_live = "
                  "kiln_alive[kiln_w];\nstatic_cast<void>(kiln_live);\n"
                : "const unsigned kiln_m = kiln_wp.all();\n";
  out_ += "KILN_WARP_BEGIN\n{\n" + bindings(ranges, Place::kWarp) + inside + "}\n";
  if (used_chunk_end_) out_ += end + ":;\n";
  out_ += "}\n";
  if (used_chunk_end_ && !part_end_.empty()) leave_block();
  for (const Statement* statement : chunk) {
    const auto named = [&](const Declarator& declarator) {
      return an_.named_in_block(body_.variable_at(declarator.at));
    };
    if (std::any_of(statement->declarators.begin(), statement->declarators.end(), named))
      declare_repeated(*statement, Place::kBlock);
  }
  chunk_end_.clear();
}

void StatementText::outer(const Statement& statement, Place around) {
  const std::vector<const SyncCall*> calls = an_.calls_in(statement.range);
  switch (statement.kind) {
    case Kind::kBlock:
      out_ += "{\n";
      list(statement, around);
      out_ += "}\n";
      return;
    case Kind::kExpression:
      emit_calls(statement.range, around);
      if (calls.size() == 1 && calls[0]->range.begin == statement.range.begin &&
          calls[0]->range.end + 1 == statement.range.end)
        return;
      if (an_.is_uniform(statement, around)) {
        out_ += render(statement.range, around) + "\n";
      } else {
        item_loop({statement.range}, around, [&] { return item_statement(statement); });
      }
      return;
    case Kind::kDeclaration:
      outer_declaration(statement, around);
      return;
    case Kind::kScopeDeclaration:
      out_ += render(statement.range, around) + "\n";
      return;
    case Kind::kReturn:
      outer_return(statement, around);
      return;
    case Kind::kBreak:
    case Kind::kContinue:
      outer_jump(statement, around);
      return;
    case Kind::kIf:
      outer_if(statement, around);
      return;
    case Kind::kSwitch:
      outer_switch(statement, around);
      return;
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kDo:
      outer_loop(statement, around);
      return;
    case Kind::kEmpty:
      return;
    case Kind::kOpaque:
      throw Trouble{
          body_.is(statement.range.begin, "switch")
              ? "a barrier in a switch with cases that fall through or with 'break' in a part of a case"
              : "a barrier in a form of statement that Kiln does not look into",
          statement.range.begin};
  }
}

void StatementText::outer_declaration(const Statement& statement, Place around) {
  for (const Declarator& declarator : statement.declarators) {
    const int v = body_.variable_at(declarator.at);
    emit_calls(declarator.initializer, around);
    if (an_.group(v).kind == Group::Kind::kCoalesced) {
      const TokenRange value = declarator.initializer;
      out_ += "const unsigned " + coalesced_lanes(v) + " = " + coalesced_members(value) + ";\n";
      continue;
    }
    const std::string whole = raw(statement.specifiers) + " ";
    switch (an_.storage(v)) {
      case Storage::kOuter:
      case Storage::kRepeated:
        out_ += whole + render(declarator.range, around) + ";\n";
        break;
      case Storage::kItems:
        // The block's array, for a warp's value, stands outside of the warps' loop.
        if (an_.block_array(v) == (around == Place::kBlock)) declare_room(v, declarator, statement);
        item_loop({statement.specifiers, declarator.range}, around,
                  [&] { return first_value(v, declarator, statement); });
        break;
      case Storage::kLocal:
        break;
    }
  }
}

void StatementText::outer_return(const Statement& statement, Place around) {
  const bool value = statement.condition.end > statement.condition.begin;
  emit_calls(statement.condition, around);
  if (around == Place::kBlock) {
    if (value && returns()) store_result(statement.condition, around);
    if (!part_end_.empty()) {
      out_ += "kiln::cpu::clear(kiln_b, kiln_alive);\ngoto " + part_end_ + ";\n";
      used_part_end_ = true;
      return;
    }
    out_ += returns() ? "return kiln_return;\n" : "return;\n";
    return;
  }
  if (value && returns()) store_result(statement.condition, around);
  out_ += "kiln_live &= ~kiln_m;\nkiln_m = 0;\n";
  leave_warp();
}

void StatementText::store_result(TokenRange value, Place around) {
  item_loop({value}, around, [&] {
    return "kiln::cpu::keep(kiln_return" + std::string(an_.warp_function() ? "[kiln_lane]" : "[kiln_i]") +
           ", " + as_result(value.begin, render(value, Place::kItem)) + ");\n";
  });
}

void StatementText::outer_jump(const Statement& statement, Place around) {
  const bool breaks = statement.kind == Kind::kBreak;
  if (around == Place::kBlock && !parted_loop_.empty()) {
    out_ += parted_loop_ + (breaks ? ".leave(kiln_alive);\n" : ".wait(kiln_alive);\n") + "goto " + part_end_ +
            ";\n";
    used_part_end_ = true;
    return;
  }
  if (around == Place::kBlock) {
    out_ += breaks ? "break;\n" : turn_end_.empty() ? "continue;\n" : "goto " + turn_end_ + ";\n";
    used_turn_end_ = used_turn_end_ || !breaks;
    return;
  }
  if (!parted_loop_.empty()) {
    out_ += parted_loop_ + (breaks ? ".apart" : ".waits") +
            "[kiln_w] |= kiln_m;\nkiln_live &= ~kiln_m;\nkiln_m = 0;\n";
    leave_warp();
    return;
  }
  if (!masked_loop_) {
    out_ += breaks ? "break;\n" : "continue;\n";
    return;
  }
  if (breaks) out_ += "kiln_staying &= ~kiln_m;\n";
  out_ += "kiln_m = 0;\n";
}

std::string StatementText::agreed(const Statement& statement, bool value) {
  const TokenRange condition = statement.condition;
  for (const SyncCall* call : an_.calls_in(statement.range)) {
    if (call->partial)
      throw Trouble{"a wait for a cuda::barrier that a part of a block may make", condition.begin};
  }
  const std::string name = "kiln_agree" + std::to_string(++agreements_);
  const std::string type =
      value ? "kiln::cpu::Value<decltype(" + render(condition, Place::kBlock) + ")>" : "bool";
  out_ += "kiln::cpu::Agreement<" + type + "> " + name + ";\n";
  item_loop({condition}, Place::kBlock, [&] {
    return name + ".add(static_cast<" + type + ">(" + render(condition, Place::kItem) + "));\n";
  });
  return name + ".result(" + std::to_string(in_.line(condition.begin)) + "u)";
}

std::string StatementText::lanes_where(TokenRange condition) {
  std::string name = "kiln_c" + std::to_string(++agreements_);
  out_ += "unsigned " + name + " = 0;\n";
  item_loop({condition}, Place::kWarp, [&] {
    return name + " |= static_cast<bool>(" + render(condition, Place::kItem) + ") ? 1u << kiln_lane : 0u;\n";
  });
  return name;
}

std::string StatementText::parting(const Statement& statement) {
  for (const SyncCall* call : an_.calls_in(statement.range)) {
    if (call->partial)
      throw Trouble{"a wait for a cuda::barrier that a part of a block may make", statement.range.begin};
  }
  std::string name = "kiln_parting" + std::to_string(++parts_);
  out_ += "kiln::cpu::Parting<KilnShape, " + set_type() + "> " + name + "(kiln_b);\n";
  return name;
}

void StatementText::set_stays(const std::string& parting, TokenRange range,
                              const std::function<std::string()>& condition) {
  out_ += "kiln::cpu::clear(kiln_b, " + parting + ".stays);\n";
  item_loop({range}, Place::kBlock, [&] {
    return warps_ ? parting + ".stays[kiln_w] |= static_cast<bool>(" + condition() +
                        ") ? 1u << kiln_lane : 0u;\n"
                  : parting + ".stays[kiln_i] = static_cast<bool>(" + condition() + ") ? 1 : 0;\n";
  });
}

std::string StatementText::parting_arguments(const Statement& statement, bool waits) const {
  return meets() && waits
             ? "(kiln_alive, " + std::to_string(in_.line(statement.condition.begin)) + "u, kiln_missed)"
             : "(kiln_alive)";
}

std::string StatementText::joined() const {
  return meets() ? "(kiln_alive, kiln_missed)" : "(kiln_alive)";
}

void StatementText::part(const Statement& statement) {
  const std::string outer = std::exchange(part_end_, "kiln_part_end" + std::to_string(++parts_));
  const bool used = std::exchange(used_part_end_, false);
  out_ += "{\n";
  list(statement, Place::kBlock);
  out_ += "}\n";
  if (used_part_end_) out_ += part_end_ + ":;\n";
  part_end_ = outer;
  used_part_end_ = used;
}

void StatementText::after_parting(const Statement& statement, bool masked) {
  masked_ = masked || an_.jumps(statement, Kind::kReturn);
  if (an_.jumps(statement, Kind::kReturn)) leave_block();
}

void StatementText::parted_if(const Statement& statement) {
  const auto waits = [&](std::size_t child) {
    return an_.sync_in(statement.children[child]->range) == Sync::kBlock;
  };
  const std::string name = parting(statement);
  set_stays(name, statement.condition, [&] { return render(statement.condition, Place::kItem); });
  const bool masked = std::exchange(masked_, true);
  out_ += "if (" + name + ".keep" + parting_arguments(statement, waits(0)) + ") {\n";
  part(*statement.children[0]);
  out_ += "}\n";
  if (statement.children.size() > 1) {
    out_ += "if (" + name + ".turn" + parting_arguments(statement, waits(1)) + ") {\n";
    part(*statement.children[1]);
    out_ += "}\n";
  }
  out_ += name + ".join" + joined() + ";\n";
  after_parting(statement, masked);
}

void StatementText::parted_switch(const Statement& statement) {
  const std::string values = values_of(statement.condition, true, false);
  const bool masked = std::exchange(masked_, true);
  const auto tests = [&](std::size_t i) {
    std::string test;
    for (const TokenRange label : statement.labels[i]) {
      if (label.begin != label.end)
        test += (test.empty() ? "" : " || ") + values + "[kiln_i] == (" + raw(label) + ")";
    }
    return test.empty() ? std::string("false") : test;
  };
  std::string labelled;
  for (std::size_t i = 0; i < statement.children.size(); ++i) labelled += (i == 0 ? "" : " || ") + tests(i);
  for (std::size_t i = 0; i < statement.children.size(); ++i) {
    const auto is_default = [](TokenRange label) { return label.begin == label.end; };
    const bool others = std::any_of(statement.labels[i].begin(), statement.labels[i].end(), is_default);
    const bool waits = an_.sync_in(statement.children[i]->range) == Sync::kBlock;
    out_ += "{\n";
    const std::string name = parting(statement);
    set_stays(name, {}, [&] { return others ? tests(i) + " || !(" + labelled + ")" : tests(i); });
    out_ += "if (" + name + ".keep" + parting_arguments(statement, waits) + ") {\n";
    part(*statement.children[i]);
    out_ += "}\n" + name + ".join" + joined() + ";\n}\n";
  }
  after_parting(statement, masked);
}

void StatementText::outer_if(const Statement& statement, Place around) {
  out_ += "{\n";
  emit_calls(statement.condition, around);
  const bool has_else = statement.children.size() > 1;
  if (an_.uniform_range(statement.condition, around)) {
    out_ += std::string(statement.constant ? "if constexpr (" : "if (") +
            render(statement.condition, around) + ") {\n";
    list(*statement.children[0], around);
    if (has_else) {
      out_ += "} else {\n";
      list(*statement.children[1], around);
    }
    out_ += "}\n";
  } else if (around == Place::kBlock && an_.parts(statement)) {
    parted_if(statement);
  } else if (around == Place::kBlock) {
    const std::string yes = agreed(statement);
    out_ += "if (" + yes + ") {\n";
    list(*statement.children[0], around);
    if (has_else) {
      out_ += "} else {\n";
      list(*statement.children[1], around);
    }
    out_ += "}\n";
  } else {
    if (an_.jumps(statement, Kind::kBreak) || an_.jumps(statement, Kind::kContinue))
      throw Trouble{"'break' or 'continue' of some lanes of a warp, beside a warp operation",
                    statement.range.begin};
    const std::string yes = lanes_where(statement.condition);
    const bool masked = std::exchange(masked_, true);
    out_ += "const unsigned kiln_around = kiln_m;\n";
    out_ += "if (const unsigned kiln_part = kiln_around & " + yes +
            ") {\nunsigned kiln_m = kiln_part;\nKILN_WARP_BEGIN\n{\n";
    list(*statement.children[0], around);
    out_ += "}\n}\n";
    if (has_else) {
      out_ += "if (const unsigned kiln_part = kiln_around & ~" + yes +
              ") {\nunsigned kiln_m = kiln_part;\nKILN_WARP_BEGIN\n{\n";
      list(*statement.children[1], around);
      out_ += "}\n}\n";
    }
    masked_ = masked || an_.jumps(statement, Kind::kReturn);
  }
  out_ += "}\n";
  after_inner(statement, around);
}

void StatementText::outer_switch(const Statement& statement, Place around) {
  out_ += "{\n";
  emit_calls(statement.condition, around);
  const bool uniform = an_.uniform_range(statement.condition, around);
  if (!uniform && around == Place::kBlock && an_.parts(statement)) {
    parted_switch(statement);
  } else if (uniform || around == Place::kBlock) {
    const std::string value = uniform ? render(statement.condition, around) : agreed(statement, true);
    out_ += "switch (" + value + ") {\n";
    for (std::size_t i = 0; i < statement.children.size(); ++i) {
      for (const TokenRange label : statement.labels[i])
        out_ += label.begin == label.end ? "default:\n" : "case " + raw(label) + ":\n";
      out_ += "{\n";
      list(*statement.children[i], around);
      out_ += "}\nbreak;\n";
    }
    out_ += "}\n";
  } else {
    switch_of_lanes(statement);
  }
  out_ += "}\n";
  after_inner(statement, around);
}

void StatementText::switch_of_lanes(const Statement& statement) {
  if (an_.jumps(statement, Kind::kContinue))
    throw Trouble{"'continue' of some lanes of a warp, beside a warp operation", statement.range.begin};
  const std::string values = values_of(statement.condition, false, false);
  const std::string name = "kiln_case" + std::to_string(++agreements_) + "_";
  const auto mask = [&](std::size_t i) { return name + std::to_string(i); };
  std::string others = "0u", by_default;
  for (std::size_t i = 0; i < statement.children.size(); ++i) {
    out_ += "unsigned " + mask(i) + " = 0;\n";
    std::string test = "false";
    for (const TokenRange label : statement.labels[i]) {
      if (label.begin == label.end)
        by_default = mask(i);
      else
        test += " || " + values + "[kiln_lane] == (" + raw(label) + ")";
    }
    item_loop({}, Place::kWarp, [&] { return mask(i) + " |= " + test + " ? 1u << kiln_lane : 0u;\n"; });
    others += " | " + mask(i);
  }
  if (!by_default.empty()) out_ += by_default + " |= ~(" + others + ");\n";
  const bool masked = std::exchange(masked_, true);
  out_ += "const unsigned kiln_around = kiln_m;\n";
  for (std::size_t i = 0; i < statement.children.size(); ++i) {
    out_ += "if (const unsigned kiln_part = kiln_around & " + mask(i) +
            ") {\nunsigned kiln_m = kiln_part;\nKILN_WARP_BEGIN\n{\n";
    list(*statement.children[i], Place::kWarp);
    out_ += "}\n}\n";
  }
  masked_ = masked || an_.jumps(statement, Kind::kReturn);
}

void StatementText::after_inner(const Statement& statement, Place around) {
  if (around != Place::kWarp) return;
  const bool leaves =
      !parted_loop_.empty() && (an_.jumps(statement, Kind::kBreak) || an_.jumps(statement, Kind::kContinue));
  if (!leaves && !an_.jumps(statement, Kind::kReturn)) return;
  out_ += "kiln_m &= kiln_live;\n";
  leave_warp();
}

void StatementText::outer_loop(const Statement& statement, Place around) {
  const bool calls = !an_.calls_in(statement.condition).empty() || !an_.calls_in(statement.step).empty();
  const bool is_for = statement.kind == Kind::kFor;
  const bool known =
      same(statement.condition, around) && !calls &&
      (!is_for || (an_.is_uniform(*statement.children[0], around) && uniform_step(statement, around))) &&
      an_.uniform_range(statement.condition, around) &&
      (around == Place::kBlock ? !an_.parts(statement) : an_.exit_level(statement) <= kWarpLevel);
  if (known) {
    if (an_.any_leaves_early() && an_.jumps(statement, Kind::kReturn) && around == Place::kBlock)
      masked_ = true;
    const bool masked_loop = std::exchange(masked_loop_, false);
    const std::string parted_loop = std::exchange(parted_loop_, "");
    const std::string turn_end = std::exchange(turn_end_, "");
    if (is_for) {
      out_ += lead(statement) + "for (" +
              render({statement.children[0]->range.begin, statement.children[0]->range.end}, around) + " " +
              render(statement.condition, around) + "; " + render(statement.step, around) + ") {\n";
    } else if (statement.kind == Kind::kWhile) {
      out_ += "while (" + render(statement.condition, around) + ") {\n";
    } else {
      out_ += "do {\n";
    }
    list(statement.body(), around);
    out_ += "}";
    if (statement.kind == Kind::kDo) out_ += " while (" + render(statement.condition, around) + ");";
    out_ += "\n";
    masked_loop_ = masked_loop;
    parted_loop_ = parted_loop;
    turn_end_ = turn_end;
    if (around == Place::kWarp && an_.jumps(statement, Kind::kReturn)) after_inner(statement, around);
    return;
  }
  if (around == Place::kBlock)
    block_loop(statement);
  else
    warp_loop(statement);
}

bool StatementText::uniform_step(const Statement& statement, Place around) const {
  return statement.step.begin == statement.step.end || an_.uniform_range(statement.step, around);
}

void StatementText::init(const Statement& statement, Place around) {
  if (statement.kind != Kind::kFor) return;
  list(*statement.children[0], around);
}

void StatementText::step(const Statement& statement, Place around) {
  if (statement.step.begin >= statement.step.end) return;
  emit_calls(statement.step, around);
  if (an_.uniform_range(statement.step, around)) {
    out_ += render(statement.step, around) + ";\n";
    return;
  }
  item_loop({statement.step}, around, [&] { return render(statement.step, Place::kItem) + ";\n"; });
}

void StatementText::block_loop(const Statement& statement) {
  const bool parts = an_.parts(statement), may_part = an_.may_part(statement);
  const bool masked = masked_;
  out_ += "{\n";
  init(statement, Place::kBlock);
  const std::string name = parts ? parting(statement) : std::string();
  if (parts || (an_.any_leaves_early() && an_.jumps(statement, Kind::kReturn))) masked_ = true;
  const std::string parted_loop = std::exchange(parted_loop_, name);
  const std::set<std::size_t> jumps = std::exchange(outer_jumps_, {});
  if (parts) collect_jumps(statement.body());
  out_ += "for (;;) {\n";
  const auto test = [&] {
    if (statement.condition.begin >= statement.condition.end) return;
    emit_calls(statement.condition, Place::kBlock);
    if (same(statement.condition, Place::kBlock) && !an_.facts_without_calls(statement.condition).effects) {
      out_ += "if (!(" + render(statement.condition, Place::kBlock) + ")) break;\n";
    } else if (parts && may_part) {
      set_stays(name, statement.condition, [&] { return render(statement.condition, Place::kItem); });
      out_ += "if (!" + name + ".keep" + parting_arguments(statement, true) + ") break;\n";
    } else {
      const std::string yes = agreed(statement);
      out_ += "if (!" + yes + ") break;\n";
    }
  };
  if (statement.kind != Kind::kDo) test();
  const std::string turn_end = std::exchange(turn_end_, "kiln_turn_end" + std::to_string(++parts_));
  const bool used = std::exchange(used_turn_end_, false);
  if (parts) {
    part(statement.body());
  } else {
    out_ += "{\n";
    list(statement.body(), Place::kBlock);
    out_ += "}\n";
  }
  if (used_turn_end_) out_ += turn_end_ + ":;\n";
  turn_end_ = turn_end;
  used_turn_end_ = used;
  if (parts) out_ += "if (!" + name + ".resume(kiln_alive)) break;\n";
  step(statement, Place::kBlock);
  if (statement.kind == Kind::kDo) test();
  out_ += "}\n";
  if (parts) out_ += name + ".join" + joined() + ";\n";
  parted_loop_ = parted_loop;
  outer_jumps_ = jumps;
  if (parts) after_parting(statement, masked);
  out_ += "}\n";
}

void StatementText::warp_loop(const Statement& statement) {
  const bool masked = masked_;
  out_ += "{\n";
  init(statement, Place::kWarp);
  out_ += "unsigned kiln_staying = kiln_m;\n";
  masked_ = true;
  const bool masked_loop = std::exchange(masked_loop_, true);
  const std::set<std::size_t> jumps = std::exchange(outer_jumps_, {});
  const std::string parted_loop = std::exchange(parted_loop_, "");
  collect_jumps(statement.body());
  out_ += "for (;;) {\n{\nunsigned kiln_m = kiln_staying;\nif (!kiln_m) break;\nKILN_WARP_BEGIN\n{\n";
  const auto test = [&] {
    if (statement.condition.begin >= statement.condition.end) return;
    emit_calls(statement.condition, Place::kWarp);
    const std::string yes = lanes_where(statement.condition);
    out_ += "kiln_staying &= " + yes + ";\nkiln_m = kiln_staying;\nif (!kiln_m) break;\n";
  };
  if (statement.kind != Kind::kDo) test();
  out_ += "{\n";
  list(statement.body(), Place::kWarp);
  out_ += "}\n";
  if (an_.jumps(statement, Kind::kReturn)) out_ += "kiln_staying &= kiln_live;\n";
  out_ += "kiln_m = kiln_staying;\nif (!kiln_m) break;\n";
  step(statement, Place::kWarp);
  if (statement.kind == Kind::kDo) test();
  out_ += "}\n}\n}\n}\n";
  masked_ = masked || an_.jumps(statement, Kind::kReturn);
  masked_loop_ = masked_loop;
  outer_jumps_ = jumps;
  parted_loop_ = parted_loop;
  if (an_.jumps(statement, Kind::kReturn)) after_inner(statement, Place::kWarp);
}

void StatementText::collect_jumps(const Statement& statement) {
  if (statement.loop()) return;
  if (statement.kind == Kind::kBreak || statement.kind == Kind::kContinue)
    outer_jumps_.insert(statement.range.begin);
  for (const auto& child : statement.children) collect_jumps(*child);
}
}  // namespace kiln::fission
