#include "compile/cpu/split/writer.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kiln::fission {
namespace {

using Kind = Statement::Kind;
using Place = Analysis::Place;

class Writer {
 public:
  Writer(const Analysis& analysis, const WriterInput& input)
      : an_(analysis), body_(analysis.body()), in_(input), warps_(analysis.shape().warps) {
    find_lambdas(body_.block().range);
    masked_ = in_.masked;
  }

  std::string run() {
    const Head& head = body_.head();
    write_head(head);
    if (an_.warp_function()) {
      out_ += "KILN_WARP_BEGIN\n";
      out_ += "unsigned kiln_live = kiln_m;\nstatic_cast<void>(kiln_live);\n";
      if (returns()) out_ += "kiln::cpu::Lanes<kiln::cpu::Value<" + result_type() + ">> kiln_return;\n";
    } else {
      out_ += "KILN_SPLIT_BEGIN\n";
      if (masks_block()) {
        if (warps_) {
          out_ +=
              "unsigned kiln_alive[32];\nfor (int kiln_w = 0; kiln_w < kiln_b.warps(); ++kiln_w) "
              "kiln_alive[kiln_w] = ";
          out_ += in_.masked ? "kiln_callers[kiln_w];\n"
                             : "kiln::cpu::Warp<KilnShape>{kiln_b, kiln_w * 32}.all();\n";
        } else {
          out_ +=
              "kiln::cpu::Items<int, KilnShape> kiln_alive;\nfor (int kiln_j = 0; kiln_j < kiln_b.count(); "
              "++kiln_j) kiln_alive[kiln_j] = ";
          out_ += in_.masked ? "kiln_callers[kiln_j];\n" : "1;\n";
        }
      }
      if (returns())
        out_ += "kiln::cpu::Items<kiln::cpu::Value<" + result_type() + ">, KilnShape> kiln_return;\n";
    }
    out_ += "{\n";
    keep_parameters();
    list(body_.block(), an_.warp_function() ? Place::kWarp : Place::kBlock);
    out_ += "}\n";
    if (an_.warp_function()) out_ += "goto kiln_end; kiln_end:;\n";
    if (returns()) out_ += "return kiln_return;\n";
    return out_ + "}\n";
  }

 private:
  [[nodiscard]] const std::vector<Variable>& variables() const { return body_.variables(); }
  [[nodiscard]] const Variable& variable(int v) const { return variables()[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool masks_block() const { return an_.any_leaves_early() || in_.masked; }

  [[nodiscard]] bool returns() const {
    const TokenRange type = body_.head().result;
    return !(type.end == type.begin + 1 && body_.is(type.begin, "void"));
  }
  [[nodiscard]] std::string raw(TokenRange range) const {
    if (range.begin >= range.end) return "";
    const std::size_t begin = body_.tokens()[range.begin].offset;
    return std::string(in_.text.substr(begin, body_.tokens()[range.end - 1].end() - begin));
  }
  [[nodiscard]] std::string result_type() const {
    for (std::size_t i = body_.head().result.begin; i < body_.head().result.end; ++i) {
      if (body_.is(i, "auto")) throw Trouble{"a function that returns 'auto'", i};
    }
    return raw(body_.head().result);
  }

  // ---------------------------------------------------------------------------------------- the head

  void write_head(const Head& head) {
    std::string arguments = "template <class KilnShape";
    if (head.template_head.end > head.template_head.begin)
      arguments += ", " + raw({head.template_head.begin + 2, head.template_head.end});
    else
      arguments += ">";
    out_ += arguments + "\n";
    std::string type = "void";
    if (returns()) {
      if (in_.kernel) throw Trouble{"a kernel that returns a value", head.result.begin};
      type = an_.warp_function() ? "kiln::cpu::Lanes<kiln::cpu::Value<" + result_type() + ">>"
                                 : "kiln::cpu::Items<kiln::cpu::Value<" + result_type() + ">, KilnShape>";
    }
    out_ += std::string("static ") + (in_.kernel ? "" : "inline __attribute__((always_inline)) ") + type +
            " " + in_.name + "(";
    if (an_.warp_function()) {
      out_ += "const kiln::cpu::Warp<KilnShape>& kiln_wp, unsigned kiln_m";
    } else {
      out_ += std::string(in_.kernel ? "" : "const ") + "kiln::cpu::Block<KilnShape>& kiln_b";
      if (in_.masked)
        out_ += warps_ ? ", const unsigned* kiln_callers"
                       : ", const kiln::cpu::Items<int, KilnShape>& kiln_callers";
    }
    for (std::size_t p = 0; p < head.parameters.size(); ++p) {
      out_ += ", ";
      const int v = parameter(p);
      if (in_.kernel || v < 0 || parameter_level(v) != kItemLevel) {
        out_ += raw(head.whole[p]);
        continue;
      }
      const Declarator& declarator = *head.parameters[p];
      if (declarator.array && declarator.reference)
        throw Trouble{"a reference to an array as parameter", declarator.at};
      std::string type_text;
      bool constant = false;
      for (std::size_t i = head.specifiers[p].begin; i < head.specifiers[p].end; ++i) {
        const Token& token = body_.tokens()[i];
        if (token.is("auto")) throw Trouble{"a parameter of type 'auto'", i};
        if (token.is("&") || token.is("&&") || token.is("__restrict__") || token.is("__restrict")) continue;
        // "const" of a value belongs to the value; "const" of a pointer's target stays.
        if (token.is("const") && (!declarator.pointer || last_const(head.specifiers[p], i))) {
          constant = true;
          continue;
        }
        type_text += std::string(token.text) + " ";
      }
      if (declarator.array) type_text += "*";
      if (declarator.reference && !constant && !constant_reference(head.specifiers[p])) type_text += "*";
      out_ += an_.warp_function() ? "kiln::cpu::Lanes<" + type_text + ">"
                                  : "kiln::cpu::Items<" + type_text + ", KilnShape>";
      out_ += " kiln_v" + std::to_string(v);
    }
    out_ += ") {\n";
  }

  [[nodiscard]] bool last_const(TokenRange range, std::size_t i) const {
    for (std::size_t t = i + 1; t < range.end; ++t) {
      if (body_.is(t, "*")) return false;
    }
    return true;
  }
  [[nodiscard]] bool constant_reference(TokenRange range) const {
    bool constant = false;
    for (std::size_t i = range.begin; i < range.end; ++i) constant = constant || body_.is(i, "const");
    return constant;
  }
  [[nodiscard]] int parameter(std::size_t p) const {
    for (std::size_t v = 0; v < variables().size(); ++v) {
      if (variables()[v].parameter == static_cast<int>(p)) return static_cast<int>(v);
    }
    return -1;
  }
  /// The level at the start of the function; the body may have raised it.
  [[nodiscard]] Level parameter_level(int v) const {
    return an_.parameter_level(static_cast<std::size_t>(variable(v).parameter));
  }

  /// Stores parameters that arrive as one value and then differ between work-items.
  void keep_parameters() {
    for (std::size_t v = 0; v < variables().size(); ++v) {
      const int number = static_cast<int>(v);
      if (variables()[v].parameter < 0 || an_.storage(number) != Storage::kItems) continue;
      const std::string name(variables()[v].name);
      if (in_.kernel || parameter_level(number) != kItemLevel) {
        if (variables()[v].declarator->reference)
          throw Trouble{"a reference as parameter", variables()[v].declarator->at};
        const std::string room = "kiln_v" + std::to_string(v);
        const bool warp = an_.warp_function();
        out_ += warp ? "kiln::cpu::Lanes<kiln::cpu::Value<decltype("
                     : "kiln::cpu::Items<kiln::cpu::Value<decltype(";
        out_ += name;
        out_ += warp ? ")>> " : ")>, KilnShape> ";
        out_ += room;
        out_ += warp ? ";\nKILN_LANES kiln::cpu::keep("
                     : ";\nfor (int kiln_j = 0; kiln_j < kiln_b.count(); ++kiln_j) kiln::cpu::keep(";
        out_ += room;
        out_ += warp ? "[kiln_lane], " : "[kiln_j], ";
        out_ += name;
        out_ += warp ? "); }\n" : ");\n";
      }
      out_ += binding(number);
    }
  }

  // ---------------------------------------------------------------------------------------- names and text

  [[nodiscard]] std::string room(int v) const { return "kiln_v" + std::to_string(v); }
  [[nodiscard]] std::string index(int v) const { return an_.block_array(v) ? "[kiln_i]" : "[kiln_lane]"; }
  /// A reference to the current work-item's element of the variable.
  [[nodiscard]] std::string binding(int v) const {
    const Variable& var = variable(v);
    const bool pointer =
        var.declarator->reference && !(var.parameter >= 0 && constant_reference(var.specifiers));
    const bool constant =
        (var.constant && !pointer) || (var.parameter >= 0 && var.declarator->reference && !pointer);
    return std::string(constant ? "const auto& " : "auto& ") + std::string(var.name) + " = " +
           (pointer ? "*" : "") + room(v) + index(v) + ";\n";
  }

  void find_lambdas(TokenRange range) {
    const std::vector<Token>& tokens = body_.tokens();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if ((tokens[i].is("struct") || tokens[i].is("class")) && body_.is(i + 2, "{"))
        lambdas_.push_back({i + 2, tokens[i + 2].close});
      if (!tokens[i].is("[")) continue;
      const Token& before = tokens[i - 1];
      if (before.identifier() && !before.is("return")) continue;
      if (before.is("]") || before.is(")") || before.kind == Token::Kind::kNumber) continue;
      std::size_t at = tokens[i].close + 1;
      if (body_.is(at, "(")) at = tokens[at].close + 1;
      while (at < range.end && !body_.is(at, "{") && !body_.is(at, ";") && !body_.is(at, ")")) ++at;
      if (body_.is(at, "{")) lambdas_.push_back({at, tokens[at].close});
    }
  }
  [[nodiscard]] bool in_lambda(std::size_t i) const {
    return std::any_of(lambdas_.begin(), lambdas_.end(),
                       [&](TokenRange lambda) { return lambda.contains(i); });
  }

  /// The text of tokens at a place, with results in place of calls that wait.
  [[nodiscard]] std::string render(TokenRange range, Place where) {
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
        replace(i, i + part.length,
                "static_cast<kiln::cpu::Value<" + type + ">>(" + (part.remainder ? "kiln_lane" : "kiln_x32") +
                    ")");
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
          leaves_ = true;
          after = end;
        } else if (outer_jumps_.contains(i)) {
          by = std::string("do { ") + (body_.is(i, "break") ? "kiln_breaks" : "kiln_skips") +
               " |= 1u << kiln_lane; goto kiln_next" + std::to_string(loop_number_) + "; } while (0)";
          (body_.is(i, "break") ? breaks_ : skips_) = true;
        }
        if (!by.empty()) {
          replace(i, after, by);
          i = after - 1;
          used_label_ = true;
        }
      }
    }
    if (range.begin < range.end) text += in_.text.substr(from, body_.tokens()[range.end - 1].end() - from);
    return text;
  }

  /// A subscript as a sum of numbers that are wide enough not to wrap. A compiler has to assume that an
  /// unsigned sum of 32 bits wraps, and then gathers. Empty: the subscript stays as it is.
  [[nodiscard]] std::string wide_index(TokenRange range) {
    if (range.begin > 0 && !body_.is(range.begin - 2, ")") && !body_.is(range.begin - 2, "]") &&
        !body_.tokens()[range.begin - 2].identifier())
      return "";
    if (!an_.plain_sum(range)) return "";
    bool varies = false;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const int v = body_.variable_at(i);
      varies = varies || body_.is(i, "threadIdx") || (v >= 0 && an_.level(v) == kItemLevel);
    }
    return varies ? wide_sum(range, 0) : "";
  }

  /// The value of a variable that is a sum of indices, or its own, in 64 bits.
  [[nodiscard]] std::string wide_sum(TokenRange range, int depth) {
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
            text += "((" + wide_sum(start, depth + 1) + ") + kiln::cpu::wide(" + turn->second + "))";
            continue;
          }
        }
        if (v >= 0 && depth < kDeepest && an_.sum_of_index(v))
          text += "(" + wide_sum(variable(v).declarator->initializer, depth + 1) + ")";
        else
          text += "kiln::cpu::wide(" + std::string(token.text) + ")";
      } else {
        text += " " + std::string(token.text) + " ";
      }
    }
    return text;
  }

  [[nodiscard]] static std::string grid_call(const Analysis::GridCall& call) {
    const std::string axis(1, call.axis);
    if (!call.index) return "(static_cast<long long>(gridDim.x) * blockDim.x)";
    return "(static_cast<long long>(blockIdx." + axis + ") * blockDim." + axis + " + threadIdx." + axis + ")";
  }

  [[nodiscard]] std::string leave() const {
    return warps_ ? "kiln_leaves |= 1u << kiln_lane;" : "kiln_alive[kiln_i] = 0;";
  }

  [[nodiscard]] std::string group_call(std::size_t i) const {
    const Group group = an_.group(body_.variable_at(i));
    const std::string_view name = body_.tokens()[i + 2].text;
    if (group.kind == Group::Kind::kGrid) return grid_group_call(name, i);
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

  /// A member function of the grid's group; it has 64 bits where the group's has.
  [[nodiscard]] static std::string grid_group_call(std::string_view name, std::size_t at) {
    const std::string blocks = "(static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z)";
    const std::string items = "(blockDim.x * blockDim.y * blockDim.z)";
    const std::string rank =
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

  struct Result {
    std::size_t end = 0;
    std::string name;
    Sync sync = Sync::kNone;
    bool nothing = false;
  };
  [[nodiscard]] static std::string result_at(const Result& result, Place where) {
    if (result.nothing) return "static_cast<void>(0)";
    return "kiln::cpu::at(" + result.name + ", " +
           (where == Place::kBlock        ? "0"
            : result.sync == Sync::kBlock ? "kiln_i"
                                          : "kiln_lane") +
           ")";
  }

  // ---------------------------------------------------------------------------------------- loops over
  // work-items

  /// Variables whose names [ranges] need, with the variables that these need, in the order of their
  /// declarations.
  [[nodiscard]] std::set<int> used(const std::vector<TokenRange>& ranges) const {
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

  /// Names of variables that are declared outside of [ranges].
  [[nodiscard]] std::string bindings(const std::vector<TokenRange>& ranges, Place where) {
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

  [[nodiscard]] bool sets_thread(const std::vector<TokenRange>& ranges) const {
    for (const TokenRange range : ranges) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Token& token = body_.tokens()[i];
        if (const auto result = results_.find(i); result != results_.end()) {
          i = result->second.end - 1;
          continue;
        }
        if (token.identifier() && body_.variable_at(i) < 0 && an_.functions().reads_thread_index(token.text))
          return true;
      }
    }
    return false;
  }

  /// A loop over the block's work-items, or over the warp's, around `inside`.
  void item_loop(const std::vector<TokenRange>& ranges, Place around,
                 const std::function<std::string()>& inside) {
    if (around == Place::kBlock && warps_) {
      in_warps(ranges, [&] { item_loop(ranges, Place::kWarp, inside); });
      return;
    }
    const bool lanes = around == Place::kWarp;
    const Limits limits = std::exchange(limits_, {});
    const int number = ++loops_;
    loop_number_ = number;
    used_label_ = leaves_ = breaks_ = skips_ = false;
    std::string text = bindings(ranges, Place::kItem);
    jump_patches_ = true;
    text += inside();
    jump_patches_ = false;
    std::string head;
    if (lanes && (leaves_ || breaks_ || skips_))
      head += "unsigned kiln_leaves = 0, kiln_breaks = 0, kiln_skips = 0;\n";
    if (limits.empty()) {
      head += lanes ? "KILN_LANES\n" : "KILN_ITEMS\n";
    } else if (lanes && !limits.end.empty()) {
      head += "KILN_LANES_TO(" + limits.end + ")\n";
    } else if (!limits.end.empty()) {
      head += "KILN_ROWS_IN(kiln::cpu::Range(0, kiln_b.y()))\n" + limits.row + "KILN_ROW_TO(" + limits.end +
              ")\n";
    } else if (lanes) {
      head += "KILN_LANES_IN(kiln::cpu::Range(kiln_wp.first_x(), kiln_wp.lanes())" + limits.x +
              ", kiln::cpu::Range(0, kiln_wp.lanes())" + limits.lane + ")\n";
    } else {
      head += "KILN_ROWS_IN(kiln::cpu::Range(0, kiln_b.y())" + limits.y + ")\n" +
              (limits.again ? "KILN_PARTS_IN" : "KILN_ROW_IN") + "(kiln::cpu::Range(0, kiln_b.x())" +
              limits.x + ")\n";
    }
    if (lanes && masked_) head += "if (!kiln::cpu::holds(kiln_m, kiln_lane)) continue;\n";
    if (!lanes && masked_) head += "if (!kiln_alive[kiln_i]) continue;\n";
    if (sets_thread(ranges)) head += "KILN_SET_THREAD\n";
    if (used_label_) text = "{\n" + text + "}\nkiln_next" + std::to_string(number) + ":;\n";
    const bool braces = lanes && (leaves_ || breaks_ || skips_);
    const std::string close = limits.again ? "KILN_PARTS_END\n" : !lanes && !limits.empty() ? "}}}\n" : "}\n";
    out_ += (braces ? "{\n" : "") + head + text + close;
    if (!lanes) {
      if (leaves_) {
        masked_ = true;
        out_ +=
            "{ int kiln_some = 0; for (int kiln_j = 0; kiln_j < kiln_b.count(); ++kiln_j) kiln_some |= "
            "kiln_alive[kiln_j]; if (!kiln_some) return" +
            std::string(returns() ? " kiln_return" : "") + "; }\n";
      }
      return;
    }
    if (leaves_) out_ += "kiln_live &= ~kiln_leaves;\nkiln_m &= ~kiln_leaves;\n";
    if (leaves_) leave_warp();
    if (breaks_) out_ += "kiln_staying &= ~kiln_breaks;\nkiln_m &= ~kiln_breaks;\n";
    if (skips_) out_ += "kiln_m &= ~kiln_skips;\n";
    if (braces) out_ += "}\n";
    if (braces) masked_ = true;
  }

  /// The statements of one such loop.
  void region(const std::vector<const Statement*>& statements, Place around) {
    std::vector<TokenRange> ranges;
    for (const Statement* statement : statements) {
      ranges.push_back(statement->range);
      declare_rooms(*statement, around);
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
    for (const Statement* statement : statements) declare_repeated(*statement, around);
  }

  [[nodiscard]] std::string limit(const Analysis::Bound& bound, Place around) {
    return "." + bound.operation + "<kiln::cpu::Value<decltype(" + render(bound.index, around) + ")>>(" +
           render(bound.limit, around) + ")";
  }

  /// Runs one turn for all work-items, then the next: the work-items then access neighbouring memory. In the
  /// last turn some work-items may have nothing to do.
  void strided_loop(const Statement& statement, Place around) {
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
    const auto holds = [&](const std::string& parameter, const std::string& thread,
                           const std::string& number) {
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
      limits_.row =
          "const int kiln_turns = kiln::cpu::count_first(kiln_b.x(), " +
          holds("kiln_x",
                "const uint3 threadIdx = {static_cast<unsigned>(kiln_x), static_cast<unsigned>(kiln_y), "
                "static_cast<unsigned>(kiln_z)};\n",
                "const int kiln_i = (kiln_z * kiln_b.y() + kiln_y) * kiln_b.x() + kiln_x;\n"
                "static_cast<void>(kiln_i), static_cast<void>(threadIdx);\n") +
          ");\nkiln_some |= kiln_turns;\n";
      limits_.end = "kiln_turns";
      item_loop({statement.body().range, loop.start}, around, body);
      out_ += "if (kiln_some == 0) break;\n}\n";
    }
    strided_turns_.erase(loop.variable);
  }

  /// Declares arrays for the variables of a loop's statement that live longer than the loop.
  void declare_rooms(const Statement& statement, Place around) {
    if (statement.kind != Kind::kDeclaration) return;
    for (const Declarator& declarator : statement.declarators) {
      const int v = body_.variable_at(declarator.at);
      if (an_.storage(v) != Storage::kItems) continue;
      if (an_.block_array(v) != (around == Place::kBlock)) continue;
      declare_room(v, declarator, statement);
    }
  }

  void declare_room(int v, const Declarator& declarator, const Statement& statement) {
    const std::string type = "kiln_t" + std::to_string(v);
    bool deduced = false;
    std::string specifiers;
    for (std::size_t i = statement.specifiers.begin; i < statement.specifiers.end; ++i) {
      deduced = deduced || body_.is(i, "auto");
      if (body_.is(i, "const") && !declarator.pointer) continue;
      if (body_.is(i, "register")) continue;
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
        if (i > declarator.at && !body_.is(i, "[")) break;
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
    out_ += (an_.block_array(v) ? "kiln::cpu::Items<" + type + ", KilnShape> "
                                : "kiln::cpu::Lanes<" + type + "> ") +
            room(v) + ";\n";
    out_ += binding(v);
  }

  /// A declaration of values that each loop which needs them computes anew: it needs no loop itself.
  [[nodiscard]] bool only_repeated(const Statement& statement) const {
    return statement.kind == Kind::kDeclaration &&
           std::all_of(statement.declarators.begin(), statement.declarators.end(), [&](const Declarator& d) {
             return an_.storage(body_.variable_at(d.at)) == Storage::kRepeated;
           });
  }

  /// Declares names of values that are computed anew, for the text outside of the loops.
  void declare_repeated(const Statement& statement, Place around) {
    if (statement.kind != Kind::kDeclaration) return;
    for (const Declarator& declarator : statement.declarators) {
      const int v = body_.variable_at(declarator.at);
      if (an_.storage(v) == Storage::kRepeated)
        out_ += raw(statement.specifiers) + " " + render(declarator.range, around) + ";\n";
    }
  }

  [[nodiscard]] std::string item_statement(const Statement& statement) {
    if (statement.kind == Kind::kIf && limits_all(statement))
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

  /// Whether the loop's limits already imply the statement's condition.
  [[nodiscard]] bool limits_all(const Statement& statement) const { return &statement == limited_; }

  [[nodiscard]] std::string first_value(int v, const Declarator& declarator, const Statement& statement) {
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

  /// The pragmas in front of a statement.
  [[nodiscard]] std::string lead(const Statement& statement) const {
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

  // ---------------------------------------------------------------------------------------- lists

  void list(const Statement& statement, Place around) {
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

  void hoisted(const Statement& statement, Place around) {
    if (statement.is_shared) {
      shared(statement);
    } else if (statement.kind == Kind::kDeclaration) {
      for (const Declarator& declarator : statement.declarators)
        out_ += raw(statement.specifiers) + " " + render(declarator.range, around) + ";\n";
    } else if (statement.kind != Kind::kEmpty) {
      out_ += render(statement.range, around) + "\n";
    }
  }

  /// A kernel's shared variables are local, so that a compiler knows that no other code sees them. A variable
  /// of their size represents them among the symbols, from which the run time counts shared memory.
  void shared(const Statement& statement) {
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
      if (body_.is(i, "alignas") || body_.is(i, "__align__") || body_.is(i, "__attribute__")) {
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

  /// Statements that one loop over warps holds.
  void warp_chunk(const std::vector<const Statement*>& chunk) {
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
    for (const Statement* statement : chunk) declare_repeated(*statement, Place::kBlock);
    chunk_end_.clear();
  }

  // ---------------------------------------------------------------------------------------- outside of the
  // loops

  void outer(const Statement& statement, Place around) {
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
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kDo:
        outer_loop(statement, around);
        return;
      case Kind::kEmpty:
        return;
      case Kind::kOpaque:
        throw Trouble{"a barrier in a form of statement that Kiln does not look into", statement.range.begin};
    }
  }

  void outer_declaration(const Statement& statement, Place around) {
    for (const Declarator& declarator : statement.declarators) {
      const int v = body_.variable_at(declarator.at);
      emit_calls(declarator.initializer, around);
      const std::string whole = raw(statement.specifiers) + " ";
      switch (an_.storage(v)) {
        case Storage::kOuter:
        case Storage::kRepeated:
          out_ += whole + render(declarator.range, around) + ";\n";
          break;
        case Storage::kItems:
          // The block's array, for a warp's value, stands outside of the warps' loop.
          if (an_.block_array(v) == (around == Place::kBlock)) declare_room(v, declarator, statement);
          item_loop({declarator.range}, around, [&] { return first_value(v, declarator, statement); });
          break;
        case Storage::kLocal:
          break;
      }
    }
  }

  void outer_return(const Statement& statement, Place around) {
    const bool value = statement.condition.end > statement.condition.begin;
    emit_calls(statement.condition, around);
    if (around == Place::kBlock) {
      if (value && returns()) store_result(statement.condition, around);
      out_ += returns() ? "return kiln_return;\n" : "return;\n";
      return;
    }
    if (value && returns()) store_result(statement.condition, around);
    out_ += "kiln_live &= ~kiln_m;\nkiln_m = 0;\n";
    leave_warp();
  }

  void store_result(TokenRange value, Place around) {
    item_loop({value}, around, [&] {
      return "kiln::cpu::keep(kiln_return" +
             std::string(around == Place::kWarp ? "[kiln_lane]" : "[kiln_i]") + ", " +
             as_result(value.begin, render(value, Place::kItem)) + ");\n";
    });
  }

  /// `text` of an expression that begins at the token `at`, as the function's result; a list in braces
  /// becomes an object of the result's type.
  [[nodiscard]] std::string as_result(std::size_t at, const std::string& text) const {
    const std::string type = "kiln::cpu::Value<" + result_type() + ">";
    return body_.is(at, "{") ? type + text : "static_cast<" + type + ">(" + text + ")";
  }

  /// Jumps to the end for a warp with no lane left.
  void leave_warp() {
    if (an_.warp_function()) {
      out_ += "if (!kiln_live) goto kiln_end;\n";
    } else {
      out_ += "if (!kiln_live) goto " + chunk_end_ + ";\n";
      used_chunk_end_ = true;
    }
  }

  void outer_jump(const Statement& statement, Place around) {
    const bool breaks = statement.kind == Kind::kBreak;
    if (around == Place::kBlock || !masked_loop_) {
      out_ += breaks ? "break;\n" : "continue;\n";
      return;
    }
    if (breaks) out_ += "kiln_staying &= ~kiln_m;\n";
    out_ += "kiln_m = 0;\n";
  }

  [[nodiscard]] bool same(TokenRange condition, Place around) const {
    return an_.facts(condition).level <= (around == Place::kBlock ? kBlockLevel : kWarpLevel);
  }

  /// The condition of a statement at the block's level; each work-item evaluates it, and all have to agree.
  std::string agreed(const Statement& statement) {
    const TokenRange condition = statement.condition;
    for (const SyncCall* call : an_.calls_in(statement.range)) {
      if (call->partial)
        throw Trouble{"a wait for a cuda::barrier that a part of a block may make", condition.begin};
    }
    const std::string name = "kiln_agree" + std::to_string(++agreements_);
    out_ += "kiln::cpu::Agreement " + name + ";\n";
    item_loop({condition}, Place::kBlock,
              [&] { return name + ".add(static_cast<bool>(" + render(condition, Place::kItem) + "));\n"; });
    return name + ".result(" + std::to_string(in_.line(condition.begin)) + "u)";
  }

  /// The lanes of the warp for which a condition holds.
  std::string lanes_where(TokenRange condition) {
    std::string name = "kiln_c" + std::to_string(++agreements_);
    out_ += "unsigned " + name + " = 0;\n";
    item_loop({condition}, Place::kWarp, [&] {
      return name + " |= static_cast<bool>(" + render(condition, Place::kItem) +
             ") ? 1u << kiln_lane : 0u;\n";
    });
    return name;
  }

  void outer_if(const Statement& statement, Place around) {
    out_ += "{\n";
    emit_calls(statement.condition, around);
    const bool has_else = statement.children.size() > 1;
    if (an_.uniform_range(statement.condition, around)) {
      out_ += std::string(statement.constant ? "if constexpr (" : "if (") +
              render(statement.condition, around) + ") {\n";
      branch(*statement.children[0], around);
      if (has_else) {
        out_ += "} else {\n";
        branch(*statement.children[1], around);
      }
      out_ += "}\n";
    } else if (around == Place::kBlock) {
      const std::string yes = agreed(statement);
      out_ += "if (" + yes + ") {\n";
      branch(*statement.children[0], around);
      if (has_else) {
        out_ += "} else {\n";
        branch(*statement.children[1], around);
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
      branch(*statement.children[0], around);
      out_ += "}\n}\n";
      if (has_else) {
        out_ += "if (const unsigned kiln_part = kiln_around & ~" + yes +
                ") {\nunsigned kiln_m = kiln_part;\nKILN_WARP_BEGIN\n{\n";
        branch(*statement.children[1], around);
        out_ += "}\n}\n";
      }
      masked_ = masked || an_.jumps(statement, Kind::kReturn);
    }
    out_ += "}\n";
    after_inner(statement, around);
  }

  /// A loop over warps around what `inside` writes.
  void in_warps(const std::vector<TokenRange>& ranges, const std::function<void()>& inside) {
    const std::string before = std::exchange(out_, "");
    inside();
    const std::string text = std::exchange(out_, before);
    out_ += "KILN_WARPS\n";
    out_ += masks_block() ? "unsigned kiln_m = kiln_alive[kiln_w];\nif (!kiln_m) continue;\n"
                          : "const unsigned kiln_m = kiln_wp.all();\n";
    out_ += "KILN_WARP_BEGIN\n{\n" + bindings(ranges, Place::kWarp) + text + "}\n}\n";
  }

  /// Lanes that left inside a statement take no part after it.
  void after_inner(const Statement& statement, Place around) {
    if (around != Place::kWarp) return;
    if (!an_.jumps(statement, Kind::kReturn)) return;
    out_ += "kiln_m &= kiln_live;\n";
    leave_warp();
  }

  void branch(const Statement& statement, Place around) { list(statement, around); }

  void outer_loop(const Statement& statement, Place around) {
    const bool calls = !an_.calls_in(statement.condition).empty() || !an_.calls_in(statement.step).empty();
    const bool is_for = statement.kind == Kind::kFor;
    const bool known =
        same(statement.condition, around) && !calls &&
        (!is_for || (an_.is_uniform(*statement.children[0], around) && uniform_step(statement, around))) &&
        an_.uniform_range(statement.condition, around) &&
        (around == Place::kBlock || an_.exit_level(statement) <= kWarpLevel);
    if (known) {
      if (an_.any_leaves_early() && an_.jumps(statement, Kind::kReturn) && around == Place::kBlock)
        masked_ = true;
      const bool masked_loop = std::exchange(masked_loop_, false);
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
      if (around == Place::kWarp && an_.jumps(statement, Kind::kReturn)) after_inner(statement, around);
      return;
    }
    if (around == Place::kBlock)
      block_loop(statement);
    else
      warp_loop(statement);
  }

  [[nodiscard]] bool uniform_step(const Statement& statement, Place around) const {
    return statement.step.begin == statement.step.end || an_.uniform_range(statement.step, around);
  }

  void init(const Statement& statement, Place around) {
    if (statement.kind != Kind::kFor) return;
    list(*statement.children[0], around);
  }
  void step(const Statement& statement, Place around) {
    if (statement.step.begin >= statement.step.end) return;
    emit_calls(statement.step, around);
    if (an_.uniform_range(statement.step, around)) {
      out_ += render(statement.step, around) + ";\n";
      return;
    }
    item_loop({statement.step}, around, [&] { return render(statement.step, Place::kItem) + ";\n"; });
  }

  /// A loop around a barrier whose course may differ between work-items: they have to agree at run time.
  void block_loop(const Statement& statement) {
    if (an_.jumps(statement.body(), Kind::kContinue))
      throw Trouble{"'continue' in a loop around a barrier", statement.range.begin};
    out_ += "{\n";
    init(statement, Place::kBlock);
    if (an_.any_leaves_early() && an_.jumps(statement, Kind::kReturn)) masked_ = true;
    out_ += "for (;;) {\n";
    const auto test = [&] {
      if (statement.condition.begin >= statement.condition.end) return;
      emit_calls(statement.condition, Place::kBlock);
      const std::string yes =
          same(statement.condition, Place::kBlock) && !an_.facts_without_calls(statement.condition).effects
              ? "(" + render(statement.condition, Place::kBlock) + ")"
              : agreed(statement);
      out_ += "if (!" + yes + ") break;\n";
    };
    if (statement.kind != Kind::kDo) test();
    out_ += "{\n";
    list(statement.body(), Place::kBlock);
    out_ += "}\n";
    step(statement, Place::kBlock);
    if (statement.kind == Kind::kDo) test();
    out_ += "}\n}\n";
  }

  /// A loop of a warp whose lanes may leave it one after the other.
  void warp_loop(const Statement& statement) {
    const bool masked = masked_;
    out_ += "{\n";
    init(statement, Place::kWarp);
    out_ += "unsigned kiln_staying = kiln_m;\n";
    masked_ = true;
    const bool masked_loop = std::exchange(masked_loop_, true);
    const std::set<std::size_t> jumps = std::exchange(outer_jumps_, {});
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
    if (an_.jumps(statement, Kind::kReturn)) after_inner(statement, Place::kWarp);
  }

  /// Jumps in loops over work-items that lead out of the statement `body` of a warp's loop.
  void collect_jumps(const Statement& statement) {
    if (statement.loop()) return;
    if (statement.kind == Kind::kBreak || statement.kind == Kind::kContinue)
      outer_jumps_.insert(statement.range.begin);
    for (const auto& child : statement.children) collect_jumps(*child);
  }

  // ---------------------------------------------------------------------------------------- calls that wait

  void emit_calls(TokenRange range, Place around) {
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
      if (call->step)
        step_call(*call, whole, result);
      else if (call->sync == Sync::kBlock)
        block_call(*call, result);
      else
        warp_call(*call, result);
      results_.emplace(call->range.begin, result);
    }
  }

  /// "a && __any_sync(...)": only the work-items for which a holds make the call.
  void refuse_conditional(const SyncCall& call, TokenRange range) const {
    int depth = 0;
    for (std::size_t i = range.begin; i < call.range.begin; ++i) {
      const bool closed = (body_.is(i, "(") || body_.is(i, "[") || body_.is(i, "{")) &&
                          body_.tokens()[i].close < call.range.begin;
      if (closed) {
        i = body_.tokens()[i].close;
        continue;
      }
      if (body_.is(i, "&&") || body_.is(i, "||") || body_.is(i, "?"))
        throw Trouble{"a warp operation or barrier in a part of a condition", i};
      static_cast<void>(depth);
    }
    if (in_lambda(call.range.begin))
      throw Trouble{"a warp operation or barrier in a lambda", call.range.begin};
  }

  [[nodiscard]] bool plain(TokenRange argument, Place around) const {
    const Facts known = an_.facts_without_calls(argument);
    return same(argument, around) && !known.effects;
  }

  /// An argument in the form that the split function or operation takes.
  std::string argument(TokenRange range, Place around, bool by_reference) {
    const bool block = around == Place::kBlock;
    if (!by_reference && plain(range, around)) return render(range, around);
    if (body_.is(range.begin, "{")) throw Trouble{"a list in braces as argument", range.begin};
    if (range.end == range.begin + 1 && !by_reference) {
      const int v = body_.variable_at(range.begin);
      if (v >= 0 && an_.storage(v) == Storage::kItems && !variable(v).declarator->reference &&
          !variable(v).declarator->array) {
        if (block && an_.block_array(v)) return room(v);
        if (!block && !views_) return values_of(range, false, false);
        if (!block)
          return "kiln::cpu::view(" + room(v) + ", " + (an_.block_array(v) ? "kiln_base" : "0") + ")";
      }
    }
    return values_of(range, block, by_reference);
  }

  /// Declares an array, and fills it with the values that an argument has in the work-items of the block, or
  /// in the lanes of a warp.
  std::string values_of(TokenRange range, bool block, bool by_reference) {
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

  void block_call(const SyncCall& call, Result& result) {
    if (call.user) {
      user_call(call, result, Place::kBlock);
      return;
    }
    if (call.group.kind == Group::Kind::kGrid) {
      grid_sync(call);
      result.nothing = true;
      return;
    }
    if (call.name == "__syncthreads" || call.name == "__barrier_sync" || call.name == "sync" ||
        call.name == "wait" || call.name == "arrive_and_wait") {
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

  /// An operation of CUB: once for each work-item to bring its values, and once to take the result.
  void step_call(const SyncCall& call, bool whole, Result& result) {
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

  void grid_sync(const SyncCall& call) {
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

  /// The lanes that take part in a warp operation.
  [[nodiscard]] std::string active() const {
    return masked_ || an_.warp_function() ? "kiln_m" : "kiln_wp.all()";
  }

  void warp_call(const SyncCall& call, Result& result) {
    if (call.user) {
      user_call(call, result, Place::kWarp);
      return;
    }
    std::string name(call.name);
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
      if (arguments.size() < count)
        throw Trouble{"a warp operation with too few arguments", call.range.begin};
    };
    const std::string full = ", 0xffffffffu";
    std::string text;
    if (call.group.kind == Group::Kind::kTile) {
      const std::string size = "unsigned(" + call.group.size + ")";
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
    } else if (name == "__syncwarp") {
      result.nothing = true;
      return;
    } else if (name == "__activemask") {
      out_ += "const unsigned " + result.name + " = " + active() + ";\n";
      return;
    } else {
      const bool masked = name.size() > 5 && name.substr(name.size() - 5) == "_sync";
      name = name.substr(2, name.size() - 2 - (masked ? 5 : 0));
      need(masked ? 2 : 1);
      text = name + "(" + active() + (masked ? "" : full) + joined(0) + ")";
    }
    out_ += "const auto " + result.name + " = kiln::cpu::" + text + ";\n";
  }

  void user_call(const SyncCall& call, Result& result, Place around) {
    std::vector<Level> levels;
    std::vector<Group> groups;
    for (const TokenRange range : call.arguments) {
      levels.push_back(plain(range, around) ? kBlockLevel : kItemLevel);
      const int v = range.end == range.begin + 1 ? body_.variable_at(range.begin) : -1;
      groups.push_back(v >= 0 ? an_.group(v) : Group{});
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

  /// The work-items that the next loop over work-items omits: calls of kiln::cpu::Range.
  struct Limits {
    std::string x, y, lane;
    std::string end;     ///< of the loop along x or over lanes; then the others do not count
    std::string row;     ///< with `end`: statements in front of each row
    bool again = false;  ///< some work-items may execute the statement twice
    [[nodiscard]] bool empty() const { return x.empty() && y.empty() && lane.empty() && end.empty(); }
  };

  const Analysis& an_;
  const Body& body_;
  const WriterInput& in_;
  bool warps_;
  std::string out_;
  std::vector<TokenRange> lambdas_;
  std::map<std::size_t, Result> results_;  // by first token of the call
  bool masked_ = false;                    // some work-items may not take part
  bool masked_loop_ = false;               // some lanes leave the innermost loop of the warp before others
  bool jump_patches_ = false;
  bool used_label_ = false, leaves_ = false, breaks_ = false, skips_ = false;
  bool views_ = false;
  Limits limits_;
  const Statement* limited_ = nullptr;
  std::map<int, std::string> strided_turns_;
  std::set<std::size_t> outer_jumps_;
  std::string chunk_end_;
  bool used_chunk_end_ = false;
  int loops_ = 0, loop_number_ = 0, chunks_ = 0, calls_ = 0, agreements_ = 0;
};

}  // namespace

std::string write_split(const Analysis& analysis, const WriterInput& input) {
  return Writer(analysis, input).run();
}

}  // namespace kiln::fission
