#include "workload/parameter_reader.h"

#include "base/text.h"
#include "device/backend_kind.h"
#include "workload/buffer_reader.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

HeaderSource read_header_source(const YamlNode& node) {
  node.require_keys(
      {"file", "format", "index", "record_bytes", "column", "part", "key", "records", "ignored", "at_most"});
  HeaderSource source;
  source.where = node.where();
  source.file = node.at("file").text();
  if (node.find("record_bytes")) source.format = FileFormat::kBinary;
  read_optional(node, "format", source.format, read_word<FileFormat>);
  read_optional(node, "index", source.index, [](const YamlNode& n) { return n.integer(); });
  read_optional(node, "record_bytes", source.record_bytes, [](const YamlNode& n) { return n.integer(); });
  read_optional(node, "column", source.column, read_text);
  read_optional(node, "part", source.extent, read_word<MatrixExtent>);
  read_optional(node, "key", source.key, read_text);
  read_optional(node, "records", source.records, read_text);
  read_optional(node, "ignored", source.ignored, read_texts);
  read_optional(node, "at_most", source.at_most, [](const YamlNode& n) { return n.boolean(); });
  if (source.index < 0 || source.record_bytes < 1)
    throw node.error("index is at least 0 and record_bytes at least 1");
  require_column(node, source.format);
  if ((source.format == FileFormat::kMatrixMarket) != node.find("part").has_value())
    throw node.error("`part` (rows, columns or nonzeros of a matrix) goes with `format: mtx`");
  const bool none = source.key.empty() && source.records.empty() && source.ignored.empty();
  if (source.format == FileFormat::kKeys ? source.key.empty() == source.records.empty() : !none)
    throw node.error("one of `key` and `records`, beside them `ignored`, go with `format: keys`");
  return source;
}

std::map<std::string, ExpressionText> read_defaults(const YamlNode& node) {
  std::map<std::string, ExpressionText> defaults;
  if (!node.is_map()) {
    defaults["otherwise"] = read_expression(node);
    return defaults;
  }
  std::vector<std::string> known = backend_names();
  known.emplace_back("otherwise");
  node.require_keys(known);
  for (const auto& [backend, value] : node.entries()) defaults[backend] = read_expression(value);
  if (!defaults.contains("otherwise")) throw node.error("the key 'otherwise' is missing");
  return defaults;
}

/// The allowed values: at least one, and each once.
std::vector<ExpressionText> read_values(const YamlNode& node) {
  std::vector<ExpressionText> values = read_expressions(node);
  if (values.empty()) throw node.error("expected at least one value; found an empty list");
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (values[j].text == values[i].text)
        throw bad_input(node.path() + ": " + in_quotes(values[i].text) + " is there twice", values[i].where);
    }
  }
  return values;
}

}  // namespace

ParameterSpec read_parameter(const std::string& name, const YamlNode& node) {
  if (name == "variant") {
    throw node.error(
        "'variant' means a point of a sweep; name a parameter that chooses kernels 'implementation'");
  }
  node.require_keys({"type", "default", "values", "min", "max", "bind", "from", "help", "unit"});
  ParameterSpec parameter;
  parameter.name = name;
  parameter.where = node.where();
  const std::string type = node.at("type").text();
  if (type == "type") {
    parameter.kind = ParameterKind::kType;
    parameter.fixed_binding = Binding::kCompile;
  } else if (type == "choice") {
    parameter.kind = ParameterKind::kChoice;
  } else if (type == "path") {
    parameter.kind = ParameterKind::kPath;
    parameter.fixed_binding = Binding::kRun;
  } else {
    parameter.scalar_type = type;
  }
  if (const auto value = node.find("default")) parameter.defaults = read_defaults(*value);
  read_optional(node, "values", parameter.values, read_values);
  read_optional(node, "min", parameter.min, read_expression);
  read_optional(node, "max", parameter.max, read_expression);
  read_optional(node, "from", parameter.from, read_header_source);
  read_optional(node, "help", parameter.help, read_text);
  read_optional(node, "unit", parameter.unit, read_text);
  if (const auto bind = node.find("bind")) {
    if (bind->text() != "compile" && bind->text() != "run") throw bind->error("expected compile or run");
    parameter.fixed_binding = bind->text() == "compile" ? Binding::kCompile : Binding::kRun;
  }
  if (parameter.kind == ParameterKind::kPath && parameter.defaults.empty()) {
    ExpressionText& empty = parameter.defaults["otherwise"];
    empty.where = node.where();
    empty.key = node.path() + ".default";
  }
  if (parameter.kind == ParameterKind::kChoice && parameter.values.empty()) {
    throw node.error("a choice needs `values`");
  }
  const bool always_given = parameter.from && parameter.from->key.empty();  // a file may lack a key
  if (parameter.defaults.empty() && !always_given) throw node.error("the key 'default' is missing");
  return parameter;
}

ParameterSpec seed_parameter() {
  ParameterSpec seed;
  seed.name = "seed";
  seed.scalar_type = "long";
  ExpressionText& value = seed.defaults["otherwise"];
  value.text = "42";
  value.key = "seed";
  seed.fixed_binding = Binding::kRun;
  seed.help = "seed of every random input";
  return seed;
}

}  // namespace kiln
