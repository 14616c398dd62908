#include "base/output_file.h"

#include <system_error>

#include "base/folder_trust.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

[[noreturn]] void fail(const Path& path, std::errc code) {
  throw filesystem_error("cannot write", path, std::make_error_code(code));
}

Path folder_of(const Path& file) {
  return std::filesystem::absolute(file).parent_path();
}

}  // namespace

Path output_target(FileSystem& files, const Path& file) {
  constexpr int kLongestChain = 40;  // as Linux has it
  Path path = file;
  for (int i = 0; i < kLongestChain; ++i) {
    const auto status = files.status(path);
    if (!status || status->type != FileStatus::Type::kSymlink) return path;
    // In a folder like /tmp somebody else's link may lead to a file of the user's.
    if (!is_trusted_owner(status->owner)) fail(path, std::errc::permission_denied);
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  fail(file, std::errc::too_many_symbolic_link_levels);
}

OutputFile::OutputFile(FileSystem& files, const Path& file)
    : files_(files), target_(output_target(files, file)), before_(files.status(target_)) {
  using Type = FileStatus::Type;
  if (before_ && before_->type == Type::kDirectory) fail(target_, std::errc::is_a_directory);
  replaces_ = !before_ || before_->type == Type::kFile;
  const auto make_scratch = [&](const Path& folder) {
    // It is for others to make: a mistyped path must not become a folder.
    if (!files_.status(folder / ".")) fail(target_, std::errc::no_such_file_or_directory);
    scratch_ = make_scratch_folder(files_, folder, ".kiln-output-");
  };
  try {
    make_scratch(replaces_ ? folder_of(target_) : std::filesystem::temp_directory_path());
  } catch (const filesystem_error&) {
    if (!before_ || !replaces_) throw;
    replaces_ = false;
    make_scratch(std::filesystem::temp_directory_path());
  }
  draft_ = scratch_.get().path / "output";
}

void OutputFile::finish() {
  if (!replaces_) {
    files_.write_file(target_, files_.read_file(draft_).value_or(""), false);
    return;
  }
  if (before_) {
    std::error_code kept_as_it_is;  // of another's file, say
    std::filesystem::permissions(draft_, std::filesystem::perms(before_->mode), kept_as_it_is);
  }
  if (!files_.rename(draft_, target_)) fail(target_, std::errc::is_a_directory);
}

void write_output_file(FileSystem& files, const Path& file, std::string_view text) {
  OutputFile output(files, file);
  files.write_file(output.draft(), text, false);
  output.finish();
}

}  // namespace kiln
