#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.h"
#include "workload/number.h"
#include "workload/workload.h"

namespace kiln {

/// The words that a file of `format: keys` may hold, which are those that its workload asks for.
struct KeyWords {
  std::vector<std::string> keys;                            ///< with one number each
  std::vector<std::string> ignored;                         ///< may be there and are not looked at
  std::map<std::string, std::vector<std::string>> records;  ///< columns by the word that begins the lines
  std::vector<std::string> values;  ///< words of records that stand for the numbers 1, 2, ...
};

/// The words of all parameters and buffers that read the file; its name is written with placeholders.
[[nodiscard]] KeyWords key_words_of(const Workload& workload, const std::string& file);

/// Parameters as text: lines of `key=value` or `key value`, and of records, `word number key=value ...`,
/// whose numbers count from 1. What stands after `!`, `#` or `;` is a comment; where lines begin with `*`,
/// only what is between `*name` and `*endname` counts.
class KeyFile {
 public:
  /// A number with its place.
  struct Entry {
    Number value = 0.0;
    SourceLocation where;
  };

  /// Throws bad_input with file, line and column for a word that the workload does not know, a key or record
  /// that is there twice, a value that is no finite number, a record missing in the count, and an end that
  /// does not come.
  KeyFile(std::string_view text, const std::string& file, const KeyWords& words);

  /// Null where the key is not in the file.
  [[nodiscard]] const Entry* find(const std::string& key) const;
  /// How many records begin with the word.
  [[nodiscard]] std::size_t records(const std::string& word) const;
  /// Null where the record, counted from 0, does not say the column.
  [[nodiscard]] const Entry* find(const std::string& word, std::size_t record,
                                  const std::string& column) const;

 private:
  using Entries = std::map<std::string, Entry>;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::map<std::int64_t, Entries>>
      records_;  ///< by word, then by their number in the file
};

}  // namespace kiln
