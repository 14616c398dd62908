#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "config/expression.h"
#include "workload/workload.h"
#include "workload/workload_check.h"

namespace kiln {
namespace {

using Node = YamlNode;

const std::vector<std::string> kDeviceNames{"cpu", "cuda", "hip"};

ExpressionText expression(const Node& node) {
  ExpressionText result{node.text(), node.where(), node.path()};
  if (node.quoted() && result.where.column > 0) ++result.where.column;
  return result;
}

std::vector<ExpressionText> expressions(const Node& node) {
  std::vector<ExpressionText> result;
  for (const Node& item : node.items_or_self()) result.push_back(expression(item));
  return result;
}

/// A pair such as `uniform: [low, high]`.
std::vector<ExpressionText> two_expressions(const Node& node) {
  auto pair = expressions(node);
  if (pair.size() != 2) throw node.error("expected two numbers; found " + std::to_string(pair.size()));
  return pair;
}

std::vector<ExpressionText> extents(const Node& node, std::size_t most) {
  auto result = expressions(node);
  if (result.empty() || result.size() > most) {
    throw node.error("expected one to " + std::to_string(most) + " extents; found " +
                     std::to_string(result.size()));
  }
  return result;
}

template <class Value, class Read>
void read_optional(const Node& node, const char* key, Value& value, Read read) {
  if (const auto found = node.find(key)) value = read(*found);
}

std::string text_of(const Node& node) {
  return node.text();
}

std::string name_of(const Node& node) {
  if (!is_identifier(node.text()))
    throw node.error("'" + node.text() + "' is not a name (letters, digits and _, no digit first)");
  return node.text();
}

void require_identifier(const Node& parent, const std::string& name) {
  if (!is_identifier(name)) {
    throw bad_input(parent.path() + ": '" + name + "' is not a name (letters, digits and _, no digit first)",
                    parent.key_location(name));
  }
}

HeaderSource read_header_source(const Node& node) {
  node.require_keys({"file", "format", "index", "record_bytes", "at_most"});
  HeaderSource source;
  source.where = node.where();
  source.file = node.at("file").text();
  source.binary = node.find("record_bytes").has_value();
  if (const auto format = node.find("format")) {
    if (format->text() != "text" && format->text() != "binary")
      throw format->error("expected text or binary");
    source.binary = format->text() == "binary";
  }
  read_optional(node, "index", source.index, [](const Node& n) { return n.integer(); });
  read_optional(node, "record_bytes", source.record_bytes, [](const Node& n) { return n.integer(); });
  read_optional(node, "at_most", source.at_most, [](const Node& n) { return n.boolean(); });
  if (source.index < 0 || source.record_bytes < 1)
    throw node.error("index is at least 0 and record_bytes at least 1");
  return source;
}

std::map<std::string, ExpressionText> read_defaults(const Node& node) {
  std::map<std::string, ExpressionText> defaults;
  if (!node.is_map()) {
    defaults["otherwise"] = expression(node);
    return defaults;
  }
  std::vector<std::string> known = kDeviceNames;
  known.emplace_back("otherwise");
  node.require_keys(known);
  for (const auto& [backend, value] : node.entries()) defaults[backend] = expression(value);
  if (!defaults.contains("otherwise")) throw node.error("the key 'otherwise' is missing");
  return defaults;
}

ParameterSpec read_parameter(const std::string& name, const Node& node) {
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
  read_optional(node, "values", parameter.values, expressions);
  read_optional(node, "min", parameter.min, expression);
  read_optional(node, "max", parameter.max, expression);
  read_optional(node, "from", parameter.from, read_header_source);
  read_optional(node, "help", parameter.help, text_of);
  read_optional(node, "unit", parameter.unit, text_of);
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
  if (parameter.defaults.empty()) throw node.error("the key 'default' is missing");
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

RecordType read_type(const std::string& name, const Node& node) {
  RecordType type;
  type.name = name;
  for (const auto& [member_name, value] : node.entries()) {
    require_identifier(node, member_name);
    RecordMember member;
    member.name = member_name;
    const Node type_node = value.is_map() ? value.at("type") : value;
    if (value.is_map()) {
      value.require_keys({"type", "min", "max"});
      read_optional(value, "min", member.min, expression);
      read_optional(value, "max", member.max, expression);
    }
    const auto scalar = parse_scalar_type(type_node.text());
    if (!scalar) {
      throw type_node.error("unknown type '" + type_node.text() + "'" +
                            suggestion(type_node.text(), scalar_type_names()));
    }
    member.type = *scalar;
    type.members.push_back(std::move(member));
  }
  if (type.members.empty()) throw node.error("a record needs at least one member");
  return type;
}

FileSource read_file_source(const Node& node) {
  node.require_keys({"path", "format", "skip", "offset", "row_pitch", "partial", "optional", "after"});
  FileSource source;
  source.path = expression(node.at("path"));
  if (const auto format = node.find("format")) {
    if (format->text() != "text" && format->text() != "binary")
      throw format->error("expected text or binary");
    source.binary = format->text() == "binary";
  }
  read_optional(node, "skip", source.skip, expression);
  read_optional(node, "offset", source.offset, expression);
  read_optional(node, "row_pitch", source.row_pitch, expression);
  read_optional(node, "partial", source.partial, [](const Node& n) { return n.boolean(); });
  read_optional(node, "optional", source.optional, [](const Node& n) { return n.boolean(); });
  read_optional(node, "after", source.after, text_of);
  if (source.binary && source.skip)
    throw node.error("`skip` counts numbers in a text file; use `offset` (bytes)");
  if (!source.binary && (source.offset || source.row_pitch))
    throw node.error("`offset` and `row_pitch` are for binary files");
  return source;
}

InitSpec read_init(const Node& node) {
  InitSpec init;
  init.where = node.where();
  if (node.is_scalar()) {
    if (node.text() == "poison") return init;
    init.kind = InitSpec::Kind::kConstant;
    init.numbers = {expression(node)};
    return init;
  }
  node.require_keys({"uniform", "normal", "iota", "kernel", "file", "otherwise"});
  if (const auto pair = node.find("uniform")) {
    init.kind = InitSpec::Kind::kUniform;
    init.numbers = two_expressions(*pair);
  } else if (const auto moments = node.find("normal")) {
    init.kind = InitSpec::Kind::kNormal;
    init.numbers = two_expressions(*moments);
  } else if (const auto progression = node.find("iota")) {
    init.kind = InitSpec::Kind::kIota;
    init.numbers = two_expressions(*progression);
  } else if (const auto kernel = node.find("kernel")) {
    init.kind = InitSpec::Kind::kKernel;
    init.kernel = kernel->text();
    init.where = kernel->where();
  } else if (const auto file = node.find("file")) {
    init.kind = InitSpec::Kind::kFile;
    init.file = read_file_source(*file);
  } else {
    throw node.error("expected one of uniform, normal, iota, kernel, file");
  }
  const std::size_t allowed = init.kind == InitSpec::Kind::kFile ? 2 : 1;
  if (node.entries().size() > allowed) throw node.error("one way to fill a buffer, not several");
  if (const auto otherwise = node.find("otherwise")) {
    if (init.kind != InitSpec::Kind::kFile) throw otherwise->error("`otherwise` goes with `file`");
    init.otherwise = std::make_shared<InitSpec>(read_init(*otherwise));
  }
  return init;
}

BufferSpec read_buffer(const std::string& name, const Node& node) {
  node.require_keys({"type", "shape", "init", "when", "help"});
  BufferSpec buffer;
  buffer.name = name;
  buffer.where = node.where();
  buffer.type = node.at("type").text();
  buffer.shape = extents(node.at("shape"), 8);
  read_optional(node, "init", buffer.init, read_init);
  read_optional(node, "when", buffer.when, expression);
  return buffer;
}

std::string one_of(const Node& node, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), node.text()) != words.end()) return node.text();
  throw node.error("expected one of " + join(words, ", ") + "; found '" + node.text() + "'" +
                   suggestion(node.text(), words));
}

TensorMapSpec read_tensor_map(const Node& node) {
  node.require_keys({"tensor_map", "box", "extents", "strides", "element_strides", "interleave", "swizzle",
                     "l2_promotion", "fill"});
  constexpr std::size_t kMaxRank = 5;
  const auto list = [](const Node& value) { return extents(value, kMaxRank); };
  const auto word = [&](const char* key, std::string& value, const std::vector<std::string>& words) {
    read_optional(node, key, value, [&](const Node& found) { return one_of(found, words); });
  };
  TensorMapSpec map;
  map.box = list(node.at("box"));
  read_optional(node, "extents", map.extents, list);
  read_optional(node, "strides", map.strides, list);
  read_optional(node, "element_strides", map.element_strides, list);
  word("interleave", map.interleave, {"none", "16B", "32B"});
  word("swizzle", map.swizzle, {"none", "32B", "64B", "128B"});
  word("l2_promotion", map.l2_promotion, {"none", "64B", "128B", "256B"});
  word("fill", map.fill, {"zero", "nan"});
  return map;
}

ArgumentSpec read_argument(const Node& node) {
  ArgumentSpec argument;
  argument.where = node.where();
  if (node.is_map() && node.find("tensor_map")) {
    argument.kind = ArgumentSpec::Kind::kTensorMap;
    argument.name = node.at("tensor_map").text();
    argument.tensor_map = read_tensor_map(node);
  } else if (node.is_map()) {
    node.require_keys({"value", "type"});
    argument.kind = ArgumentSpec::Kind::kValue;
    argument.value = expression(node.at("value"));
    argument.type = node.at("type").text();
  } else if (node.kind() == Node::Kind::kNull) {
    argument.kind = ArgumentSpec::Kind::kNull;
  } else {
    argument.name = node.text();
    argument.kind = argument.name == "params" ? ArgumentSpec::Kind::kParams : ArgumentSpec::Kind::kParameter;
  }
  return argument;
}

DefineSpec read_define(const std::string& name, const Node& node) {
  DefineSpec define;
  define.name = name;
  define.expression = node.is_map();
  if (define.expression) node.require_keys({"expr"});
  define.value = expression(define.expression ? node.at("expr") : node);
  return define;
}

std::vector<std::string> words(const Node& node) {
  std::vector<std::string> result;
  for (const Node& item : node.items_or_self()) result.push_back(item.text());
  return result;
}

std::map<std::string, std::vector<std::string>> read_options(const Node& node) {
  if (!node.is_map()) return {{"", words(node)}};
  node.require_keys(kDeviceNames);
  std::map<std::string, std::vector<std::string>> options;
  for (const auto& [backend, list] : node.entries()) options[backend] = words(list);
  return options;
}

KernelSpec read_kernel(const std::string& name, const Node& node) {
  node.require_keys({"source", "entry", "grid", "block", "cluster", "cooperative", "shared", "args",
                     "launch_bounds", "template_args", "defines", "options", "symbols"});
  KernelSpec kernel;
  kernel.name = name;
  kernel.where = node.where();
  kernel.source = node.at("source").text();
  kernel.entry = name;
  read_optional(node, "entry", kernel.entry, text_of);
  kernel.grid = extents(node.at("grid"), 3);
  kernel.block = extents(node.at("block"), 3);
  read_optional(node, "cluster", kernel.cluster, [](const Node& n) { return extents(n, 3); });
  read_optional(node, "cooperative", kernel.cooperative, [](const Node& n) { return n.boolean(); });
  read_optional(node, "shared", kernel.shared, expression);
  for (const Node& item : node.at("args").items()) kernel.args.push_back(read_argument(item));
  read_optional(node, "launch_bounds", kernel.launch_bounds, [](const Node& n) { return extents(n, 2); });
  read_optional(node, "template_args", kernel.template_args, expressions);
  if (const auto defines = node.find("defines")) {
    for (const auto& [macro, value] : defines->entries()) {
      require_identifier(*defines, macro);
      kernel.defines.push_back(read_define(macro, value));
    }
  }
  read_optional(node, "options", kernel.options, read_options);
  if (const auto symbols = node.find("symbols")) {
    for (const auto& [symbol, buffer] : symbols->entries())
      kernel.symbols.emplace_back(symbol, buffer.text());
  }
  return kernel;
}

std::vector<LaunchSpec> read_run(const Node& node) {
  std::vector<LaunchSpec> launches;
  for (const Node& item : node.items_or_self()) {
    LaunchSpec launch;
    launch.where = item.where();
    if (item.is_map()) {
      item.require_keys({"kernel", "as", "when"});
      launch.kernel = item.at("kernel").text();
      launch.step = launch.kernel;
      read_optional(item, "as", launch.step, name_of);
      read_optional(item, "when", launch.when, expression);
    } else {
      launch.kernel = item.text();
      launch.step = launch.kernel;
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

CheckSpec read_check(const Node& node) {
  node.require_keys({"name", "buffer", "expected", "file", "reference", "region", "reduce", "rtol", "atol",
                     "skip_below", "when"});
  CheckSpec check;
  check.where = node.where();
  check.buffer = node.at("buffer").text();
  check.name = check.buffer;
  read_optional(node, "name", check.name, text_of);
  if (const auto expected = node.find("expected")) {
    if (expected->is_map()) {
      expected->require_keys({"file"});
      check.expected_file = read_file_source(expected->at("file"));
    } else {
      check.expected = expression(*expected);
    }
  }
  read_optional(node, "file", check.file, read_file_source);
  if (const auto reference = node.find("reference")) {
    reference->require_keys({"kernel", "buffer", "on"});
    check.reference_kernel = reference->at("kernel").text();
    check.reference_buffer = reference->at("buffer").text();
    if (const auto on = reference->find("on")) {
      if (on->text() != "cpu" && on->text() != "device") throw on->error("expected cpu or device");
      check.reference_on_cpu = on->text() == "cpu";
    }
  }
  const bool scalar = check.expected || check.expected_file;
  const bool array = check.file || !check.reference_kernel.empty();
  if (scalar == array) throw node.error("expected one of `expected`, `file`, `reference` to compare with");
  if (const auto region = node.find("region")) {
    for (const Node& range : region->items()) {
      auto ends = two_expressions(range);
      check.region.emplace_back(ends[0], ends[1]);
    }
  }
  if (const auto reduce = node.find("reduce")) {
    if (reduce->text() != "sum") throw reduce->error("expected sum");
    check.reduce_sum = true;
  }
  if (check.reduce_sum && check.file) throw node.error("`reduce: sum` goes with `expected` or `reference`");
  read_optional(node, "rtol", check.rtol, expression);
  read_optional(node, "atol", check.atol, expression);
  read_optional(node, "skip_below", check.skip_below, expression);
  read_optional(node, "when", check.when, expression);
  return check;
}

MetricSpec read_metric(const std::string& name, const Node& node) {
  node.require_keys({"unit", "value", "higher_is"});
  MetricSpec metric;
  metric.name = name;
  read_optional(node, "unit", metric.unit, text_of);
  metric.value = expression(node.at("value"));
  if (const auto better = node.find("higher_is")) {
    if (better->text() != "better" && better->text() != "worse")
      throw better->error("expected better or worse");
    metric.higher_is_better = better->text() == "better";
  }
  return metric;
}

void read_verify(const Node& node, Workload& workload) {
  node.require_keys({"steps", "run", "checks"});
  read_optional(node, "steps", workload.verify_steps, expression);
  read_optional(node, "run", workload.verify_run, read_run);
  for (const Node& item : node.at("checks").items()) workload.checks.push_back(read_check(item));
}

/// Calls `read(name, node)` for each member of the map under `key`.
template <class Read>
void read_members(const Node& node, const char* key, Read read) {
  const auto found = node.find(key);
  if (!found) return;
  for (const auto& [name, value] : found->entries()) {
    require_identifier(*found, name);
    read(name, value);
  }
}

}  // namespace

std::shared_ptr<const Workload> parse_workload(const YamlNode& node, const std::string& text,
                                               const std::filesystem::path& directory) {
  node.require_keys({"workload", "summary", "description", "parameters", "let", "types", "constraints",
                     "buffers", "kernels", "run", "verify", "metrics", "measure"});
  auto workload = std::make_shared<Workload>();
  workload->name = node.at("workload").text();
  workload->file = node.where().file;
  // Absolute, for a compiler may run elsewhere.
  workload->directory = std::filesystem::absolute(directory.empty() ? "." : directory).lexically_normal();
  workload->text = text;
  read_optional(node, "summary", workload->summary, text_of);
  read_optional(node, "description", workload->description, text_of);
  read_members(node, "parameters", [&](const std::string& name, const Node& value) {
    workload->parameters.push_back(read_parameter(name, value));
  });
  if (!workload->find_parameter("seed")) workload->parameters.push_back(seed_parameter());
  read_members(node, "let", [&](const std::string& name, const Node& value) {
    workload->lets.emplace_back(name, expression(value));
  });
  read_members(node, "types", [&](const std::string& name, const Node& value) {
    workload->types.push_back(read_type(name, value));
  });
  read_optional(node, "constraints", workload->constraints, expressions);
  read_members(node, "buffers", [&](const std::string& name, const Node& value) {
    workload->buffers.push_back(read_buffer(name, value));
  });
  read_members(node, "kernels", [&](const std::string& name, const Node& value) {
    workload->kernels.push_back(read_kernel(name, value));
  });
  workload->run = read_run(node.at("run"));
  if (const auto verify = node.find("verify")) read_verify(*verify, *workload);
  if (const auto metrics = node.find("metrics")) {
    for (const auto& [name, value] : metrics->entries())
      workload->metrics.push_back(read_metric(name, value));
  }
  if (const auto measure = node.find("measure")) {
    measure->require_keys({"refresh"});
    read_optional(*measure, "refresh", workload->refresh, expression);
  }
  resolve_and_check(*workload, node);
  return workload;
}

std::shared_ptr<const Workload> load_workload_file(FileSystem& files, const std::filesystem::path& path) {
  const std::string text = read_input(files, path);
  return parse_workload(YamlNode::parse(text, path.string()), text, path.parent_path());
}

}  // namespace kiln
