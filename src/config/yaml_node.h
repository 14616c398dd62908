#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/error.h"

namespace kiln {

/// A place in a YAML file that knows where it is. Every accessor that finds something else than it is asked
/// for throws bad_input with file, line, column, the key's path ("sweep.block_x"), what was expected and what
/// was found. A cheap handle; it keeps its document alive.
class YamlNode {
 public:
  enum class Kind { kNull, kScalar, kSequence, kMap };

  /// Reads a whole document. Refuses syntax errors, duplicate keys, non-scalar keys, NUL characters, more
  /// than one document, documents that aliases expand beyond 100 000 nodes, and nesting deeper than 64. An
  /// empty document is an empty map.
  static YamlNode parse(const std::string& text, const std::string& file);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool is_map() const { return kind() == Kind::kMap; }
  [[nodiscard]] bool is_sequence() const { return kind() == Kind::kSequence; }
  [[nodiscard]] bool is_scalar() const { return kind() == Kind::kScalar; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Throws unless this is a map whose keys are all in `known`; suggests the nearest.
  void require_keys(const std::vector<std::string>& known) const;
  /// The value of a key; `nullopt` if the key is absent.
  [[nodiscard]] std::optional<YamlNode> find(const std::string& key) const;
  [[nodiscard]] YamlNode at(const std::string& key) const;
  /// Keys and values in file order.
  [[nodiscard]] std::vector<std::pair<std::string, YamlNode>> entries() const;
  /// Place of the key itself.
  [[nodiscard]] SourceLocation key_location(const std::string& key) const;
  [[nodiscard]] std::vector<YamlNode> items() const;
  /// The items of a sequence, or this node alone if it is a scalar.
  [[nodiscard]] std::vector<YamlNode> items_or_self() const;

  [[nodiscard]] std::string text() const;  ///< any scalar
  [[nodiscard]] bool quoted() const;       ///< written between quotes
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double real() const;
  [[nodiscard]] bool boolean() const;  ///< true or false
  /// "0.5 s", "20 ms", "3 us", or a bare number of seconds; at least 0.
  [[nodiscard]] double duration() const;

  /// An error at this node: "sweep.block_x: <message>".
  [[nodiscard]] Error error(const std::string& message) const;

 private:
  struct Raw;
  struct Document;
  class Builder;
  YamlNode(std::shared_ptr<const Document> document, const Raw* raw, std::string path);

  std::shared_ptr<const Document> document_;
  const Raw* raw_ = nullptr;
  std::string path_;
  SourceLocation where_;
};

}  // namespace kiln
