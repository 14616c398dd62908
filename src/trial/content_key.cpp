#include "trial/content_key.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "compile/outline.h"
#include "specialize/any_text.h"
#include "specialize/attributes.h"

namespace kiln {
namespace {

/// All bits of it.
void add_number(FieldHasher& hasher, const char* tag, double number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  hasher.field(tag, std::string_view(bytes, sizeof bytes));
}

void add_layout(FieldHasher& hasher, const BufferLayout& layout) {
  hasher.field("type", layout.scalar ? to_string(*layout.scalar) : "record " + layout.record->name);
  hasher.field("element", static_cast<std::int64_t>(layout.element_bytes));
  for (const std::uint64_t extent : layout.shape) hasher.field("extent", std::to_string(extent));
}

/// Values that a record's members must not exceed are checked as the file is read.
void add_limits(FieldHasher& hasher, const Configuration& configuration, const RecordType& record) {
  for (const RecordMember& member : record.members) {
    hasher.field("member", member.name + " " + to_string(member.type) + " " + std::to_string(member.offset));
    if (member.min) add_number(hasher, "min", configuration.evaluate(*member.min));
    if (member.max) add_number(hasher, "max", configuration.evaluate(*member.max));
  }
}

bool has_any(const std::vector<Token>& tokens, std::initializer_list<std::string_view> words) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  });
}

/// A macro may stand before a variable. One that also says that something is inline, or for host and device,
/// stands before functions.
bool may_declare_variable(const Directive& directive, bool constants_are_set) {
  if (has_any(directive.tokens, {"__managed__"})) return true;
  if (constants_are_set && has_any(directive.tokens, {"__constant__"})) return true;
  return has_any(directive.tokens, {"__device__", "static"}) &&
         !has_any(directive.tokens, {"inline", "__inline__", "__forceinline__", "__noinline__", "__host__",
                                     "__global__", "constexpr"});
}

/// Whether the token `at`, "static", declares a variable that can change.
bool is_changing_static(const std::vector<Token>& tokens, std::size_t at) {
  bool constant = false;
  for (std::size_t i = at + 1; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("const") || token.is("constexpr") || token.is("__shared__")) constant = true;
    if (is_alignment(token) || token.is("decltype")) {
      i = matching_close(tokens, i + 1);
    } else if (token.is("(")) {
      // A function, but for `static int turns(0)`.
      return !constant && i + 1 < tokens.size() && tokens[i + 1].kind == Token::Kind::kNumber;
    } else if (token.is(";") || token.is("=") || token.is("{") || token.is("[")) {
      return !constant;
    }
  }
  return false;
}

bool text_may_keep_state(std::string_view text, bool constants_are_set) {
  const Outline found = outline(text);
  if (!found.changing.empty() || (constants_are_set && !found.variables.empty())) return true;
  const std::vector<Token>& tokens = found.source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("__managed__") || (constants_are_set && tokens[i].is("__constant__"))) return true;
    if (tokens[i].is("static") && is_changing_static(tokens, i)) return true;
  }
  const auto& directives = found.source.directives;
  return std::any_of(directives.begin(), directives.end(), [&](const Directive& directive) {
    return may_declare_variable(directive, constants_are_set);
  });
}

}  // namespace

std::string file_key(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                     FileSystem& files) {
  const auto path = configuration.expand_path(source.path.text, source.path.where);
  if (!path) return "";
  const auto status = files.status(*path);
  if (!status || status->type != FileStatus::Type::kFile) return "";
  FieldHasher hasher;
  add_layout(hasher, layout);
  hasher.field("file", *path).field("bytes", std::to_string(status->size));
  hasher.field("modified", status->modified_ns);
  hasher.field("format", static_cast<std::int64_t>(source.format)).field("column", source.column);
  hasher.field("part", static_cast<std::int64_t>(source.part));
  hasher.field("partial", static_cast<std::int64_t>(source.partial));
  hasher.field("finite", static_cast<std::int64_t>(source.finite));
  const Variables extra{{"file_bytes", static_cast<double>(status->size)}};
  const auto add = [&](const char* tag, const std::optional<ExpressionText>& text) {
    if (text) add_number(hasher, tag, configuration.evaluate(*text, extra));
  };
  add("skip", source.skip);
  add("offset", source.offset);
  add("row_pitch", source.row_pitch);
  if (layout.record != nullptr) add_limits(hasher, configuration, *layout.record);
  return hasher.hex();
}

std::string fill_key(const Configuration& configuration, const BufferLayout& layout, FileSystem& files) {
  const InitSpec& init = effective_init(configuration, layout.spec->init);
  if (init.kind == InitSpec::Kind::kFile) return file_key(configuration, layout, *init.file, files);
  if (!init.pointees().empty()) return "";
  FieldHasher hasher;
  add_layout(hasher, layout);
  // A kernel finds its output poisoned.
  const bool poisoned = init.kind == InitSpec::Kind::kPoison || init.kind == InitSpec::Kind::kKernel;
  hasher.field("kind", poisoned ? -1 : static_cast<std::int64_t>(init.kind));
  if (poisoned) return hasher.hex();
  for (const ExpressionText& text : init.numbers) {
    add_number(hasher, "number", configuration.evaluate(text));
    hasher.field("written", text.text);  // digits may say more than a double
  }
  for (const MemberInit& member : init.members) {
    hasher.field("member", member.name);
    for (const ExpressionText& text : member.values) {
      add_number(hasher, "number", configuration.evaluate(text));
      hasher.field("written", text.text);
    }
  }
  if (init.kind == InitSpec::Kind::kUniform || init.kind == InitSpec::Kind::kNormal)
    hasher.field("seed", configuration.seed())
        .field("buffer", starting_buffer(configuration, *layout.spec).name);
  return hasher.hex();
}

bool may_keep_state(const Specialization& specialization, bool constants_are_set) {
  return any_text(specialization,
                  [&](const std::string& text) { return text_may_keep_state(text, constants_are_set); });
}

}  // namespace kiln
