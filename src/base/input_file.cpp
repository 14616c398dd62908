#include "base/input_file.h"

#include <optional>
#include <utility>

#include "base/gzip.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// The kind of a path that the user named and Kiln does not read.
const char* name_of(FileStatus::Type type) {
  switch (type) {
    case FileStatus::Type::kDirectory:
      return "a folder";
    case FileStatus::Type::kPipe:
      return "a pipe";
    case FileStatus::Type::kSocket:
      return "a socket";
    case FileStatus::Type::kDevice:
      return "a device";
    case FileStatus::Type::kFile:
    case FileStatus::Type::kSymlink:
      break;
  }
  return "a file";
}

std::string no_plain_file(FileStatus::Type type) {
  return std::string("is ") + name_of(type) + "; expected a plain file";
}

std::string too_large(const InputRules& rules, const std::string& size) {
  return "is larger than what is read for this purpose: at most " + format_bytes(rules.most_bytes) +
         (size.empty() ? "" : "; it has " + size);
}

FileStatus status_of_input(FileSystem& files, const Path& path) {
  if (const auto status = files.target_status(path)) return *status;
  throw bad_input(files.status(path) ? "is a symbolic link to a file that does not exist" : "no such file",
                  {path.string(), 0, 0});
}

std::string read_looked_at(FileSystem& files, const Path& path, const InputRules& rules) {
  using Type = FileStatus::Type;
  const SourceLocation where{path.string(), 0, 0};
  const FileStatus status = status_of_input(files, path);
  const bool pipe = status.type == Type::kPipe && rules.pipes;
  const bool device = status.type == Type::kDevice;  // the null device is read
  if (status.type != Type::kFile && !pipe && !device) throw bad_input(no_plain_file(status.type), where);
  if (status.size > rules.most_bytes) throw bad_input(too_large(rules, format_bytes(status.size)), where);
  std::optional<std::string> text;
  try {
    text = files.read(path, {0, rules.most_bytes + 1, rules.pipes});
  } catch (const std::filesystem::filesystem_error& error) {
    if (device) throw bad_input(no_plain_file(status.type), where);
    if (error.code() == std::errc::interrupted) throw bad_input("reading was interrupted", where);
    throw;
  }
  if (!text) throw bad_input("no such file", where);  // removed meanwhile
  if (text->size() > rules.most_bytes) throw bad_input(too_large(rules, ""), where);
  if (pipe && text->empty()) throw bad_input("is a pipe that nothing is written to", where);
  return *std::move(text);
}

[[noreturn]] void refuse_unreadable(const std::filesystem::filesystem_error& error, const Path& path) {
  throw bad_input("cannot be read: " + error.code().message(), {path.string(), 0, 0});
}

}  // namespace

std::string read_input(FileSystem& files, const std::filesystem::path& path, const InputRules& rules) {
  try {
    std::string content = read_looked_at(files, path, rules);
    if (rules.gzip && is_gzip(content)) return gunzip(content, rules.most_bytes, path.string());
    return content;
  } catch (const std::filesystem::filesystem_error& error) {
    refuse_unreadable(error, path);
  }
}

FileStatus input_status(FileSystem& files, const std::filesystem::path& path) {
  try {
    const FileStatus status = status_of_input(files, path);
    if (status.type == FileStatus::Type::kFile) return status;
    throw bad_input(no_plain_file(status.type), {path.string(), 0, 0});
  } catch (const std::filesystem::filesystem_error& error) {
    refuse_unreadable(error, path);
  }
}

}  // namespace kiln
