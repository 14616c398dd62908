#include "workload/program_check.h"

#include <algorithm>

#include "base/text.h"
#include "workload/names.h"

namespace kiln {
namespace {

class ProgramChecker {
 public:
  ProgramChecker(Workload& workload, const CheckExpression& check) : workload_(workload), check_(check) {}

  void run() {
    check_program(workload_.run);
    check_program(workload_.verify_run);
    for (const auto& [name, text] : workload_.lets) require_constant("let." + name, text);
    for (const KernelSpec& kernel : workload_.kernels) {
      for (const DefineSpec& define : kernel.defines) {
        if (define.expression)
          require_constant("kernels." + kernel.name + ".defines." + define.name, define.value);
      }
    }
  }

 private:
  void check_program(ProgramSpec& program) {
    for (StatementSpec& statement : program) {
      check_optional(statement.when);
      std::visit([&](auto& action) { check_action(action, statement.where); }, statement.action);
    }
  }

  void check(const ExpressionText& text) { check_(text, known_); }
  void check_optional(const std::optional<ExpressionText>& text) {
    if (text) check(*text);
  }

  /// From here on the variable has a value.
  void define(const std::string& name, const SourceLocation& where) {
    known_.insert(name);
    if (workload_.is_variable(name)) return;
    workload_.variables.push_back(name);
    for (ParameterSpec& parameter : workload_.parameters) {
      if (parameter.name == name) bind_at_run_time(parameter, where);
    }
    if (workload_.find_parameter(name) == nullptr) require_free(name, where);
  }

  static void bind_at_run_time(ParameterSpec& parameter, const SourceLocation& where) {
    if (parameter.kind != ParameterKind::kScalar)
      throw bad_input("'" + parameter.name + "' is no number; a program changes numbers only", where);
    if (parameter.fixed_binding == Binding::kCompile) {
      throw bad_input(
          "'" + parameter.name +
              "' is bound at compile time (`bind: compile`, or a use as macro or template argument); "
              "a program changes run-time values only",
          where);
    }
    parameter.fixed_binding = Binding::kRun;
  }

  void require_free(const std::string& name, const SourceLocation& where) const {
    if (is_word_of_format(name) || is_word_of_expressions(name) || parse_real(name) ||
        workload_.find_let(name) || workload_.find_buffer(name) || is_choice_word(name)) {
      throw bad_input("'" + name + "' cannot be a program variable: the name already means something else",
                      where);
    }
  }
  [[nodiscard]] bool is_choice_word(const std::string& name) const {
    return std::any_of(workload_.parameters.begin(), workload_.parameters.end(), [&](const ParameterSpec& p) {
      return p.kind == ParameterKind::kChoice &&
             std::any_of(p.values.begin(), p.values.end(),
                         [&](const auto& word) { return word.text == name; });
    });
  }

  /// An expression that is evaluated once, before the program runs, must not use variables that the program
  /// changes.
  void require_constant(const std::string& subject, const ExpressionText& text) const {
    for (const std::string& name : workload_.names_in(text)) {
      if (!workload_.is_variable(name)) continue;
      throw bad_input(subject + ": '" + name +
                          "' changes while the program runs, and this is evaluated before; " +
                          "write the expression where it is used",
                      text.where);
    }
  }

  const BufferSpec& require_buffer(const std::string& name, const SourceLocation& where) const {
    return require_named(workload_.buffers, "buffer", name, where);
  }

  void check_action(LaunchSpec& launch, const SourceLocation&) {
    auto configured =
        std::make_shared<KernelSpec>(require_named(workload_.kernels, "kernel", launch.kernel, launch.where));
    for (const LaunchArgument& argument : launch.args) give(*configured, argument);
    const auto replace = [&](const std::vector<ExpressionText>& list, std::vector<ExpressionText>& own) {
      for (const ExpressionText& text : list) check(text);
      if (!list.empty()) own = list;
    };
    replace(launch.grid, configured->grid);
    replace(launch.block, configured->block);
    replace(launch.cluster, configured->cluster);
    check_optional(launch.shared);
    if (launch.shared) configured->shared = launch.shared;
    for (const ArgumentSpec& argument : configured->args) {
      if (argument.kind == ArgumentSpec::Kind::kGiven) {
        throw bad_input("kernel '" + launch.kernel + "' has no value for its argument '" + argument.formal +
                            "'; give one with `args: {" + argument.formal + ": ...}`",
                        launch.where);
      }
    }
    for (const auto& [name, value] : launch.with) check_with(name, value);
    launch.configured = std::move(configured);
  }

  void give(KernelSpec& kernel, const LaunchArgument& given) {
    std::vector<std::string> formals;
    ArgumentSpec* found = nullptr;
    for (ArgumentSpec& argument : kernel.args) {
      if (argument.formal.empty()) continue;
      formals.push_back(argument.formal);
      if (argument.formal != given.name) continue;
      if (found != nullptr) {
        throw bad_input(given.value.key + ": kernel '" + kernel.name + "' has two arguments '" + given.name +
                            "'; tell them apart with {buffer: ..., name: ...}",
                        given.value.where);
      }
      found = &argument;
    }
    if (found == nullptr) {
      throw bad_input(given.value.key + ": kernel '" + kernel.name + "' has no argument '" + given.name +
                          "'" + suggestion(given.name, formals),
                      given.value.where);
    }
    assign(*found, given);
  }

  void assign(ArgumentSpec& argument, const LaunchArgument& given) {
    using Kind = ArgumentSpec::Kind;
    argument.where = given.value.where;
    const bool is_buffer = workload_.find_buffer(given.value.text) != nullptr;
    if (argument.names_buffer() || (argument.kind == Kind::kGiven && argument.type.empty())) {
      require_buffer(given.value.text, given.value.where);
      argument.name = given.value.text;
      if (argument.kind == Kind::kGiven) argument.kind = Kind::kBuffer;
      return;
    }
    if (is_buffer) {
      throw bad_input(given.value.key + ": argument '" + given.name + "' is a number; found the buffer '" +
                          given.value.text + "'",
                      given.value.where);
    }
    check(given.value);
    if (argument.kind == Kind::kParameter)
      argument.type = workload_.find_parameter(argument.name)->scalar_type;
    argument.kind = Kind::kValue;
    argument.value = given.value;
  }

  void check_with(const std::string& name, const ExpressionText& value) {
    const ParameterSpec& parameter = require_named(workload_.parameters, "parameter", name, value.where);
    if (parameter.kind == ParameterKind::kPath)
      throw bad_input(value.key + ": a launch cannot have a path of its own", value.where);
    if (parameter.kind == ParameterKind::kScalar && value.text != "true" && value.text != "false")
      check_(value, {});
  }

  void check_items(const std::vector<ReadItem>& items) {
    for (const ReadItem& item : items) {
      const BufferSpec& buffer = require_buffer(item.buffer, item.where);
      if (workload_.find_type(buffer.type) != nullptr)
        throw bad_input("buffer '" + buffer.name + "' holds records; expected numbers", item.where);
      check_optional(item.element);
      define(item.variable, item.where);
    }
  }

  void check_action(RepeatSpec& repeat, const SourceLocation& where) {
    for (const auto* text :
         {&repeat.count, &repeat.from, &repeat.to, &repeat.by, &repeat.most, &repeat.every})
      check_optional(*text);
    if (!repeat.index.empty()) define(repeat.index, where);
    if (repeat.until && in_branch_) refuse_in_branch("until", where);
    check_program(repeat.body);
    check_items(repeat.read);
    check_optional(repeat.until);
  }

  void check_action(SwapSpec& swap, const SourceLocation& where) {
    if (in_branch_) refuse_in_branch("swap", where);
    require_buffer(swap.first, where);
    require_buffer(swap.second, where);
    if (swap.first == swap.second) throw bad_input("swap: expected two different buffers", where);
  }
  void check_action(CopySpec& copy, const SourceLocation& where) {
    require_buffer(copy.from, where);
    require_buffer(copy.to, where);
    if (copy.from == copy.to) throw bad_input("copy: expected two different buffers", where);
  }
  void check_action(FillSpec& fill, const SourceLocation& where) {
    const BufferSpec& buffer = require_buffer(fill.buffer, where);
    if (workload_.find_type(buffer.type) != nullptr)
      throw bad_input("buffer '" + buffer.name + "' holds records; expected numbers", where);
    check(fill.value);
  }
  /// The configuration has the numbers: a call is made once.
  void check_action(LibrarySpec& library, const SourceLocation&) {
    for (LibraryArgument& argument : library.args) {
      argument.buffer = workload_.find_buffer(argument.value.text) != nullptr;
      if (!argument.buffer) check_(argument.value, {});
    }
  }
  void check_action(ReadSpec& read, const SourceLocation& where) {
    if (in_branch_) refuse_in_branch("read", where);
    check_items(read.items);
  }
  void check_action(SetSpec& set, const SourceLocation& where) {
    if (in_branch_) refuse_in_branch("set", where);
    for (const auto& [name, value] : set.items) {
      check(value);
      define(name, value.where);
    }
  }
  void check_action(ParallelSpec& parallel, const SourceLocation& where) {
    if (in_branch_) refuse_in_branch("parallel", where);
    in_branch_ = true;
    for (ProgramSpec& branch : parallel.branches) check_program(branch);
    in_branch_ = false;
  }

  [[noreturn]] static void refuse_in_branch(const std::string& what, const SourceLocation& where) {
    throw bad_input("`" + what +
                        "` cannot stand in a branch of `parallel`; expected launches, copy, fill and " +
                        "repeat with count or to",
                    where);
  }

  Workload& workload_;
  const CheckExpression& check_;
  std::set<std::string> known_;  // program variables that have a value here
  bool in_branch_ = false;
};

}  // namespace

void check_programs(Workload& workload, const CheckExpression& check) {
  ProgramChecker(workload, check).run();
}

}  // namespace kiln
