#include "compile/cpu/split/loop_text.h"

#include <algorithm>
#include <utility>

namespace kiln::fission {
std::string LoopText::bindings(const std::vector<TokenRange>& ranges, Place where) {
  std::string text;
  for (const int v : used(ranges)) {
    const Variable& var = variable(v);
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](TokenRange range) {
      return var.parameter < 0 && range.contains(var.declarator->at);
    });
    if (inside) continue;
    if (an_.storage(v) == Storage::kItems) {
      text += binding(v);
    } else if (an_.storage(v) == Storage::kRepeated) {
      // A value that is equal in a warp has been computed outside.
      if (warps_ && where == Place::kItem && an_.level(v) != kItemLevel) continue;
      text += raw(var.specifiers) + " " + render(var.declarator->range, where) + ";\n";
    }
  }
  return text;
}

void LoopText::item_loop(const std::vector<TokenRange>& ranges, Place around,
                         const std::function<std::string()>& inside) {
  if (around == Place::kBlock && warps_) {
    in_warps(ranges, [&] { item_loop(ranges, Place::kWarp, inside); });
    return;
  }
  const bool lanes = around == Place::kWarp;
  const Limits limits = std::exchange(limits_, {});
  const int number = ++loops_;
  loop_number_ = number;
  jumps_ = {};
  const std::string inside_row =
      around == Place::kBlock && limits.empty() ? find_clamps(ranges) : std::string();
  std::string text = bindings(ranges, Place::kItem);
  jump_patches_ = true;
  factors_.clear();
  text += inside();
  jump_patches_ = false;
  clamped_.clear();
  // A version for one factor; two of them would be four versions.
  const std::set<int> factors = std::exchange(factors_, {});
  const bool versions = !lanes && factors.size() == 1 && !jumps_.label && !jumps_.leaves;
  const std::string factor = versions ? "(" + std::string(variable(*factors.begin()).name) + ")\n" : "";
  std::string head;
  if (lanes && (jumps_.leaves || jumps_.breaks || jumps_.skips))
    head += "unsigned kiln_leaves = 0, kiln_breaks = 0, kiln_skips = 0;\n";
  if (!inside_row.empty()) {
    head += "KILN_ROWS_IN(kiln::cpu::Range(0, kiln_b.y()))\n" + inside_row + "KILN_ROW_INSIDE\n";
  } else if (limits.empty()) {
    head += lanes ? "KILN_LANES\n" : "KILN_ITEMS\n";
  } else if (lanes && !limits.end.empty()) {
    head += "KILN_LANES_TO(" + limits.end + ")\n";
  } else if (!limits.end.empty()) {
    head +=
        "KILN_ROWS_IN(kiln::cpu::Range(0, kiln_b.y()))\n" + limits.row + "KILN_ROW_TO(" + limits.end + ")\n";
  } else if (lanes) {
    head += "KILN_LANES_IN(kiln::cpu::Range(kiln_wp.first_x(), kiln_wp.lanes())" + limits.x +
            ", kiln::cpu::Range(0, kiln_wp.lanes())" + limits.lane + ")\n";
  } else {
    head += "KILN_ROWS_IN(kiln::cpu::Range(0, kiln_b.y())" + limits.y + ")\n" +
            (limits.again ? "KILN_PARTS_IN" : "KILN_ROW_IN") + "(kiln::cpu::Range(0, kiln_b.x())" + limits.x +
            ")\n";
  }
  if (lanes && masked_) head += "if (!kiln::cpu::holds(kiln_m, kiln_lane)) continue;\n";
  if (!lanes && masked_) head += "if (!kiln_alive[kiln_i]) continue;\n";
  if (sets_thread(ranges)) head += "KILN_SET_THREAD\n";
  if (jumps_.label) text = "{\n" + text + "}\nkiln_next" + std::to_string(number) + ":;\n";
  const bool braces = lanes && (jumps_.leaves || jumps_.breaks || jumps_.skips);
  const std::string close = !inside_row.empty()         ? "KILN_ROW_INSIDE_END\n"
                            : limits.again              ? "KILN_PARTS_END\n"
                            : !lanes && !limits.empty() ? "}}}\n"
                                                        : "}\n";
  text = (braces ? "{\n" : "") + head + text + close;
  out_ += versions ? "KILN_FACTOR" + factor + text + "KILN_FACTOR_END" + factor : text;
  if (!lanes) {
    if (jumps_.leaves || jumps_.breaks || jumps_.skips) {
      masked_ = true;
      leave_block();
    }
    return;
  }
  if (jumps_.leaves) out_ += "kiln_live &= ~kiln_leaves;\nkiln_m &= ~kiln_leaves;\n";
  if (jumps_.leaves) leave_warp();
  if (!parted_loop_.empty() && (jumps_.breaks || jumps_.skips)) {
    out_ += parted_loop_ + ".apart[kiln_w] |= kiln_breaks;\n" + parted_loop_ +
            ".waits[kiln_w] |= kiln_skips;\nkiln_live &= ~(kiln_breaks | kiln_skips);\n"
            "kiln_m &= ~(kiln_breaks | kiln_skips);\n";
    leave_warp();
  } else {
    if (jumps_.breaks) out_ += "kiln_staying &= ~kiln_breaks;\nkiln_m &= ~kiln_breaks;\n";
    if (jumps_.skips) out_ += "kiln_m &= ~kiln_skips;\n";
  }
  if (braces) out_ += "}\n";
  if (braces) masked_ = true;
}

void LoopText::region(const std::vector<const Statement*>& statements, Place around) {
  std::vector<TokenRange> ranges;
  std::size_t repeated = 0;  // of the statements before this one the repeated values have been declared
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (names_repeated(*statements[i],
                       {statements.begin(), statements.begin() + static_cast<std::ptrdiff_t>(i)})) {
      for (; repeated < i; ++repeated) declare_repeated(*statements[repeated], around);
    }
    ranges.push_back(statements[i]->range);
    declare_rooms(*statements[i], around);
  }
  if (std::all_of(statements.begin(), statements.end(),
                  [&](const Statement* statement) { return only_repeated(*statement); })) {
    for (const Statement* statement : statements) declare_repeated(*statement, around);
    return;
  }
  const bool block_of_warps = around == Place::kBlock && warps_;
  if (statements.size() == 1 && !block_of_warps) {
    if (an_.strided(*statements[0], around)) {
      strided_loop(*statements[0], around);
      return;
    }
    if (an_.narrowed(*statements[0], around)) {
      const Analysis::Bounds bounds = an_.bounds(statements[0]->condition, around);
      for (const Analysis::Bound& bound : bounds.bounds) {
        if (bound.axis == 'x') limits_.x += limit(bound, around);
        if (bound.axis == 'y') limits_.y += limit(bound, around);
        if (bound.axis == 'l') limits_.lane += limit(bound, around);
      }
      if (bounds.all) limited_ = statements[0];
      limits_.again =
          around == Place::kBlock && !masked_ && !limits_.x.empty() && an_.repeats(*statements[0]);
    }
  }
  item_loop(ranges, around, [&] {
    std::string text;
    for (const Statement* statement : statements) text += item_statement(*statement);
    return text;
  });
  limited_ = nullptr;
  for (; repeated < statements.size(); ++repeated) declare_repeated(*statements[repeated], around);
}

/// Whether the type of an array for each work-item's values, "auto x = a[i]", is written with a repeated
/// value that one of the statements `before` declares.
bool LoopText::names_repeated(const Statement& statement, const std::vector<const Statement*>& before) const {
  if (statement.kind != Kind::kDeclaration) return false;
  for (const Declarator& declarator : statement.declarators) {
    if (an_.storage(body_.variable_at(declarator.at)) != Storage::kItems) continue;
    for (std::size_t i = declarator.initializer.begin; i < declarator.initializer.end; ++i) {
      const int v = body_.variable_at(i);
      if (v < 0 || an_.storage(v) != Storage::kRepeated || variable(v).parameter >= 0) continue;
      const bool here = std::any_of(before.begin(), before.end(), [&](const Statement* other) {
        return other->range.contains(variable(v).declarator->at);
      });
      if (here) return true;
    }
  }
  return false;
}

void LoopText::in_warps(const std::vector<TokenRange>& ranges, const std::function<void()>& inside) {
  const std::string before = std::exchange(out_, "");
  inside();
  const std::string text = std::exchange(out_, before);
  out_ += "KILN_WARPS\n";
  out_ += masks_block() ? "unsigned kiln_m = kiln_alive[kiln_w];\nif (!kiln_m) continue;\n"
                        : "const unsigned kiln_m = kiln_wp.all();\n";
  out_ += "KILN_WARP_BEGIN\n{\n" + bindings(ranges, Place::kWarp) + text + "}\n}\n";
}

void LoopText::declare_room(int v, const Declarator& declarator, const Statement& statement) {
  const std::string type = "kiln_t" + std::to_string(v);
  bool deduced = false;
  std::string specifiers, alignment;
  for (std::size_t i = statement.specifiers.begin; i < statement.specifiers.end; ++i) {
    deduced = deduced || body_.is(i, "auto");
    if (body_.is(i, "const") && !declarator.pointer) continue;
    if (body_.is(i, "register")) continue;
    if (body_.is(i, "alignas") && body_.is(i + 1, "(")) {  // the rooms of all work-items need it
      const std::size_t close = body_.tokens()[i + 1].close;
      alignment = raw({i, close + 1});
      i = close;
      continue;
    }
    specifiers += std::string(body_.tokens()[i].text) + " ";
  }
  const std::string value = render(declarator.initializer, Place::kBlock);
  if (declarator.reference) {
    out_ += "typedef kiln::cpu::Value<decltype(&(" + value + "))> " + type + ";\n";
  } else if (deduced) {
    out_ += "typedef kiln::cpu::Value<decltype(" + value + ")> " + type + ";\n";
  } else {
    // "*p", "a[4]": the variable's name is replaced by the type's name.
    std::string text;
    for (std::size_t i = declarator.range.begin; i < declarator.range.end; ++i) {
      if (i > declarator.at && !body_.is(i, "[") && !body_.is(i, ")")) break;
      if (body_.is(i, "[")) {
        text += raw({i, body_.tokens()[i].close + 1});
        i = body_.tokens()[i].close;
      } else if (i == declarator.at) {
        text += type;
      } else if (!body_.is(i, "const") && !body_.is(i, "__restrict__") && !body_.is(i, "__restrict")) {
        text += std::string(body_.tokens()[i].text) + " ";
      }
    }
    out_ += "typedef " + specifiers + text + ";\n";
  }
  if (!alignment.empty()) {
    const std::string aligned = "kiln_align" + std::to_string(v);
    out_ += "struct " + alignment + " " + aligned + " {};\nstatic_assert(sizeof(" + type + ") % alignof(" +
            aligned + ") == 0 && alignof(" + aligned +
            ") <= 64, \"an aligned variable lives across a barrier\");\n";
  }
  out_ += (an_.block_array(v) ? "kiln::cpu::Items<" + type + ", KilnShape> "
                              : "kiln::cpu::Lanes<" + type + "> ") +
          room(v) + ";\n";
  out_ += binding(v);
}

void LoopText::declare_rooms(const Statement& statement, Place around) {
  if (statement.kind != Kind::kDeclaration) return;
  for (const Declarator& declarator : statement.declarators) {
    const int v = body_.variable_at(declarator.at);
    if (an_.storage(v) != Storage::kItems) continue;
    if (an_.block_array(v) != (around == Place::kBlock)) continue;
    declare_room(v, declarator, statement);
  }
}

void LoopText::declare_repeated(const Statement& statement, Place around) {
  if (statement.kind != Kind::kDeclaration) return;
  for (const Declarator& declarator : statement.declarators) {
    const int v = body_.variable_at(declarator.at);
    if (an_.storage(v) == Storage::kRepeated)
      out_ += raw(statement.specifiers) + " " + render(declarator.range, around) + ";\n";
  }
}

std::string LoopText::item_statement(const Statement& statement) {
  if (statement.kind == Kind::kIf && &statement == limited_)
    return render(statement.children[0]->range, Place::kItem) + "\n";
  if (statement.kind != Kind::kDeclaration)
    return lead(statement) + render(statement.range, Place::kItem) + "\n";
  std::string text;
  for (const Declarator& declarator : statement.declarators) {
    const int v = body_.variable_at(declarator.at);
    if (an_.storage(v) == Storage::kOuter) continue;
    if (an_.storage(v) != Storage::kItems) {
      text += raw(statement.specifiers) + " " + render(declarator.range, Place::kItem) + ";\n";
      continue;
    }
    text += first_value(v, declarator, statement);
    text += binding(v);
  }
  return text;
}

std::string LoopText::first_value(int v, const Declarator& declarator, const Statement& statement) {
  const std::string place = room(v) + index(v);
  if (declarator.reference)
    return "kiln::cpu::keep(" + place + ", &(" + render(declarator.initializer, Place::kItem) + "));\n";
  if (declarator.start == Declarator::Start::kNone) return "kiln::cpu::start(" + place + ");\n";
  // The declaration under another name, and from there into the array.
  const std::string name = "kiln_n" + std::to_string(v);
  std::string text = raw(statement.specifiers) + " " + raw({declarator.range.begin, declarator.at}) + " " +
                     name + render({declarator.at + 1, declarator.range.end}, Place::kItem) + ";\n";
  return text + "kiln::cpu::keep(" + place + ", " + name + ");\n";
}

std::string LoopText::lead(const Statement& statement) const {
  const std::size_t first = statement.range.begin;
  if (first == 0 || !statement.loop()) return "";
  const std::size_t begin = body_.tokens()[first - 1].end();
  const std::string_view between = in_.text.substr(begin, body_.tokens()[first].offset - begin);
  std::string text;
  for (std::size_t at = between.find("#pragma"); at != std::string_view::npos;
       at = between.find("#pragma", at + 1)) {
    const std::string_view line = between.substr(at, between.find('\n', at) - at);
    if (line.find("unroll") != std::string_view::npos || line.find("ivdep") != std::string_view::npos)
      text = "\n" + std::string(line) + "\n";
  }
  return text;
}

void LoopText::leave_warp() {
  if (an_.warp_function()) {
    out_ += "if (!kiln_live) goto kiln_end;\n";
  } else {
    out_ += "if (!kiln_live) goto " + chunk_end_ + ";\n";
    used_chunk_end_ = true;
  }
}

void LoopText::leave_block() {
  out_ += "if (!kiln::cpu::any_of(kiln_b, kiln_alive)) ";
  if (part_end_.empty()) {
    out_ += returns() ? "return kiln_return;\n" : "return;\n";
  } else {
    out_ += "goto " + part_end_ + ";\n";
    used_part_end_ = true;
  }
}

std::set<int> LoopText::used(const std::vector<TokenRange>& ranges) const {
  std::set<int> found;
  std::vector<TokenRange> open = ranges;
  while (!open.empty()) {
    const TokenRange range = open.back();
    open.pop_back();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const int v = body_.variable_at(i);
      if (v < 0 || !found.insert(v).second) continue;
      // The parts of a sum may be named in place of the sum.
      if (an_.storage(v) == Storage::kRepeated || an_.sum_of_index(v) || strided_turns_.contains(v))
        open.push_back(variable(v).declarator->initializer);
    }
  }
  return found;
}

bool LoopText::sets_thread(const std::vector<TokenRange>& ranges) const {
  // Any use of an object may call its operator.
  if (an_.functions().reads_thread_index("operator")) return true;
  const auto reads = [&](TokenRange range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (body_.tokens()[i].identifier() && an_.functions().reads_thread_index(body_.tokens()[i].text))
        return true;
    }
    return false;
  };
  for (const TokenRange range : ranges) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = body_.tokens()[i];
      if (const auto result = results_.find(i); result != results_.end()) {
        i = result->second.end - 1;
        continue;
      }
      if (!token.identifier()) continue;
      const int v = body_.variable_at(i);
      if (v < 0 ? an_.functions().reads_thread_index(token.text) : reads(variable(v).specifiers)) return true;
    }
  }
  return false;
}

bool LoopText::known_outside(TokenRange value, const std::vector<TokenRange>& ranges, int depth) const {
  constexpr int kDeepest = 6;
  if (depth > kDeepest) return false;
  for (std::size_t i = value.begin; i < value.end; ++i) {
    const int v = body_.variable_at(i);
    if (v < 0) continue;
    const Variable& var = variable(v);
    if (an_.sum_of_index(v)) {
      if (!known_outside(var.declarator->initializer, ranges, depth + 1)) return false;
      continue;
    }
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](TokenRange range) {
      return var.parameter < 0 && range.contains(var.declarator->at);
    });
    const Storage storage = an_.storage(v);
    if (inside || var.modified || an_.level(v) != kBlockLevel ||
        (var.parameter < 0 && storage != Storage::kOuter))
      return false;
  }
  return true;
}

std::string LoopText::find_clamps(const std::vector<TokenRange>& ranges) {
  std::string sums, test;
  for (const TokenRange range : ranges) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const int v = body_.variable_at(i);
      if (v < 0 || clamped_.contains(v)) continue;
      // In a subscript that is a sum.
      std::size_t open = i;
      while (open > range.begin && !body_.is(open, "[") && !body_.is(open, ";")) --open;
      if (!body_.is(open, "[") || body_.tokens()[open].close < i) continue;
      if (!an_.plain_sum({open + 1, body_.tokens()[open].close})) continue;
      const auto clamp = an_.clamp(v);
      if (!clamp || !known_outside(clamp->value, ranges)) continue;
      const auto known = [&](TokenRange limit) { return known_outside(limit, ranges); };
      if (!std::all_of(clamp->low.begin(), clamp->low.end(), known) ||
          !std::all_of(clamp->high.begin(), clamp->high.end(), known))
        continue;
      const std::string sum = "kiln_sum" + std::to_string(v);
      sums += "const auto " + sum + " = [&](int kiln_x) {\nKILN_ITEM_OF_ROW\nreturn " +
              wide_sum(clamp->value) + ";\n};\n";
      const std::string first = sum + "(0)", last = sum + "(kiln_b.x() - 1)";
      test.append(test.empty() ? "kiln::cpu::ascends(" : " && kiln::cpu::ascends(")
          .append(first)
          .append(", ")
          .append(last)
          .append(")");
      for (const TokenRange low : clamp->low)
        test += " && kiln::cpu::wide(" + render(low, Place::kBlock) + ") <= " + first;
      for (const TokenRange high : clamp->high)
        test += " && " + last + " <= kiln::cpu::wide(" + render(high, Place::kBlock) + ")";
      clamped_[v] = clamp->value;
    }
  }
  return test.empty() ? "" : sums + "const bool kiln_row_inside = " + test + ";\n";
}

std::string LoopText::limit(const Analysis::Bound& bound, Place around) {
  return ".template " + bound.operation + "<kiln::cpu::Value<decltype(" + render(bound.index, around) +
         ")>>(" + render(bound.limit, around) + ")";
}

void LoopText::strided_loop(const Statement& statement, Place around) {
  const Analysis::Strided loop = *an_.strided(statement, around);
  const Variable& counter = variable(loop.variable);
  const std::string name(counter.name);
  const std::string type = raw(counter.specifiers) + " ";
  const bool lanes = around == Place::kWarp;
  const TokenRange test = statement.condition;
  const std::string turn = "kiln_turn" + std::to_string(++loops_);
  const std::string start = type + name + " = " + render(loop.start, Place::kItem) + " + " + turn + ";\n";
  const std::string inside_names = bindings({loop.start, test}, Place::kItem);
  strided_turns_[loop.variable] = turn;
  const std::string declaration =
      "kiln::cpu::Value<decltype(" + render(loop.start, around) + ")> " + turn + " = 0;";
  const std::string next = turn + " += " + render(loop.step, around) + ") {\n";
  const auto body = [&] { return start + item_statement(statement.body()); };
  const auto holds = [&](const std::string& parameter, const std::string& thread, const std::string& number) {
    return "[&](int " + parameter + ") {\n" + thread + number + inside_names + start +
           "return static_cast<bool>(" + render(test, Place::kItem) + ");\n}";
  };
  if (lanes) {
    // Whole turns have a loop of their own: there g++ keeps what the lanes add up in registers.
    out_ += "{\n" + declaration + "\nconst auto kiln_goes = " +
            holds("kiln_lane", "const uint3 threadIdx = kiln_wp.thread(kiln_lane);\n",
                  "const int kiln_i = kiln_base + kiln_lane;\nstatic_cast<void>(kiln_i), "
                  "static_cast<void>(threadIdx);\n") +
            ";\nfor (; kiln_goes(kiln_wp.lanes() - 1); " + next;
    item_loop({statement.body().range, loop.start}, around, body);
    out_ += "}\nfor (;; " + next +
            "const int kiln_turns = kiln::cpu::count_first(kiln_wp.lanes(), kiln_goes);\n"
            "if (kiln_turns == 0) break;\n";
    limits_.end = "kiln_turns";
    item_loop({statement.body().range, loop.start}, around, body);
    out_ += "}\n}\n";
  } else {
    out_ += "for (" + declaration + "; " + next + "int kiln_some = 0;\n";
    limits_.row = "const int kiln_turns = kiln::cpu::count_first(kiln_b.x(), " +
                  holds("kiln_x", "KILN_ITEM_OF_ROW\n", "") + ");\nkiln_some |= kiln_turns;\n";
    limits_.end = "kiln_turns";
    item_loop({statement.body().range, loop.start}, around, body);
    out_ += "if (kiln_some == 0) break;\n}\n";
  }
  strided_turns_.erase(loop.variable);
}

bool LoopText::only_repeated(const Statement& statement) const {
  return statement.kind == Kind::kDeclaration &&
         std::all_of(statement.declarators.begin(), statement.declarators.end(), [&](const Declarator& d) {
           return an_.storage(body_.variable_at(d.at)) == Storage::kRepeated;
         });
}
}  // namespace kiln::fission
