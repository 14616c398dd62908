#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The lines of a text that are not blank. A line that a crash cut off is no JSON and begins as every line
/// does: it is left out, and a note says where it stands.
struct JsonLines {
  struct Line {
    std::string text;
    int number = 0;  ///< in the file, from 1
  };
  std::vector<Line> lines;
  std::vector<std::string> notes;  ///< "records.jsonl:3: a crash cut this line off; it is left out"
};

/// `beginning`: what every line begins with, and no line holds further on. `file` is the name in notes.
[[nodiscard]] JsonLines split_json_lines(const std::string& text, const std::string& file,
                                         std::string_view beginning);

/// A file of JSON objects, one a line, each added by one write, so that processes that add to it at the same
/// time do not mix lines and one that is cut short keeps what it had. Nothing that stands in the file is ever
/// changed or removed, and links are followed.
class JsonLinesFile {
 public:
  JsonLinesFile(FileSystem& files, std::filesystem::path path, std::string beginning);

  /// Throws environment_error when the disk refuses.
  void append(const std::string& line);
  /// Absent if there is no such file, or a link to one that is not there yet. Throws bad_input where it
  /// cannot be read.
  [[nodiscard]] std::optional<JsonLines> read() const;
  /// Throws bad_input where there is a file whose lines are others: nothing is added to it.
  void require_own(const std::string& what) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  FileSystem& files_;
  std::filesystem::path path_;
  std::string beginning_;
};

}  // namespace kiln
