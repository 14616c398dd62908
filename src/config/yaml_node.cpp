#include "config/yaml_node.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"

namespace kiln {

struct YamlNode::Raw {
  Kind kind = Kind::kNull;
  std::string text;
  bool quoted = false;
  bool complete = false;
  YAML::Mark mark;
  std::vector<std::pair<const Raw*, const Raw*>> members;  // of a map
  std::vector<const Raw*> items;                           // of a sequence
  std::uint64_t expanded_size = 1;                         // nodes once aliases are followed
};

struct YamlNode::Document {
  std::string file;
  std::deque<Raw> nodes;
  const Raw* root = nullptr;

  [[nodiscard]] SourceLocation locate(const YAML::Mark& mark) const {
    return mark.is_null() ? SourceLocation{file, 0, 0} : SourceLocation{file, mark.line + 1, mark.column + 1};
  }
};

namespace {

constexpr std::uint64_t kMaxNodes = 100'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
constexpr std::string_view kMergeKey = "<<";

std::string child_path(const std::string& parent, const std::string& key) {
  return parent.empty() ? key : parent + "." + key;
}

const char* describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a scalar";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

/// The line of the first byte 0, which yaml-cpp would take for the end of a word. In UTF-16 and UTF-32 a byte
/// 0 is part of a character.
std::optional<int> line_of_null(std::string_view text) {
  const bool wide = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
                    text.starts_with(std::string_view("\0\0\xfe\xff", 4));
  const std::size_t at = text.find('\0');
  if (wide || at == std::string_view::npos) return std::nullopt;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

/// Builds the tree from yaml-cpp's events; refuses what `YamlNode::parse` promises to refuse.
class YamlNode::Builder : public YAML::EventHandler {
 public:
  explicit Builder(Document& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    close(create(Kind::kNull, mark, anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second->complete) {
      throw bad_input("an alias refers to itself", document_.locate(mark));
    }
    close(found->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (value.find('\0') != std::string::npos)
      throw bad_input("a byte 0 in a text; names and values cannot contain it", document_.locate(mark));
    const bool quoted = tag == "!";
    const bool null = !quoted && (value == "~" || value == "null");
    Raw* raw = create(null ? Kind::kNull : Kind::kScalar, mark, anchor);
    raw->text = value;
    raw->quoted = quoted;
    close(raw);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(create(Kind::kSequence, mark, anchor));
  }
  void OnSequenceEnd() override { close_top(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(create(Kind::kMap, mark, anchor));
  }
  void OnMapEnd() override {
    merge(*stack_.back().raw);
    close_top();
  }

 private:
  struct Open {
    Raw* raw;
    const Raw* key = nullptr;
    std::set<std::string> keys;
  };

  Raw* create(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (document_.nodes.size() >= kMaxNodes) {
      throw bad_input("the file has more than " + std::to_string(kMaxNodes) + " nodes",
                      document_.locate(mark));
    }
    Raw& raw = document_.nodes.emplace_back();
    raw.kind = kind;
    raw.mark = mark;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &raw;
    return &raw;
  }

  static bool is_merge_key(const Raw& key) { return key.text == kMergeKey && !key.quoted; }

  /// In place of "<<" the members of the maps that it names, but for those that the map has itself; where two
  /// of several maps have one key, the first counts.
  void merge(Raw& map) {
    const auto merges = [](const auto& member) { return is_merge_key(*member.first); };
    if (std::none_of(map.members.begin(), map.members.end(), merges)) return;
    std::set<std::string> keys;
    for (const auto& [key, value] : map.members) {
      if (!is_merge_key(*key)) keys.insert(key->text);
    }
    std::vector<std::pair<const Raw*, const Raw*>> members;
    for (const auto& [key, value] : map.members) {
      if (!is_merge_key(*key)) {
        members.emplace_back(key, value);
        continue;
      }
      for (const Raw* other : maps_of(*value)) {
        for (const auto& member : other->members) {
          if (keys.insert(member.first->text).second) members.push_back(member);
        }
      }
    }
    map.members = std::move(members);
  }

  [[nodiscard]] std::vector<const Raw*> maps_of(const Raw& value) const {
    const std::vector<const Raw*> maps =
        value.kind == Kind::kSequence ? value.items : std::vector<const Raw*>{&value};
    for (const Raw* map : maps) {
      if (map->kind != Kind::kMap)
        throw bad_input(
            "'<<' takes a map, or a list of maps, such as *name; found " + std::string(describe(map->kind)),
            document_.locate(map->mark));
    }
    return maps;
  }

  void open(Raw* raw) {
    if (stack_.size() >= kMaxDepth) {
      throw bad_input("nested deeper than " + std::to_string(kMaxDepth) + " levels",
                      document_.locate(raw->mark));
    }
    stack_.push_back({raw, nullptr, {}});
  }

  void close_top() {
    Raw* raw = stack_.back().raw;
    stack_.pop_back();
    close(raw);
  }

  void close(Raw* raw) {
    raw->complete = true;
    if (stack_.empty()) {
      document_.root = raw;
      return;
    }
    Open& parent = stack_.back();
    parent.raw->expanded_size += raw->expanded_size;
    if (parent.raw->expanded_size > kMaxNodes) {
      throw bad_input("aliases expand this document beyond " + std::to_string(kMaxNodes) + " nodes",
                      document_.locate(raw->mark));
    }
    if (parent.raw->kind == Kind::kSequence) {
      parent.raw->items.push_back(raw);
    } else if (parent.key == nullptr) {
      if (raw->kind != Kind::kScalar) throw bad_input("a key must be a word", document_.locate(raw->mark));
      if (!parent.keys.insert(raw->text).second) {
        throw bad_input("duplicate key " + in_quotes(raw->text), document_.locate(raw->mark));
      }
      parent.key = raw;
    } else {
      parent.raw->members.emplace_back(parent.key, raw);
      parent.key = nullptr;
    }
  }

  Document& document_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Raw*> anchors_;
};

YamlNode::YamlNode(std::shared_ptr<const Document> document, const Raw* raw, std::string path)
    : document_(std::move(document)),
      raw_(raw),
      path_(std::move(path)),
      where_(document_->locate(raw->mark)) {}

YamlNode YamlNode::parse(const std::string& text, const std::string& file) {
  if (text.size() > kMaxFileBytes)
    throw bad_input("larger than 16 MiB: not a file of settings", {file, 0, 0});
  if (const auto line = line_of_null(text))
    throw bad_input("a byte 0: this is not a text file", {file, *line, 0});
  auto document = std::make_shared<Document>();
  document->file = file;
  Builder builder(*document);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder) && document->root != nullptr) {
      Document rest;
      rest.file = file;
      Builder rest_builder(rest);
      if (parser.HandleNextDocument(rest_builder)) {
        throw bad_input("a second document; one file holds one",
                        rest.locate(rest.root ? rest.root->mark : YAML::Mark()));
      }
    }
  } catch (const YAML::Exception& error) {
    throw bad_input("YAML syntax: " + error.msg, document->locate(error.mark));
  }
  if (document->root == nullptr) {
    Raw& root = document->nodes.emplace_back();
    root.kind = Kind::kMap;
    root.mark = YAML::Mark::null_mark();
    document->root = &root;
  }
  const Raw* root = document->root;
  return {std::move(document), root, ""};
}

YamlNode::Kind YamlNode::kind() const {
  return raw_->kind;
}

Error YamlNode::error(const std::string& message) const {
  return bad_input(path_.empty() ? message : printable_line(path_) + ": " + message, where_);
}

void YamlNode::require_keys(const std::vector<std::string>& known) const {
  if (!is_map()) {
    throw error(std::string("expected a map with the keys ") + join(known, ", ") + "; found " +
                describe(kind()));
  }
  for (const auto& [key, value] : raw_->members) {
    if (std::find(known.begin(), known.end(), key->text) == known.end()) {
      throw bad_input("unknown key " + in_quotes(child_path(path_, key->text)) + suggestion(key->text, known),
                      document_->locate(key->mark));
    }
  }
}

std::optional<YamlNode> YamlNode::find(const std::string& key) const {
  for (const auto& [name, value] : raw_->members) {
    if (name->text == key) return YamlNode(document_, value, child_path(path_, key));
  }
  return std::nullopt;
}

YamlNode YamlNode::at(const std::string& key) const {
  auto found = find(key);
  if (!found) throw error("the key '" + key + "' is missing");
  return *found;
}

std::vector<std::pair<std::string, YamlNode>> YamlNode::entries() const {
  if (!is_map() && kind() != Kind::kNull)
    throw error(std::string("expected a map; found ") + describe(kind()));
  std::vector<std::pair<std::string, YamlNode>> result;
  result.reserve(raw_->members.size());
  for (const auto& [key, value] : raw_->members) {
    result.emplace_back(key->text, YamlNode(document_, value, child_path(path_, key->text)));
  }
  return result;
}

SourceLocation YamlNode::key_location(const std::string& key) const {
  for (const auto& [name, value] : raw_->members) {
    if (name->text == key) return document_->locate(name->mark);
  }
  return where_;
}

std::vector<YamlNode> YamlNode::items() const {
  if (!is_sequence()) throw error(std::string("expected a list; found ") + describe(kind()));
  std::vector<YamlNode> result;
  result.reserve(raw_->items.size());
  for (std::size_t i = 0; i < raw_->items.size(); ++i) {
    result.push_back(YamlNode(document_, raw_->items[i], path_ + "[" + std::to_string(i) + "]"));
  }
  return result;
}

std::vector<YamlNode> YamlNode::items_or_self() const {
  return is_scalar() ? std::vector<YamlNode>{*this} : items();
}

std::string YamlNode::text() const {
  if (!is_scalar()) throw error(std::string("expected one value; found ") + describe(kind()));
  return raw_->text;
}

bool YamlNode::quoted() const {
  return raw_->quoted;
}

std::int64_t YamlNode::integer() const {
  const auto value = parse_integer(text());
  if (!value) throw error("expected a whole number; found " + in_quotes(raw_->text));
  return *value;
}

double YamlNode::real() const {
  const auto value = parse_real(text());
  if (!value || !std::isfinite(*value))
    throw error("expected a finite number; found " + in_quotes(raw_->text));
  return *value;
}

bool YamlNode::boolean() const {
  if (text() == "true") return true;
  if (text() == "false") return false;
  throw error("expected true or false; found " + in_quotes(raw_->text));
}

double YamlNode::duration() const {
  static constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"min", 60.0}, {"s", 1.0}}};
  const std::string whole = text();
  std::string_view number = trim(whole);
  double factor = 1;
  for (const auto& [unit, seconds] : kUnits) {
    if (number.ends_with(unit)) {
      number = trim(number.substr(0, number.size() - unit.size()));
      factor = seconds;
      break;
    }
  }
  const auto value = parse_real(number);
  if (!value || !(*value >= 0) || !std::isfinite(*value * factor)) {
    throw error("expected a time such as '0.5 s', '20 ms' or '3 us'; found " + in_quotes(raw_->text));
  }
  return *value * factor;
}

}  // namespace kiln
