#include "base/output_file.h"

#include <system_error>

#include "base/folder_trust.h"
#include "base/scratch_folder.h"

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
  constexpr int kLongestChain = 40;  // Linux's limit
  Path path = file;
  for (int i = 0; i < kLongestChain; ++i) {
    const auto status = files.status(path);
    if (!status || status->type != FileStatus::Type::kSymlink) return path;
    // In a folder like /tmp another user's link may lead to a file of the user's.
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
  try {
    if (replaces_) scratch_ = make_scratch_beside(target_);
  } catch (const filesystem_error&) {
    if (!before_) throw;
    replaces_ = false;
  }
  if (!replaces_) scratch_ = make_shared_scratch(files_, temporary_folder(), "output");
  draft_ = scratch_.get().path / "output";
}

ScratchFolder OutputFile::make_scratch_beside(const Path& file) {
  const Path folder = folder_of(file);
  // The user must make the folder: a mistyped path must not become one.
  if (!files_.status(folder / ".")) fail(file, std::errc::no_such_file_or_directory);
  return make_scratch_folder(files_, folder, ".kiln-output-");
}

void OutputFile::finish() {
  if (!replaces_) {
    files_.write_file(target_, files_.read_file(draft_).value_or(""), false);
    return;
  }
  if (before_) {
    std::error_code kept_as_it_is;  // for another user's file, for example
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
