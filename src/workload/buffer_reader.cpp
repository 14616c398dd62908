#include "workload/buffer_reader.h"

#include "base/text.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

InitSpec read_init(const YamlNode& node) {
  InitSpec init;
  init.where = node.where();
  if (node.is_scalar()) {
    if (node.text() == "poison") return init;
    init.kind = InitSpec::Kind::kConstant;
    init.numbers = {read_expression(node)};
    return init;
  }
  node.require_keys({"uniform", "normal", "iota", "kernel", "file", "same_as", "otherwise"});
  if (const auto pair = node.find("uniform")) {
    init.kind = InitSpec::Kind::kUniform;
    init.numbers = read_two_expressions(*pair);
  } else if (const auto moments = node.find("normal")) {
    init.kind = InitSpec::Kind::kNormal;
    init.numbers = read_two_expressions(*moments);
  } else if (const auto progression = node.find("iota")) {
    init.kind = InitSpec::Kind::kIota;
    init.numbers = read_two_expressions(*progression);
  } else if (const auto kernel = node.find("kernel")) {
    init.kind = InitSpec::Kind::kKernel;
    init.kernel = kernel->text();
    init.where = kernel->where();
  } else if (const auto buffer = node.find("same_as")) {
    init.kind = InitSpec::Kind::kSameAs;
    init.same_as = buffer->text();
    init.where = buffer->where();
  } else if (const auto file = node.find("file")) {
    init.kind = InitSpec::Kind::kFile;
    init.file = read_file_source(*file);
  } else {
    throw node.error("expected one of uniform, normal, iota, kernel, file, same_as");
  }
  const std::size_t allowed = init.kind == InitSpec::Kind::kFile ? 2 : 1;
  if (node.entries().size() > allowed) throw node.error("one way to fill a buffer, not several");
  if (const auto otherwise = node.find("otherwise")) {
    if (init.kind != InitSpec::Kind::kFile) throw otherwise->error("`otherwise` goes with `file`");
    init.otherwise = std::make_shared<InitSpec>(read_init(*otherwise));
  }
  return init;
}

}  // namespace

FileSource read_file_source(const YamlNode& node) {
  node.require_keys({"path", "format", "skip", "offset", "row_pitch", "partial", "optional", "after"});
  FileSource source;
  source.path = read_expression(node.at("path"));
  if (const auto format = node.find("format")) {
    if (format->text() != "text" && format->text() != "binary")
      throw format->error("expected text or binary");
    source.binary = format->text() == "binary";
  }
  read_optional(node, "skip", source.skip, read_expression);
  read_optional(node, "offset", source.offset, read_expression);
  read_optional(node, "row_pitch", source.row_pitch, read_expression);
  read_optional(node, "partial", source.partial, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "optional", source.optional, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "after", source.after, read_text);
  if (source.binary && source.skip)
    throw node.error("`skip` counts numbers in a text file; use `offset` (bytes)");
  if (!source.binary && (source.offset || source.row_pitch))
    throw node.error("`offset` and `row_pitch` are for binary files");
  return source;
}

RecordType read_type(const std::string& name, const YamlNode& node) {
  RecordType type;
  type.name = name;
  for (const auto& [member_name, value] : node.entries()) {
    require_identifier(node, member_name);
    RecordMember member;
    member.name = member_name;
    const YamlNode type_node = value.is_map() ? value.at("type") : value;
    if (value.is_map()) {
      value.require_keys({"type", "min", "max"});
      read_optional(value, "min", member.min, read_expression);
      read_optional(value, "max", member.max, read_expression);
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

BufferSpec read_buffer(const std::string& name, const YamlNode& node) {
  node.require_keys({"type", "shape", "init", "when", "help"});
  BufferSpec buffer;
  buffer.name = name;
  buffer.where = node.where();
  buffer.type = node.at("type").text();
  buffer.shape = read_extents(node.at("shape"), 8);
  read_optional(node, "init", buffer.init, read_init);
  read_optional(node, "when", buffer.when, read_expression);
  return buffer;
}

}  // namespace kiln
