#include "workload/kernel_reader.h"

#include "base/text.h"
#include "device/backend_kind.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

TensorMapSpec read_tensor_map(const YamlNode& node) {
  node.require_keys({"tensor_map", "name", "box", "extents", "strides", "element_strides", "interleave",
                     "swizzle", "l2_promotion", "fill"});
  constexpr std::size_t kMaxRank = 5;
  const auto list = [](const YamlNode& value) { return read_extents(value, kMaxRank); };
  const auto word = [&](const char* key, std::string& value, const std::vector<std::string>& words) {
    read_optional(node, key, value, [&](const YamlNode& found) { return read_one_of(found, words); });
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

TextureSpec read_texture(const YamlNode& node) {
  const bool surface = !node.find("texture");
  if (surface)
    node.require_keys({"surface", "name", "extents", "layers"});
  else
    node.require_keys({"texture", "name", "extents", "filter", "address", "normalized", "read", "layers"});
  const auto address = [](const YamlNode& value) {
    return read_one_of(value, {"clamp", "border", "wrap", "mirror"});
  };
  TextureSpec texture;
  texture.surface = surface;
  read_optional(node, "layers", texture.layers, [](const YamlNode& value) { return value.boolean(); });
  read_optional(node, "extents", texture.extents,
                [](const YamlNode& value) { return read_extents(value, 3); });
  read_optional(node, "filter", texture.filter, [](const YamlNode& value) {
    return read_one_of(value, {"point", "linear"});
  });
  read_optional(node, "read", texture.read, [](const YamlNode& value) {
    return read_one_of(value, {"element", "normalized"});
  });
  read_optional(node, "normalized", texture.normalized,
                [](const YamlNode& value) { return value.boolean(); });
  if (const auto modes = node.find("address")) {
    if (modes->kind() == YamlNode::Kind::kScalar) {
      texture.address = {address(*modes)};
    } else {
      for (const YamlNode& mode : modes->items()) texture.address.push_back(address(mode));
      if (texture.address.size() != 2 && texture.address.size() != 3)
        throw modes->error(
            "expected one word, or one for each dimension: along z, y and x, or along y and x");
    }
  }
  return texture;
}

/// `member`: of a struct, which may have a `count`.
ArgumentSpec read_argument(const YamlNode& node, bool member) {
  using Keys = std::vector<std::string>;
  ArgumentSpec argument;
  argument.where = node.where();
  if (node.is_map() && node.find("tensor_map")) {
    argument.kind = ArgumentSpec::Kind::kTensorMap;
    argument.name = node.at("tensor_map").text();
    argument.tensor_map = read_tensor_map(node);
    argument.formal = argument.name;
  } else if (node.is_map() && (node.find("texture") || node.find("surface"))) {
    argument.kind = ArgumentSpec::Kind::kTexture;
    argument.name = node.at(node.find("texture") ? "texture" : "surface").text();
    argument.texture = read_texture(node);
    argument.formal = argument.name;
  } else if (node.is_map() && node.find("pointers")) {
    node.require_keys(member ? Keys{"pointers", "name", "count"} : Keys{"pointers", "name"});
    argument.kind = ArgumentSpec::Kind::kPointers;
    argument.name = node.at("pointers").text();
    argument.formal = argument.name;
  } else if (node.is_map() && node.find("buffer")) {
    node.require_keys(member ? Keys{"buffer", "name", "count"} : Keys{"buffer", "name"});
    argument.kind = ArgumentSpec::Kind::kBuffer;
    argument.name = node.at("buffer").text();
    argument.formal = argument.name;
  } else if (node.is_map() && node.find("function")) {
    node.require_keys({"function"});
    argument.kind = ArgumentSpec::Kind::kFunction;
    argument.name = node.at("function").text();
    if (trim(argument.name).empty())
      throw node.at("function").error("expected the name of a device function");
  } else if (node.is_map() && node.find("value")) {
    node.require_keys(member ? Keys{"value", "type", "name", "count"} : Keys{"value", "type", "name"});
    argument.kind = ArgumentSpec::Kind::kValue;
    argument.value = read_expression(node.at("value"));
    argument.type = node.at("type").text();
  } else if (node.is_map()) {
    node.require_keys({"buffer", "value", "type", "name", "tensor_map", "texture", "surface", "pointers",
                       "function", "struct"});
    argument.kind = ArgumentSpec::Kind::kGiven;
    static_cast<void>(node.at("name"));
    read_optional(node, "type", argument.type, read_text);
  } else if (node.kind() == YamlNode::Kind::kNull) {
    argument.kind = ArgumentSpec::Kind::kNull;
  } else {
    argument.name = node.text();
    argument.kind = argument.name == "params" ? ArgumentSpec::Kind::kParams : ArgumentSpec::Kind::kParameter;
    if (argument.kind == ArgumentSpec::Kind::kParameter) argument.formal = argument.name;
  }
  if (node.is_map()) read_optional(node, "name", argument.formal, read_name);
  return argument;
}

/// An argument, or the members of a struct that is passed by value.
void read_arguments(const YamlNode& node, KernelSpec& kernel, std::size_t& structs) {
  if (!node.is_map() || !node.find("struct")) {
    kernel.args.push_back(read_argument(node, false));
    return;
  }
  node.require_keys({"struct"});
  const std::vector<YamlNode> members = node.at("struct").items();
  if (members.empty()) throw node.at("struct").error("expected the members of a struct; found none");
  ++structs;
  for (const YamlNode& member : members) {
    if (member.is_map() && member.find("struct"))
      throw member.error("a struct in a struct: write its members in its place");
    ArgumentSpec argument = read_argument(member, true);
    std::int64_t count = 1;
    if (const auto given = member.is_map() ? member.find("count") : std::nullopt) {
      count = given->integer();
      constexpr std::int64_t kMost = 8192;  // numbers of 4 bytes in the structs of a launch
      if (count < 1 || count > kMost) throw given->error("expected 1 to 8192 members that are alike");
    }
    using Kind = ArgumentSpec::Kind;
    if (argument.kind == Kind::kParams || argument.kind == Kind::kTensorMap)
      throw member.error(std::string("a struct cannot hold ") +
                         (argument.kind == Kind::kParams ? "`params`" : "a tensor map") +
                         "; expected buffers, numbers, pointers, textures or null");
    argument.struct_number = structs;
    kernel.args.insert(kernel.args.end(), static_cast<std::size_t>(count), argument);
  }
}

DefineSpec read_define(const std::string& name, const YamlNode& node) {
  DefineSpec define;
  define.name = name;
  define.expression = node.is_map();
  if (define.expression) node.require_keys({"expr"});
  define.value = read_expression(define.expression ? node.at("expr") : node);
  if (define.value.text.find_first_of("\r\n") != std::string::npos)
    throw node.error("a macro's text is one line; found " + in_quotes(define.value.text));
  return define;
}

std::vector<OptionText> read_option_list(const YamlNode& node) {
  std::vector<OptionText> options;
  for (const YamlNode& item : node.items_or_self())
    options.push_back({item.text(), item.where(), item.path()});
  return options;
}

std::map<std::string, std::vector<OptionText>> read_options(const YamlNode& node) {
  std::map<std::string, std::vector<OptionText>> options;
  if (node.is_map()) {
    node.require_keys(backend_names());
    for (const auto& [backend, list] : node.entries()) options[backend] = read_option_list(list);
  } else {
    options[""] = read_option_list(node);
  }
  return options;
}

/// The name of a __global__ function, which may have a scope, and the types of its parameters: "k", "ns::k",
/// "k(float*, int)".
std::string read_entry(const YamlNode& node) {
  std::string entry = node.text();
  std::string_view rest = entry;
  const std::size_t open = rest.find('(');
  if (open != std::string_view::npos && rest.find(')') == rest.size() - 1) rest = rest.substr(0, open);
  for (std::size_t scope = rest.find("::"); scope != std::string_view::npos; scope = rest.find("::")) {
    if (!is_identifier(rest.substr(0, scope))) break;
    rest.remove_prefix(scope + 2);
  }
  if (!is_identifier(rest))
    throw node.error("expected the name of a kernel, such as k, ns::k or k(float*, int); found " +
                     in_quotes(entry));
  return entry;
}

}  // namespace

KernelSpec read_kernel(const std::string& name, const YamlNode& node) {
  node.require_keys({"source", "entry", "grid", "block", "cluster", "cooperative", "overlap", "shared",
                     "args", "launch_bounds", "template_args", "defines", "options", "symbols",
                     "read_symbols"});
  KernelSpec kernel;
  kernel.name = name;
  kernel.where = node.where();
  kernel.more_sources = read_texts(node.at("source"));
  if (kernel.more_sources.empty() || kernel.more_sources.front().empty())
    throw node.at("source").error("expected a file beside this one; found ''");
  kernel.source = kernel.more_sources.front();
  kernel.more_sources.erase(kernel.more_sources.begin());
  kernel.entry = name;
  read_optional(node, "entry", kernel.entry, read_entry);
  kernel.entry_text = {kernel.entry, node.where(), node.path()};
  if (const auto entry = node.find("entry"))
    kernel.entry_text = {kernel.entry, entry->where(), entry->path()};
  kernel.grid = read_extents(node.at("grid"), 3);
  kernel.block = read_extents(node.at("block"), 3);
  read_optional(node, "cluster", kernel.cluster, [](const YamlNode& n) { return read_extents(n, 3); });
  read_optional(node, "cooperative", kernel.cooperative, [](const YamlNode& n) { return n.boolean(); });
  read_optional(node, "overlap", kernel.overlap, [](const YamlNode& n) {
    ExpressionText condition = read_expression(n);
    if (condition.text == "true" || condition.text == "false") condition.text = n.boolean() ? "1" : "0";
    return condition;
  });
  read_optional(node, "shared", kernel.shared, read_expression);
  std::size_t structs = 0;
  for (const YamlNode& item : node.at("args").items()) read_arguments(item, kernel, structs);
  read_optional(node, "launch_bounds", kernel.launch_bounds,
                [](const YamlNode& n) { return read_extents(n, 2); });
  read_optional(node, "template_args", kernel.template_args, read_expressions);
  if (const auto defines = node.find("defines")) {
    for (const auto& [macro, value] : defines->entries()) {
      require_identifier(*defines, macro);
      kernel.defines.push_back(read_define(macro, value));
    }
  }
  read_optional(node, "options", kernel.options, read_options);
  const auto read_variables = [&](const char* key, auto& variables, auto& places) {
    const auto symbols = node.find(key);
    if (!symbols) return;
    for (const auto& [symbol, buffer] : symbols->entries()) {
      variables.emplace_back(symbol, buffer.text());
      places.push_back(symbols->key_location(symbol));
    }
  };
  read_variables("symbols", kernel.symbols, kernel.symbol_places);
  read_variables("read_symbols", kernel.read_symbols, kernel.read_symbol_places);
  return kernel;
}

}  // namespace kiln
