#include "specialize/draft_scalars.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/host_expression.h"
#include "specialize/template_arguments.h"
#include "workload/cpp_words.h"
#include "workload/names.h"

namespace kiln {
namespace {

constexpr std::size_t kMostTypes = 4;                         // named for a type parameter
constexpr std::int64_t kMostGuessed = std::int64_t{1} << 25;  // elements of a buffer
constexpr std::int64_t kGuessedSide = 64;                     // of a buffer that has three sizes or more
constexpr int kDeepestExpression = 8;
constexpr const char* kHowLarge = "how large";

/// Names that go together as extents, the contiguous one first.
const std::vector<std::vector<std::string>>& extents_together() {
  static const std::vector<std::vector<std::string>> groups = {
      {"nx", "ny", "nz"},           {"Nx", "Ny", "Nz"},  {"dimx", "dimy", "dimz"},
      {"width", "height", "depth"}, {"w", "h", "d"},     {"cols", "rows"},
      {"ncols", "nrows"},           {"columns", "rows"}, {"numCols", "numRows"}};
  return groups;
}

std::optional<std::string> real_of(std::string text) {
  while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
  const auto value = parse_real(text);
  return value ? std::optional(text) : std::nullopt;
}

/// A likely extent of a part of the work by the name's first word: of a tile, of a filter; 0 for all else.
std::int64_t part_of_work(const std::string& name) {
  static const std::map<std::string_view, std::int64_t> extents = {
      {"tile", 32},  {"block", 32}, {"chunk", 32},  {"section", 32}, {"slice", 32},
      {"lane", 32},  {"warp", 32},  {"kernel", 3},  {"filter", 3},   {"mask", 3},
      {"window", 3}, {"patch", 3},  {"stencil", 3}, {"blur", 3}};
  std::string word = name.substr(0, name.find('_'));
  for (const char* end : {"Size", "Len", "Width", "Height"}) {
    if (word.ends_with(end)) word.resize(word.size() - std::string_view(end).size());
  }
  const auto found = extents.find(word);
  return found == extents.end() || word == name ? 0 : found->second;
}

}  // namespace

bool is_size_name(const std::string& name) {
  static const std::set<std::string> names = {
      "n",       "N",       "size",    "len",  "length", "count", "total",  "elements", "width", "height",
      "depth",   "w",       "h",       "nx",   "ny",     "nz",    "rows",   "cols",     "m",     "M",
      "dim",     "num",     "nelem",   "Nx",   "Ny",     "Nz",    "limit",  "nodes",    "ncols", "nrows",
      "columns", "numRows", "numCols", "dimx", "dimy",   "dimz",  "nelems", "nnz",      "items", "nitems"};
  if (names.contains(name)) return true;
  if (part_of_work(name) > 0) return false;
  for (const char* start : {"num", "n_", "no_of_", "size_", "nr_", "len_"}) {
    if (name.starts_with(start) && name.size() > std::string_view(start).size()) return true;
  }
  return name.ends_with("_size") || name.ends_with("Size") || name.ends_with("_count") ||
         name.ends_with("_len") || name.ends_with("_n");
}

std::string DraftScalars::fresh(const std::string& wanted) {
  std::string name = wanted.empty() ? "argument" : wanted;
  while (is_word_of_format(name) || is_word_of_expressions(name) || is_cpp_word(name) || name == "seed" ||
         name == "variant" || parse_real(name) || taken_.contains(name))  // "inf" reads as a number
    name += "_";
  taken_.insert(name);
  return name;
}

std::string DraftScalars::elements_of(const TextKernel& kernel) {
  std::vector<std::string> sizes;
  for (const TextParameter& parameter : kernel.parameters) {
    const ArgumentType type = types_.argument_type(parameter, kernel);
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
    names.reserve(product.size());
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

std::string DraftScalars::scalar_name(const TextKernel& kernel, const std::string& name) {
  const auto parameter = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                      [&](const TextParameter& one) { return one.name == name; });
  const ArgumentType type = types_.argument_type(*parameter, kernel);
  const std::string key = name + " of " + type.type;
  if (const auto known = scalars_.find(key); known != scalars_.end()) return known->second;
  std::string mine = fresh(name);
  scalars_[key] = mine;
  static const std::set<std::string> kinds = {"int", "unsigned", "long", "float", "double", "bool"};
  const auto scalar = parse_scalar_type(type.type);
  std::string kind = type.type;
  if (scalar && !kinds.contains(kind)) {
    kind = is_real(*scalar) ? "float" : "long";
  } else if (!scalar && !is_type_parameter(kind)) {
    kind = "float";
  }
  DraftLine line = {"", "", ""};
  const auto index = static_cast<std::size_t>(parameter - kernel.parameters.begin());
  const std::string given = types_.launched_with(kernel, index);
  const std::string computed = types_.launched_value(kernel, index);
  std::string value;
  if (kind == "bool") {
    value = given == "true" || given == "1" ? "true" : "false";
    if (given != "true" && given != "false") line.todo = "its value";
  } else if (const auto whole = types_.value_of(computed); whole && (*whole >= 1 || !is_size_name(name))) {
    const bool wraps = kind == "unsigned" && *whole < 0 && *whole >= -2147483648LL;
    value = std::to_string(wraps ? *whole + 4294967296LL : *whole);
    line.remark = "as in the program: " + given;
  } else if (const auto real = real_of(constant_text(computed));
             real && (kind == "float" || kind == "double" || !scalar)) {
    value = *real;
    line.remark = "as in the program: " + given;
  } else {
    const bool large = is_size_name(name) || is_extent(kernel, name);
    const bool tiny = scalar && is_real(*scalar) && (name.starts_with("eps") || name.starts_with("EPS"));
    const bool whole_number = scalar && !is_real(*scalar);
    const std::int64_t part = whole_number ? part_of_work(name) : 0;
    value = large && whole_number ? std::to_string(kGuessedSize)
            : tiny                ? "1e-5"
            : part > 0            ? std::to_string(part)
                                  : "1";
    line.todo = large ? kHowLarge : "its value";
  }
  if (line.todo.empty() && types_.may_have_changed(kernel, index)) {
    line.todo = "its value";
    line.remark = "in the program at first: " + given;
  }
  if (value == "0") zeros_.insert(mine);
  const bool whole_number = scalar && !is_real(*scalar) && kind != "bool";
  if (whole_number && kind == "int" && parse_integer(value).value_or(0) > 2147483647) kind = "long";
  line.text = mine + ": {type: " + kind + ", default: " + value + "}";
  parameters_.push_back(std::move(line));
  return mine;
}

void DraftScalars::reserve_types(const TextKernel& kernel) {
  for (const TextParameter& parameter : kernel.template_parameters) {
    const bool type = parameter.type == "typename" || parameter.type == "class";
    if (type && types_.template_type(kernel, parameter.name) == parameter.name) taken_.insert(parameter.name);
  }
}

void DraftScalars::add_type_parameters(const TextKernel& kernel) {
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.type != "typename" && parameter.type != "class") continue;
    if (types_.template_type(kernel, parameter.name) != parameter.name) continue;
    if (type_parameters_.contains(parameter.name)) continue;
    const std::string argument = types_.template_argument(kernel, parameter.name);
    TextKernel plain;
    const std::string known = argument.empty() ? "" : types_.type_name(argument, plain);
    const std::string value = !known.empty() ? known : guessed_type(parameter.name, kernel);
    if (value == parameter.name) continue;  // a class of this name is the argument itself
    type_parameters_.insert(parameter.name);
    std::vector<std::string> others = types_.template_arguments(kernel, parameter.name, kMostTypes);
    if (!others.empty()) others.erase(others.begin());
    type_lines_.push_back({parameter.name + ": {type: type, default: " + quoted_scalar(value) + "}",
                           known.empty() ? "the type that the template gets" : "",
                           others.empty() ? "" : "the program also has " + join(others, ", ")});
  }
}

bool DraftScalars::is_type_parameter(const std::string& name) const {
  return type_parameters_.contains(name);
}

bool DraftScalars::may_be_zero(const std::string& expression) const {
  const TokenizedText text = tokenize(expression);
  return std::any_of(text.tokens.begin(), text.tokens.end(), [&](const Token& token) {
    return token.is("0") || zeros_.contains(std::string(token.text));
  });
}

void DraftScalars::make_sides_small(const std::string& extent, std::size_t least) {
  const TokenizedText text = tokenize(extent);
  std::set<std::size_t> guessed;
  for (const Token& token : text.tokens) {
    for (std::size_t i = 0; token.identifier() && i < parameters_.size(); ++i) {
      const DraftLine& line = parameters_[i];
      if (line.todo == kHowLarge && line.text.starts_with(std::string(token.text) + ":")) guessed.insert(i);
    }
  }
  if (guessed.size() < least) return;
  for (const std::size_t i : guessed) {
    std::string& line = parameters_[i].text;
    const std::string large = "default: " + std::to_string(kGuessedSize);
    if (const std::size_t at = line.find(large); at != std::string::npos)
      line.replace(at, large.size(), "default: " + std::to_string(kGuessedSide));
  }
}

std::optional<std::string> DraftScalars::translate(const TextKernel& kernel, const TextLaunch& launch,
                                                   const std::string& text, bool with_host) {
  with_host_ = with_host;
  const auto parameters = parameters_;
  const auto scalars = scalars_, host_names = host_names_;
  const auto taken = taken_, zeros = zeros_;
  auto made = translate_at(kernel, launch, text, 0);
  if (made) return without_brackets(*std::move(made));
  parameters_ = parameters;
  scalars_ = scalars;
  host_names_ = host_names;
  taken_ = taken;
  zeros_ = zeros;
  return std::nullopt;
}

std::optional<std::string> DraftScalars::translate_at(const TextKernel& kernel, const TextLaunch& launch,
                                                      const std::string& text, int depth) {
  if (depth == kDeepestExpression) return std::nullopt;
  const HostNames names = {[&](const std::string& name) { return host_value(kernel, launch, name, depth); },
                           [&](const std::string& type) -> std::optional<std::string> {
                             const std::string known = types_.type_name(type, kernel);
                             if (is_type_parameter(known)) return "sizeof(" + known + ")";
                             const auto element = parse_element_type(known);
                             return element ? std::optional(std::to_string(element->bytes())) : std::nullopt;
                           },
                           [&](const std::string& inside) { return nested(kernel, launch, inside, depth); }};
  return host_expression(text, program_.expressions, names);
}

std::vector<std::string> DraftScalars::extents_of_product(const TextKernel& kernel) const {
  static const std::vector<std::vector<std::string>> groups = {
      {"M", "N", "K"}, {"m", "n", "k"}, {"ni", "nj", "nk"}};
  const auto is_extent = [&](const std::string& name) {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                       [&](const TextParameter& parameter) {
                         const ArgumentType type = types_.argument_type(parameter, kernel);
                         const auto scalar = parse_scalar_type(type.type);
                         return parameter.name == name && !type.pointer && scalar && !is_real(*scalar);
                       });
  };
  for (const std::vector<std::string>& group : groups) {
    if (std::all_of(group.begin(), group.end(), is_extent)) return group;
  }
  return {};
}

bool DraftScalars::is_extent(const TextKernel& kernel, const std::string& name) const {
  const std::vector<std::string> extents = extents_of_product(kernel);
  return std::find(extents.begin(), extents.end(), name) != extents.end();
}

std::int64_t DraftScalars::most_work_items() const {
  std::int64_t most = kGuessedSize;
  for (const TextLaunch& launch : program_.launches) {
    std::int64_t count = 1;
    for (const std::string* shape : {&launch.grid, &launch.block}) {
      for (const std::string& extent : types_.extents_of_launch(*shape)) {
        const std::int64_t value = types_.value_of(extent).value_or(0);
        count = value >= 1 && value <= kMostGuessed / count ? count * value : kMostGuessed + 1;
        if (count > kMostGuessed) break;
      }
      if (count > kMostGuessed) break;
    }
    if (count <= kMostGuessed) most = std::max(most, count);
  }
  return most;
}

std::optional<std::string> DraftScalars::host_value(const TextKernel& kernel, const TextLaunch& launch,
                                                    const std::string& name, int depth) {
  for (std::size_t a = 0; a < launch.arguments.size() && a < kernel.parameters.size(); ++a) {
    const TextParameter& parameter = kernel.parameters[a];
    const ArgumentType type = types_.argument_type(parameter, kernel);
    if (launch.arguments[a] == name && !type.pointer && parse_scalar_type(type.type))
      return scalar_name(kernel, parameter.name);
  }
  if (!is_identifier(name)) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || dot + 2 != name.size()) return std::nullopt;
    const auto shape = program_.shapes.find(name.substr(0, dot));
    const std::size_t axis = std::string_view("xyz").find(name.back());
    if (shape == program_.shapes.end() || axis == std::string_view::npos) return std::nullopt;
    return axis < shape->second.size() ? nested(kernel, launch, shape->second[axis], depth) : "1";
  }
  if (const auto value = types_.value_of(name)) return std::to_string(*value);
  if (name == guessed_block_.first) return std::to_string(guessed_block_.second);
  if (auto known = parameter_of_host(launch, name)) return known;
  const auto constant = program_.constants.find(name);
  if (constant == program_.constants.end()) return std::nullopt;
  return nested(kernel, launch, constant->second, depth);
}

std::optional<std::string> DraftScalars::parameter_of_host(const TextLaunch& launch,
                                                           const std::string& name) {
  const auto constant = program_.constants.find(name);
  bool known = constant != program_.constants.end() &&
               std::any_of(kReadsNumber.begin(), kReadsNumber.end(), [&](std::string_view function) {
                 return constant->second.find(function) != std::string::npos;
               });
  if (!known && launch.scope < program_.scopes.size()) {
    const std::vector<TextParameter>& parameters = program_.scopes[launch.scope].parameters;
    known = std::any_of(parameters.begin(), parameters.end(), [&](const TextParameter& one) {
      static const std::set<std::string> whole = {"int",     "unsigned int", "unsigned", "long",
                                                  "size_t",  "long long",    "int64_t",  "uint32_t",
                                                  "int32_t", "uint64_t"};
      return one.name == name && whole.contains(bare_type(one.type));
    });
  }
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* shape : {"block", "grid", "thread", "warp"}) {
    if (lower.find(shape) != std::string::npos) return std::nullopt;  // no size of the work
  }
  if (!known || !with_host_) return std::nullopt;
  std::string& mine = host_names_[name];
  if (mine.empty()) {
    const bool taken_by_kernel =
        std::any_of(program_.kernels.begin(), program_.kernels.end(), [&](const TextKernel& kernel) {
          return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                             [&](const TextParameter& one) { return one.name == name; });
        });
    mine = fresh(taken_by_kernel ? "host_" + name : name);
    const bool large = is_size_name(name);
    parameters_.push_back(
        {mine + ": {type: int, default: " + (large ? std::to_string(kGuessedSide) : "1") + "}",
         std::string(large ? kHowLarge : "its value") + ", a number of the host", ""});
  }
  return mine;
}

std::string DraftScalars::constant_text(const std::string& name) const {
  std::string text = name;
  for (int depth = 0; depth < kDeepestExpression; ++depth) {
    const auto constant = program_.constants.find(text);
    if (constant == program_.constants.end()) break;
    text = constant->second;
  }
  return text;
}

bool DraftScalars::is_of_host(const std::string& name) const {
  return std::any_of(host_names_.begin(), host_names_.end(),
                     [&](const auto& one) { return one.second == name; });
}

std::optional<std::string> DraftScalars::nested(const TextKernel& kernel, const TextLaunch& launch,
                                                const std::string& text, int depth) {
  const auto translated = translate_at(kernel, launch, text, depth + 1);
  return translated ? std::optional(in_brackets(*translated)) : std::nullopt;
}

std::vector<DraftLine> DraftScalars::lines() const {
  std::vector<DraftLine> lines = type_lines_;
  lines.insert(lines.end(), parameters_.begin(), parameters_.end());
  return lines;
}

}  // namespace kiln
