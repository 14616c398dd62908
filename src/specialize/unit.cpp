#include "specialize/unit.h"

#include <algorithm>
#include <array>

#include "base/input_file.h"
#include "base/text.h"
#include "config/expression.h"
#include "device/backend_kind.h"
#include "specialize/cuda_for_hip.h"
#include "specialize/hip_words.h"
#include "specialize/host_code.h"
#include "specialize/host_lambdas.h"
#include "specialize/includes.h"
#include "specialize/inputs.h"
#include "specialize/nvcc_words.h"
#include "specialize/overloads.h"
#include "specialize/ptx_words.h"
#include "specialize/symbol_expression.h"
#include "specialize/wavefronts.h"
#include "specialize/written_macros.h"

namespace kiln {
namespace {

constexpr const char* kBoundsPrefix = "KILN_LAUNCH_BOUNDS_";

std::string value_or_text(const Configuration& configuration, const std::string& text) {
  return configuration.workload().find_parameter(text) ? configuration.value(text).cpp_literal() : text;
}

std::string macro_value(const Configuration& configuration, const DefineSpec& define) {
  if (define.expression) return format_number(configuration.evaluate(define.value));
  return value_or_text(configuration, define.value.text);
}

std::vector<std::pair<std::string, std::string>> macros_of(const Configuration& configuration,
                                                           const KernelSpec& kernel) {
  std::vector<std::pair<std::string, std::string>> macros;
  for (const DefineSpec& define : kernel.defines)
    macros.emplace_back(define.name, macro_value(configuration, define));
  return macros;
}

std::vector<std::string> options_of(const KernelSpec& kernel, const std::string& backend) {
  std::vector<std::string> options;
  for (const std::string& key : {std::string(), backend}) {
    const auto found = kernel.options.find(key);
    if (found == kernel.options.end()) continue;
    for (const OptionText& option : found->second) options.push_back(option.text);
  }
  return options;
}

void add_written(Specialization& specialization, const KernelSpec& kernel) {
  for (const std::string& key : {std::string(), specialization.target.backend}) {
    const auto found = kernel.options.find(key);
    if (found == kernel.options.end()) continue;
    for (const OptionText& option : found->second)
      specialization.written.push_back({option.text, option.key, option.where, true});
  }
  for (const std::vector<ExpressionText>& names : {std::vector{kernel.entry_text}, kernel.template_args}) {
    for (const ExpressionText& name : names)
      specialization.written.push_back({name.text, name.key, name.where, false});
  }
  const auto add_variables = [&](const char* key, const auto& symbols, const auto& places) {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      specialization.written.push_back(
          {symbols[i].first, "kernels." + kernel.name + "." + key, places.at(i), false});
  };
  add_variables("symbols", kernel.symbols, kernel.symbol_places);
  add_variables("read_symbols", kernel.read_symbols, kernel.read_symbol_places);
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.kind == ArgumentSpec::Kind::kFunction)
      specialization.written.push_back(
          {argument.name, "kernels." + kernel.name + ".args", argument.where, false});
  }
}

std::string name_expression(const Configuration& configuration, const KernelSpec& kernel) {
  if (kernel.template_args.empty()) return kernel.entry;
  std::vector<std::string> args;
  for (const ExpressionText& text : kernel.template_args)
    args.push_back(value_or_text(configuration, text.text));
  return kernel.entry + "<" + join(args, ", ") + ">";
}

bool all_compile_time(const Configuration& configuration, const std::vector<ExpressionText>& list) {
  return std::all_of(list.begin(), list.end(),
                     [&](const ExpressionText& text) { return is_compile_time(configuration, text); });
}

std::string bounds_text(const Configuration& configuration, const KernelSpec& kernel) {
  if (!configuration.launch_bounds() || !all_compile_time(configuration, kernel.launch_bounds)) return "";
  std::vector<std::string> numbers;
  for (const ExpressionText& text : kernel.launch_bounds) {
    const bool threads = numbers.empty();
    const std::int64_t number = configuration.evaluate_integer(text, threads ? 1 : 0, 1 << 20);
    if (number > 0) numbers.push_back(std::to_string(number));
  }
  return join(numbers, ", ");
}

/// The kernel, and as launches of a program change its block.
std::vector<const KernelSpec*> block_shapes_of(const Workload& workload, const KernelSpec& kernel) {
  std::vector<const KernelSpec*> shapes{&kernel};
  for (const ProgramSpec* program : {&workload.run, &workload.verify_run}) {
    for_each_launch(*program, [&](const LaunchSpec& launch) {
      if (launch.kernel == kernel.name && !launch.block.empty()) shapes.push_back(launch.configured.get());
    });
  }
  return shapes;
}

/// The block shape if it is known when the code is compiled and code for the target depends on it.
std::optional<Dim3> fixed_block(const Configuration& configuration, const KernelSpec& kernel,
                                const Target& target) {
  if (!backend_kind(target.backend).fixes_block_shape || !all_compile_time(configuration, kernel.block))
    return std::nullopt;
  std::array<std::uint64_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < kernel.block.size(); ++i) {
    extents.at(i) = static_cast<std::uint64_t>(configuration.evaluate_integer(kernel.block[i], 1, 1 << 20));
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

bool belongs(const Unit& unit, const Specialization& wanted, const KernelSpec& kernel) {
  return unit.more_sources == kernel.more_sources &&
         unit.options == options_of(kernel, wanted.target.backend) &&
         unit.specialization.source_path == wanted.source_path &&
         unit.specialization.defines == wanted.defines &&
         unit.specialization.include_directories == wanted.include_directories;
}

/// One entry may be launched in several ways; what they do not share is left to the launch.
void add_entry(Specialization& specialization, const EntryPoint& entry) {
  for (EntryPoint& known : specialization.entries) {
    if (known.name_expression != entry.name_expression) continue;
    if (known.fixed_block != entry.fixed_block) known.fixed_block.reset();
    if (known.launch_bounds != entry.launch_bounds) known.launch_bounds.clear();
    return;
  }
  specialization.entries.push_back(entry);
}

std::string read_text(FileSystem& files, const std::filesystem::path& path, const KernelSpec& kernel) {
  try {
    return read_input(files, path, kKernelInput);
  } catch (const Error& error) {
    throw bad_input("kernels." + kernel.name + ".source: " + error.message() + ": '" + path.string() + "'",
                    kernel.where);
  }
}

Specialization read_source(const Configuration& configuration, const KernelSpec& kernel, Role role,
                           const Target& target, FileSystem& files,
                           const std::vector<IncludedHeader>& supplied) {
  Specialization result;
  const std::filesystem::path path = configuration.workload().directory / kernel.source;
  result.lineinfo = configuration.lineinfo();
  result.source_name = path.filename().string();
  result.source_path =
      result.lineinfo ? std::filesystem::absolute(path).lexically_normal().string() : path.string();
  std::string text = read_text(files, path, kernel);
  for (const std::string& more : kernel.more_sources) {
    const std::filesystem::path other = configuration.workload().directory / more;
    text += "\n" + include_of(other, path) + "\n";
  }
  result.defines = macros_of(configuration, kernel);
  add_inputs(result, text, options_of(kernel, target.backend),
             {files, path, {path.parent_path()}, configuration.workload().directory, supplied});
  std::vector<std::string*> texts = {&result.source_text};
  for (IncludedHeader& header : result.headers) texts.push_back(&header.text);
  std::vector<std::pair<std::string, std::string>> given = result.defines;
  for (const std::string& option : result.options) {
    if (!option.starts_with("-D") || option.size() == 2) continue;
    const std::size_t equals = option.find('=');
    given.emplace_back(option.substr(2, equals == std::string::npos ? equals : equals - 2),
                       equals == std::string::npos ? "1" : option.substr(equals + 1));
  }
  write_out_namespaces(texts);
  write_out_macros(texts, given);
  if (result.lineinfo) {
    for (IncludedHeader& header : result.headers) {
      if (!header.path.empty())
        header.path = std::filesystem::absolute(header.path).lexically_normal().string();
    }
  }
  result.fast_math = configuration.fast_math() && role == Role::kRun;
  result.target = target;
  return result;
}

/// A text may hold kernels that this unit does not launch; their launch bounds must be something, too.
std::string empty_bounds(const std::set<std::string>& mentioned) {
  std::string text;
  for (auto name = mentioned.lower_bound(kBoundsPrefix);
       name != mentioned.end() && name->starts_with(kBoundsPrefix); ++name) {
    text += "#ifndef " + *name + "\n#define " + *name + "\n#endif\n";
  }
  return text;
}

/// Headers of the types in params.h are the compiler's business like those in the text.
void add_unseen(Specialization& spec, const std::set<std::string>& headers) {
  std::set<std::string> names(spec.unseen_headers.begin(), spec.unseen_headers.end());
  for (const std::string& name : headers) {
    const bool found = std::any_of(spec.headers.begin(), spec.headers.end(),
                                   [&](const IncludedHeader& header) { return header.name == name; });
    if (!found) names.insert(name);
  }
  spec.unseen_headers.assign(names.begin(), names.end());
}

void add_params(const Configuration& configuration, Unit& unit) {
  Specialization& spec = unit.specialization;
  std::set<std::string> mentioned = identifiers_in(spec.source_text);
  std::string all_text = spec.source_text;
  for (const IncludedHeader& header : spec.headers) {
    mentioned.merge(identifiers_in(header.text));
    all_text += header.text;
  }
  for (const auto& [name, value] : spec.defines) mentioned.merge(identifiers_in(value));
  // Kernels that were not written for Kiln get no params.h.
  if (all_text.find("kiln/params.h") == std::string::npos) return;
  unit.params = make_params_struct(configuration, mentioned, unit.role == Role::kData);
  spec.params_header = unit.params.header + empty_bounds(mentioned);
  add_unseen(spec, unit.params.headers);
}

}  // namespace

bool is_compile_time(const Configuration& configuration, const ExpressionText& expression) {
  const Workload& workload = configuration.workload();
  if (workload.changes(expression)) return false;
  for (const std::string& name : workload.names_in(expression)) {
    if (workload.find_parameter(name)) {
      if (configuration.value(name).binding == Binding::kRun) return false;
      continue;
    }
    const ExpressionText* let = workload.find_let(name);
    if (let != nullptr && !is_compile_time(configuration, *let)) return false;
  }
  return true;
}

std::vector<Unit> make_units(const Configuration& configuration, const std::vector<std::string>& kernels,
                             Role role, const Target& target, FileSystem& files,
                             const std::vector<IncludedHeader>& supplied) {
  std::vector<Unit> units;
  for (const std::string& name : kernels) {
    const KernelSpec& kernel = *configuration.workload().find_kernel(name);
    Specialization wanted = read_source(configuration, kernel, role, target, files, supplied);
    auto unit = std::find_if(units.begin(), units.end(),
                             [&](const Unit& known) { return belongs(known, wanted, kernel); });
    if (unit == units.end()) {
      unit = units.insert(units.end(), Unit{});
      unit->role = role;
      unit->child = configuration.child();
      unit->more_sources = kernel.more_sources;
      unit->options = options_of(kernel, target.backend);
      unit->specialization = std::move(wanted);
      add_params(configuration, *unit);
    }
    const std::string expression =
        name_overload(unit->specialization, name_expression(configuration, kernel));
    if (!unit->name_expressions.emplace(name, expression).second) continue;
    add_written(unit->specialization, kernel);
    for (const KernelSpec* shape : block_shapes_of(configuration.workload(), kernel)) {
      add_entry(unit->specialization,
                {expression, fixed_block(configuration, *shape, target), bounds_text(configuration, kernel)});
    }
    std::vector<std::string> variables;
    for (const auto* symbols : {&kernel.symbols, &kernel.read_symbols})
      for (const auto& [symbol, buffer] : *symbols)
        variables.push_back(symbol_expression(configuration, symbol));
    for (const ArgumentSpec& argument : kernel.args) {
      if (argument.kind != ArgumentSpec::Kind::kFunction) continue;
      const std::string function = symbol_expression(configuration, argument.name);
      variables.push_back(variable_of_function(function));
      const std::string line =
          "\n#line 1 \"kiln functions\"\n__device__ auto " + variables.back() + " = &" + function + ";\n";
      std::string& text = unit->specialization.source_text;
      if (text.find(line) == std::string::npos) text += line;
    }
    for (const std::string& variable : variables) {
      if (needs_entry(variable, unit->specialization))
        add_entry(unit->specialization, {entry_of_variable(variable), std::nullopt, ""});
    }
  }
  for (Unit& unit : units) {
    write_out_lambdas(unit.specialization);
    translate_nvcc_words(unit.specialization);
    if (target.warp_size == 32) unit.specialization.wide_warps = wavefronts_of_64(unit.specialization);
    translate_hip_words(unit.specialization);
    translate_ptx_words(unit.specialization);
    fit_cuda_for_hip(unit.specialization);
    leave_out_host_code(unit.specialization);
  }
  return units;
}

}  // namespace kiln
