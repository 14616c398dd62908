#include "specialize/workload_draft.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/scalar_type.h"
#include "kiln/error.h"
#include "specialize/allocations.h"
#include "specialize/constant_value.h"
#include "specialize/program_text.h"
#include "specialize/template_arguments.h"
#include "workload/cpp_words.h"
#include "workload/names.h"

namespace kiln {
namespace {

constexpr std::int64_t kGuessedSize = 1024;
constexpr std::int64_t kMostGuessed = std::int64_t{1} << 25;  // elements of a buffer
constexpr std::int64_t kGuessedSide = 64;                     // of a buffer that has three sizes or more
constexpr std::int64_t kGuessedBlock = 256;
constexpr std::int64_t kGuessedBytes = 64;  // of an element whose type has no form
constexpr int kDeepestConstant = 8;
constexpr const char* kHowLarge = "how large";
constexpr std::array<const char*, 4> kIndexWords = {"idx", "index", "offset", "size"};

/// "const float*" as a workload sees it.
struct ArgumentType {
  std::string type;  ///< in a workload; empty: none
  bool pointer = false;
  bool read_only = false;
  std::string bytes = {};  ///< the program's type, if the buffer holds it as bytes
};

bool is_size_name(const std::string& name) {
  static const std::set<std::string> names = {
      "n",       "N",       "size",    "len",  "length", "count", "total", "elements", "width", "height",
      "depth",   "w",       "h",       "nx",   "ny",     "nz",    "rows",  "cols",     "m",     "M",
      "dim",     "num",     "nelem",   "Nx",   "Ny",     "Nz",    "limit", "nodes",    "ncols", "nrows",
      "columns", "numRows", "numCols", "dimx", "dimy",   "dimz",  "nelems"};
  if (names.contains(name)) return true;
  for (const char* start : {"num", "n_", "no_of_", "size_", "nr_", "len_"}) {
    if (name.starts_with(start) && name.size() > std::string_view(start).size()) return true;
  }
  return name.ends_with("_size") || name.ends_with("Size") || name.ends_with("_count") ||
         name.ends_with("_len") || name.ends_with("_n");
}

/// "IdxT", "index_t", "SizeType": a type of whole numbers.
bool is_index_name(const std::string& name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  return lower.starts_with("int") ||
         std::any_of(kIndexWords.begin(), kIndexWords.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

/// Names that go together as extents, the contiguous one first.
const std::vector<std::vector<std::string>>& extents_together() {
  static const std::vector<std::vector<std::string>> groups = {
      {"nx", "ny", "nz"},           {"Nx", "Ny", "Nz"},  {"dimx", "dimy", "dimz"},
      {"width", "height", "depth"}, {"w", "h", "d"},     {"cols", "rows"},
      {"ncols", "nrows"},           {"columns", "rows"}, {"numCols", "numRows"}};
  return groups;
}

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() &&
                     text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_./-") == std::string::npos &&
                     text.front() != '-';
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string list(const std::vector<std::string>& items) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const std::string& item : items) texts.push_back(quoted(item));
  return "[" + join(texts, ", ") + "]";
}

/// Lines of YAML: a text, and what a person is to look at.
struct Line {
  std::string text, todo, remark;
};

class Drafter {
 public:
  explicit Drafter(const DraftRequest& request)
      : request_(request), program_(read_program(request.text, request.headers)) {
    for (const auto& [name, value] : request.defines) program_.constants[name] = value;
  }

  WorkloadDraft run() {
    for (const TextKernel* kernel : chosen_kernels()) {
      if (const auto why = draft_kernel(*kernel))
        draft_.notes.push_back("'" + kernel->name + "' is left out: " + *why);
    }
    if (draft_.kernels.empty()) {
      throw bad_input(
          "a workload cannot pass what the kernels take; " + join(draft_.notes, "; "),
          {request_.file, program_.kernels.front().line, program_.kernels.front().line > 0 ? 1 : 0});
    }
    write();
    return std::move(draft_);
  }

 private:
  static std::string base_name(const std::string& name) {
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
  }

  /// In the order in which the program first launches them.
  std::vector<const TextKernel*> chosen_kernels() {
    std::vector<std::string> known;
    for (const TextKernel& kernel : program_.kernels) known.push_back(kernel.name);
    if (known.empty())
      throw bad_input("no kernel: expected a __global__ function with a body", {request_.file, 0, 0});
    for (const std::string& name : request_.kernels) {
      const bool there = std::any_of(known.begin(), known.end(), [&](const std::string& one) {
        return one == name || base_name(one) == name;
      });
      if (!there) {
        throw bad_input("no kernel '" + name + "'" + suggestion(name, known) +
                            " (its kernels: " + join(known, ", ") + ")",
                        {request_.file, 0, 0});
      }
    }
    std::vector<const TextKernel*> chosen;
    const auto add = [&](const TextKernel& kernel) {
      const bool asked =
          request_.kernels.empty() ||
          std::any_of(request_.kernels.begin(), request_.kernels.end(), [&](const std::string& name) {
            return name == kernel.name || name == base_name(kernel.name);
          });
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
    if (!others.empty()) {
      draft_.notes.push_back("kernels of headers that the program does not launch are not in the draft: " +
                             join(others, ", "));
    }
    return chosen;
  }

  [[nodiscard]] const TextLaunch* launch_of(const TextKernel& kernel) const {
    const TextLaunch* first = nullptr;
    for (const TextLaunch& launch : program_.launches) {
      if (launch.kernel != base_name(kernel.name)) continue;
      if (launch.arguments.size() == kernel.parameters.size()) return &launch;
      if (first == nullptr) first = &launch;
    }
    return first;
  }

  [[nodiscard]] std::optional<std::int64_t> value_of(const std::string& text) const {
    return constant_value(text, program_.constants);
  }

  // ---------------------------------------------------------------------------------------- types

  /// The workload's name of a type without pointers; empty if it has none.
  [[nodiscard]] std::string type_name(const std::string& type, const TextKernel& kernel,
                                      int depth = 0) const {
    static const std::map<std::string, std::string> names = {{"bool", "bool"},
                                                             {"char", "char"},
                                                             {"signed char", "char"},
                                                             {"int8_t", "char"},
                                                             {"unsigned char", "uchar"},
                                                             {"uint8_t", "uchar"},
                                                             {"uchar", "uchar"},
                                                             {"short", "short"},
                                                             {"short int", "short"},
                                                             {"int16_t", "short"},
                                                             {"unsigned short", "ushort"},
                                                             {"uint16_t", "ushort"},
                                                             {"ushort", "ushort"},
                                                             {"int", "int"},
                                                             {"int32_t", "int"},
                                                             {"signed", "int"},
                                                             {"signed int", "int"},
                                                             {"unsigned", "unsigned"},
                                                             {"unsigned int", "unsigned"},
                                                             {"uint", "unsigned"},
                                                             {"uint32_t", "unsigned"},
                                                             {"long", "long"},
                                                             {"long int", "long"},
                                                             {"long long", "long"},
                                                             {"long long int", "long"},
                                                             {"int64_t", "long"},
                                                             {"ptrdiff_t", "long"},
                                                             {"intptr_t", "long"},
                                                             {"unsigned long", "ulong"},
                                                             {"unsigned long long", "ulong"},
                                                             {"unsigned long int", "ulong"},
                                                             {"unsigned long long int", "ulong"},
                                                             {"clock_t", "long"},
                                                             {"uint64_t", "ulong"},
                                                             {"ulong", "ulong"},
                                                             {"uintptr_t", "ulong"},
                                                             {"size_t", "size_t"},
                                                             {"float", "float"},
                                                             {"double", "double"},
                                                             {"dim3", "uint3"},
                                                             {"half", "half"},
                                                             {"__half", "half"},
                                                             {"__nv_bfloat16", "bfloat16"},
                                                             {"nv_bfloat16", "bfloat16"},
                                                             {"__half2", "half2"},
                                                             {"__nv_bfloat162", "bfloat162"}};
    const std::string name = bare_type(type);
    if (const auto found = names.find(name); found != names.end()) return found->second;
    for (const TextParameter& parameter : kernel.template_parameters) {
      if (parameter.name == name) return template_type(kernel, name);
    }
    if (parse_element_type(name)) return name;
    if (depth == kDeepestConstant) return "";
    if (const auto alias = program_.types.find(name); alias != program_.types.end())
      return alias->second.find('*') == std::string::npos ? type_name(alias->second, kernel, depth + 1) : "";
    if (const auto macro = program_.constants.find(name); macro != program_.constants.end())
      return type_name(macro->second, kernel, depth + 1);
    if (const auto record = program_.records.find(name); record != program_.records.end())
      return has_form(record->second, kernel, depth) ? name : "";
    return "";
  }

  /// Whether a workload's `types` can say it.
  [[nodiscard]] bool has_form(const std::vector<TextParameter>& members, const TextKernel& kernel,
                              int depth) const {
    return !members.empty() && std::all_of(members.begin(), members.end(), [&](const TextParameter& member) {
      const bool plain = member.type.find_first_of("*&:<") == std::string::npos && is_identifier(member.name);
      return plain && extent_of(member.type) && !type_name(member.type, kernel, depth + 1).empty();
    });
  }

  /// The number of elements: 3 for "float [3]", 6 for "float [2][3]"; 1 without brackets; absent if an extent
  /// is unknown.
  [[nodiscard]] std::optional<std::int64_t> extent_of(const std::string& type) const {
    std::int64_t extent = 1;
    for (std::size_t at = type.find('['); at != std::string::npos; at = type.find('[', at + 1)) {
      const std::size_t close = type.find(']', at);
      if (close == std::string::npos) return std::nullopt;
      const auto value = value_of(type.substr(at + 1, close - at - 1));
      constexpr std::int64_t kMost = 1 << 20;
      if (!value || *value < 1 || *value > kMost || extent > kMost) return std::nullopt;
      extent *= *value;
    }
    return extent;
  }

  /// The workload's form of a type parameter of a kernel's template: a `type` parameter of the same name, or
  /// the program's type argument.
  [[nodiscard]] std::string template_type(const TextKernel& kernel, const std::string& name) const {
    const std::string argument = template_argument(kernel, name);
    const auto scalar = parse_scalar_type(argument);
    if (argument.empty() || scalar) return name;
    if (kernel.template_parameters.empty()) return "";
    TextKernel plain;
    plain.name = kernel.name;
    const std::string known = type_name(argument, plain);
    // A `type` parameter has no form for long long, which is another type than long.
    return parse_scalar_type(known) && argument.find("long long") == std::string::npos ? name : known;
  }

  /// From the program's launch, or the parameter's default; empty if both are missing.
  [[nodiscard]] std::string template_argument(const TextKernel& kernel, const std::string& name) const {
    for (std::size_t i = 0; i < kernel.template_parameters.size(); ++i) {
      const TextParameter& parameter = kernel.template_parameters[i];
      if (parameter.name != name || name.empty()) continue;
      for (const TextLaunch& launch : program_.launches) {
        if (launch.kernel != base_name(kernel.name)) continue;
        const std::string argument = template_argument_of(program_, kernel, launch, name);
        if (!argument.empty()) return argument;
      }
      if (i < kernel.instantiation.size()) return kernel.instantiation[i];
      const std::string object = passed_object(kernel, name);
      return object.empty() ? parameter.default_value : object;
    }
    return "";
  }

  /// "Add" where the program launches a kernel with `Add()` for an argument of the template's type `name`.
  [[nodiscard]] std::string passed_object(const TextKernel& kernel, const std::string& name) const {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (bare_type(kernel.parameters[i].type) != name) continue;
      const std::string given = launched_with(kernel, i);
      std::string type = given.substr(0, given.find_first_of("({"));
      if (type != given && is_empty_record(type)) return type;
    }
    return "";
  }

  /// "Add" and "Add<float>", a struct without members.
  [[nodiscard]] bool is_empty_record(const std::string& type) const {
    const auto record = program_.records.find(type.substr(0, type.find('<')));
    return record != program_.records.end() && record->second.empty();
  }

  /// Whether it is a function object without members, which takes one byte.
  [[nodiscard]] bool is_empty_object(const TextParameter& parameter, const TextKernel& kernel) const {
    if (parameter.type.find_first_of("*&[") != std::string::npos) return false;
    const std::string type = bare_type(parameter.type);
    return is_empty_record(type) || is_empty_record(template_argument(kernel, type));
  }

  [[nodiscard]] ArgumentType argument_type(const TextParameter& parameter, const TextKernel& kernel) const {
    ArgumentType result;
    std::string type = parameter.type;
    const auto stars =
        std::count(type.begin(), type.end(), '*') + (type.find('[') != std::string::npos ? 1 : 0);
    result.pointer = stars > 0;
    const std::size_t star = type.find('*');
    result.read_only = type.substr(0, star).find("const") != std::string::npos;
    if (stars == 0 && program_.types.contains(bare_type(type)) &&
        program_.types.at(bare_type(type)).find('*') != std::string::npos) {  // typedef float* Array
      result.pointer = true;
      type = program_.types.at(bare_type(type));
      result.read_only = result.read_only || type.find("const") != std::string::npos;
    }
    if (stars > 1) return result;
    result.type = type_name(type, kernel);
    if (result.pointer && result.type.empty() && !is_pointer_alias(type)) {
      result.type = "uchar";
      result.bytes = bare_type(type) == "void" ? "" : bare_type(type);
    }
    return result;
  }

  [[nodiscard]] bool is_pointer_alias(const std::string& type) const {
    const auto alias = program_.types.find(bare_type(type));
    return alias != program_.types.end() && alias->second.find('*') != std::string::npos;
  }

  // ---------------------------------------------------------------------------------------- names

  /// A name that nothing else has.
  std::string fresh(const std::string& wanted) {
    std::string name = wanted.empty() ? "argument" : wanted;
    while (is_word_of_format(name) || is_word_of_expressions(name) || is_cpp_word(name) || name == "seed" ||
           taken_.contains(name))
      name += "_";
    taken_.insert(name);
    return name;
  }

  // ---------------------------------------------------------------------------------------- kernels

  /// Why the kernel has no form; then nothing of it is in the draft.
  std::optional<std::string> draft_kernel(const TextKernel& kernel) {
    for (const TextParameter& parameter : kernel.parameters) {
      const ArgumentType type = argument_type(parameter, kernel);
      const std::string what = "its argument '" + parameter.name + "' is ";
      if (parameter.name.empty())
        return "an argument without a name (line " + std::to_string(parameter.line) + ")";
      if (is_empty_object(parameter, kernel)) continue;
      if (!type.pointer && is_called(kernel, parameter.name))
        return what + "a function object, which a workload cannot pass";
      if (!members_of(parameter, kernel).empty() || is_texture(parameter, kernel)) continue;
      if (type.type.empty())
        return what + "of the type '" + parameter.type + "', which a workload cannot " +
               (type.pointer ? "put into a buffer" : "pass by value");
      const bool record = program_.records.contains(type.type);
      const auto element = parse_element_type(type.type);
      if (!type.pointer && (record || (element && element->lanes > 1)))
        return what + "a '" + type.type + "' by value, which a workload cannot pass";
    }
    for (const TextParameter& parameter : kernel.template_parameters) {
      if (parameter.type.find("...") != std::string::npos || parameter.name.empty())
        return "its template has a parameter without a name, or a pack";
    }
    const std::string name = fresh(base_name(kernel.name));
    draft_.kernels.push_back(name);
    const std::string elements = elements_of(kernel);
    std::string structs;
    const std::vector<std::string> arguments = arguments_of(kernel, elements, structs);
    std::vector<Line> lines;
    lines.push_back({"source: " + quoted(request_.source), "", place_of(kernel.line)});
    const std::string entry = kernel.overloaded ? kernel.name + "(" + kernel.types + ")" : kernel.name;
    if (name != entry) lines.push_back({"entry: " + quoted(entry), "", ""});
    add_template_arguments(kernel, lines);
    add_flags(lines);
    add_shape(kernel, elements, lines);
    if (const TextLaunch* launch = launch_of(kernel); launch != nullptr && launch->cooperative)
      lines.push_back({"cooperative: true", "", ""});
    lines.push_back({"args: [" + join(arguments, ", ") + "]", structs, ""});
    add_symbols(kernel, lines);
    kernels_.emplace_back(name, std::move(lines));
    return std::nullopt;
  }

  /// The macros and folders of the compiler's command line.
  void add_flags(std::vector<Line>& lines) const {
    std::vector<std::string> macros, folders;
    for (const auto& [name, value] : request_.defines) {
      const std::string literal = value.empty() ? "\"\"" : quoted(value);
      macros.push_back(name);
      macros.back().append(": ").append(literal);
    }
    for (const std::string& folder : request_.folders) folders.push_back("-I" + folder);
    if (!macros.empty()) lines.push_back({"defines: {" + join(macros, ", ") + "}", "", ""});
    if (!folders.empty()) lines.push_back({"options: " + list(folders), "", ""});
  }

  /// Whether it is a texture that a workload can make: of one dimension by index, or of two.
  [[nodiscard]] bool is_texture(const TextParameter& parameter, const TextKernel& kernel) const {
    const auto fetch = kernel.fetches.find(parameter.name);
    const std::string type = bare_type(parameter.type);
    return (type == "cudaTextureObject_t" || type == "CUtexObject") && fetch != kernel.fetches.end() &&
           (fetch->second.first == "tex1Dfetch" || fetch->second.first == "tex2D");
  }

  std::string texture_argument(const TextParameter& parameter, const TextKernel& kernel,
                               const std::string& elements) {
    const auto& [function, fetched] = kernel.fetches.at(parameter.name);
    const std::string known = type_name(fetched, kernel);
    const std::string type = known.empty() || is_type_parameter(known) ? "float" : known;
    const std::string key = parameter.name + " as a texture";
    std::string& name = buffers_[key];
    if (name.empty()) {
      name = fresh(parameter.name);
      const bool linear = function == "tex1Dfetch";
      const auto element = parse_element_type(type);
      const bool real = !element || is_real(element->scalar);
      buffer_lines_.push_back({name + ": {type: " + quoted(type) + ", shape: [" +
                                   (linear ? quoted(elements) : "64, 64") +
                                   "], init: {uniform: " + (real ? "[0, 1]" : "[0, 16]") + "}}",
                               "shape, content, type of the texture; its filter and address in args", ""});
    }
    return "{texture: " + name + "}";
  }

  /// For a remark; what stands in a header has no line.
  static std::string place_of(int line) { return line > 0 ? "line " + std::to_string(line) : "in a header"; }

  static bool is_called(const TextKernel& kernel, const std::string& name) {
    const auto& called = kernel.called_in_body;
    return std::find(called.begin(), called.end(), name) != called.end();
  }

  /// An expression over the kernel's scalars: how many elements it works on.
  std::string elements_of(const TextKernel& kernel) {
    std::vector<std::string> sizes;
    for (const TextParameter& parameter : kernel.parameters) {
      const ArgumentType type = argument_type(parameter, kernel);
      const auto scalar = parse_scalar_type(type.type);
      if (!type.pointer && scalar && !is_real(*scalar) && *scalar != ScalarType::kBool &&
          is_size_name(parameter.name))
        sizes.push_back(parameter.name);
    }
    for (const std::vector<std::string>& group : extents_together()) {
      std::vector<std::string> found;
      for (const std::string& name : group) {
        if (std::find(sizes.begin(), sizes.end(), name) != sizes.end()) found.push_back(name);
      }
      if (found.size() < 2) continue;
      dimensions_ = found;
      for (std::string& name : found) name = scalar_name(kernel, name);
      return join(found, " * ");
    }
    if (const auto product = extents_of_product(kernel); !product.empty()) {
      dimensions_ = {product[1], product[0]};
      std::vector<std::string> names;
      for (const std::string& name : product) names.push_back(scalar_name(kernel, name));
      const std::string longest = "max(max(" + names[0] + ", " + names[1] + "), " + names[2] + ")";
      return longest + " * " + longest;
    }
    if (!sizes.empty()) {
      dimensions_ = {sizes.front()};
      return scalar_name(kernel, sizes.front());
    }
    dimensions_.clear();
    if (!has_elements_) {
      has_elements_ = true;
      elements_name_ = fresh("elements");
      parameters_.push_back(
          {elements_name_ + ": {type: int, default: " + std::to_string(most_work_items()) + ", min: 1}",
           "how many elements the buffers have", ""});
    }
    return elements_name_;
  }

  /// m, n and k of a matrix product, where the kernel has all three.
  [[nodiscard]] std::vector<std::string> extents_of_product(const TextKernel& kernel) const {
    static const std::vector<std::vector<std::string>> groups = {
        {"M", "N", "K"}, {"m", "n", "k"}, {"ni", "nj", "nk"}};
    const auto is_extent = [&](const std::string& name) {
      return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                         [&](const TextParameter& parameter) {
                           const ArgumentType type = argument_type(parameter, kernel);
                           const auto scalar = parse_scalar_type(type.type);
                           return parameter.name == name && !type.pointer && scalar && !is_real(*scalar);
                         });
    };
    for (const std::vector<std::string>& group : groups) {
      if (std::all_of(group.begin(), group.end(), is_extent)) return group;
    }
    return {};
  }

  /// Of the largest launch whose extents are constants: kernels often have an element for each work-item.
  [[nodiscard]] std::int64_t most_work_items() const {
    std::int64_t most = kGuessedSize;
    for (const TextLaunch& launch : program_.launches) {
      std::int64_t count = 1;
      for (const std::string* shape : {&launch.grid, &launch.block}) {
        for (const std::string& extent : extents_of_launch(*shape)) {
          const std::int64_t value = value_of(extent).value_or(0);
          count = value >= 1 && value <= kMostGuessed / count ? count * value : kMostGuessed + 1;
          if (count > kMostGuessed) break;
        }
        if (count > kMostGuessed) break;
      }
      if (count <= kMostGuessed) most = std::max(most, count);
    }
    return most;
  }

  /// The workload's parameter for a scalar of a kernel; kernels share it.
  std::string scalar_name(const TextKernel& kernel, const std::string& name) {
    const auto parameter = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                        [&](const TextParameter& one) { return one.name == name; });
    const ArgumentType type = argument_type(*parameter, kernel);
    const std::string key = name + " of " + type.type;
    if (const auto known = scalars_.find(key); known != scalars_.end()) return known->second;
    const std::string mine = fresh(name);
    scalars_[key] = mine;
    static const std::set<std::string> kinds = {"int", "unsigned", "long", "float", "double", "bool"};
    const auto scalar = parse_scalar_type(type.type);
    std::string kind = type.type;
    if (scalar && !kinds.contains(kind)) {
      kind = is_real(*scalar) ? "float" : "long";
    } else if (!scalar && !is_type_parameter(kind)) {
      kind = "float";
    }
    Line line = {"", "", ""};
    const std::string given =
        launched_with(kernel, static_cast<std::size_t>(parameter - kernel.parameters.begin()));
    std::string value;
    if (kind == "bool") {
      value = given == "true" || given == "1" ? "true" : "false";
      if (given != "true" && given != "false") line.todo = "its value";
    } else if (const auto whole = value_of(given); whole && (*whole >= 1 || !is_size_name(name))) {
      value = std::to_string(*whole);
      line.remark = "as in the program: " + given;
    } else if (const auto real = real_of(given); real && (kind == "float" || kind == "double" || !scalar)) {
      value = *real;
      line.remark = "as in the program: " + given;
    } else {
      value = is_size_name(name) && scalar && !is_real(*scalar) ? std::to_string(kGuessedSize) : "1";
      line.todo = is_size_name(name) ? kHowLarge : "its value";
    }
    if (value == "0") zeros_.insert(mine);
    const bool whole_number = scalar && !is_real(*scalar) && kind != "bool";
    if (whole_number && kind == "int" && parse_integer(value).value_or(0) > 2147483647) kind = "long";
    line.text = mine + ": {type: " + kind + ", default: " + value + "}";
    parameters_.push_back(std::move(line));
    return mine;
  }

  [[nodiscard]] bool is_type_parameter(const std::string& name) const {
    return type_parameters_.contains(name);
  }

  /// "0.5" of "0.5f".
  static std::optional<std::string> real_of(std::string text) {
    while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
    const auto value = parse_real(text);
    return value ? std::optional(text) : std::nullopt;
  }

  /// The argument's text where the program launches the kernel; empty if it does not.
  [[nodiscard]] std::string launched_with(const TextKernel& kernel, std::size_t index) const {
    const TextLaunch* launch = launch_of(kernel);
    return launch != nullptr && index < launch->arguments.size() ? launch->arguments[index] : "";
  }

  /// Bytes to which a member of a struct is aligned; absent: it has no form.
  [[nodiscard]] std::optional<std::size_t> alignment_of(const TextParameter& member, const TextKernel& kernel,
                                                        int depth) const {
    const ArgumentType type = argument_type(member, kernel);
    if (type.pointer) return type.type.empty() ? std::nullopt : std::optional(sizeof(void*));
    if (const auto scalar = parse_scalar_type(type.type)) return size_of(*scalar);
    if (const auto element = parse_element_type(type.type)) return element->alignment();
    const auto record = members_of_type(program_, member.type);
    if (!record || record->empty() || depth == kDeepestConstant) return std::nullopt;
    std::size_t most = 1;
    for (TextParameter one : *record) {
      one.type = one.type.substr(0, one.type.find('['));
      const auto alignment = alignment_of(one, kernel, depth + 1);
      if (!alignment) return std::nullopt;
      most = std::max(most, *alignment);
    }
    return most;
  }

  /// Adds the members of a struct in order, with the members of structs and vectors inside and bytes of
  /// padding where these need it. `offset`: where the members end. False: a member has no form.
  bool add_members(const std::string& name, const TextKernel& kernel, int depth,
                   std::vector<TextParameter>& members, std::size_t& offset) const {
    constexpr std::size_t kMost = 256;
    const auto pad = [&](std::size_t alignment) {
      for (; offset % alignment != 0 && members.size() <= kMost; ++offset)
        members.push_back({"unsigned char", "", "", 0});
    };
    const auto record = members_of_type(program_, name);
    std::size_t most = 1;
    bool has_aggregates = false;
    for (const TextParameter& member : *record) {
      const auto count = extent_of(member.type);
      TextParameter one = member;
      one.type = member.type.substr(0, member.type.find('['));
      const auto alignment = alignment_of(one, kernel, depth);
      if (!count || !alignment || !is_identifier(member.name)) return false;
      most = std::max(most, *alignment);
      const ArgumentType type = argument_type(one, kernel);
      const auto element = parse_element_type(type.type);
      for (std::int64_t i = 0; i < *count; ++i) {
        if (members.size() > kMost) return false;
        if (type.pointer || parse_scalar_type(type.type)) {
          offset = (offset + *alignment - 1) / *alignment * *alignment;
          offset += type.pointer ? sizeof(void*) : size_of(*parse_scalar_type(type.type));
          members.push_back(one);
          continue;
        }
        has_aggregates = true;
        pad(*alignment);
        if (element) {
          TextParameter lane = one;
          lane.type = to_string(element->scalar);
          members.insert(members.end(), element->lanes, lane);
          offset += element->bytes();
        } else if (!add_members(bare_type(one.type), kernel, depth + 1, members, offset)) {
          return false;
        }
        pad(*alignment);
      }
    }
    if (depth > 0 || has_aggregates) pad(most);
    return true;
  }

  /// The members of a struct or a vector that is passed by value, pointers and numbers in order; empty if the
  /// argument is no such thing, or has members without a form.
  [[nodiscard]] std::vector<TextParameter> members_of(const TextParameter& parameter,
                                                      const TextKernel& kernel) const {
    constexpr std::size_t kMost = 256;
    if (parameter.type.find_first_of("*&[") != std::string::npos) return {};
    std::vector<TextParameter> members;
    const auto add = [&](TextParameter member, std::int64_t count) {
      for (std::int64_t i = 0; i < count && members.size() <= kMost; ++i) members.push_back(member);
    };
    const std::string name = bare_type(parameter.type);
    if (const auto element = parse_element_type(type_name(parameter.type, kernel));
        element && element->lanes > 1) {
      TextParameter lane = parameter;
      lane.type = to_string(element->scalar);
      add(lane, static_cast<std::int64_t>(element->lanes));
      return members;
    }
    std::size_t offset = 0;
    if (!members_of_type(program_, name) || !add_members(name, kernel, 0, members, offset)) return {};
    return members.size() > kMost ? std::vector<TextParameter>() : members;
  }

  /// "{struct: [...]}"; what is to be filled in is added to `todo`.
  std::string struct_argument(const TextParameter& parameter, const std::vector<TextParameter>& members,
                              const TextKernel& kernel, const std::string& elements, std::string& todo) {
    std::vector<std::string> items, names;
    for (const TextParameter& member : members) {
      const ArgumentType type = argument_type(member, kernel);
      if (!member.name.empty() && (names.empty() || names.back() != member.name))
        names.push_back(member.name);
      if (type.pointer) {
        items.push_back(buffer_name(member, "", kernel, type, elements, true));
        continue;
      }
      const bool size = is_size_name(member.name) && !is_real(*parse_scalar_type(type.type));
      items.push_back("{value: " + (size ? quoted(elements) : "0") + ", type: " + type.type + "}");
    }
    todo += (todo.empty() ? "the values of " : "; of ") + parameter.name + ": " + join(names, ", ");
    return "{struct: [" + join(items, ", ") + "]}";
  }

  std::vector<std::string> arguments_of(const TextKernel& kernel, const std::string& elements,
                                        std::string& structs) {
    add_type_parameters(kernel);
    bool has_input = false;
    for (const TextParameter& parameter : kernel.parameters) {
      const ArgumentType type = argument_type(parameter, kernel);
      has_input = has_input || (type.pointer && type.read_only);
    }
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const TextParameter& parameter = kernel.parameters[i];
      const ArgumentType type = argument_type(parameter, kernel);
      if (const auto members = members_of(parameter, kernel); !members.empty()) {
        arguments.push_back(struct_argument(parameter, members, kernel, elements, structs));
        continue;
      }
      if (is_empty_object(parameter, kernel)) {
        arguments.emplace_back("{struct: [{value: 0, type: uchar}]}");
        continue;
      }
      if (is_texture(parameter, kernel)) {
        arguments.push_back(texture_argument(parameter, kernel, elements));
        continue;
      }
      if (type.pointer) {
        arguments.push_back(
            buffer_name(parameter, launched_with(kernel, i), kernel, type, elements, has_input));
        continue;
      }
      const std::string name = scalar_name(kernel, parameter.name);
      static const std::set<std::string> kinds = {"int", "unsigned", "long", "float", "double", "bool"};
      const bool direct = kinds.contains(type.type) || is_type_parameter(type.type);
      arguments.push_back(direct ? name : "{value: " + name + ", type: " + type.type + "}");
    }
    return arguments;
  }

  void add_type_parameters(const TextKernel& kernel) {
    for (const TextParameter& parameter : kernel.template_parameters) {
      if (parameter.type != "typename" && parameter.type != "class") continue;
      if (template_type(kernel, parameter.name) != parameter.name) continue;
      if (!type_parameters_.insert(parameter.name).second) continue;
      taken_.insert(parameter.name);
      const std::string argument = template_argument(kernel, parameter.name);
      TextKernel plain;
      const std::string known = argument.empty() ? "" : type_name(argument, plain);
      const std::string value = !known.empty() ? known : is_index_name(parameter.name) ? "int" : "float";
      type_lines_.push_back({parameter.name + ": {type: type, default: " + quoted(value) + "}",
                             known.empty() ? "the type that the template gets" : "", ""});
    }
  }

  /// The buffer of a pointer: named like what the program passes (`given`), so that kernels share it.
  std::string buffer_name(const TextParameter& pointer, const std::string& given, const TextKernel& kernel,
                          const ArgumentType& type, const std::string& elements, bool has_input) {
    const bool null = given == "NULL" || given == "nullptr";  // YAML reads NULL as no name
    const std::string wanted = is_identifier(given) && !null ? given : pointer.name;
    const std::string key = wanted + " of " + type.type;
    if (const auto known = buffers_.find(key); known != buffers_.end()) return known->second;
    const std::string name = fresh(wanted);
    buffers_[key] = name;
    add_record_type(type.type, kernel);
    std::string init = "0";
    const auto element = parse_element_type(type.type);
    if ((type.read_only || !has_input) && !program_.records.contains(type.type)) {
      const bool real = !element || is_real(element->scalar);
      init = real ? "{uniform: [0, 1]}" : element->scalar == ScalarType::kBool ? "0" : "{uniform: [0, 16]}";
    }
    std::string todo =
        type.bytes.empty() ? "shape" : "shape in bytes (elements of the type " + type.bytes + ")";
    const auto allocated =
        type.bytes.empty() ? allocated_extent(pointer, given, kernel) : std::optional<std::string>();
    const std::string extent = allocated            ? *allocated
                               : type.bytes.empty() ? elements
                                                    : elements + " * " + std::to_string(kGuessedBytes);
    make_sides_small(extent);
    if (!type.bytes.empty()) init = "0";
    if (type.read_only || !has_input) todo += ", content";
    if (pointer.type.find("void") != std::string::npos) todo += ", type";
    buffer_lines_.push_back(
        {name + ": {type: " + quoted(type.type) + ", shape: [" + quoted(extent) + "], init: " + init + "}",
         todo, allocated ? "the program allocates " + program_.allocations.at(given) : ""});
    return name;
  }

  /// Guesses a smaller value for the sizes of an extent that multiplies three or more guessed ones.
  void make_sides_small(const std::string& extent) {
    const TokenizedText text = tokenize(extent);
    std::set<std::size_t> guessed;
    for (const Token& token : text.tokens) {
      for (std::size_t i = 0; token.identifier() && i < parameters_.size(); ++i) {
        const Line& line = parameters_[i];
        if (line.todo == kHowLarge && line.text.starts_with(std::string(token.text) + ":")) guessed.insert(i);
      }
    }
    if (guessed.size() < 3) return;
    for (const std::size_t i : guessed) {
      std::string& line = parameters_[i].text;
      const std::string large = "default: " + std::to_string(kGuessedSize);
      if (const std::size_t at = line.find(large); at != std::string::npos)
        line.replace(at, large.size(), "default: " + std::to_string(kGuessedSide));
    }
  }

  /// Whether it has the number 0 or a parameter that is 0 by default: variables that get their value later.
  [[nodiscard]] bool may_be_zero(const std::string& expression) const {
    const TokenizedText text = tokenize(expression);
    return std::any_of(text.tokens.begin(), text.tokens.end(), [&](const Token& token) {
      return token.is("0") || zeros_.contains(std::string(token.text));
    });
  }

  /// Elements that the program allocates for what it passes; nothing where a workload's parameters do not
  /// tell.
  std::optional<std::string> allocated_extent(const TextParameter& pointer, const std::string& given,
                                              const TextKernel& kernel) {
    const TextLaunch* launch = launch_of(kernel);
    const auto allocation = program_.allocations.find(given);
    if (launch == nullptr || allocation == program_.allocations.end()) return std::nullopt;
    const AllocatedElements elements = allocated_elements(allocation->second, program_.constants);
    const std::string type = bare_type(pointer.type);
    const bool of_template = std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                                         [&](const TextParameter& one) { return one.name == type; });
    if (elements.count.empty() || (bare_type(elements.type) != type && !of_template)) return std::nullopt;
    const auto extent = translate(kernel, *launch, elements.count, 0);
    if (!extent || may_be_zero(*extent)) return std::nullopt;
    return extent->find_first_of("-/%") == std::string::npos ? *extent : "max(1, " + *extent + ")";
  }

  void add_record_type(const std::string& name, const TextKernel& kernel) {
    const auto record = program_.records.find(name);
    if (record == program_.records.end() || parse_element_type(name) || !records_.insert(name).second) return;
    std::vector<std::string> members;
    for (const TextParameter& member : record->second) {
      const std::string type = type_name(member.type, kernel);
      add_record_type(type, kernel);
      const std::int64_t extent = extent_of(member.type).value_or(1);
      members.push_back(member.name + ": " +
                        (member.type.find('[') == std::string::npos
                             ? type
                             : quoted(type + "[" + std::to_string(extent) + "]")));
    }
    record_lines_.push_back({name + ": {" + join(members, ", ") + "}", "", ""});
  }

  void add_template_arguments(const TextKernel& kernel, std::vector<Line>& lines) const {
    if (kernel.template_parameters.empty()) return;
    std::vector<std::string> values;
    std::vector<std::string> guessed;
    for (const TextParameter& parameter : kernel.template_parameters) {
      const std::string given = template_argument(kernel, parameter.name);
      const bool type = parameter.type == "typename" || parameter.type == "class";
      const bool enumerator = program_.enumerations.contains(bare_type(parameter.type));
      if (type && is_type_parameter(parameter.name)) {
        values.push_back(parameter.name);
      } else if (const auto number = type || enumerator ? std::nullopt : value_of(given)) {
        values.push_back(std::to_string(*number));
      } else if (!given.empty() && given != parameter.name) {
        values.push_back(given);
      } else {
        values.push_back(type                       ? is_index_name(parameter.name) ? "int" : "float"
                         : enumerator               ? program_.enumerations.at(bare_type(parameter.type))
                         : parameter.type == "bool" ? "false"
                                                    : "1");
        guessed.push_back(parameter.name);
      }
    }
    lines.push_back(
        {"template_args: " + list(values), guessed.empty() ? "" : "the value of " + join(guessed, ", "), ""});
  }

  // ---------------------------------------------------------------------------------------- shapes

  void add_shape(const TextKernel& kernel, const std::string& elements, std::vector<Line>& lines) {
    const TextLaunch* launch = launch_of(kernel);
    std::vector<std::int64_t> block;
    bool block_is_known = launch != nullptr;
    if (launch != nullptr) {
      for (const std::string& extent : extents_of_launch(launch->block)) {
        const auto value = value_of(extent);
        block_is_known = block_is_known && value && *value >= 1 && *value <= kGuessedSize;
        if (block_is_known) block.push_back(*value);
      }
    }
    if (!block_is_known || block.empty()) {
      block_is_known = false;
      block = {kGuessedBlock};
      if (dimensions_.size() > 1) block = {32, 8};
    }
    std::vector<std::string> block_texts;
    for (const std::int64_t extent : block) block_texts.push_back(std::to_string(extent));
    const std::string where = launch == nullptr ? "" : place_of(launch->line);

    const auto grid = launch == nullptr ? std::nullopt : translated_grid(kernel, *launch);
    if (grid) {
      lines.push_back({"grid: " + list(*grid), "", where + ": " + launch->grid});
    } else {
      lines.push_back({"grid: " + list(guessed_grid(kernel, elements, block)), "how many blocks",
                       launch == nullptr ? "" : where + " has " + launch->grid});
    }
    lines.push_back({"block: [" + join(block_texts, ", ") + "]",
                     block_is_known ? "" : "work-items of a block",
                     launch == nullptr || launch->block.empty()
                         ? ""
                         : where + (block_is_known ? ": " : " has ") + launch->block});
    add_shared(kernel, launch, block, lines);
  }

  /// The parts of a dim3, or the one number.
  [[nodiscard]] std::vector<std::string> extents_of_launch(const std::string& text) const {
    if (const auto shape = program_.shapes.find(text); shape != program_.shapes.end()) return shape->second;
    if (text.starts_with("dim3(") && text.ends_with(")")) {
      std::vector<std::string> parts;
      int depth = 0;
      std::string part;
      for (const char c : text.substr(5, text.size() - 6)) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0) {
          parts.push_back(part);
          part.clear();
        } else {
          part += c;
        }
      }
      parts.push_back(part);
      return parts;
    }
    return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
  }

  /// The program's grid over the workload's parameters; nothing where it uses what these do not have.
  std::optional<std::vector<std::string>> translated_grid(const TextKernel& kernel,
                                                          const TextLaunch& launch) {
    std::vector<std::string> grid;
    for (const std::string& extent : extents_of_launch(launch.grid)) {
      const auto translated = translate(kernel, launch, extent, 0);
      if (!translated || parse_integer(*translated).value_or(1) < 1) return std::nullopt;
      // Sizes that are filled in later may be smaller than what the program divides by.
      const std::size_t plus = translated->find('+');
      const bool may_be_none = translated->find_first_of("-/") < plus ||
                               std::any_of(zeros_.begin(), zeros_.end(), [&](const std::string& name) {
                                 return translated->find(name) != std::string::npos;
                               });
      grid.push_back(may_be_none ? "max(1, " + *translated + ")" : *translated);
    }
    if (grid.empty() || grid.size() > 3) return std::nullopt;
    return grid;
  }

  std::optional<std::string> translate(const TextKernel& kernel, const TextLaunch& launch,
                                       const std::string& text, int depth) {
    if (depth == kDeepestConstant) return std::nullopt;
    std::string result;
    const std::string kept = text;
    const std::vector<Token> tokens = tokenize(kept).tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind == Token::Kind::kNumber) {
        const auto number = value_of(std::string(token.text));
        if (!number) return std::nullopt;
        result += std::to_string(*number);
      } else if (token.identifier()) {
        const auto name = translated_name(kernel, launch, tokens, i, depth);
        if (!name) return std::nullopt;
        result += *name;
      } else if (token.is("/")) {
        const bool name = i + 1 < tokens.size() && tokens[i + 1].identifier();
        result += " // ";
        if (!name) continue;
        const auto divisor = translated_name(kernel, launch, tokens, ++i, depth);
        if (!divisor) return std::nullopt;
        result += parse_integer(*divisor) ? *divisor : "max(1, " + *divisor + ")";
      } else if (token.is("+") || token.is("-") || token.is("*") || token.is("%")) {
        result += " " + std::string(token.text) + " ";
      } else if (token.is("(") || token.is(")")) {
        result += token.text;
      } else {
        return std::nullopt;
      }
    }
    if (result.empty()) return std::nullopt;
    return result;
  }

  /// `i`: of a name, moved to its last token ("block.x").
  std::optional<std::string> translated_name(const TextKernel& kernel, const TextLaunch& launch,
                                             const std::vector<Token>& tokens, std::size_t& i, int depth) {
    const std::string name(tokens[i].text);
    if (i + 2 < tokens.size() && tokens[i + 1].is(".")) {
      const auto shape = program_.shapes.find(name);
      const std::size_t axis = std::string_view("xyz").find(tokens[i + 2].text);
      if (shape == program_.shapes.end() || axis >= shape->second.size()) return std::nullopt;
      i += 2;
      return nested(kernel, launch, shape->second[axis], depth);
    }
    for (std::size_t a = 0; a < launch.arguments.size() && a < kernel.parameters.size(); ++a) {
      const TextParameter& parameter = kernel.parameters[a];
      if (launch.arguments[a] == name && !argument_type(parameter, kernel).pointer)
        return scalar_name(kernel, parameter.name);
    }
    if (i + 1 < tokens.size() && tokens[i + 1].is("(")) return std::nullopt;  // a function
    if (const auto value = value_of(name)) return std::to_string(*value);
    const auto constant = program_.constants.find(name);
    if (constant == program_.constants.end()) return std::nullopt;
    return nested(kernel, launch, constant->second, depth);
  }

  std::optional<std::string> nested(const TextKernel& kernel, const TextLaunch& launch,
                                    const std::string& text, int depth) {
    const auto translated = translate(kernel, launch, text, depth + 1);
    return translated ? std::optional("(" + *translated + ")") : std::nullopt;
  }

  std::vector<std::string> guessed_grid(const TextKernel& kernel, const std::string& elements,
                                        const std::vector<std::int64_t>& block) {
    std::vector<std::string> grid;
    if (block.size() > 1 && dimensions_.size() >= block.size()) {
      for (std::size_t i = 0; i < block.size(); ++i)
        grid.push_back("ceil_div(" + scalar_name(kernel, dimensions_[i]) + ", " + std::to_string(block[i]) +
                       ")");
      return grid;
    }
    std::int64_t threads = 1;
    for (const std::int64_t extent : block) threads *= extent;
    return {"ceil_div(" + elements + ", " + std::to_string(threads) + ")"};
  }

  void add_shared(const TextKernel& kernel, const TextLaunch* launch, const std::vector<std::int64_t>& block,
                  std::vector<Line>& lines) {
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
    const auto translated = launch == nullptr ? std::nullopt : translate(kernel, *launch, bytes, 0);
    const std::string where = launch == nullptr ? "" : place_of(launch->line);
    if (translated) {
      lines.push_back({"shared: " + quoted(*translated), "", where + ": " + given});
      return;
    }
    std::int64_t threads = 1;
    for (const std::int64_t extent : block) threads *= extent;
    lines.push_back({"shared: " + quoted(std::to_string(threads) + " * 8"), "bytes of dynamic shared memory",
                     given.empty() ? "" : where + " has " + given});
  }

  void add_symbols(const TextKernel& kernel, std::vector<Line>& lines) {
    std::vector<std::string> symbols;
    for (const std::string& name : kernel.names_in_body) {
      const auto variable = program_.constant_variables.find(name);
      if (variable == program_.constant_variables.end()) continue;
      const std::string type = type_name(variable->second, kernel);
      const auto extent = extent_of(variable->second);
      if (type.empty() || !extent) {
        draft_.notes.push_back("the variable '" + name + "' in constant memory is left as it is: '" +
                               variable->second + "' has no form in a workload");
        continue;
      }
      const std::string key = name + " in constant memory";
      if (!buffers_.contains(key)) {
        buffers_[key] = fresh(name);
        add_record_type(type, kernel);
        const auto element = parse_element_type(type);
        const std::string init = program_.records.contains(type)        ? "0"
                                 : !element || is_real(element->scalar) ? "{uniform: [0, 1]}"
                                                                        : "{uniform: [0, 16]}";
        buffer_lines_.push_back({buffers_[key] + ": {type: " + quoted(type) + ", shape: [" +
                                     std::to_string(*extent) + "], init: " + init + "}",
                                 "content, for constant memory", ""});
      }
      symbols.push_back(name + ": " + buffers_[key]);
    }
    if (!symbols.empty()) lines.push_back({"symbols: {" + join(symbols, ", ") + "}", "", ""});
  }

  // ---------------------------------------------------------------------------------------- text

  void write(const Line& line, std::size_t indent) {
    std::string text = std::string(indent, ' ') + line.text;
    if (!line.todo.empty()) {
      text += "  # FILL IN " + line.todo;
      if (!line.remark.empty()) text += "; " + line.remark;
      ++draft_.marks;
    } else if (!line.remark.empty()) {
      text += "  # " + line.remark;
    }
    draft_.yaml += one_line(text) + "\n";
  }

  /// Comments come from the program's text.
  static std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
  }

  void write_section(const std::string& title, const std::vector<Line>& lines) {
    if (lines.empty()) return;
    write({title + ":", "", ""}, 2);
    for (const Line& line : lines) write(line, 4);
  }

  void write() {
    write(
        {"# Drafted by `kiln new` from " + request_.source + ". Look at the lines that say FILL IN.", "", ""},
        0);
    write({"workload:", "", ""}, 0);
    write({"workload: " + quoted(request_.name), "", ""}, 2);
    write(
        {"summary: " + quoted(join(draft_.kernels, ", ") + " of " + request_.source), "what it computes", ""},
        2);
    std::vector<Line> parameters = type_lines_;
    parameters.insert(parameters.end(), parameters_.begin(), parameters_.end());
    write_section("parameters", parameters);
    write_section("types", record_lines_);
    write_section("buffers", buffer_lines_);
    write({"kernels:", "", ""}, 2);
    for (const auto& [name, lines] : kernels_) {
      write({name + ":", "", ""}, 4);
      for (const Line& line : lines) write(line, 6);
    }
    for (const std::string& note : draft_.notes) write({"# " + note, "", ""}, 4);
    write({"run: " + list(draft_.kernels), draft_.kernels.size() > 1 ? "their order, loops" : "", ""}, 2);
    write({"verify:", "", ""}, 2);
    write({"checks: []", "what is right; until then results are `unchecked`", ""}, 4);
    const std::string buffer = output_buffer();
    write({"#  - {buffer: " + buffer + ", expected: 0, atol: 1e-6}", "", ""}, 4);
    write({"#  - {buffer: " + buffer + ", reference: {kernel: a_reference, buffer: " + buffer +
               "_reference}, rtol: 1e-5}",
           "", ""},
          4);
    write({"measure: {min_time: 10 ms, max_time: 0.5 s}", "", ""}, 0);
  }

  /// The first that a kernel may write.
  [[nodiscard]] std::string output_buffer() const {
    for (const Line& line : buffer_lines_) {
      if (line.text.ends_with("init: 0}")) return line.text.substr(0, line.text.find(':'));
    }
    return buffer_lines_.empty() ? "out"
                                 : buffer_lines_.front().text.substr(0, buffer_lines_.front().text.find(':'));
  }

  const DraftRequest& request_;
  ProgramText program_;
  WorkloadDraft draft_;
  std::set<std::string> taken_, type_parameters_, records_;
  std::set<std::string> zeros_;  // parameters that are 0 by default
  std::map<std::string, std::string> scalars_, buffers_;
  std::vector<std::string> dimensions_;  // dimensions of the drafted kernel
  bool has_elements_ = false;
  std::string elements_name_;
  std::vector<Line> type_lines_, parameters_, record_lines_, buffer_lines_;
  std::vector<std::pair<std::string, std::vector<Line>>> kernels_;
};

}  // namespace

WorkloadDraft draft_workload(const DraftRequest& request) {
  return Drafter(request).run();
}

}  // namespace kiln
