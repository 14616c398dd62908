#include "workload/program_reader.h"

#include <algorithm>

#include "base/text.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

using Action = decltype(StatementSpec::action);

/// A name of a program variable, as a key of `node`.
std::string variable_name(const YamlNode& node, const std::string& name) {
  require_identifier(node, name);
  return name;
}

LaunchSpec launch_of(const std::string& kernel, const SourceLocation& where) {
  LaunchSpec launch;
  launch.kernel = kernel;
  launch.timing = kernel;
  launch.where = where;
  return launch;
}

Action read_launch(const YamlNode& node) {
  node.require_keys({"kernel", "as", "args", "with", "wisdom", "grid", "block", "cluster", "shared", "when"});
  LaunchSpec launch = launch_of(node.at("kernel").text(), node.where());
  const auto extents = [](const YamlNode& list) { return read_extents(list, 3); };
  read_optional(node, "as", launch.timing, read_name);
  read_optional(node, "grid", launch.grid, extents);
  read_optional(node, "block", launch.block, extents);
  read_optional(node, "cluster", launch.cluster, extents);
  read_optional(node, "shared", launch.shared, read_expression);
  if (const auto wisdom = node.find("wisdom")) {
    if (wisdom->text().empty()) throw wisdom->error("expected the name of a workload; found ''");
    launch.wisdom = ExpressionText{wisdom->text(), wisdom->where(), "wisdom"};
  }
  if (const auto args = node.find("args")) {
    for (const auto& [name, value] : args->entries()) launch.args.push_back({name, read_expression(value)});
  }
  if (const auto with = node.find("with")) {
    for (const auto& [name, value] : with->entries()) launch.with.emplace_back(name, read_expression(value));
  }
  return launch;
}

/// `{variable: buffer, other: {buffer: name, element: expression}}`
std::vector<ReadItem> read_items(const YamlNode& node) {
  std::vector<ReadItem> items;
  for (const auto& [name, value] : node.entries()) {
    ReadItem item;
    item.variable = variable_name(node, name);
    item.where = value.where();
    if (value.is_map()) {
      value.require_keys({"buffer", "element"});
      item.buffer = value.at("buffer").text();
      read_optional(value, "element", item.element, read_expression);
    } else {
      item.buffer = value.text();
    }
    items.push_back(std::move(item));
  }
  if (items.empty()) throw node.error("expected at least one variable and the buffer that it is read from");
  return items;
}

ProgramSpec read_body(const YamlNode& node) {
  ProgramSpec body = read_program(node);
  if (body.empty()) throw node.error("expected at least one statement");
  return body;
}

/// Keys that make no sense without another one.
void require_beside(const YamlNode& node, const std::vector<const char*>& keys, const char* needed) {
  for (const char* key : keys) {
    if (node.find(key) && !node.find(needed))
      throw node.at(key).error(std::string("goes with `") + needed + "`, which is missing");
  }
}

RepeatSpec read_repeat_head(const YamlNode& node) {
  RepeatSpec repeat;
  if (!node.is_map()) {
    repeat.count = read_expression(node);
    return repeat;
  }
  node.require_keys({"count", "from", "to", "by", "until", "most", "every", "read", "index"});
  require_beside(node, {"from", "by"}, "to");
  require_beside(node, {"most", "every", "read"}, "until");
  require_beside(node, {"to"}, "index");
  require_beside(node, {"until"}, "most");
  if (node.find("count").has_value() + node.find("to").has_value() + node.find("until").has_value() != 1)
    throw node.error("expected one of `count`, `to`, `until`, which ends the loop");
  for (const auto& [key, value] : {std::pair{"count", &repeat.count},
                                   {"from", &repeat.from},
                                   {"to", &repeat.to},
                                   {"by", &repeat.by},
                                   {"until", &repeat.until},
                                   {"most", &repeat.most},
                                   {"every", &repeat.every}})
    read_optional(node, key, *value, read_expression);
  read_optional(node, "index", repeat.index, read_name);
  read_optional(node, "read", repeat.read, read_items);
  return repeat;
}

Action read_repeat(const YamlNode& node) {
  node.require_keys({"repeat", "do", "when"});
  RepeatSpec repeat = read_repeat_head(node.at("repeat"));
  repeat.body = read_body(node.at("do"));
  return repeat;
}

Action read_swap(const YamlNode& node) {
  node.require_keys({"swap", "when"});
  const std::vector<YamlNode> names = node.at("swap").items();
  if (names.size() != 2) throw node.at("swap").error("expected two buffers");
  return SwapSpec{names[0].text(), names[1].text()};
}

Action read_copy(const YamlNode& node) {
  node.require_keys({"copy", "when"});
  const YamlNode copy = node.at("copy");
  copy.require_keys({"from", "to"});
  return CopySpec{copy.at("from").text(), copy.at("to").text()};
}

Action read_fill(const YamlNode& node) {
  node.require_keys({"fill", "when"});
  const YamlNode fill = node.at("fill");
  fill.require_keys({"buffer", "value"});
  return FillSpec{fill.at("buffer").text(), read_expression(fill.at("value"))};
}

Action read_read(const YamlNode& node) {
  node.require_keys({"read", "when"});
  return ReadSpec{read_items(node.at("read"))};
}

Action read_set(const YamlNode& node) {
  node.require_keys({"set", "when"});
  const YamlNode set = node.at("set");
  SetSpec spec;
  for (const auto& [name, value] : set.entries())
    spec.items.emplace_back(variable_name(set, name), read_expression(value));
  if (spec.items.empty()) throw set.error("expected at least one variable and its value");
  return spec;
}

Action read_parallel(const YamlNode& node) {
  node.require_keys({"parallel", "when"});
  ParallelSpec parallel;
  for (const YamlNode& branch : node.at("parallel").items()) parallel.branches.push_back(read_body(branch));
  if (parallel.branches.size() < 2) throw node.at("parallel").error("expected at least two branches");
  return parallel;
}

Action read_library(const YamlNode& node) {
  node.require_keys({"library", "as", "args", "when"});
  LibrarySpec library;
  library.routine = read_one_of(node.at("library"), {"batched_gemm", "conv2d", "gemm", "spmv", "transpose"});
  library.timing = library.routine;
  library.where = node.where();
  read_optional(node, "as", library.timing, read_name);
  for (const auto& [name, value] : node.at("args").entries())
    library.args.push_back({name, read_expression(value)});
  return library;
}

struct Form {
  const char* key;
  Action (*read)(const YamlNode&);
};
constexpr Form kForms[] = {{"kernel", read_launch}, {"repeat", read_repeat},     {"swap", read_swap},
                           {"copy", read_copy},     {"fill", read_fill},         {"read", read_read},
                           {"set", read_set},       {"parallel", read_parallel}, {"library", read_library}};

Action read_action(const YamlNode& node) {
  std::vector<std::string> keys;
  for (const Form& form : kForms) {
    if (node.find(form.key)) return form.read(node);
    keys.emplace_back(form.key);
  }
  std::vector<std::string> known = keys;
  known.insert(known.end(),
               {"when", "as", "args", "with", "wisdom", "grid", "block", "cluster", "shared", "do"});
  node.require_keys(known);
  throw node.error("expected a statement with one of the keys " + join(keys, ", "));
}

}  // namespace

ProgramSpec read_program(const YamlNode& node) {
  ProgramSpec program;
  const std::vector<YamlNode> items = node.is_map() ? std::vector{node} : node.items_or_self();
  for (const YamlNode& item : items) {
    StatementSpec statement;
    statement.where = item.where();
    statement.action = item.is_map() ? read_action(item) : launch_of(item.text(), item.where());
    if (item.is_map()) read_optional(item, "when", statement.when, read_expression);
    program.push_back(std::move(statement));
  }
  return program;
}

}  // namespace kiln
