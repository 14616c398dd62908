#include "specialize/draft_buffers.h"

#include <algorithm>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/allocations.h"
#include "specialize/class_members.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

constexpr std::size_t kMostOpenRecords = 8;  // whose members are being written
constexpr std::size_t kGuessedBytes = 64;    // of an element whose type has no form
constexpr std::int64_t kMostAddresses = 16;
constexpr std::int64_t kMostListedRecords = 256;
constexpr std::size_t kMostListedMembers = 32;  // that a draft lists

/// "float*" of "float* [4]".
std::string without_extents(const std::string& type) {
  return std::string(trim(type.substr(0, type.find('['))));
}

}  // namespace

std::optional<std::string> DraftBuffers::content_of(const std::string& given, const std::string& type) const {
  const DeviceContent& data = program_.device_content;
  if (data.copied.contains(given)) return std::nullopt;
  if (const auto filled = data.filled.find(given); filled != data.filled.end()) {
    const auto value = types_.value_of(filled->second);
    const auto element = parse_element_type(type);
    const bool whole = element && !is_real(element->scalar) && element->scalar != ScalarType::kBool;
    const bool has_form =
        value && (*value == 0 || (whole && (*value > 0 || element->scalar == ScalarType::kInt)));
    return has_form ? std::optional(std::to_string(*value)) : std::nullopt;
  }
  // Where others are copied, this one is a result.
  const bool result = !data.managed && !data.copied.empty() && program_.allocations.contains(given);
  return result ? std::optional<std::string>("0") : std::nullopt;
}

std::string DraftBuffers::buffer_name(const TextParameter& pointer, const std::string& argument,
                                      const TextKernel& kernel, const ArgumentType& type,
                                      const std::string& elements, bool has_input, const std::string& owner) {
  const std::string given = pointer_name(argument);
  const bool null = given == "NULL" || given == "nullptr";  // YAML reads NULL as no name
  const std::string wanted = is_identifier(given) && !null ? given : pointer.name;
  const std::string key =
      wanted + (type.rows ? " with rows of " : " of ") + type.type + (owner.empty() ? "" : " in " + owner);
  if (const auto known = buffers_.find(key); known != buffers_.end()) return known->second;
  const bool of_argument = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                       [&](const TextParameter& one) { return one.name == wanted; });
  const bool distinct = !owner.empty() && (of_argument || scalars_.is_taken(wanted));
  std::string name = scalars_.fresh(distinct ? owner + "_" + wanted : wanted);
  buffers_[key] = name;
  add_record_type(type.type, kernel);
  std::string init = "0";
  const auto element = parse_element_type(type.type);
  const auto content = type.bytes.empty() && !type.rows ? content_of(given, type.type) : std::nullopt;
  const bool known = content && !(type.read_only && !program_.device_content.filled.contains(given));
  if (known) {
    init = *content;
  } else if ((type.read_only || !has_input) && types_.record(type.type) == nullptr) {
    const bool real = !element || is_real(element->scalar);
    init = real ? "{uniform: [0, 1]}" : element->scalar == ScalarType::kBool ? "0" : "{uniform: [0, 16]}";
  }
  std::string todo =
      type.bytes.empty() ? "shape" : "shape in bytes (elements of the type " + type.bytes + ")";
  const auto allocated =
      type.bytes.empty() && !type.rows ? allocated_extent(pointer, given, kernel) : std::nullopt;
  const std::size_t packed = type.bytes.empty() ? 0 : packed_bytes(program_, type.bytes);
  const std::size_t object = packed > 0 ? packed : kGuessedBytes;
  const std::string extent = allocated                         ? *allocated
                             : type.bytes.empty() || type.rows ? elements
                                                               : elements + " * " + std::to_string(object);
  // As many rows as elements in one; an object whose bytes are not known is a row.
  const std::string row = !type.rows           ? ""
                          : type.bytes.empty() ? ", " + quoted_scalar(extent)
                                               : ", " + std::to_string(object);
  scalars_.make_sides_small(extent, type.rows ? 2 : 3);
  if (!type.bytes.empty()) init = "0";
  if (types_.record(type.type) != nullptr) init = record_init(type.type, false, kernel, elements, name);
  if (!known && (type.read_only || !has_input)) todo += ", content";
  if (pointer.type.find("void") != std::string::npos) todo += ", type";
  buffer_lines_.push_back({name + ": {type: " + quoted_scalar(type.type) + ", shape: [" +
                               quoted_scalar(extent) + row + "], init: " + init + "}",
                           todo, allocated ? "the program allocates " + program_.allocations.at(given) : ""});
  return name;
}

std::string DraftBuffers::tensor_map_argument(const TextParameter& parameter, const TextKernel& kernel) {
  std::string type = "float";  // as what else the kernel reads and writes
  for (const TextParameter& other : kernel.parameters) {
    const ArgumentType known = types_.argument_type(other, kernel);
    const auto element = parse_element_type(known.type);
    if (!known.pointer || !known.bytes.empty() || !element || element->lanes != 1) continue;
    type = known.type;
    break;
  }
  std::string& name = buffers_[parameter.name + " as a tensor map of " + type];
  if (name.empty()) {
    name = scalars_.fresh(parameter.name);
    buffer_lines_.push_back({name + ": {type: " + type + ", shape: [256, 256], init: {uniform: [0, 1]}}",
                             "shape, content, type of the tensor; the box of a copy, its swizzle in args",
                             ""});
  }
  return "{tensor_map: " + name + ", box: [64, 64]}";
}

std::string DraftBuffers::texture_argument(const TextParameter& parameter, const TextKernel& kernel,
                                           const std::string& elements) {
  const TextureFetch& fetch = *DraftTypes::texture_fetch(parameter, kernel);
  const TextureKind& kind = fetch.kind;
  const std::string known = types_.type_name(fetch.type, kernel);
  const std::string type = known.empty() || scalars_.is_type_parameter(known) ? "float" : known;
  const std::string what = kind.surface ? "surface" : "texture";
  std::string shape = kind.layers ? "4, " : "";
  shape += kind.dimensions == 3           ? "16, 16, 16"
           : kind.dimensions == 2         ? "64, 64"
           : fetch.linear || !kind.layers ? quoted_scalar(elements)
                                          : "64";
  std::string& name = buffers_[parameter.name + " as a " + what + " of " + type + " with " + shape];
  if (name.empty()) {
    name = scalars_.fresh(parameter.name);
    const auto element = parse_element_type(type);
    const bool real = !element || is_real(element->scalar);
    const std::string init = fetch.writes ? "0" : std::string("{uniform: ") + (real ? "[0, 1]}" : "[0, 16]}");
    const std::string rest = kind.surface ? "" : "; its filter and address in args";
    buffer_lines_.push_back(
        {name + ": {type: " + quoted_scalar(type) + ", shape: [" + shape + "], init: " + init + "}",
         "shape, content, type of the " + what + rest, ""});
  }
  return "{" + what + ": " + name + (kind.layers ? ", layers: true}" : "}");
}

std::optional<std::string> DraftBuffers::allocated_extent(const TextParameter& pointer,
                                                          const std::string& given,
                                                          const TextKernel& kernel) {
  const TextLaunch* launch = types_.launch_of(kernel);
  const auto allocation = program_.allocations.find(given);
  if (launch == nullptr || allocation == program_.allocations.end()) return std::nullopt;
  const AllocatedElements elements = allocated_elements(allocation->second, program_.constants);
  const std::string type = bare_type(pointer.type);
  const bool of_template = std::any_of(kernel.template_parameters.begin(), kernel.template_parameters.end(),
                                       [&](const TextParameter& one) { return one.name == type; });
  if (elements.count.empty() || (bare_type(elements.type) != type && !of_template)) return std::nullopt;
  const auto extent = scalars_.translate(kernel, *launch, elements.count);
  if (!extent || scalars_.may_be_zero(*extent)) return std::nullopt;
  return extent->find_first_of("-/%") == std::string::npos ? *extent : "max(1, " + *extent + ")";
}

void DraftBuffers::add_record_type(const std::string& name, const TextKernel& kernel) {
  const auto* record = types_.record(name);
  if (record == nullptr || parse_element_type(name) || !records_.insert(name).second) return;
  std::vector<std::string> members;
  for (const TextParameter& member : *record) {
    const std::string type =
        DraftTypes::holds_address(member.type) ? "ulong" : types_.type_name(member.type, kernel);
    add_record_type(type, kernel);
    const std::int64_t extent = types_.extent_of(member.type).value_or(1);
    members.push_back(member.name + ": " +
                      (member.type.find('[') == std::string::npos
                           ? type
                           : quoted_scalar(type + "[" + std::to_string(extent) + "]")));
  }
  record_lines_.push_back({name + ": {" + join(members, ", ") + "}", "", ""});
}

bool DraftBuffers::has_pointers(const std::string& type, int depth) const {
  const auto* record = types_.record(type);
  return record != nullptr && !parse_element_type(type) && depth < kDeepestClass &&
         std::any_of(record->begin(), record->end(), [&](const TextParameter& member) {
           return DraftTypes::holds_address(member.type) || has_pointers(bare_type(member.type), depth + 1);
         });
}

void DraftBuffers::add_members_init(const std::string& prefix, const std::string& type,
                                    const TextKernel& kernel, const std::string& elements,
                                    const std::string& owner, std::vector<std::string>& members) {
  for (const TextParameter& member : *types_.record(type)) {
    const std::int64_t extent = types_.extent_of(member.type).value_or(1);
    TextParameter one = member;
    one.type = types_.written_type(without_extents(member.type), kernel);
    const std::string inner = bare_type(one.type);
    if (DraftTypes::holds_address(one.type)) {
      const std::string names = addresses(one, extent, kernel, elements, owner);
      members.push_back(prefix + member.name + ": " + (names.empty() ? "0" : "{addresses: " + names + "}"));
    } else if (has_pointers(inner) && std::count(prefix.begin(), prefix.end(), '.') < kDeepestClass) {
      const bool array = member.type.find('[') != std::string::npos;
      for (std::int64_t i = 0; i < std::min(extent, kMostListedRecords); ++i) {
        const bool own = extent <= kMostAddresses;  // else one for all
        add_members_init(prefix + member.name + (array ? "[" + std::to_string(i) + "]" : "") + ".", inner,
                         kernel, elements,
                         owner + "_" + member.name + (array && own ? "_" + std::to_string(i) : ""), members);
      }
    } else {
      members.push_back(prefix + member.name + ": 0");
    }
  }
}

std::string DraftBuffers::record_init(const std::string& type, bool by_member, const TextKernel& kernel,
                                      const std::string& elements, const std::string& owner) {
  const bool wanted = has_pointers(type) || (by_member && types_.record(type)->size() <= kMostListedMembers);
  const bool deep = open_records_.size() >= kMostOpenRecords;
  if (!wanted || deep || !open_records_.insert(type).second) return "0";  // a list of such records
  std::vector<std::string> members;
  add_members_init("", type, kernel, elements, owner, members);
  open_records_.erase(type);
  for (std::string& member : members) {
    const std::size_t colon = member.find(": ");
    member = quoted_scalar(member.substr(0, colon)) + member.substr(colon);
  }
  return "{members: {" + join(members, ", ") + "}}";
}

std::string DraftBuffers::addresses(const TextParameter& pointer, std::int64_t extent,
                                    const TextKernel& kernel, const std::string& elements,
                                    const std::string& owner) {
  const ArgumentType type = types_.argument_type(pointer, kernel);
  if (!type.pointer || type.rows || type.type.empty() || extent > kMostAddresses) return "";
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < extent; ++i) {
    const std::string number = extent == 1 ? "" : "_" + std::to_string(i);
    names.push_back(buffer_name(pointer, pointer.name + number, kernel, type, elements, false, owner));
  }
  return flow_list(names);
}

std::string DraftBuffers::content_of_variable(const std::string& variable, const TextKernel& kernel,
                                              const std::string& elements) {
  const std::string& declared = program_.constant_variables.at(variable);
  const auto extent = types_.extent_of(declared);
  if (!extent) return "";
  const std::string element_type = types_.written_type(without_extents(declared), kernel);
  const std::string shape = ", shape: [" + std::to_string(*extent) + "], init: ";
  if (DraftTypes::points_to_function(element_type)) return "";
  if (element_type.find('*') != std::string::npos) {
    const std::string names = addresses({element_type, variable, "", 0}, *extent, kernel, elements, "");
    if (names.empty()) return "";
    std::string name = scalars_.fresh(variable + (*extent == 1 ? "_address" : "_addresses"));
    buffer_lines_.push_back({name + ": {type: ulong" + shape + "{addresses: " + names + "}}", "", ""});
    return name;
  }
  const std::string type = types_.type_name(element_type, kernel);
  if (type.empty()) return "";
  std::string name = scalars_.fresh(variable);
  add_record_type(type, kernel);
  const auto element = parse_element_type(type);
  const std::string init = types_.record(type) != nullptr ? record_init(type, true, kernel, elements, name)
                           : !element || is_real(element->scalar) ? "{uniform: [0, 1]}"
                                                                  : "{uniform: [0, 16]}";
  buffer_lines_.push_back({name + ": {type: " + quoted_scalar(type) + shape + init + "}",
                           "content, for a variable of the device", ""});
  return name;
}

std::optional<std::string> DraftBuffers::symbol(const std::string& variable, const TextKernel& kernel,
                                                const std::string& elements) {
  std::string& name = buffers_[variable + " of the device"];
  if (name.empty()) name = content_of_variable(variable, kernel, elements);
  if (name.empty()) return std::nullopt;
  return of_variable(variable, name);
}

std::optional<std::string> DraftBuffers::read_symbol(const std::string& variable, const TextKernel& kernel) {
  std::string& name = buffers_[variable + " of the device"];
  const std::string& declared = program_.read_variables.at(variable);
  const auto extent = types_.extent_of(declared);
  const std::string type = types_.type_name(types_.written_type(declared, kernel), kernel);
  if (name.empty()) {
    if (!extent || type.empty() || without_extents(declared).find('*') != std::string::npos)
      return std::nullopt;
    name = scalars_.fresh(variable);
    add_record_type(type, kernel);
    buffer_lines_.push_back(
        {name + ": {type: " + quoted_scalar(type) + ", shape: [" + std::to_string(*extent) + "], init: 0}",
         "", ""});
  }
  return of_variable(variable, name);
}

std::string DraftBuffers::of_variable(const std::string& variable, const std::string& name) const {
  const auto scope = program_.constant_scopes.find(variable);
  if (scope == program_.constant_scopes.end() || scope->second.empty()) return variable + ": " + name;
  return quoted_scalar(scope->second + variable) + ": " + name;
}

std::string DraftBuffers::output() const {
  for (const DraftLine& line : buffer_lines_) {
    if (line.text.ends_with("init: 0}")) return line.text.substr(0, line.text.find(':'));
  }
  return buffer_lines_.empty() ? "out"
                               : buffer_lines_.front().text.substr(0, buffer_lines_.front().text.find(':'));
}

}  // namespace kiln
