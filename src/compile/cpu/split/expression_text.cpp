#include "compile/cpu/split/expression_text.h"

#include <algorithm>

namespace kiln::fission {

ExpressionText::ExpressionText(const Analysis& analysis, const WriterInput& input)
    : an_(analysis), body_(analysis.body()), in_(input), warps_(analysis.shape().warps) {
  find_lambdas(body_.block().range);
}

bool ExpressionText::returns() const {
  const TokenRange type = body_.head().result;
  return !(type.end == type.begin + 1 && body_.is(type.begin, "void"));
}

std::string ExpressionText::raw(TokenRange range) const {
  if (range.begin >= range.end) return "";
  const std::size_t begin = body_.tokens()[range.begin].offset;
  return std::string(in_.text.substr(begin, body_.tokens()[range.end - 1].end() - begin));
}

std::string ExpressionText::result_type() const {
  for (std::size_t i = body_.head().result.begin; i < body_.head().result.end; ++i) {
    if (body_.is(i, "auto")) throw Trouble{"a function that returns 'auto'", i};
  }
  return raw(body_.head().result);
}

bool ExpressionText::constant_reference(TokenRange range) const {
  bool constant = false;
  for (std::size_t i = range.begin; i < range.end; ++i) constant = constant || body_.is(i, "const");
  return constant;
}

std::string ExpressionText::index(int v) const {
  return an_.block_array(v) ? "[kiln_i]" : "[kiln_lane]";
}

std::string ExpressionText::binding(int v) const {
  const Variable& var = variable(v);
  const bool pointer =
      var.declarator->reference && !(var.parameter >= 0 && constant_reference(var.specifiers));
  const bool constant =
      (var.constant && !pointer) || (var.parameter >= 0 && var.declarator->reference && !pointer);
  return std::string(constant ? "const auto& " : "auto& ") + std::string(var.name) + " = " +
         (pointer ? "*" : "") + room(v) + index(v) + ";\n";
}

void ExpressionText::find_lambdas(TokenRange range) {
  const std::vector<Token>& tokens = body_.tokens();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if ((tokens[i].is("struct") || tokens[i].is("class")) && body_.is(i + 2, "{"))
      lambdas_.push_back({i + 2, tokens[i + 2].close});
    if (!tokens[i].is("[")) continue;
    const Token& before = tokens[i - 1];
    if (before.identifier() && !before.is("return")) continue;
    if (before.is("]") || before.is(")") || before.kind == Token::Kind::kNumber) continue;
    std::size_t at = tokens[i].close + 1;
    while (at < range.end && tokens[at].text.starts_with("__")) ++at;  // [] __device__ (int x)
    if (body_.is(at, "(")) at = tokens[at].close + 1;
    while (at < range.end && !body_.is(at, "{") && !body_.is(at, ";") && !body_.is(at, ")")) ++at;
    if (body_.is(at, "{")) lambdas_.push_back({at, tokens[at].close});
  }
}

bool ExpressionText::in_lambda(std::size_t i) const {
  return std::any_of(lambdas_.begin(), lambdas_.end(), [&](TokenRange lambda) { return lambda.contains(i); });
}

std::string ExpressionText::as_result(std::size_t at, const std::string& text) const {
  const std::string type = "kiln::cpu::Value<" + result_type() + ">";
  return body_.is(at, "{") ? type + text : "static_cast<" + type + ">(" + text + ")";
}

std::string ExpressionText::render(TokenRange range, Place where) {
  std::string text;
  std::size_t from = range.begin < range.end ? body_.tokens()[range.begin].offset : 0;
  const auto replace = [&](std::size_t first, std::size_t after, const std::string& by) {
    text += in_.text.substr(from, body_.tokens()[first].offset - from);
    text += by;
    from = body_.tokens()[after - 1].end();
  };
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (const auto result = results_.find(i); result != results_.end() && result->second.end <= range.end) {
      replace(i, result->second.end, result_at(result->second, where));
      i = result->second.end - 1;
      continue;
    }
    if (const Analysis::GridCall call = an_.grid_call(i); call.length != 0) {
      replace(i, i + call.length, grid_call(call));
      i += call.length - 1;
      continue;
    }
    if (where == Place::kItem && body_.is(i, "[") && i > range.begin) {
      const std::string wide = wide_index({i + 1, body_.tokens()[i].close});
      if (!wide.empty()) {
        replace(i, body_.tokens()[i].close + 1, "[" + wide + "]");
        i = body_.tokens()[i].close;
        continue;
      }
    }
    if (const auto part = an_.warp_part(i, range.end); part.length != 0 && where != Place::kBlock) {
      const std::size_t length = an_.index_length(i);
      const std::string type = "decltype(" + raw({i, i + length}) + ")";
      replace(
          i, i + part.length,
          "static_cast<kiln::cpu::Value<" + type + ">>(" + (part.remainder ? "kiln_lane" : "kiln_x32") + ")");
      i += part.length - 1;
      continue;
    }
    if (const std::size_t length = an_.group_call_length(i); length != 0) {
      const std::string by = group_call(i);
      if (!by.empty()) replace(i, i + length, by);
      i += length - 1;
      continue;
    }
    if (where == Place::kItem && jump_patches_ && body_.tokens()[i].identifier()) {
      std::string by;
      std::size_t after = i + 1;
      if (body_.is(i, "return") && !in_lambda(i)) {
        std::size_t end = i + 1;
        while (!body_.is(end, ";")) {
          const bool opens = body_.is(end, "(") || body_.is(end, "[") || body_.is(end, "{");
          end = opens ? body_.tokens()[end].close + 1 : end + 1;
        }
        by = "do { ";
        if (end > i + 1 && returns())
          by += "kiln::cpu::keep(kiln_return" +
                std::string(an_.warp_function() ? "[kiln_lane]" : "[kiln_i]") + ", " +
                as_result(i + 1, render({i + 1, end}, where)) + "); ";
        by += leave() + " goto kiln_next" + std::to_string(loop_number_) + "; } while (0)";
        jumps_.leaves = true;
        after = end;
      } else if (outer_jumps_.contains(i)) {
        const bool breaks = body_.is(i, "break");
        const std::string act =
            parted_loop_.empty() || warps_
                ? std::string(breaks ? "kiln_breaks" : "kiln_skips") + " |= 1u << kiln_lane;"
                : parted_loop_ + (breaks ? ".apart" : ".waits") + "[kiln_i] = 1; kiln_alive[kiln_i] = 0;";
        by = "do { " + act + " goto kiln_next" + std::to_string(loop_number_) + "; } while (0)";
        (body_.is(i, "break") ? jumps_.breaks : jumps_.skips) = true;
      }
      if (!by.empty()) {
        replace(i, after, by);
        i = after - 1;
        jumps_.label = true;
      }
    }
  }
  if (range.begin < range.end) text += in_.text.substr(from, body_.tokens()[range.end - 1].end() - from);
  return text;
}

bool ExpressionText::varies(TokenRange range) const {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const int v = body_.variable_at(i);
    if (body_.is(i, "threadIdx") || (v >= 0 && an_.level(v) == kItemLevel)) return true;
  }
  return false;
}

std::string ExpressionText::wide_index(TokenRange range) {
  if (range.begin > 0 && !body_.is(range.begin - 2, ")") && !body_.is(range.begin - 2, "]") &&
      !body_.tokens()[range.begin - 2].identifier())
    return "";
  if (!an_.plain_sum(range)) return "";
  return varies(range) ? wide_sum(range) : "";
}

bool ExpressionText::changing_factor(std::size_t i) const {
  const int v = body_.variable_at(i);
  if (v < 0 || (!body_.is(i + 1, "*") && !body_.is(i - 1, "*"))) return false;
  if (!variable(v).modified || an_.storage(v) != Storage::kOuter || an_.level(v) != kBlockLevel ||
      !an_.whole_number(v))
    return false;
  // The product's other factors are on both sides of signs "*".
  TokenRange product = {i, i + 1};
  while (body_.is(product.end, "*") || body_.is(product.end, ".")) {
    const std::size_t next = product.end + 1;
    product.end = (body_.is(next, "(") ? body_.tokens()[next].close : next) + 1;
  }
  while (product.begin >= 2 && (body_.is(product.begin - 1, "*") || body_.is(product.begin - 1, "."))) {
    const std::size_t last = product.begin - 2;
    product.begin = body_.is(last, ")") ? body_.matching_open(last) : last;
  }
  return varies(product);
}

std::string ExpressionText::wide_sum(TokenRange range, int depth) {
  constexpr int kDeepest = 8;
  std::string text;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = body_.tokens()[i];
    if (const Analysis::GridCall call = an_.grid_call(i); call.length != 0) {
      text += "(long)" + grid_call(call);
      i += call.length - 1;
    } else if (const std::size_t cast = an_.wide_cast_length(i); cast != 0) {
      text += "(long)";
      i += cast - 1;
    } else if (const std::size_t narrow = an_.int_cast_length(i); narrow != 0) {
      i += narrow - 1;  // the sum in 64 bits has the value
    } else if (const auto part = an_.warp_part(i, range.end); part.length != 0) {
      text += part.remainder ? "kiln::cpu::wide(kiln_lane)" : "kiln::cpu::wide(kiln_x32)";
      i += part.length - 1;
    } else if (const std::size_t length = an_.group_call_length(i); length != 0) {
      text += "kiln::cpu::wide(" + group_call(i) + ")";
      i += length - 1;
    } else if (body_.is(i + 1, ".") && token.identifier()) {
      // A cast of the loop's counter to unsigned and to 64 bits hides from g++ that it grows by one.
      const std::string name = raw({i, i + 3});
      text += token.is("threadIdx") ? "static_cast<long>(static_cast<int>(" + name + "))"
                                    : "kiln::cpu::wide(" + name + ")";
      i += 2;
    } else if (token.identifier() || token.kind == Token::Kind::kNumber) {
      const int v = body_.variable_at(i);
      if (const auto turn = strided_turns_.find(v);
          v >= 0 && turn != strided_turns_.end() && depth < kDeepest) {
        const TokenRange start = variable(v).declarator->initializer;
        if (an_.plain_sum(start)) {
          text.append("((")
              .append(wide_sum(start, depth + 1))
              .append(") + kiln::cpu::wide(")
              .append(turn->second)
              .append("))");
          continue;
        }
      }
      if (const auto clamp = clamped_.find(v); clamp != clamped_.end() && depth < kDeepest) {
        const std::string value = "kiln::cpu::wide(" + std::string(token.text) + ")";
        text += "(kiln_inside ? static_cast<decltype(" + value + ")>(" + wide_sum(clamp->second, depth + 1) +
                ") : " + value + ")";
      } else if (v >= 0 && depth < kDeepest && an_.sum_of_index(v))
        text += "(" + wide_sum(an_.bare(variable(v).declarator->initializer), depth + 1) + ")";
      else
        text += "kiln::cpu::wide(" + std::string(token.text) + ")";
      if (changing_factor(i)) factors_.insert(v);
    } else {
      text += " " + std::string(token.text) + " ";
    }
  }
  return text;
}

std::string ExpressionText::grid_call(const Analysis::GridCall& call) {
  const std::string axis(1, call.axis);
  if (!call.index) return "(static_cast<long long>(gridDim.x) * blockDim.x)";
  return "(static_cast<long long>(blockIdx." + axis + ") * blockDim." + axis + " + threadIdx." + axis + ")";
}

std::string ExpressionText::leave() const {
  return warps_ ? "kiln_leaves |= 1u << kiln_lane;" : "kiln_alive[kiln_i] = 0;";
}

std::string ExpressionText::group_call(std::size_t i) const {
  const Group group = an_.group(body_.variable_at(i));
  const std::string_view name = body_.tokens()[i + 2].text;
  if (group.kind == Group::Kind::kGrid) return grid_group_call(name, i);
  if (group.kind == Group::Kind::kCoalesced) {
    const std::string lanes = coalesced_lanes(body_.variable_at(i));
    if (name == "thread_rank") return "kiln::cpu::rank_of(" + lanes + ", kiln_lane)";
    if (name == "size" || name == "num_threads")
      return "static_cast<unsigned>(__builtin_popcount(" + lanes + "))";
    if (name == "meta_group_rank") return "0u";
    if (name == "meta_group_size") return "1u";
    throw Trouble{"'" + std::string(name) + "' of coalesced_threads", i + 2};
  }
  const bool block = group.kind == Group::Kind::kBlock;
  const std::string size = "(" + group.size + ")";
  if (name == "thread_rank")
    return block                ? "static_cast<unsigned>(kiln_i)"
           : group.whole_warp() ? "static_cast<unsigned>(kiln_lane)"
                                : "(static_cast<unsigned>(kiln_lane) % unsigned" + size + ")";
  if (name == "size" || name == "num_threads")
    return block ? "static_cast<unsigned>(kiln_b.count())" : "static_cast<unsigned>" + size;
  if (name == "meta_group_rank") return "(static_cast<unsigned>(kiln_i) / unsigned" + size + ")";
  if (name == "meta_group_size")
    return "((static_cast<unsigned>(kiln_b.count()) + unsigned" + size + " - 1u) / unsigned" + size + ")";
  if (name == "group_index") return "dim3(blockIdx.x, blockIdx.y, blockIdx.z)";
  if (name == "thread_index") return "dim3(threadIdx.x, threadIdx.y, threadIdx.z)";
  if (name == "dim_threads" || name == "group_dim") return "dim3(blockDim.x, blockDim.y, blockDim.z)";
  throw Trouble{"'" + std::string(name) + "' of a cooperative group", i + 2};
}

std::string ExpressionText::grid_group_call(std::string_view name, std::size_t at) {
  std::string blocks = "(static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z)";
  const std::string items = "(blockDim.x * blockDim.y * blockDim.z)";
  std::string rank =
      "(blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z))";
  if (name == "thread_rank") return "(" + rank + " * " + items + " + static_cast<unsigned>(kiln_i))";
  if (name == "block_rank") return rank;
  if (name == "size" || name == "num_threads") return "(" + blocks + " * " + items + ")";
  if (name == "num_blocks") return blocks;
  if (name == "dim_blocks" || name == "group_dim") return "dim3(gridDim.x, gridDim.y, gridDim.z)";
  if (name == "block_index") return "dim3(blockIdx.x, blockIdx.y, blockIdx.z)";
  if (name == "is_valid") return "(kiln_worker->cooperative != 0)";
  if (name == "barrier_arrive") return "cooperative_groups::grid_group::arrival_token()";
  throw Trouble{"'" + std::string(name) + "' of the grid's group", at + 2};
}

std::string ExpressionText::result_at(const Result& result, Place where) {
  if (result.nothing) return "static_cast<void>(0)";
  return "kiln::cpu::at(" + result.name + ", " +
         (where == Place::kBlock        ? "0"
          : result.sync == Sync::kBlock ? "kiln_i"
                                        : "kiln_lane") +
         ")";
}
}  // namespace kiln::fission
