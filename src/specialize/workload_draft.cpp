#include "specialize/workload_draft.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/whole_word.h"
#include "config/scalar_type.h"
#include "kiln/error.h"
#include "specialize/draft_buffers.h"
#include "specialize/draft_lines.h"
#include "specialize/draft_scalars.h"
#include "specialize/draft_types.h"
#include "specialize/host_lambdas.h"
#include "specialize/program_text.h"
#include "specialize/template_arguments.h"
#include "specialize/tokens.h"
#include "specialize/wavefronts.h"

namespace kiln {
namespace {

constexpr std::int64_t kGuessedBlock = 256;
constexpr std::size_t kMostValues = 4;  // of a template's parameter, named in a remark

class Drafter {
 public:
  explicit Drafter(const DraftRequest& request)
      : request_(request),
        lambdas_(with_classes_of_lambdas(request.text, request.whole_text)),
        program_(read_program(lambdas_.text, request.headers, request.defines)),
        types_(program_, names_function_objects(request)),
        scalars_(types_),
        buffers_(types_, scalars_) {
    add_other_launches();
    for (const auto& [name, value] : request.defines) program_.constants[name] = value;
    for (auto& [variable, scope] : program_.constant_scopes) {
      const std::string name = with_named_scopes(scope + variable);
      scope = name.substr(0, name.size() - variable.size());
    }
    for (TextKernel& kernel : program_.kernels) {
      kernel.name = with_named_scopes(kernel.name);
      drop_nameless_defaults(kernel.template_parameters);
      int number = 0;
      for (TextParameter& parameter : kernel.parameters) {
        ++number;
        if (parameter.name.empty()) parameter.name = "argument_" + std::to_string(number);
      }
    }
  }

  WorkloadDraft run() {
    const std::vector<const TextKernel*> chosen = chosen_kernels();
    const auto counts = [](const std::string& text) { return text.find("atomic") != std::string::npos; };
    const bool elsewhere =
        counts(request_.text) || std::any_of(request_.headers.begin(), request_.headers.end(), counts);
    counts_ = std::any_of(chosen.begin(), chosen.end(), [&](const TextKernel* kernel) {
      const std::vector<std::string>& called = kernel->called_in_body;
      return std::any_of(called.begin(), called.end(), [&](const std::string& name) {
        return name.starts_with("atomic") || (elsewhere && program_.functions.contains(name));
      });
    });
    add_state_of_others(chosen);
    for (const TextKernel* kernel : chosen) {
      types_.choose(*kernel);
      scalars_.reserve_types(*kernel);
    }
    for (const TextKernel* kernel : chosen) {
      if (const auto why = draft_kernel(*kernel))
        draft_.notes.push_back("'" + kernel->name + "'" + line_of_overload(*kernel) +
                               " is left out: " + *why);
    }
    const std::string wide =
        wavefronts_of_64(request_.text, request_.file.substr(request_.file.rfind('/') + 1));
    if (!wide.empty())
      draft_.notes.push_back("written for wavefronts of 64 work-items: " + wide +
                             "; warps have 32 on a cpu and on NVIDIA's GPUs");
    if (draft_.kernels.empty()) {
      throw bad_input(
          "a workload cannot pass what the kernels take; " + join(draft_.notes, "; "),
          {request_.file, program_.kernels.front().line, program_.kernels.front().line > 0 ? 1 : 0});
    }
    write();
    return std::move(draft_);
  }

 private:
  /// Variables of the device that only kernels outside of the draft write are inputs of its kernels, and what
  /// its kernels write for others are results; kernels of other files may use what is declared `extern`.
  /// Where no kernel writes a variable by its name, those that use it as a pointer do.
  void add_state_of_others(const std::vector<const TextKernel*>& chosen) {
    const auto is_chosen = [&](const TextKernel& kernel) {
      return std::find(chosen.begin(), chosen.end(), &kernel) != chosen.end();
    };
    for (const auto& [name, type] : program_.state_variables) {
      const auto any = [&, &name = name](bool here, auto which) {
        return std::any_of(program_.kernels.begin(), program_.kernels.end(), [&](const TextKernel& kernel) {
          return is_chosen(kernel) == here && (kernel.*which).contains(name);
        });
      };
      const bool by_name = any(true, &TextKernel::written) || any(false, &TextKernel::written);
      const auto writes = by_name ? &TextKernel::written : &TextKernel::passed_on;
      const auto shared = program_.shared_variables.find(name);
      const bool is_shared = shared != program_.shared_variables.end();
      const bool is_input = !any(true, writes) && (any(false, writes) || (is_shared && !shared->second));
      const bool is_result = any(true, writes) && (is_shared || any(false, &TextKernel::state));
      if (is_input) program_.constant_variables.emplace(name, type);
      if (is_result) program_.read_variables.emplace(name, type);
      for (TextKernel& kernel : program_.kernels) {
        if (!is_chosen(kernel) || !kernel.state.contains(name)) continue;
        if (is_input) kernel.constants.push_back(name);
        if (is_result && (kernel.*writes).contains(name)) kernel.read_variables.push_back(name);
      }
    }
  }

  static bool names_function_objects(const DraftRequest& request) {
    const auto names = [](const std::string& text) {
      return text.find("thrust/functional.h") != std::string::npos &&
             text.find("thrust::") != std::string::npos;
    };
    return names(request.text) || std::any_of(request.headers.begin(), request.headers.end(), names);
  }

  /// `typename = std::enable_if_t<...>` at the end keeps its default.
  static void drop_nameless_defaults(std::vector<TextParameter>& parameters) {
    while (!parameters.empty() && parameters.back().name.empty() && !parameters.back().default_value.empty())
      parameters.pop_back();
  }

  /// "a::b::k" for "SPACE::k" where the text has `#define SPACE a::b`.
  [[nodiscard]] std::string with_named_scopes(const std::string& name) const {
    const std::size_t base = name.rfind("::");
    std::string scopes;
    for (std::size_t at = 0; base != std::string::npos && at < base;) {
      const std::size_t end = name.find("::", at);
      const std::string scope = name.substr(at, end - at);
      const auto macro = program_.constants.find(scope);
      const bool names = macro != program_.constants.end() && is_scope_name(macro->second);
      scopes += (names ? macro->second : scope) + "::";
      at = end + 2;
    }
    return scopes + base_name(name);
  }

  /// "a::b": words with colons between them.
  static bool is_scope_name(const std::string& text) {
    const TokenizedText read = tokenize(text);
    return !read.tokens.empty() &&
           std::all_of(read.tokens.begin(), read.tokens.end(),
                       [](const Token& token) { return token.identifier() || token.is("::"); });
  }

  [[nodiscard]] bool is_compiled(const std::string& name) const {
    return std::any_of(program_.kernels.begin(), program_.kernels.end(), [&](const TextKernel& kernel) {
      return kernel.name == name || base_name(kernel.name) == name;
    });
  }

  /// Notes for kernels that are not compiled; for kernels of headers only if no kernel is compiled. Throws if
  /// one of them is asked for.
  void note_what_is_not_compiled() {
    std::set<std::string> noted;
    for (const LeftOutKernel& kernel : request_.left_out) {
      if (is_compiled(kernel.name) || noted.contains(kernel.name)) continue;
      const std::string why =
          "'" + kernel.name + "' is not compiled" + (kernel.why.empty() ? "" : ": " + kernel.why);
      const bool asked = std::any_of(
          request_.kernels.begin(), request_.kernels.end(),
          [&](const std::string& name) { return name == kernel.name || name == base_name(kernel.name); });
      if (asked) throw bad_input("the kernel " + why, {request_.file, 0, 0});
      const bool notes = !kernel.why.empty() && (!kernel.header || program_.kernels.empty());
      if (notes) draft_.notes.push_back(why);
      noted.insert(kernel.name);
    }
    if (!program_.kernels.empty()) return;
    const std::string reason =
        noted.empty() ? "no kernel: expected a __global__ function with a body" : "no kernel is compiled";
    throw bad_input(draft_.notes.empty() ? reason : reason + "; " + join(draft_.notes, "; "),
                    {request_.file, 0, 0});
  }

  /// The program's launches in branches that are not compiled count for kernels that it launches nowhere
  /// else.
  void add_other_launches() {
    if (request_.whole_text.empty() || request_.whole_text == request_.text) return;
    std::set<std::string> launched;
    for (const TextLaunch& launch : program_.launches) launched.insert(launch.kernel);
    for (TextLaunch& launch : read_program(with_classes_of_lambdas(request_.whole_text).text).launches) {
      if (launched.contains(launch.kernel)) continue;
      launch.scope = TextScope::kNone;
      program_.launches.push_back(std::move(launch));
    }
  }

  /// The kernels that only other kernels launch: they are compiled with those.
  [[nodiscard]] std::set<std::string> launched_by_kernels() {
    std::set<std::string> by_kernels, by_host;
    for (const TextLaunch& launch : program_.launches)
      (launch.by_kernel ? by_kernels : by_host).insert(launch.kernel);
    std::erase_if(by_kernels, [&](const std::string& kernel) { return by_host.contains(kernel); });
    if (by_host.empty()) by_kernels.clear();
    if (!by_kernels.empty())
      draft_.notes.push_back("kernels that only kernels launch are not in `run`: " +
                             join({by_kernels.begin(), by_kernels.end()}, ", "));
    return by_kernels;
  }

  /// " of line 20" where another kernel has the name.
  [[nodiscard]] static std::string line_of_overload(const TextKernel& kernel) {
    return kernel.overloaded && kernel.line > 0 ? " of line " + std::to_string(kernel.line) : "";
  }

  /// Whether a name means the kernel: "ns::k", "k", or "k(float *, int)" of several.
  [[nodiscard]] static bool is_meant(const TextKernel& kernel, const std::string& name) {
    if (name == kernel.name || name == base_name(kernel.name)) return true;
    const auto without_blanks = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    const std::string wanted = without_blanks(name), types = without_blanks("(" + kernel.types + ")");
    return wanted == kernel.name + types || wanted == base_name(kernel.name) + types;
  }

  /// In the order in which the program first launches them.
  std::vector<const TextKernel*> chosen_kernels() {
    std::vector<std::string> known;
    for (const TextKernel& kernel : program_.kernels)
      known.push_back(kernel.name + (kernel.overloaded ? "(" + kernel.types + ")" : ""));
    note_what_is_not_compiled();
    for (const std::string& name : request_.kernels) {
      const bool there = std::any_of(program_.kernels.begin(), program_.kernels.end(),
                                     [&](const TextKernel& kernel) { return is_meant(kernel, name); });
      if (there) continue;
      const std::string near = suggestion(name, known);
      const bool lists = near.find("expected one of") != std::string::npos;
      throw bad_input(
          "no kernel '" + name + "'" + near + (lists ? "" : " (its kernels: " + join(known, ", ") + ")"),
          {request_.file, 0, 0});
    }
    std::vector<const TextKernel*> chosen;
    const std::set<std::string> by_kernels =
        request_.kernels.empty() ? launched_by_kernels() : std::set<std::string>{};
    const auto add = [&](const TextKernel& kernel) {
      if (by_kernels.contains(base_name(kernel.name))) return;
      const bool asked = request_.kernels.empty() ||
                         std::any_of(request_.kernels.begin(), request_.kernels.end(),
                                     [&](const std::string& name) { return is_meant(kernel, name); });
      if (asked && std::find(chosen.begin(), chosen.end(), &kernel) == chosen.end())
        chosen.push_back(&kernel);
    };
    for (const TextLaunch& launch : program_.launches) {
      for (const TextKernel& kernel : program_.kernels) {
        if (base_name(kernel.name) == launch.kernel) add(kernel);
      }
    }
    const bool needs_headers =
        !request_.kernels.empty() ||
        (chosen.empty() && std::none_of(program_.kernels.begin(), program_.kernels.end(),
                                        [](const TextKernel& kernel) { return kernel.line > 0; }));
    std::vector<std::string> others;
    for (const TextKernel& kernel : program_.kernels) {
      if (needs_headers || kernel.line > 0) {
        add(kernel);
      } else if (std::find(chosen.begin(), chosen.end(), &kernel) == chosen.end() &&
                 std::find(others.begin(), others.end(), kernel.name) == others.end()) {
        others.push_back(kernel.name);
      }
    }
    const auto is_unfounded = [&](const TextKernel* kernel) { return is_of_unknown_class(*kernel); };
    if (request_.kernels.empty() && std::all_of(chosen.begin(), chosen.end(), is_unfounded)) {
      for (const TextKernel& kernel : program_.kernels) {
        if (!is_of_unknown_class(kernel)) add(kernel);
      }
      others.clear();
    }
    if (!others.empty()) {
      draft_.notes.push_back("kernels of headers that the program does not launch are not in the draft: " +
                             join(others, ", "));
    }
    if (!request_.kernels.empty()) return chosen;
    leave_out_templates(
        chosen, "templates of headers that the program does not use are not in the draft: ",
        [&](const TextKernel& kernel) {
          const std::string name = base_name(kernel.name);
          const auto launches_it = [&](const TextLaunch& launch) {
            return launch.kernel == name && (launch.scope == TextScope::kNone || is_used(launch.scope, 0));
          };
          return !is_named_where_used(name, TextScope::kNone, 0) &&
                 std::none_of(program_.launches.begin(), program_.launches.end(), launches_it);
        });
    leave_out_templates(
        chosen, "templates of headers for classes that the program does not show are not in the draft: ",
        [&](const TextKernel& kernel) { return is_of_unknown_class(kernel); });
    return chosen;
  }

  /// Leaves out the templates of headers for which `left_out` holds, if other kernels are left.
  void leave_out_templates(std::vector<const TextKernel*>& chosen, const std::string& note,
                           const std::function<bool(const TextKernel&)>& left_out) {
    std::vector<std::string> names;
    std::vector<const TextKernel*> used;
    for (const TextKernel* kernel : chosen) {
      if (is_template_of_header(*kernel) && left_out(*kernel)) {
        names.push_back(kernel->name);
      } else {
        used.push_back(kernel);
      }
    }
    if (used.empty() || names.empty()) return;
    chosen = std::move(used);
    draft_.notes.push_back(note + join(names, ", "));
  }

  [[nodiscard]] static bool is_template_of_header(const TextKernel& kernel) {
    return kernel.line == 0 && !kernel.template_parameters.empty();
  }

  /// Whether a kernel of a header calls an object, or uses members of a class, of its template, and the
  /// program shows no class for it: a guess would be any class that has as many parameters.
  [[nodiscard]] bool is_of_unknown_class(const TextKernel& kernel) const {
    if (!is_template_of_header(kernel)) return false;
    const auto calls = [&](const std::string& type) {
      return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const TextParameter& one) {
        return bare_type(one.type) == type && is_called(kernel, one.name);
      });
    };
    return std::any_of(
        kernel.template_parameters.begin(), kernel.template_parameters.end(), [&](const TextParameter& one) {
          const bool called = calls(one.name);
          if (!called && !kernel.needed_members.contains(one.name)) return false;
          const std::vector<std::string> shown = types_.template_arguments(kernel, one.name, 1);
          return shown.empty() || parse_scalar_type(types_.type_name(shown[0], TextKernel())) ||
                 (called && shown[0].ends_with('*'));
        });
  }

  /// Whether a function of the host, or the class that it belongs to, is no template, or a template that the
  /// program uses.
  [[nodiscard]] bool is_used(std::size_t scope, int depth) const {
    constexpr int kDeepest = 8;  // templates that call each other
    if (depth > kDeepest) return true;
    const TextScope& one = program_.scopes[scope];
    if (!one.specialises && !one.template_parameters.empty() && !is_named_where_used(one.name, scope, depth))
      return false;
    return one.outer == TextScope::kNone || is_used(one.outer, depth + 1);
  }

  /// Whether code that the program uses, outside of `inside`, names a template.
  [[nodiscard]] bool is_named_where_used(const std::string& name, std::size_t inside, int depth) const {
    return std::any_of(program_.calls.begin(), program_.calls.end(), [&](const TextCall& call) {
      if (call.name != name) return false;
      if (call.scope != TextScope::kNone) return call.scope != inside && is_used(call.scope, depth + 1);
      return call.instantiates || !call.template_arguments.empty();  // else it is the definition's head
    });
  }

  // ---------------------------------------------------------------------------------------- kernels

  /// Why the kernel has no form; then nothing of it is in the draft.
  std::optional<std::string> draft_kernel(const TextKernel& kernel) {
    for (const TextParameter& parameter : kernel.parameters) {
      const ArgumentType type = types_.argument_type(parameter, kernel);
      const std::string what = "its argument '" + parameter.name + "' is ";
      if (types_.is_function_pointer(parameter, kernel)) {
        if (!types_.pointed_function(parameter, kernel).empty()) continue;
        return what + "a pointer to a function, and the program has no device function";
      }
      if (!type.pointer && is_called(kernel, parameter.name) && !of_lambdas().empty() &&
          types_.template_arguments(kernel, bare_type(parameter.type), 1).empty())
        return what + "a function object, which a workload cannot pass" + of_lambdas();
      if (types_.is_empty_object(parameter, kernel)) continue;
      if (DraftTypes::is_tensor_map(parameter) || !types_.members_of(parameter, kernel).empty() ||
          DraftTypes::texture_fetch(parameter, kernel))
        continue;
      if (DraftTypes::is_texture_object(parameter))
        return what + "a texture or surface that the kernel does not access by a function that Kiln " +
               "knows (tex1Dfetch, tex2D, tex2DLayered, surf2Dwrite, ...)";
      if (!type.pointer && is_called(kernel, parameter.name))
        return what + "a function object, which a workload cannot pass" + of_lambdas();
      if (type.type.empty())
        return what + "of the type '" + parameter.type + "', which a workload cannot " +
               (type.pointer ? "put into a buffer" : "pass by value");
      const bool record = types_.record(type.type) != nullptr;
      const auto element = parse_element_type(type.type);
      if (!type.pointer && (record || (element && element->lanes > 1)))
        return what + "a '" + type.type + "' by value, which a workload cannot pass";
    }
    for (const TextParameter& parameter : kernel.template_parameters) {
      if (parameter.type.find("...") != std::string::npos || parameter.name.empty())
        return "its template has a parameter without a name, or a pack";
      if (DraftTypes::is_template(parameter) && types_.template_argument(kernel, parameter.name).empty())
        return "its template takes a template, '" + parameter.name + "', for which the program has none";
    }
    const std::string name = scalars_.fresh(base_name(kernel.name));
    draft_.kernels.push_back(name);
    const std::string elements = elements_of(kernel);
    std::string structs;
    const std::vector<std::string> arguments = arguments_of(kernel, elements, structs);
    std::vector<DraftLine> lines;
    std::vector<std::string> sources = request_.more_sources;
    sources.insert(sources.begin(), request_.source);
    lines.push_back({"source: " + (sources.size() > 1 ? flow_list(sources) : quoted_scalar(request_.source)),
                     "", place_of(kernel.line)});
    const std::string entry = kernel.overloaded ? kernel.name + "(" + kernel.types + ")" : kernel.name;
    if (name != entry) lines.push_back({"entry: " + quoted_scalar(entry), "", ""});
    add_template_arguments(kernel, lines);
    add_flags(lines);
    add_shape(kernel, elements, lines);
    if (const TextLaunch* launch = types_.launch_of(kernel); launch != nullptr && launch->cooperative)
      lines.push_back({"cooperative: true", "", ""});
    lines.push_back({"args: [" + join(arguments, ", ") + "]", structs, ""});
    add_symbols(kernel, elements, lines);
    kernels_.emplace_back(name, std::move(lines));
    return std::nullopt;
  }

  /// How many elements the buffers have whose size the program does not tell: each block along an extent that
  /// only the host knows (`norm<<<rows, 256>>>`) has its own.
  std::string elements_of(const TextKernel& kernel) {
    std::string elements = scalars_.elements_of(kernel);
    const TextLaunch* launch = types_.launch_of(kernel);
    const auto grid = launch == nullptr ? std::nullopt : translated_grid(kernel, *launch);
    for (std::size_t i = 0; grid && i < grid->size(); ++i) {
      if (scalars_.is_of_host((*grid)[i])) elements = (*grid)[i] + " * " + elements;
    }
    return elements;
  }

  /// The macros and folders of the compiler's command line.
  void add_flags(std::vector<DraftLine>& lines) const {
    std::vector<std::string> macros, options;
    for (const auto& [name, value] : request_.defines) {
      const std::string literal = value.empty() ? "\"\"" : quoted_scalar(value);
      macros.push_back(name);
      macros.back().append(": ").append(literal);
    }
    for (const std::string& folder : request_.folders) options.push_back("-I" + folder);
    for (const std::string& header : request_.in_front) {
      options.emplace_back("-include");
      options.push_back(header);
    }
    if (!request_.flags_from.empty()) lines.push_back({"# " + request_.flags_from, "", ""});
    if (!macros.empty()) lines.push_back({"defines: {" + join(macros, ", ") + "}", "", ""});
    if (!options.empty()) lines.push_back({"options: " + flow_list(options), "", ""});
  }

  /// For a remark; what stands in a header has no line.
  static std::string place_of(int line) { return line > 0 ? "line " + std::to_string(line) : "in a header"; }

  /// "; the lambda of line 12 captures by reference": why the program's lambdas have no form.
  [[nodiscard]] std::string of_lambdas() const {
    std::string text;
    std::size_t count = 0;
    constexpr std::size_t kMostNamed = 3;
    for (const HostLambda& lambda : lambdas_.lambdas) {
      if (lambda.why_not.empty() || ++count > kMostNamed) continue;
      text += "; the lambda of line " + std::to_string(lambda.line) + " " + lambda.why_not;
    }
    return text;
  }

  static bool is_called(const TextKernel& kernel, const std::string& name) {
    const auto& called = kernel.called_in_body;
    return std::find(called.begin(), called.end(), name) != called.end();
  }

  /// "{struct: [...]}"; what is to be filled in is added to `todo`.
  std::string struct_argument(const TextParameter& parameter, const std::vector<TextParameter>& members,
                              const TextKernel& kernel, const std::string& elements, std::string& todo) {
    std::vector<std::string> items, names;
    std::size_t alike = 0;  // members at the end that are like the last one
    const auto join_alike = [&] {
      constexpr std::size_t kMostWritten = 8;
      if (alike > kMostWritten) {
        items.resize(items.size() - alike + 1);
        std::string& item = items.back();
        item = item.back() == '}' ? item.substr(0, item.size() - 1) : "{buffer: " + item;
        item += ", count: " + std::to_string(alike) + "}";
      }
      alike = 0;
    };
    for (const TextParameter& member : members) {
      const ArgumentType type = types_.argument_type(member, kernel);
      if (!member.name.empty() && (names.empty() || names.back() != member.name))
        names.push_back(member.name);
      std::string item;
      if (DraftTypes::points_to_function(member.type)) {
        item = "null";
      } else if (type.pointer) {
        const std::string own =
            is_of_others(member.name, parameter, kernel) ? parameter.name + "_" + member.name : "";
        item = buffers_.buffer_name(member, own, kernel, type, elements, true);
        if (type.rows) item.insert(0, "{pointers: ").append("}");
      } else {
        const auto scalar = types_.scalar_of(type.type, kernel);
        const bool size = is_size_name(member.name) && scalar && !is_real(*scalar);
        item = "{value: " + (size ? quoted_scalar(elements) : "0") + ", type: " + type.type + "}";
      }
      if (!items.empty() && item != items.back()) join_alike();
      items.push_back(std::move(item));
      ++alike;
    }
    join_alike();
    todo += (todo.empty() ? "the values of " : "; of ") + parameter.name + ": " + join(names, ", ");
    return "{struct: [" + join(items, ", ") + "]}";
  }

  /// Whether another struct that the kernel takes has a member of this name.
  [[nodiscard]] bool is_of_others(const std::string& member, const TextParameter& parameter,
                                  const TextKernel& kernel) const {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const TextParameter& other) {
      if (other.name == parameter.name) return false;
      const std::vector<TextParameter> members = types_.members_of(other, kernel);
      return std::any_of(members.begin(), members.end(),
                         [&](const TextParameter& one) { return one.name == member; });
    });
  }

  std::vector<std::string> arguments_of(const TextKernel& kernel, const std::string& elements,
                                        std::string& structs) {
    scalars_.add_type_parameters(kernel);
    bool has_input = false;
    for (const TextParameter& parameter : kernel.parameters) {
      const ArgumentType type = types_.argument_type(parameter, kernel);
      has_input = has_input || (type.pointer && type.read_only);
    }
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const TextParameter& parameter = kernel.parameters[i];
      const ArgumentType type = types_.argument_type(parameter, kernel);
      if (types_.is_function_pointer(parameter, kernel)) {
        arguments.push_back("{function: " + quoted_scalar(types_.pointed_function(parameter, kernel)) + "}");
        structs += (structs.empty() ? "the function of " : "; the function of ") + parameter.name;
        continue;
      }
      if (DraftTypes::is_tensor_map(parameter)) {
        arguments.push_back(buffers_.tensor_map_argument(parameter, kernel));
        continue;
      }
      if (const auto members = types_.members_of(parameter, kernel); !members.empty()) {
        arguments.push_back(struct_argument(parameter, members, kernel, elements, structs));
        continue;
      }
      if (types_.is_empty_object(parameter, kernel)) {
        arguments.emplace_back("{struct: [{value: 0, type: uchar}]}");
        continue;
      }
      if (DraftTypes::texture_fetch(parameter, kernel) != nullptr) {
        arguments.push_back(buffers_.texture_argument(parameter, kernel, elements));
        continue;
      }
      if (type.pointer) {
        const std::string name = buffers_.buffer_name(parameter, types_.launched_with(kernel, i), kernel,
                                                      type, elements, has_input);
        arguments.push_back(type.rows ? "{pointers: " + name + "}" : name);
        continue;
      }
      const std::string name = scalars_.scalar_name(kernel, parameter.name);
      static const std::set<std::string> kinds = {"int", "unsigned", "long", "float", "double", "bool"};
      const bool direct = kinds.contains(type.type) || scalars_.is_type_parameter(type.type);
      arguments.push_back(direct ? name : "{value: " + name + ", type: " + type.type + "}");
    }
    return arguments;
  }

  void add_template_arguments(const TextKernel& kernel, std::vector<DraftLine>& lines) const {
    std::vector<std::string> values;
    if (kernel.template_parameters.empty()) {
      for (const std::string& argument : kernel.specialised_for)
        values.push_back(with_scopes_of_classes(argument));
      if (!values.empty()) lines.push_back({"template_args: " + flow_list(values), "", ""});
      return;
    }
    std::vector<std::string> guessed;
    for (const TextParameter& parameter : kernel.template_parameters) {
      const std::string given = types_.template_argument(kernel, parameter.name);
      const bool shown = !types_.template_arguments(kernel, parameter.name, 1).empty();
      const bool type = parameter.type == "typename" || parameter.type == "class";
      const bool enumerator = program_.enumerations.contains(bare_type(parameter.type));
      const bool shared = type && types_.template_type(kernel, parameter.name) == parameter.name;
      if (shared && scalars_.is_type_parameter(parameter.name)) {
        values.push_back(parameter.name);
      } else if (const auto number = type || enumerator ? std::nullopt : types_.value_of(given)) {
        values.push_back(std::to_string(*number));
      } else if (!given.empty() && (given != parameter.name || (type && program_.classes.contains(given))) &&
                 (type || shown || !types_.names_variable(given))) {
        values.push_back(with_scopes_of_classes(given));
        if (!shown) guessed.push_back(parameter.name);
      } else if (const std::string borrowed = type || enumerator ? "" : types_.borrowed_number(parameter);
                 !borrowed.empty()) {
        values.push_back(borrowed);
        guessed.push_back(parameter.name);
      } else {
        values.push_back(
            type         ? guessed_type(parameter.name, kernel)
            : enumerator ? with_scopes_of_classes(program_.enumerations.at(bare_type(parameter.type)))
            : parameter.type == "bool"        ? "false"
            : is_block(kernel, values.size()) ? std::to_string(kGuessedBlock)
                                              : DraftTypes::guessed_number(kernel, parameter.name));
        guessed.push_back(parameter.name);
      }
    }
    std::string lambdas;
    for (const HostLambda& lambda : lambdas_.lambdas) {
      if (has_word(join(values, " "), lambda.name))
        lambdas += (lambdas.empty() ? "" : ", ") + lambda.name + ": line " + std::to_string(lambda.line);
    }
    std::string others;
    for (std::size_t i = 0; i < values.size() && lambdas.empty(); ++i) {
      if (values[i] == kernel.template_parameters[i].name) continue;  // its types stand at the parameter
      std::vector<std::string> passed =
          types_.template_arguments(kernel, kernel.template_parameters[i].name, kMostValues);
      if (passed.size() < 2) continue;
      passed.erase(passed.begin());
      others +=
          (others.empty() ? "" : "; ") + kernel.template_parameters[i].name + " also " + join(passed, ", ");
    }
    lines.push_back({"template_args: " + flow_list(values),
                     guessed.empty() ? "" : "the value of " + join(guessed, ", "),
                     lambdas.empty() ? others : lambdas});
  }

  /// "ns::Add<float>" for "Add<float>", "ns::detail::Kind::kMixed" for "detail::Kind::kMixed", as an entry is
  /// read outside of all namespaces.
  [[nodiscard]] std::string with_scopes_of_classes(const std::string& argument) const {
    const TokenizedText source = tokenize(argument);
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
      const Token& token = source.tokens[i];
      const auto found = program_.class_scopes.find(std::string(token.text));
      const bool member = i > 0 && source.tokens[i - 1].is(".");
      if (member || found == program_.class_scopes.end() || found->second.size() != 1) continue;
      const std::string& scope = *found->second.begin();
      std::size_t first = i;
      std::string written;  // "detail::" in front of it
      for (; first >= 2 && source.tokens[first - 1].is("::") && source.tokens[first - 2].identifier();
           first -= 2)
        written.insert(0, std::string(source.tokens[first - 2].text) + "::");
      const bool absolute = first >= 1 && source.tokens[first - 1].is("::");
      if (absolute || (!written.empty() && !("::" + scope).ends_with("::" + written))) continue;
      const std::size_t begin = source.tokens[first].offset;
      edits.push_back({begin, token.end() - begin, with_named_scopes(scope + found->first)});
    }
    return apply_edits(argument, std::move(edits));
  }

  /// Whether the program launches the kernel with one text for the shape of its blocks and for the template's
  /// parameter of this number.
  bool is_block(const TextKernel& kernel, std::size_t index) const {
    const TextLaunch* launch = types_.launch_of(kernel);
    return launch != nullptr && index < launch->template_arguments.size() && !launch->block.empty() &&
           launch->block == launch->template_arguments[index];
  }

  // ---------------------------------------------------------------------------------------- shapes

  void add_shape(const TextKernel& kernel, const std::string& elements, std::vector<DraftLine>& lines) {
    const TextLaunch* launch = types_.launch_of(kernel);
    std::vector<std::int64_t> block;
    std::vector<std::string> block_texts;
    bool block_is_known = launch != nullptr, block_is_guessed = false, guesses_part = false;
    scalars_.guess_block("", 0);
    if (launch != nullptr) {
      std::vector<std::string> extents = types_.extents_of_launch(launch->block);
      while (extents.size() > 1 && !types_.value_of(extents.front()) && types_.value_of(extents.back()) == 1)
        extents.pop_back();  // "dim3(min(n, 32), 1)"
      for (const std::string& extent : extents) {
        const auto value = types_.value_of(extent);
        const bool fits = value && *value >= 1 && *value <= kGuessedSize;
        // One work-item along an extent that is not known, beside others.
        if (!fits && (value || extents.size() == 1)) block_is_known = false;
        guesses_part = guesses_part || !fits;
        block.push_back(fits ? *value : 1);
        block_texts.push_back(std::to_string(block.back()));
      }
      if (!block_is_known && extents.size() == 1 && !types_.value_of(extents[0])) {
        if (const auto text = scalars_.translate(kernel, *launch, extents[0], false)) {
          block = {kGuessedBlock};
          block_texts = {at_least_one(*text)};  // "(n + 1) // 2"
          block_is_known = true;
          guesses_part = false;
        }
      }
    }
    if (!block_is_known || block.empty() ||
        (guesses_part && *std::max_element(block.begin(), block.end()) == 1)) {
      block_is_known = guesses_part = false;
      block = {kGuessedBlock};
      const auto bound = launch == nullptr ? types_.value_of(kernel.launch_bounds) : std::nullopt;
      if (bound && *bound >= 1 && *bound <= kGuessedSize)
        block = {*bound};
      else if (scalars_.dimensions().size() > 1)
        block = {32, 8};
      block_texts.clear();
      for (const std::int64_t extent : block) block_texts.push_back(std::to_string(extent));
      block_is_guessed = launch != nullptr && block.size() == 1;
      if (block_is_guessed) scalars_.guess_block(launch->block, kGuessedBlock);
    }
    const std::string where = launch == nullptr ? "" : place_of(launch->line);

    const auto grid = launch == nullptr ? std::nullopt : translated_grid(kernel, *launch);
    if (grid) {
      const bool unsure = launch->unsure_grid || (block_is_guessed && follows_from_block(*launch, grid, [&] {
                                                    return translated_grid(kernel, *launch);
                                                  }));
      lines.push_back(
          {"grid: " + flow_list(*grid), unsure ? "how many blocks" : "", where + ": " + launch->grid});
    } else {
      lines.push_back({"grid: " + flow_list(guessed_grid(kernel, elements, block)), "how many blocks",
                       launch == nullptr || launch->grid.empty() ? "" : where + " has " + launch->grid});
    }
    const bool unsure_block = launch != nullptr && launch->unsure_block;
    lines.push_back({"block: " + flow_list(block_texts),
                     block_is_known && !guesses_part && !unsure_block ? "" : "work-items of a block",
                     launch == nullptr || launch->block.empty()
                         ? ""
                         : where + (block_is_known && !guesses_part ? ": " : " has ") + launch->block});
    if (launch != nullptr && !launch->cluster.empty()) add_cluster(kernel, *launch, lines);
    add_shared(kernel, launch, block, block_is_guessed, lines);
  }

  /// Whether `translate` gives something else than `guessed` with another block than the guessed one.
  template <class Text, class Translate>
  bool follows_from_block(const TextLaunch& launch, const Text& guessed, const Translate& translate) {
    scalars_.guess_block(launch.block, 2 * kGuessedBlock);
    const bool follows = translate() != guessed;
    scalars_.guess_block(launch.block, kGuessedBlock);
    return follows;
  }

  void add_cluster(const TextKernel& kernel, const TextLaunch& launch, std::vector<DraftLine>& lines) {
    const std::string where = place_of(launch.line), written = join(launch.cluster, ", ");
    std::vector<std::string> cluster;
    for (const std::string& extent : launch.cluster) {
      auto translated = scalars_.translate(kernel, launch, extent);
      if (const auto known = types_.value_of(extent); !translated && known)
        translated = std::to_string(*known);
      if (!translated) {
        lines.push_back({"cluster: [1]", "blocks of a cluster", where + " has " + written});
        return;
      }
      cluster.push_back(*translated);
    }
    lines.push_back({"cluster: " + flow_list(cluster), "", where + ": " + written});
  }

  /// Sizes that are filled in later may be smaller than what the program divides by.
  [[nodiscard]] std::string at_least_one(const std::string& extent) const {
    const std::size_t division = extent.find("//");
    const bool divides_twice =
        division != std::string::npos && extent.find("//", division + 2) != std::string::npos;
    const bool may_be_none =
        divides_twice || extent.find_first_of("-/") < extent.find('+') || scalars_.may_be_zero(extent);
    return may_be_none ? "max(1, " + extent + ")" : extent;
  }

  /// The program's grid over the workload's parameters; nothing where it uses what these do not have.
  std::optional<std::vector<std::string>> translated_grid(const TextKernel& kernel,
                                                          const TextLaunch& launch) {
    std::vector<std::string> grid;
    for (const std::string& extent : types_.extents_of_launch(launch.grid)) {
      const auto translated = scalars_.translate(kernel, launch, extent);
      if (!translated || parse_integer(*translated).value_or(1) < 1) return std::nullopt;
      grid.push_back(at_least_one(*translated));
    }
    if (grid.empty() || grid.size() > 3) return std::nullopt;
    return grid;
  }

  std::vector<std::string> guessed_grid(const TextKernel& kernel, const std::string& elements,
                                        const std::vector<std::int64_t>& block) {
    std::vector<std::string> grid;
    if (block.size() > 1 && scalars_.dimensions().size() >= block.size()) {
      for (std::size_t i = 0; i < block.size(); ++i)
        grid.push_back("ceil_div(" + scalars_.scalar_name(kernel, scalars_.dimensions()[i]) + ", " +
                       std::to_string(block[i]) + ")");
      return grid;
    }
    std::int64_t threads = 1;
    for (const std::int64_t extent : block) threads *= extent;
    return {"ceil_div(" + elements + ", " + std::to_string(threads) + ")"};
  }

  void add_shared(const TextKernel& kernel, const TextLaunch* launch, const std::vector<std::int64_t>& block,
                  bool block_is_guessed, std::vector<DraftLine>& lines) {
    const std::string given = launch == nullptr ? "" : launch->shared;
    if (!kernel.dynamic_shared && (given.empty() || given == "0")) return;
    std::string bytes = given;
    for (const auto& [type, size] :
         std::array<std::pair<const char*, const char*>, 7>{{{"float", "4"},
                                                             {"double", "8"},
                                                             {"int", "4"},
                                                             {"unsigned int", "4"},
                                                             {"unsigned", "4"},
                                                             {"char", "1"},
                                                             {"long long", "8"}}}) {
      const std::string call = std::string("sizeof(") + type + ")";
      for (std::size_t at = bytes.find(call); at != std::string::npos; at = bytes.find(call, at))
        bytes.replace(at, call.size(), size);
    }
    const auto translated = launch == nullptr ? std::nullopt : scalars_.translate(kernel, *launch, bytes);
    const std::string where = launch == nullptr ? "" : place_of(launch->line);
    if (translated) {
      const bool unsure =
          launch->unsure_shared || (block_is_guessed && follows_from_block(*launch, translated, [&] {
                                      return scalars_.translate(kernel, *launch, bytes);
                                    }));
      lines.push_back({"shared: " + quoted_scalar(*translated),
                       unsure ? "bytes of dynamic shared memory" : "", where + ": " + given});
      return;
    }
    std::int64_t threads = 1;
    for (const std::int64_t extent : block) threads *= extent;
    lines.push_back({"shared: " + quoted_scalar(std::to_string(threads) + " * 8"),
                     "bytes of dynamic shared memory", given.empty() ? "" : where + " has " + given});
  }

  void add_symbols(const TextKernel& kernel, const std::string& elements, std::vector<DraftLine>& lines) {
    std::vector<std::string> symbols;
    for (const std::string& name : kernel.constants) {
      const auto variable = program_.constant_variables.find(name);
      if (const auto symbol = buffers_.symbol(name, kernel, elements)) {
        symbols.push_back(*symbol);
      } else {
        draft_.notes.push_back("the variable '" + name + "' of the device is left as it is: '" +
                               variable->second + "' has no form in a workload");
      }
    }
    if (!symbols.empty()) lines.push_back({"symbols: {" + join(symbols, ", ") + "}", "", ""});
    std::vector<std::string> results;
    for (const std::string& name : kernel.read_variables) {
      if (const auto symbol = buffers_.read_symbol(name, kernel)) results.push_back(*symbol);
    }
    if (!results.empty()) lines.push_back({"read_symbols: {" + join(results, ", ") + "}", "", ""});
  }

  // ---------------------------------------------------------------------------------------- text

  void write() {
    DraftPage page;
    page.add(
        {"# Drafted by `kiln new` from " + request_.source + ". Look at the lines that say FILL IN.", "", ""},
        0);
    page.add({"workload:", "", ""}, 0);
    page.add({"workload: " + quoted_scalar(request_.name), "", ""}, 2);
    page.add({"summary: " + quoted_scalar(join(draft_.kernels, ", ") + " of " + request_.source),
              "what it computes", ""},
             2);
    page.add_section("parameters", scalars_.lines());
    page.add_section("types", buffers_.types());
    page.add_section("buffers", buffers_.lines());
    page.add({"kernels:", "", ""}, 2);
    for (const auto& [name, lines] : kernels_) {
      page.add({name + ":", "", ""}, 4);
      for (const DraftLine& line : lines) page.add(line, 6);
    }
    for (const std::string& note : draft_.notes) page.add({"# " + note, "", ""}, 4);
    page.add({"run: " + flow_list(draft_.kernels), draft_.kernels.size() > 1 ? "their order, loops" : "", ""},
             2);
    if (counts_) page.add({"measure: {refresh: 1}", "", "counters begin at their inits in each step"}, 2);
    page.add({"verify:", "", ""}, 2);
    page.add({"checks: []", "what is right; until then results are `unchecked`", ""}, 4);
    const std::string buffer = buffers_.output();
    page.add({"#  - {buffer: " + buffer + ", expected: 0, atol: 1e-6}", "", ""}, 4);
    page.add({"#  - {buffer: " + buffer + ", reference: {kernel: a_reference, buffer: " + buffer +
                  "_reference}, rtol: 1e-5}",
              "", ""},
             4);
    page.add({"measure: {min_time: 10 ms, max_time: 0.5 s}", "", ""}, 0);
    draft_.yaml = page.text();
    draft_.marks = page.marks();
  }

  const DraftRequest& request_;
  HostLambdas lambdas_;
  ProgramText program_;
  WorkloadDraft draft_;
  DraftTypes types_;
  DraftScalars scalars_;
  DraftBuffers buffers_;
  bool counts_ = false;  // a kernel calls an atomic function
  std::vector<std::pair<std::string, std::vector<DraftLine>>> kernels_;
};

}  // namespace

WorkloadDraft draft_workload(const DraftRequest& request) {
  return Drafter(request).run();
}

}  // namespace kiln
