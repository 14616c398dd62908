#include "embed/trace_file.h"

#include <vector>

#include "base/chrome_trace.h"
#include "base/output_file.h"
#include "device/ranges.h"
#include "kiln/error.h"

namespace kiln {
namespace {

std::unique_ptr<Trace> make_trace(bool recording, const Clock& clock, Log& log) {
  auto ranges = find_range_sinks(log);
  if (!recording && ranges.empty()) return nullptr;
  return std::make_unique<Trace>(clock, recording, std::move(ranges));
}

}  // namespace

TraceFile::TraceFile(const std::string& file, FileSystem& files, const Clock& clock, Log& log)
    : file_(file), files_(files), log_(log), trace_(make_trace(!file.empty(), clock, log)) {}

void TraceFile::begin() {
  if (file_.empty() || begun_) return;
  const std::string trouble = "the trace '" + file_.string() + "' cannot be written: ";
  try {
    const auto there = files_.status(output_target(files_, file_));
    // It is written more than once, which makes no sense of a device or a pipe.
    if (there && there->type != FileStatus::Type::kFile) throw bad_input(trouble + "it is no regular file");
    write_chrome_trace(files_, file_, trace_->content());
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input(trouble + error.code().message());
  }
  begun_.reset(this);
}

void TraceFile::write() {
  if (!begun_) return;
  try {
    write_chrome_trace(files_, file_, trace_->content());
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write the trace " + file_.string() + ": " + error.code().message());
  }
}

void TraceFile::finish() {
  write();
  static_cast<void>(begun_.release());
}

void TraceFile::LastWrite::close(Handle file) noexcept {
  try {
    write_chrome_trace(file->files_, file->file_, file->trace_->content());
  } catch (const std::exception& error) {
    file->log_.error("cannot write the trace " + file->file_.string() + ": " + error.what());
  }
}

}  // namespace kiln
