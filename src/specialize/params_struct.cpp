#include "specialize/params_struct.h"

#include <algorithm>
#include <cstring>

#include "config/scalar_dispatch.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

template <class Value>
std::vector<std::byte> bytes_of(Value value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Binding binding_in(const Configuration& configuration, const std::string& name, const ParameterValue& value,
                   bool prefer_run_time) {
  const ParameterSpec* spec = configuration.workload().find_parameter(name);
  if (prefer_run_time && !spec->fixed_binding) return Binding::kRun;
  return value.binding;
}

}  // namespace

ParamsStruct make_params_struct(const Configuration& configuration, const std::set<std::string>& mentioned,
                                bool prefer_run_time) {
  ParamsStruct result;
  std::string types;
  std::string members;
  std::size_t end = 0;
  std::size_t alignment = 1;
  const auto name_in_kernels = [&](const ElementType& type) {
    if (const std::string header = facts_of(type.scalar).header; !header.empty())
      result.headers.insert(header);
    return cpp_name(type);
  };
  for (const auto& [name, value] : configuration.values()) {
    if (!mentioned.contains(name) || value.kind == ParameterKind::kPath) continue;
    if (value.kind == ParameterKind::kType) {
      const ElementType type = parse_element_type(value.to_string()).value();
      types += "using " + name + " = " + name_in_kernels(type) + ";\n";
      result.constants.push_back(name);
      continue;
    }
    const ScalarType type = value.kind == ParameterKind::kChoice ? ScalarType::kInt : value.type;
    if (binding_in(configuration, name, value, prefer_run_time) == Binding::kCompile) {
      members += "  static constexpr " + cpp_name(type) + " " + name + " = " + value.cpp_literal() + ";\n";
      result.constants.push_back(name);
      continue;
    }
    members += "  " + name_in_kernels({type, 1}) + " " + name + ";\n";
    const std::size_t size = size_of(type);
    const std::size_t offset = (end + size - 1) / size * size;
    result.fields.push_back({name, type, offset});
    end = offset + size;
    alignment = std::max(alignment, size);
  }
  result.bytes = std::max<std::size_t>(1, (end + alignment - 1) / alignment * alignment);
  result.header = "#pragma once\n#include \"kiln/portable.h\"\n";
  for (const std::string& header : result.headers) result.header += "#include <" + header + ">\n";
  result.header += types + "struct Params {\n" + members + "};\n";
  return result;
}

std::vector<std::byte> pack_params(const ParamsStruct& params, const Configuration& configuration,
                                   const Variables& variables) {
  std::vector<std::byte> bytes(params.bytes);
  for (const ParamsField& field : params.fields) {
    const auto value = scalar_bytes(field.type, configuration.value(field.name, variables));
    std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(field.offset));
  }
  return bytes;
}

std::vector<std::byte> scalar_bytes(ScalarType type, const ParameterValue& value) {
  if (value.kind == ParameterKind::kChoice) return bytes_of(value.choice_index);
  const auto* whole = std::get_if<std::int64_t>(&value.value);
  return visit_scalar(type, [&]<class T>() {
    if constexpr (!kIsRealType<T>) {
      if (whole != nullptr) return bytes_of(static_cast<T>(*whole));
    }
    return bytes_of(static_cast<T>(value.number()));
  });
}

std::set<std::string> identifiers_in(const std::string& text) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.identifier()) names.emplace(token.text);
    }
  };
  const TokenizedText source = tokenize(text);
  add(source.tokens);
  for (const Directive& directive : source.directives) add(directive.tokens);
  return names;
}

}  // namespace kiln
