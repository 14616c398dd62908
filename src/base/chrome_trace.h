#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/trace.h"

namespace kiln {

/// The Trace Event Format of Chrome, which chrome://tracing and Perfetto read: a JSON object with complete
/// events ("X"), times in microseconds, names of processes and threads, and flows. Facts of the whole trace
/// are in `otherData`.
[[nodiscard]] std::string chrome_trace_json(const TraceContent& content);

/// Writes it as an output file (base/output_file.h): readers find the old file or the new one. Throws
/// filesystem_error.
void write_chrome_trace(FileSystem& files, const std::filesystem::path& file, const TraceContent& content);

}  // namespace kiln
