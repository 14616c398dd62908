#include "workload/key_file.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kiln {
namespace {

constexpr std::int64_t kMostRecords = 1'000'000;

struct KeyToken {
  std::string_view text;
  SourceLocation where;
};

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The words of a line, which blanks and signs of equality part, up to a comment.
std::vector<KeyToken> tokens_of(std::string_view line, const std::string& file, int number) {
  line = line.substr(0, line.find_first_of("!#;"));
  std::vector<KeyToken> tokens;
  constexpr std::string_view kBetween = " \t\r=";
  for (std::size_t begin = line.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    tokens.push_back({line.substr(begin, end - begin), {file, number, static_cast<int>(begin) + 1}});
    begin = line.find_first_not_of(kBetween, end);
  }
  return tokens;
}

/// With all its digits where it is whole and has no more than 64 bits.
std::optional<Number> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  if (const auto whole = parse_integer(word)) return Number(*whole);
  const auto real = parse_real(word);
  if (!real || !std::isfinite(*real)) return std::nullopt;
  return Number(*real);
}

class Reader {
 public:
  /// `marks`: there are lines that begin with `*`.
  Reader(const std::string& file, const KeyWords& words, bool marks)
      : file_(file), words_(words), section_(marks ? Section::kBefore : Section::kNone) {}

  void add_line(std::string_view line) {
    ++line_;
    tokens_ = tokens_of(line, file_, line_);
    at_ = 0;
    if (tokens_.empty()) return;
    const KeyToken& first = tokens_.front();
    if (first.text.starts_with('*')) return mark(first);
    if (section_ == Section::kBefore || section_ == Section::kAfter) return;
    const std::string word(first.text);
    if (words_.records.contains(word)) return add_record(word);
    if (contains(words_.ignored, word)) return;
    if (!contains(words_.keys, word)) {
      std::vector<std::string> known = words_.keys;
      for (const auto& [record, columns] : words_.records) known.push_back(record);
      throw bad_input("unknown key " + in_quotes(word) + suggestion(word, known), first.where);
    }
    add_value(entries, word, false);
    if (at_ < tokens_.size()) {
      throw bad_input(
          "expected one value of " + in_quotes(word) + " and no more; found " + in_quotes(tokens_[at_].text),
          tokens_[at_].where);
    }
  }

  void finish() const {
    if (section_ == Section::kInside) {
      throw bad_input("ends before the line " + in_quotes("*end" + name_), {file_, line_, 1});
    }
    for (const auto& [word, numbered] : records) {
      if (!numbered.empty() && numbered.rbegin()->first != static_cast<std::int64_t>(numbered.size())) {
        std::int64_t missing = 1;
        while (numbered.contains(missing)) ++missing;
        throw bad_input("has " + word + " " + std::to_string(numbered.rbegin()->first) + ", but no " + word +
                            " " + std::to_string(missing),
                        {file_, 0, 0});
      }
    }
  }

  std::map<std::string, KeyFile::Entry> entries;
  std::map<std::string, std::map<std::int64_t, std::map<std::string, KeyFile::Entry>>> records;

 private:
  enum class Section { kNone, kBefore, kInside, kAfter };

  void mark(const KeyToken& token) {
    const std::string name(token.text.substr(1));
    if (section_ == Section::kInside) {
      if (name != "end" + name_)
        throw bad_input("expected *end" + name_ + "; found " + in_quotes(token.text), token.where);
      section_ = Section::kAfter;
    } else if (section_ == Section::kBefore && !name.starts_with("end")) {
      name_ = name;
      section_ = Section::kInside;
    } else {
      throw bad_input("expected " + std::string(section_ == Section::kAfter ? "no more sections" : "*name") +
                          "; found " + in_quotes(token.text),
                      token.where);
    }
  }

  /// The value of the key at the current word, and of the words that stand for numbers.
  void add_value(std::map<std::string, KeyFile::Entry>& to, const std::string& key, bool may_be_word) {
    const SourceLocation where = tokens_[at_++].where;
    if (at_ == tokens_.size()) throw bad_input("expected a value of " + in_quotes(key), where);
    const KeyToken& token = tokens_[at_++];
    std::optional<Number> number = number_of(token.text);
    const auto word = std::find(words_.values.begin(), words_.values.end(), token.text);
    if (may_be_word && word != words_.values.end())
      number = Number(static_cast<std::int64_t>(word - words_.values.begin()) + 1);
    if (!number) {
      const bool words = may_be_word && !words_.values.empty();
      throw bad_input(key + ": expected a finite number" +
                          (words ? " or one of " + join(words_.values, ", ") : "") + "; found " +
                          in_quotes(token.text),
                      token.where);
    }
    const auto [earlier, added] = to.emplace(key, KeyFile::Entry{*number, token.where});
    if (!added) {
      throw bad_input(
          in_quotes(key) + " is there twice, before in line " + std::to_string(earlier->second.where.line),
          where);
    }
  }

  void add_record(const std::string& word) {
    const SourceLocation where = tokens_[at_++].where;
    const auto number = at_ < tokens_.size() ? parse_integer(tokens_[at_].text) : std::nullopt;
    if (!number || *number < 1 || *number > kMostRecords) {
      throw bad_input(
          "expected a number from 1 to " + std::to_string(kMostRecords) + " behind " + in_quotes(word),
          at_ < tokens_.size() ? tokens_[at_].where : where);
    }
    const auto [record, added] = records[word].try_emplace(*number);
    if (!added) throw bad_input(word + " " + std::to_string(*number) + " is there twice", where);
    ++at_;
    const std::vector<std::string>& columns = words_.records.at(word);
    while (at_ < tokens_.size()) {
      const std::string column(tokens_[at_].text);
      if (!contains(columns, column))
        throw bad_input("unknown key " + in_quotes(column) + suggestion(column, columns), tokens_[at_].where);
      add_value(record->second, column, true);
    }
  }

  const std::string& file_;
  const KeyWords& words_;
  std::vector<KeyToken> tokens_;
  std::size_t at_ = 0;
  int line_ = 0;
  Section section_;
  std::string name_;
};

bool begins_a_section(std::string_view line) {
  return trim(line).starts_with('*');
}

void add(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

void add_words(KeyWords& words, const InitSpec& init, const std::string& file) {
  if (init.file && init.file->format == FileFormat::kKeys && init.file->path.text == file) {
    add(words.records[init.file->records], init.file->columns);
    add(words.values, init.file->words);
  }
  if (init.otherwise) add_words(words, *init.otherwise, file);
}

}  // namespace

KeyWords key_words_of(const Workload& workload, const std::string& file) {
  KeyWords words;
  for (const ParameterSpec& parameter : workload.parameters) {
    if (!parameter.from || parameter.from->format != FileFormat::kKeys || parameter.from->file != file)
      continue;
    if (!parameter.from->key.empty()) words.keys.push_back(parameter.from->key);
    if (!parameter.from->records.empty()) words.records[parameter.from->records];
    add(words.ignored, parameter.from->ignored);
  }
  for (const BufferSpec& buffer : workload.buffers) add_words(words, buffer.init, file);
  return words;
}

KeyFile::KeyFile(std::string_view text, const std::string& file, const KeyWords& words) {
  const auto each_line = [&](auto visit) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      visit(text.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  bool marks = false;
  each_line([&](std::string_view line) { marks = marks || begins_a_section(line); });
  Reader reader(file, words, marks);
  each_line([&](std::string_view line) { reader.add_line(line); });
  reader.finish();
  entries_ = std::move(reader.entries);
  records_ = std::move(reader.records);
}

const KeyFile::Entry* KeyFile::find(const std::string& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::size_t KeyFile::records(const std::string& word) const {
  const auto found = records_.find(word);
  return found == records_.end() ? 0 : found->second.size();
}

const KeyFile::Entry* KeyFile::find(const std::string& word, std::size_t record,
                                    const std::string& column) const {
  const auto found = records_.find(word);
  if (found == records_.end()) return nullptr;
  const auto entries = found->second.find(static_cast<std::int64_t>(record) + 1);
  if (entries == found->second.end()) return nullptr;
  const auto entry = entries->second.find(column);
  return entry == entries->second.end() ? nullptr : &entry->second;
}

}  // namespace kiln
