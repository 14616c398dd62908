#include "workload/workload_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/text.h"
#include "config/expression.h"
#include "workload/cpp_words.h"
#include "workload/device_words.h"
#include "workload/memory_check.h"
#include "workload/names.h"
#include "workload/program_check.h"
#include "workload/selection.h"

namespace kiln {
namespace {

const std::string kAddressType = "ulong";

class Checker {
 public:
  Checker(Workload& workload, const YamlNode& root) : workload_(workload), root_(root) {}

  void run() {
    collect_names();
    check_parameters();
    check_lets();
    check_expressions(workload_.constraints);
    check_buffers();
    for (const auto* names : {&workload_.inputs_of_step, &workload_.outputs_of_step})
      check_passed_buffers(workload_, *names);
    for (KernelSpec& kernel : workload_.kernels) check_kernel(kernel);
    if (workload_.run.empty()) throw root_.at("run").error("expected at least one launch");
    check_programs(workload_, [this](const ExpressionText& text, const std::set<std::string>& variables) {
      check(text, variables);
    });
    for (const BufferSpec& buffer : workload_.buffers) check_optional(buffer.used, variables());
    if (workload_.verify_steps) check(*workload_.verify_steps);
    for (const CheckSpec& item : workload_.checks) check_check(item);
    check_memory_use(workload_);
    check_metrics();
    check_every_selection(workload_);
    if (workload_.refresh) check(*workload_.refresh);
    check_expressions(workload_.tune.constraints);
    if (const auto tune = root_.find("tune")) check_tune(workload_, *tune);
  }

 private:
  void collect_names() {
    const auto add = [&](const std::string& section, const std::string& name, const SourceLocation& where) {
      const std::string subject = section + "." + name + ": '" + name + "' ";
      if (is_word_of_format(name))
        throw bad_input(subject + "is a word of the format; choose another name", where);
      if (parse_real(name)) throw bad_input(subject + "reads as a number; choose another name", where);
      if (is_word_of_expressions(name))
        throw bad_input(subject + "is a word of expressions; choose another name", where);
      if (!names_.insert(name).second)
        throw bad_input(subject + "is already the name of something else", where);
    };
    for (const ParameterSpec& parameter : workload_.parameters) {
      add("parameters", parameter.name, parameter.where);
      if (is_cpp_word(parameter.name)) {
        throw bad_input("parameters." + parameter.name +
                            ": a word of C++ cannot be a member of struct Params; choose another name",
                        parameter.where);
      }
    }
    for (const auto& [name, text] : workload_.lets) add("let", name, text.where);
    for (const BufferSpec& buffer : workload_.buffers) {
      if (names_.contains(buffer.name))
        throw bad_input("'" + buffer.name + "' is already a parameter", buffer.where);
    }
    for (const ParameterSpec& parameter : workload_.parameters) {
      if (parameter.kind != ParameterKind::kChoice) continue;
      for (const ExpressionText& value : parameter.values) {
        check_word(value);
        if (names_.contains(value.text)) {
          throw bad_input("'" + value.text + "' is a word of the choice '" + parameter.name +
                              "' and the name of something else: an expression could not tell them apart",
                          value.where);
        }
        words_.insert(value.text);
      }
    }
  }

  /// A word of a choice is a name in every expression.
  static void check_word(const ExpressionText& word) {
    static const std::set<std::string> reserved{"time",     "file_bytes", "fast_math", "launch_bounds",
                                                "lineinfo", "_pi",        "_e"};
    const bool sayable = !word.text.empty() && std::isdigit(static_cast<unsigned char>(word.text[0])) == 0 &&
                         word.text[0] != '.' &&
                         std::all_of(word.text.begin(), word.text.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '_' || c == '.';
                         });
    if (!sayable || parse_real(word.text)) {
      throw bad_input(
          word.key + ": '" + word.text +
              "' cannot be a word of a choice: an expression could not name it; expected letters, "
              "digits, '_' and '.', no digit first",
          word.where);
    }
    if (reserved.contains(word.text) || is_device_word(word.text) || parse_scalar_type(word.text))
      throw bad_input(word.key + ": '" + word.text + "' is a word of the format; choose another name",
                      word.where);
  }

  void check(const ExpressionText& expression, const std::set<std::string>& extra = {}) {
    for (const std::string& name : workload_.names_in(expression)) {
      if (names_.contains(name) || extra.contains(name) || words_.contains(name) || is_device_word(name))
        continue;
      std::vector<std::string> candidates(names_.begin(), names_.end());
      candidates.insert(candidates.end(), extra.begin(), extra.end());
      candidates.insert(candidates.end(), device_words().begin(), device_words().end());
      throw bad_input(expression.key + ": unknown name '" + name + "'" + suggestion(name, candidates) +
                          " in '" + expression.text + "'",
                      expression.where);
    }
  }
  void check_expressions(const std::vector<ExpressionText>& list) {
    for (const ExpressionText& expression : list) check(expression);
  }
  void check_optional(const std::optional<ExpressionText>& expression,
                      const std::set<std::string>& extra = {}) {
    if (expression) check(*expression, extra);
  }

  void check_path(const std::string& text, const SourceLocation& where) {
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
      const std::size_t close = text.find('}', open);
      const std::string name = text.substr(open + 1, close == std::string::npos ? close : close - open - 1);
      if (close == std::string::npos || !workload_.find_parameter(name)) {
        throw bad_input(
            "'{" + name + "}' names no parameter" + suggestion(name, names_of(workload_.parameters)), where);
      }
    }
  }

  /// A file that gives a parameter's value is looked for when only the parameters above it have theirs.
  void check_header_path(const ParameterSpec& parameter, const std::set<std::string>& earlier) {
    const HeaderSource& source = *parameter.from;
    check_path(source.file, source.where);
    const std::string key = "parameters." + parameter.name + ".from.file: ";
    for (const ParameterSpec& other : workload_.parameters) {
      const std::string placeholder = "{" + other.name + "}";
      if (source.file == placeholder && earlier.contains(other.name) && other.kind != ParameterKind::kPath) {
        throw bad_input(
            key + "'" + other.name + "' alone names no file; expected a parameter of the type path",
            source.where);
      }
      if (earlier.contains(other.name) || source.file.find(placeholder) == std::string::npos) continue;
      throw bad_input(key + (other.name == parameter.name
                                 ? "'" + other.name + "' is the parameter that the file is to give"
                                 : declared_below(other.name)),
                      source.where);
    }
  }

  static std::string declared_below(const std::string& name) {
    return "'" + name + "' is declared below; declare it before";
  }

  void check_parameters() {
    std::set<std::string> earlier;
    for (const ParameterSpec& parameter : workload_.parameters) {
      if (parameter.kind == ParameterKind::kScalar && !parse_scalar_type(parameter.scalar_type)) {
        const ParameterSpec* type = workload_.find_parameter(parameter.scalar_type);
        if (type == nullptr || type->kind != ParameterKind::kType) {
          std::vector<std::string> known = scalar_type_names();
          known.insert(known.end(), {"type", "choice", "path"});
          throw bad_input("parameters." + parameter.name + ".type: unknown type '" + parameter.scalar_type +
                              "'" + suggestion(parameter.scalar_type, known),
                          parameter.where);
        }
        if (!earlier.contains(type->name)) {
          throw bad_input("parameters." + parameter.name + ".type: " + declared_below(type->name),
                          parameter.where);
        }
      }
      if (parameter.kind == ParameterKind::kChoice) {
        for (const auto& [backend, text] : parameter.defaults)
          check_earlier(text, earlier);  // a word is a name
      }
      if (parameter.kind == ParameterKind::kType) {
        for (const auto& [backend, text] : parameter.defaults) {
          if (!is_identifier(text.text) || workload_.find_parameter(text.text)) check_earlier(text, earlier);
        }
      }
      if (parameter.kind == ParameterKind::kScalar) {
        for (const auto& [backend, text] : parameter.defaults) check_earlier(text, earlier);
        for (const auto& bound : {parameter.min, parameter.max}) {
          if (bound) check_earlier(*bound, earlier);
        }
        for (const ExpressionText& value : parameter.values) check_earlier(value, earlier);
      }
      if (parameter.from) check_header_path(parameter, earlier);
      earlier.insert(parameter.name);
    }
  }

  void check_earlier(const ExpressionText& expression, const std::set<std::string>& earlier) {
    if (expression.text == "true" || expression.text == "false") return;
    for (const std::string& name : workload_.names_in(expression)) {
      if (earlier.contains(name) || words_.contains(name) || is_device_word(name)) continue;
      const bool later = workload_.find_parameter(name) != nullptr;
      std::vector<std::string> known(earlier.begin(), earlier.end());
      known.insert(known.end(), words_.begin(), words_.end());
      known.insert(known.end(), device_words().begin(), device_words().end());
      throw bad_input(
          expression.key + ": " +
              (later ? declared_below(name) : "unknown name '" + name + "'" + suggestion(name, known)),
          expression.where);
    }
  }

  void check_lets() {
    for (const auto& [name, text] : workload_.lets) check(text);
    for (const auto& [name, text] : workload_.lets) {
      std::vector<std::string> trail;
      follow_let(name, trail);
    }
  }

  void follow_let(const std::string& name, std::vector<std::string>& trail) {
    const ExpressionText* let = workload_.find_let(name);
    if (let == nullptr || settled_lets_.contains(name)) return;
    const bool cycle = std::find(trail.begin(), trail.end(), name) != trail.end();
    trail.push_back(name);
    if (cycle)
      throw bad_input("let." + name + ": the names depend on each other: " + join(trail, " -> "), let->where);
    for (const std::string& used : workload_.names_in(*let)) follow_let(used, trail);
    trail.pop_back();
    settled_lets_.insert(name);
  }

  void check_buffers() {
    for (const RecordType& type : workload_.types) {
      for (const RecordMember& member : type.members) {
        check_optional(member.min);
        check_optional(member.max);
      }
    }
    for (const BufferSpec& buffer : workload_.buffers) {
      const ParameterSpec* type = workload_.find_parameter(buffer.type);
      const bool is_type_parameter = type != nullptr && type->kind == ParameterKind::kType;
      if (!parse_scalar_type(buffer.type) && !is_type_parameter && !workload_.find_type(buffer.type)) {
        std::vector<std::string> known = scalar_type_names();
        for (const std::string& name : names_of(workload_.types)) known.push_back(name);
        throw bad_input("buffers." + buffer.name + ".type: unknown type '" + buffer.type + "'" +
                            suggestion(buffer.type, known),
                        buffer.where);
      }
      check_expressions(buffer.shape);
      check_init(buffer, buffer.init);
      if (buffer.view) check_view(buffer);
      check_optional(buffer.when);
    }
  }

  void check_view(const BufferSpec& buffer) {
    check(buffer.view->offset);
    const BufferSpec& whole = require_buffer(buffer.view->of, buffer.view->where);
    if (!whole.view) return;
    throw bad_input("buffers." + buffer.name + ".view.of: '" + whole.name +
                        "' is a view, too; expected a buffer with memory of its own",
                    buffer.view->where);
  }

  void check_init(const BufferSpec& buffer, const InitSpec& init) {
    check_expressions(init.numbers);
    if (init.kind == InitSpec::Kind::kKernel) {
      const KernelSpec& kernel = require_kernel(init.kernel, init.where);
      require_arguments(kernel, init.where);
      const bool writes =
          std::any_of(kernel.args.begin(), kernel.args.end(),
                      [&](const ArgumentSpec& argument) { return argument.name == buffer.name; });
      if (!writes) {
        throw bad_input("kernel '" + kernel.name + "' is to fill buffer '" + buffer.name +
                            "', which is not among its args",
                        init.where);
      }
    }
    if (init.kind == InitSpec::Kind::kSameAs) check_same_as(buffer, init);
    if (init.kind == InitSpec::Kind::kAddresses && (buffer.type != kAddressType || buffer.lanes > 1)) {
      throw bad_input("buffers." + buffer.name + ".init: addresses are elements of type " + kAddressType +
                          "; the buffer has " + buffer.type,
                      init.where);
    }
    if (init.kind == InitSpec::Kind::kMembers) check_members(buffer, init);
    for (const ExpressionText& name : init.pointees()) require_buffer(name.text, name.where);
    if (init.file) check_file(*init.file);
    if (init.otherwise) check_init(buffer, *init.otherwise);
  }

  void check_members(const BufferSpec& buffer, const InitSpec& init) {
    const std::string place = "buffers." + buffer.name + ".init.members: ";
    const RecordType* type = workload_.find_type(buffer.type);
    if (type == nullptr) {
      throw bad_input(place + "the elements are of type " + buffer.type + "; expected one of `types`" +
                          suggestion(buffer.type, names_of(workload_.types)),
                      init.where);
    }
    std::set<const RecordMember*> given;
    for (const MemberInit& member : init.members) {
      const std::vector<const RecordMember*> numbers = type->numbers_of(member.name);
      if (numbers.empty()) {
        throw bad_input(place + "'" + type->name + "' has no member '" + member.name + "'" +
                            suggestion(member.name, names_of(type->members)),
                        member.where);
      }
      if (member.values.size() != 1 && member.values.size() != numbers.size()) {
        throw bad_input(place + "'" + member.name + "' has " + std::to_string(numbers.size()) +
                            (numbers.size() == 1 ? " number" : " numbers") + "; found " +
                            std::to_string(member.values.size()) + " values",
                        member.where);
      }
      for (const RecordMember* number : numbers) {
        if (!given.insert(number).second)
          throw bad_input(place + "'" + number->name + "' is given twice", member.where);
        if (member.addresses && number->type != ScalarType::kUnsignedLong) {
          throw bad_input(place + "'" + number->name + "' is to hold an address; expected type " +
                              kAddressType + ", found " + to_string(number->type),
                          member.where);
        }
      }
      if (!member.addresses) check_expressions(member.values);
    }
  }

  /// The buffer that an init names, itself or where its file is not set; null if it names none.
  static const InitSpec* find_same_as(const InitSpec& init) {
    if (init.kind == InitSpec::Kind::kSameAs) return &init;
    return init.otherwise ? find_same_as(*init.otherwise) : nullptr;
  }

  void check_same_as(const BufferSpec& buffer, const InitSpec& init) {
    std::vector<std::string> chain{buffer.name};
    for (const InitSpec* link = &init; link != nullptr;) {
      const BufferSpec* next = workload_.find_buffer(link->same_as);
      if (next == nullptr) {
        throw bad_input(
            "unknown buffer '" + link->same_as + "'" + suggestion(link->same_as, names_of(workload_.buffers)),
            link->where);
      }
      if (!next->init.pointees().empty()) {
        throw bad_input("buffers." + buffer.name + ".init.same_as: '" + next->name +
                            "' holds addresses of buffers; name them here, too",
                        link->where);
      }
      const bool known = std::find(chain.begin(), chain.end(), next->name) != chain.end();
      chain.push_back(next->name);
      if (known) {
        throw bad_input("buffers." + buffer.name +
                            ".init.same_as: the buffers start like each other: " + join(chain, " -> "),
                        init.where);
      }
      link = find_same_as(next->init);
    }
  }

  void check_file(const FileSource& file) {
    check_path(file.path.text, file.path.where);
    check_optional(file.skip);
    check_optional(file.offset, {"file_bytes"});
    check_optional(file.row_pitch, {"file_bytes"});
  }

  const KernelSpec& require_kernel(const std::string& name, const SourceLocation& where) {
    return require_named(workload_.kernels, "kernel", name, where);
  }

  /// Of a kernel that no launch gives its arguments.
  static void require_arguments(const KernelSpec& kernel, const SourceLocation& where) {
    for (const ArgumentSpec& argument : kernel.args) {
      if (argument.kind != ArgumentSpec::Kind::kGiven) continue;
      throw bad_input("kernel '" + kernel.name + "' runs here without a value for its argument '" +
                          argument.formal + "', which only launches in `run` can give",
                      where);
    }
  }

  const BufferSpec& require_buffer(const std::string& name, const SourceLocation& where) {
    return require_named(workload_.buffers, "buffer", name, where);
  }

  void check_kernel(KernelSpec& kernel) {
    check_expressions(kernel.grid);
    check_expressions(kernel.block);
    check_expressions(kernel.cluster);
    check_optional(kernel.shared);
    check_optional(kernel.overlap);
    check_expressions(kernel.launch_bounds);
    for (ArgumentSpec& argument : kernel.args) resolve_argument(kernel, argument);
    for (const ExpressionText& text : kernel.template_args) bind_at_compile_time(text.text);
    for (const DefineSpec& define : kernel.defines) {
      if (define.expression) check(define.value);
      bind_at_compile_time(define.value.text);
    }
    for (const auto& [symbol, buffer] : kernel.symbols) {
      require_buffer(buffer, kernel.where);
      require_one_content(kernel, symbol, buffer);
    }
    for (std::size_t i = 0; i < kernel.read_symbols.size(); ++i)
      require_buffer(kernel.read_symbols[i].second, kernel.read_symbol_places[i]);
  }

  /// Kernels of one text are compiled together and share its variables: the content of one would be replaced
  /// by that of the other.
  void require_one_content(const KernelSpec& kernel, const std::string& symbol, const std::string& buffer) {
    for (const KernelSpec& other : workload_.kernels) {
      if (&other == &kernel) return;
      if (other.source != kernel.source) continue;
      for (const auto& [known, known_buffer] : other.symbols) {
        if (known != symbol || known_buffer == buffer) continue;
        throw bad_input("kernels." + kernel.name + ".symbols: '" + symbol + "' of '" + kernel.source +
                            "' gets buffer '" + buffer + "' here and '" + known_buffer + "' in kernel '" +
                            other.name + "'; kernels of one text share its variables: give one of them a " +
                            "variable, or a text, of its own",
                        kernel.where);
      }
    }
  }

  void resolve_argument(const KernelSpec& kernel, ArgumentSpec& argument) {
    using Kind = ArgumentSpec::Kind;
    if (argument.kind == Kind::kValue) check(argument.value);
    if (argument.kind == Kind::kValue || (argument.kind == Kind::kGiven && !argument.type.empty())) {
      const ParameterSpec* type = workload_.find_parameter(argument.type);
      if (!parse_scalar_type(argument.type) && (type == nullptr || type->kind != ParameterKind::kType)) {
        throw bad_input(
            "unknown type '" + argument.type + "'" + suggestion(argument.type, scalar_type_names()),
            argument.where);
      }
    }
    if (argument.kind == ArgumentSpec::Kind::kTensorMap) check_tensor_map(argument);
    if (argument.kind == ArgumentSpec::Kind::kTexture) check_texture(argument);
    if (argument.kind == ArgumentSpec::Kind::kBuffer || argument.kind == ArgumentSpec::Kind::kPointers)
      require_buffer(argument.name, argument.where);
    if (argument.kind != ArgumentSpec::Kind::kParameter) return;
    if (workload_.find_buffer(argument.name)) {
      argument.kind = ArgumentSpec::Kind::kBuffer;
      return;
    }
    const ParameterSpec* parameter = workload_.find_parameter(argument.name);
    if (parameter != nullptr && parameter->kind == ParameterKind::kScalar) return;
    std::vector<std::string> candidates = names_of(workload_.buffers);
    for (const std::string& name : names_of(workload_.parameters)) candidates.push_back(name);
    candidates.emplace_back("params");
    throw bad_input("kernels." + kernel.name + ".args: '" + argument.name +
                        "' is neither a buffer nor a scalar parameter nor `params`" +
                        suggestion(argument.name, candidates),
                    argument.where);
  }

  void check_tensor_map(const ArgumentSpec& argument) {
    const BufferSpec& buffer = require_buffer(argument.name, argument.where);
    const TensorMapSpec& map = argument.tensor_map;
    const std::size_t rank = map.extents.empty() ? buffer.shape.size() : map.extents.size();
    const auto expect = [&](const char* key, const std::vector<ExpressionText>& list, std::size_t length) {
      check_expressions(list);
      if (list.empty() || list.size() == length) return;
      throw bad_input("tensor_map of '" + buffer.name + "': `" + key + "` has " +
                          std::to_string(list.size()) + " items; expected " + std::to_string(length) +
                          ", for " + std::to_string(rank) + " dimensions",
                      argument.where);
    };
    expect("extents", map.extents, rank);
    expect("box", map.box, rank);
    expect("element_strides", map.element_strides, rank);
    expect("strides", map.strides, rank - 1);
    if (buffer.lanes > 1) {
      throw bad_input(
          "tensor_map of '" + buffer.name +
              "': a buffer of vectors has no tensor map; expected a buffer of scalars with a last " +
              "extent of " + std::to_string(buffer.lanes),
          argument.where);
    }
    if (workload_.find_type(buffer.type) != nullptr) {
      throw bad_input("tensor_map of '" + buffer.name + "': a buffer of the record type '" + buffer.type +
                          "' has no tensor map; expected numbers",
                      argument.where);
    }
  }

  void check_texture(const ArgumentSpec& argument) {
    const BufferSpec& buffer = require_buffer(argument.name, argument.where);
    const std::vector<ExpressionText>& extents = argument.texture.extents;
    check_expressions(extents);
    const auto refuse = [&](const std::string& why) {
      throw bad_input("texture of '" + buffer.name + "': " + why, argument.where);
    };
    if (buffer.shape.size() > 3) {
      refuse("a buffer of " + std::to_string(buffer.shape.size()) +
             " dimensions; expected one (tex1Dfetch, tex1D), two (tex2D) or three (tex3D)");
    }
    if (argument.texture.address.size() > 1 && argument.texture.address.size() != buffer.shape.size())
      refuse("`address` has " + std::to_string(argument.texture.address.size()) +
             " words; expected one, or " + std::to_string(buffer.shape.size()) +
             ", as the buffer has dimensions");
    if (!extents.empty() && extents.size() != buffer.shape.size())
      refuse("`extents` has " + std::to_string(extents.size()) + " items; expected " +
             std::to_string(buffer.shape.size()) + ", as the buffer has dimensions");
    if (workload_.find_type(buffer.type) != nullptr)
      refuse("a buffer of the record type '" + buffer.type + "'; expected numbers or vectors of them");
  }

  void bind_at_compile_time(const std::string& name) {
    for (ParameterSpec& parameter : workload_.parameters) {
      if (parameter.name == name) parameter.fixed_binding = Binding::kCompile;
    }
  }

  /// Records are compared number by number, with records of their type.
  void require_comparable(const CheckSpec& item) {
    const BufferSpec& buffer = require_buffer(item.buffer, item.where);
    const bool records = workload_.find_type(buffer.type) != nullptr;
    if (records && item.reduce_sum)
      throw bad_input("buffer '" + item.buffer + "' holds records of the type '" + buffer.type +
                          "', which have no sum; expected a buffer of numbers",
                      item.where);
    if (item.reference_kernel.empty()) return;
    const BufferSpec& other = require_buffer(item.reference_buffer, item.where);
    const bool other_records = workload_.find_type(other.type) != nullptr;
    if ((!records && !other_records) || buffer.type == other.type) return;
    throw bad_input("the check compares buffer '" + item.buffer + "' of the type '" + buffer.type +
                        "' with '" + item.reference_buffer + "' of the type '" + other.type +
                        "'; records are compared with records of their own type",
                    item.where);
  }

  [[nodiscard]] std::set<std::string> variables() const {
    return {workload_.variables.begin(), workload_.variables.end()};
  }

  void require_variable(const std::string& name, const SourceLocation& where) const {
    if (workload_.is_variable(name)) return;
    throw bad_input("unknown program variable '" + name + "'" + suggestion(name, workload_.variables), where);
  }

  void check_check(const CheckSpec& item) {
    if (item.variable.empty()) {
      require_comparable(item);
    } else {
      require_variable(item.variable, item.where);
    }
    if (!item.reference_kernel.empty()) {
      require_arguments(require_kernel(item.reference_kernel, item.where), item.where);
      if (item.reference_buffer == item.buffer) {
        throw bad_input("the check compares buffer '" + item.buffer +
                            "' with itself; expected another buffer that the reference kernel writes",
                        item.where);
      }
    }
    if (item.file) check_file(*item.file);
    if (item.expected_file) check_file(*item.expected_file);
    for (const auto& [low, high] : item.region) {
      check(low, variables());
      check(high, variables());
    }
    check_optional(item.expected, variables());
    for (const auto* text : {&item.rtol, &item.atol, &item.skip_below, &item.when}) check_optional(*text);
    if (item.region.empty()) return;
    const std::size_t rank = workload_.find_buffer(item.buffer)->shape.size();
    if (item.region.size() != rank) {
      throw bad_input("the region has " + std::to_string(item.region.size()) + " ranges, buffer '" +
                          item.buffer + "' has " + std::to_string(rank) + " extents",
                      item.where);
    }
  }

  void check_metrics() {
    std::set<std::string> times{"time"};
    for_each_launch(workload_.run, [&](const LaunchSpec& launch) { times.insert(launch.timing + ".time"); });
    times.insert(workload_.variables.begin(), workload_.variables.end());
    for (const MetricSpec& metric : workload_.metrics) check(metric.value, times);
  }

  Workload& workload_;
  const YamlNode& root_;
  std::set<std::string> names_;
  std::set<std::string> words_;
  std::set<std::string> settled_lets_;
};

}  // namespace

void resolve_and_check(Workload& workload, const YamlNode& root) {
  Checker(workload, root).run();
}

void check_passed_buffers(const Workload& workload, const std::vector<ExpressionText>& names) {
  std::set<std::string> seen;
  for (const ExpressionText& name : names) {
    const BufferSpec& buffer = require_named(workload.buffers, "buffer", name.text, name.where);
    if (!seen.insert(name.text).second)
      throw bad_input(name.key + ": buffer '" + name.text + "' is there twice", name.where);
    if (buffer.view) {
      throw bad_input(name.key + ": buffer '" + name.text + "' is a view of '" + buffer.view->of +
                          "'; expected a buffer with memory of its own",
                      name.where);
    }
    if (buffer.temporary) {
      throw bad_input(name.key + ": buffer '" + name.text +
                          "' is temporary and holds nothing between steps; expected another one",
                      name.where);
    }
  }
}

}  // namespace kiln
