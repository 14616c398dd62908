#include "compile/cpu/split/writer.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "compile/cpu/split/statement_text.h"

namespace kiln::fission {
namespace {

/// Writes a whole function: its head, its parameters, its result, and its statements.
class FunctionText : StatementText {
 public:
  FunctionText(const Analysis& analysis, const WriterInput& input) : StatementText(analysis, input) {
    masked_ = input.masked;
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
      if (meets()) out_ += "kiln::cpu::Missed<KilnShape, " + set_type() + "> kiln_missed(kiln_b);\n";
      if (returns())
        out_ += "kiln::cpu::Items<kiln::cpu::Value<" + result_type() + ">, KilnShape> kiln_return;\n";
    }
    out_ += "{\n";
    keep_parameters();
    if (in_.kernel && !warps_) fetch_next_rows();
    list(body_.block(), an_.warp_function() ? Place::kWarp : Place::kBlock);
    out_ += "}\n";
    if (an_.warp_function()) out_ += "goto kiln_end; kiln_end:;\n";
    if (returns()) out_ += "return kiln_return;\n";
    return out_ + "}\n";
  }

 private:
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
      const std::string type_text = item_type(head, p);
      out_ += an_.warp_function() ? "kiln::cpu::Lanes<" + type_text + ">"
                                  : "kiln::cpu::Items<" + type_text + ", KilnShape>";
      out_ += " kiln_v" + std::to_string(v);
    }
    out_ += ") {\n";
  }

  /// The type of a parameter's value in one work-item; by reference: of its address. An array is passed as
  /// the address of its first element, or of itself by reference.
  [[nodiscard]] std::string item_type(const Head& head, std::size_t p) const {
    const Declarator& declarator = *head.parameters[p];
    std::string type;
    bool constant = false;
    for (std::size_t i = head.specifiers[p].begin; i < head.specifiers[p].end; ++i) {
      const Token& token = body_.tokens()[i];
      if (token.is("auto")) throw Trouble{"a parameter of type 'auto'", i};
      if (token.is("(")) break;  // "(&name)[8]"
      if (token.is("&") || token.is("&&") || token.is("__restrict__") || token.is("__restrict")) continue;
      // "const" of a value belongs to the value; "const" of a target or of an element stays.
      if (token.is("const")) constant = true;
      if (token.is("const") && !declarator.array &&
          (!declarator.pointer || last_const(head.specifiers[p], i)))
        continue;
      type += std::string(token.text) + " ";
    }
    std::vector<std::string> extents;
    for (std::size_t i = declarator.at + 1; i < declarator.range.end; ++i) {
      if (body_.is(i, ")")) continue;
      if (!body_.is(i, "[")) throw Trouble{"a parameter of a form that Kiln does not know", declarator.at};
      extents.push_back(raw({i, body_.tokens()[i].close + 1}));
      i = body_.tokens()[i].close;
    }
    const bool by_address = declarator.reference && !constant;
    const bool to_array = body_.is(declarator.at + 1, ")");  // "(*p)[8]", "(&r)[8]"
    // The address of the first element lacks an extent.
    if (!extents.empty() && (!to_array || (declarator.reference && constant))) extents.erase(extents.begin());
    if (!extents.empty()) {
      type += "(*)";
      for (const std::string& extent : extents) type += extent;
    } else if (declarator.array || by_address) {
      type += "*";
    }
    return type;
  }

  [[nodiscard]] bool last_const(TokenRange range, std::size_t i) const {
    for (std::size_t t = i + 1; t < range.end; ++t) {
      if (body_.is(t, "*")) return false;
    }
    return true;
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

  /// Fetches the memory that the next block along x will write, for statements out[index] = ... that all
  /// work-items execute. A block's stores stand together in one loop: there the core waits for the memory.
  void fetch_next_rows() {
    std::set<int> arrays;
    for (const auto& statement : body_.block().children) {
      const std::size_t begin = statement->range.begin;
      if (statement->kind != Statement::Kind::kExpression || !body_.is(begin + 1, "[")) continue;
      const TokenRange index = {begin + 2, body_.tokens()[begin + 1].close};
      const int v = body_.variable_at(begin);
      if (v < 0 || variable(v).parameter < 0 || !variable(v).declarator->pointer || variable(v).modified ||
          !body_.is(index.end + 1, "=") || !an_.plain_sum(index) || !varies(index) || !known_at_start(index))
        continue;
      if (arrays.insert(v).second)
        out_ += "KILN_FETCH_NEXT(" + std::string(variable(v).name) + "[" + wide_sum(index) + "])\n";
    }
  }

  /// Whether a sum of indices names nothing that the function has yet to compute.
  [[nodiscard]] bool known_at_start(TokenRange sum, int depth = 0) const {
    constexpr int kDeepest = 6;
    if (depth > kDeepest) return false;
    for (std::size_t i = sum.begin; i < sum.end; ++i) {
      const int v = body_.variable_at(i);
      if (v < 0 && body_.tokens()[i].identifier() && declared_in_body(body_.tokens()[i].text)) return false;
      if (v < 0) continue;
      const bool known = an_.sum_of_index(v) ? known_at_start(variable(v).declarator->initializer, depth + 1)
                                             : variable(v).parameter >= 0 && !variable(v).modified;
      if (!known) return false;
    }
    return true;
  }

  /// Whether a type, an enumerator or a constant of that name may be declared in the function.
  [[nodiscard]] bool declared_in_body(std::string_view name) const {
    const auto declares = [&](const auto& self, const Statement& statement) -> bool {
      if (statement.kind == Statement::Kind::kScopeDeclaration ||
          statement.kind == Statement::Kind::kOpaque) {
        for (std::size_t i = statement.range.begin; i < statement.range.end; ++i) {
          if (body_.is(i, name)) return true;
        }
      }
      return std::any_of(statement.children.begin(), statement.children.end(),
                         [&](const auto& child) { return self(self, *child); });
    };
    return declares(declares, body_.block());
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
};

}  // namespace

std::string write_split(const Analysis& analysis, const WriterInput& input) {
  return FunctionText(analysis, input).run();
}

}  // namespace kiln::fission
