#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/unique_handle.h"

namespace kiln {

/// The trace of a process, if there is a file for it or a profiler that takes ranges, and that file. Between
/// `begin` and its end the file is there and whole, at first empty; it has what was traced when this goes.
class TraceFile {
 public:
  /// `file` empty: none. All references outlive it.
  TraceFile(const std::string& file, FileSystem& files, const Clock& clock, Log& log);

  /// Null if tracing is off.
  [[nodiscard]] Trace* get() const { return trace_.get(); }

  /// Writes the file without spans. Throws bad_input where it cannot be written.
  void begin();
  /// Writes it with what was traced so far, if it has begun. Throws environment_error.
  void write();
  /// Writes the file for the last time.
  void finish();

 private:
  struct LastWrite {
    using Handle = TraceFile*;
    static Handle null() { return nullptr; }
    static void close(Handle file) noexcept;
  };

  std::filesystem::path file_;
  FileSystem& files_;
  Log& log_;
  std::unique_ptr<Trace> trace_;
  UniqueHandle<LastWrite> begun_;  // last: writes the file when this goes
};

}  // namespace kiln
