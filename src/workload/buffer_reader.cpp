#include "workload/buffer_reader.h"

#include <algorithm>

#include "base/text.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

constexpr std::size_t kMostMembers = std::size_t{1} << 16;  ///< numbers of a record

/// Names of buffers, or `null`.
std::vector<ExpressionText> read_addresses(const YamlNode& node) {
  std::vector<ExpressionText> names;
  for (const YamlNode& item : node.items_or_self()) {
    const bool null = item.kind() == YamlNode::Kind::kNull;
    names.push_back({null ? "" : item.text(), item.where(), item.path()});
  }
  return names;
}

std::vector<MemberInit> read_members(const YamlNode& node) {
  std::vector<MemberInit> members;
  for (const auto& [name, value] : node.entries()) {
    MemberInit member{name, {}, value.is_map(), node.key_location(name)};
    if (value.is_map()) value.require_keys({"addresses"});
    member.values = value.is_map() ? read_addresses(value.at("addresses")) : read_expressions(value);
    members.push_back(std::move(member));
  }
  return members;
}

InitSpec read_init(const YamlNode& node) {
  InitSpec init;
  init.where = node.where();
  if (node.is_scalar()) {
    if (node.text() == "poison") return init;
    init.kind = InitSpec::Kind::kConstant;
    init.numbers = {read_expression(node)};
    return init;
  }
  node.require_keys(
      {"uniform", "normal", "iota", "kernel", "file", "same_as", "addresses", "members", "otherwise"});
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
  } else if (const auto buffers = node.find("addresses")) {
    init.kind = InitSpec::Kind::kAddresses;
    init.addresses = read_addresses(*buffers);
  } else if (const auto members = node.find("members")) {
    init.kind = InitSpec::Kind::kMembers;
    init.members = read_members(*members);
  } else if (const auto file = node.find("file")) {
    init.kind = InitSpec::Kind::kFile;
    init.file = read_file_source(*file);
  } else {
    throw node.error("expected one of uniform, normal, iota, kernel, file, same_as, addresses, members");
  }
  const std::size_t allowed = init.kind == InitSpec::Kind::kFile ? 2 : 1;
  if (node.entries().size() > allowed) throw node.error("one way to fill a buffer, not several");
  if (const auto otherwise = node.find("otherwise")) {
    if (init.kind != InitSpec::Kind::kFile) throw otherwise->error("`otherwise` goes with `file`");
    init.otherwise = std::make_shared<InitSpec>(read_init(*otherwise));
    if (!init.otherwise->pointees().empty())
      throw otherwise->error("addresses of buffers cannot stand in a file's place");
  }
  return init;
}

ViewSpec read_view(const YamlNode& node) {
  node.require_keys({"of", "offset"});
  ViewSpec view{node.at("of").text(), {"0", node.where(), node.path()}, node.where()};
  read_optional(node, "offset", view.offset, read_expression);
  return view;
}

/// The content of a view is that of its buffer, and a temporary buffer has none that lasts.
void require_one_origin(const YamlNode& node) {
  const auto view = node.find("view");
  const auto temporary = node.find("temporary");
  if (view && temporary)
    throw temporary->error(
        "a view has no memory of its own; put `temporary` on the buffer that it refers to");
  const auto init = node.find("init");
  if (!init || (!view && (!temporary || !temporary->boolean()))) return;
  throw init->error(view ? "a view has the content of the buffer that it refers to; put `init` there"
                         : "a temporary buffer holds nothing when a step begins; expected no `init`");
}

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The type before "[4]", and the 4; 1 without brackets.
std::pair<std::string, std::size_t> split_extent(const YamlNode& node) {
  const std::string text = node.text();
  const std::size_t open = text.find('[');
  if (open == std::string::npos) return {text, 1};
  const auto count = parse_integer(text.substr(open + 1, text.size() - open - 2));
  if (!text.ends_with(']') || !count || *count < 1 || *count > static_cast<std::int64_t>(kMostMembers))
    throw node.error("expected a type and a number from 1 to " + std::to_string(kMostMembers) +
                     ", as in float[3]; found '" + text + "'");
  return {text.substr(0, open), static_cast<std::size_t>(*count)};
}

/// The numbers of one element of a member: itself, a vector's lanes, or what a record declared above holds.
RecordType element_of(const YamlNode& node, const std::string& name, const std::vector<RecordType>& earlier) {
  const auto record = std::find_if(earlier.begin(), earlier.end(),
                                   [&](const RecordType& candidate) { return candidate.name == name; });
  if (record != earlier.end()) return *record;
  const auto element = parse_element_type(name);
  if (!element) {
    std::vector<std::string> known = scalar_type_names();
    for (const RecordType& candidate : earlier) known.push_back(candidate.name);
    throw node.error("unknown type '" + name + "'" + suggestion(name, known));
  }
  RecordType result{"", {}, element->bytes(), element->alignment()};
  for (std::size_t lane = 0; lane < element->lanes; ++lane) {
    result.members.push_back({element->lanes > 1 ? std::string(1, "xyzw"[lane]) : "",
                              element->scalar,
                              lane * size_of(element->scalar),
                              {},
                              {}});
  }
  return result;
}

/// Adds all numbers of the member, with its limits.
void add_member(RecordType& type, const RecordMember& member, const YamlNode& node,
                const std::vector<RecordType>& earlier) {
  const auto [name, count] = split_extent(node);
  const RecordType element = element_of(node, name, earlier);
  if (type.members.size() + count * element.members.size() > kMostMembers)
    throw node.error("a record has at most " + std::to_string(kMostMembers) + " numbers");
  type.bytes = round_up(type.bytes, element.alignment);
  type.alignment = std::max(type.alignment, element.alignment);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string prefix = member.name + (node.text() != name ? "[" + std::to_string(i) + "]" : "");
    for (RecordMember part : element.members) {
      part.name = prefix + (part.name.empty() ? "" : "." + part.name);
      part.offset += type.bytes;
      if (member.min) part.min = member.min;
      if (member.max) part.max = member.max;
      type.members.push_back(std::move(part));
    }
    type.bytes += element.bytes;
  }
}

}  // namespace

void require_column(const YamlNode& node, FileFormat format) {
  if ((format == FileFormat::kCsv) != node.find("column").has_value())
    throw node.error("`column` (a name in the first line, or a number from 0) goes with `format: csv`");
}

FileSource read_file_source(const YamlNode& node) {
  node.require_keys({"path", "format", "column", "part", "records", "columns", "words", "skip", "offset",
                     "row_pitch", "partial", "optional", "finite", "after"});
  FileSource source;
  source.path = read_expression(node.at("path"));
  read_optional(node, "format", source.format, read_word<FileFormat>);
  read_optional(node, "column", source.column, read_text);
  read_optional(node, "part", source.part, read_word<MatrixPart>);
  read_optional(node, "records", source.records, read_text);
  read_optional(node, "columns", source.columns, read_texts);
  read_optional(node, "words", source.words, read_texts);
  read_optional(node, "skip", source.skip, read_expression);
  read_optional(node, "offset", source.offset, read_expression);
  read_optional(node, "row_pitch", source.row_pitch, read_expression);
  read_optional(node, "partial", source.partial, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "optional", source.optional, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "finite", source.finite, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "after", source.after, read_text);
  const bool binary = source.format == FileFormat::kBinary;
  if (source.format != FileFormat::kText && source.skip)
    throw node.error("`skip` counts numbers in a text file" +
                     std::string(binary ? "; use `offset` (bytes)" : ""));
  if (!binary && (source.offset || source.row_pitch))
    throw node.error("`offset` and `row_pitch` are for binary files");
  if (!source.finite && !binary && source.format != FileFormat::kNpy)
    throw node.error("`finite: false` is for files of the formats `binary` and `npy`");
  require_column(node, source.format);
  if (source.format != FileFormat::kMatrixMarket && node.find("part"))
    throw node.error("`part` (of a matrix) goes with `format: mtx`");
  const bool keys = source.format == FileFormat::kKeys;
  const bool none = source.records.empty() && source.columns.empty() && source.words.empty();
  if (keys ? source.records.empty() || source.columns.empty() : !none)
    throw node.error("`records` and `columns`, beside them `words`, go with `format: keys`");
  return source;
}

RecordType read_type(const std::string& name, const YamlNode& node, const std::vector<RecordType>& earlier) {
  RecordType type;
  type.name = name;
  for (const auto& [member_name, value] : node.entries()) {
    require_identifier(node, member_name);
    RecordMember member;
    member.name = member_name;
    if (value.is_map()) {
      value.require_keys({"type", "min", "max"});
      read_optional(value, "min", member.min, read_expression);
      read_optional(value, "max", member.max, read_expression);
    }
    add_member(type, member, value.is_map() ? value.at("type") : value, earlier);
  }
  if (type.members.empty()) throw node.error("a record needs at least one member");
  type.bytes = round_up(type.bytes, type.alignment);
  return type;
}

BufferSpec read_buffer(const std::string& name, const YamlNode& node) {
  node.require_keys({"type", "shape", "used", "init", "view", "temporary", "when", "help"});
  BufferSpec buffer;
  buffer.name = name;
  buffer.where = node.where();
  buffer.type = node.at("type").text();
  const auto element = parse_element_type(buffer.type);
  if (element && element->lanes > 1) {
    buffer.type = to_string(element->scalar);
    buffer.lanes = element->lanes;
  }
  buffer.shape = read_extents(node.at("shape"), 8);
  read_optional(node, "used", buffer.used, read_expression);
  read_optional(node, "init", buffer.init, read_init);
  read_optional(node, "view", buffer.view, read_view);
  read_optional(node, "temporary", buffer.temporary, [](const YamlNode& n) { return n.boolean(); });
  require_one_origin(node);
  read_optional(node, "when", buffer.when, read_expression);
  return buffer;
}

}  // namespace kiln
