#include "record/json_lines.h"

#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

bool is_json(std::string_view text) {
  return nlohmann::json::accept(text.begin(), text.end());
}

/// A file system that lost its power may leave zeros where a line was to be.
bool is_cut_off(std::string_view line, std::string_view beginning) {
  return line.starts_with(beginning) || (line.size() > 1 && beginning.starts_with(line)) ||
         line.find('\0') != std::string_view::npos;
}

/// The whole line that follows one that was cut off, without a line end between; empty if there is none.
std::string_view whole_rest(std::string_view line, std::string_view beginning) {
  const std::size_t place = line.rfind(beginning);
  if (place == std::string_view::npos || place == 0 || !is_json(line.substr(place))) return {};
  return line.substr(place);
}

}  // namespace

JsonLines split_json_lines(const std::string& text, const std::string& file, std::string_view beginning) {
  JsonLines found;
  int number = 0;
  for (const std::string& whole : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(whole);
    if (line.empty()) continue;
    const std::string_view rest = is_json(line) ? line : whole_rest(line, beginning);
    if (rest.empty() && !is_cut_off(line, beginning)) {
      found.lines.push_back({std::string(line), number});  // its reader says what is wrong with it
      continue;
    }
    if (rest.size() < line.size())
      found.notes.push_back(file + ":" + std::to_string(number) +
                            ": a crash cut this line off; it is left out");
    if (!rest.empty()) found.lines.push_back({std::string(rest), number});
  }
  return found;
}

JsonLinesFile::JsonLinesFile(FileSystem& files, std::filesystem::path path, std::string beginning)
    : files_(files), path_(std::move(path)), beginning_(std::move(beginning)) {}

void JsonLinesFile::append(const std::string& line) {
  try {
    files_.append_line(path_, line);
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write " + path_.string() + ": " + error.code().message());
  }
}

std::optional<JsonLines> JsonLinesFile::read() const {
  if (!files_.target_status(path_)) return std::nullopt;
  return split_json_lines(read_input(files_, path_, kResultInput), path_.string(), beginning_);
}

void JsonLinesFile::require_own(const std::string& what) const {
  const auto content = read();
  if (!content || content->lines.empty() || content->lines.front().text.starts_with(beginning_)) return;
  throw bad_input("expected " + what + ", which begins with " + beginning_ +
                      "; the file is left as it is: remove it, or name another folder",
                  {path_.string(), content->lines.front().number, 0});
}

}  // namespace kiln
