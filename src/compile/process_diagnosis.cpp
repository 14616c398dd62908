#include "compile/process_diagnosis.h"

#include "base/text.h"

namespace kiln {
namespace {

/// A driver (`g++`, `nvcc`) survives and reports the end of the compiler proper.
bool tells_of_a_fault(const std::string& log) {
  for (const char* words :
       {"internal compiler error", "out of memory", "memory exhausted", "Cannot allocate memory", "bad_alloc",
        "Please submit a full bug report", "PLEASE submit a bug report", "Segmentation fault"}) {
    if (log.find(words) != std::string::npos) return true;
  }
  return false;
}

/// The system refused a process or thread: neither the text nor the compiler is the cause.
bool tells_of_no_process(const std::string& log) {
  return log.find("Resource temporarily unavailable") != std::string::npos;
}

std::string first_error(const std::string& log) {
  for (const std::string& line : split(log, '\n')) {
    for (const char* words : {"error:", "Error:", "undefined reference", "nvcc fatal"}) {
      if (line.find(words) != std::string::npos) return std::string(trim(line));
    }
  }
  return std::string(trim(split(log, '\n').front()));
}

}  // namespace

Diagnostic process_diagnosis(const ProcessResult& result, const CompilerProgram& program,
                             const std::string& source_name) {
  const std::string error = source_name + ": error: " + program.what;
  Diagnostic diagnostic;
  diagnostic.log = result.error;
  if (!result.started) {
    diagnostic.environment = true;
    diagnostic.summary = program.what + " '" + program.path + "' cannot be started: " + result.error;
  } else if (result.timed_out) {
    diagnostic.compiler_fault = true;
    diagnostic.summary = error + " did not finish within " +
                         format_seconds(std::chrono::duration<double>(program.time_limit).count());
  } else if (result.flooded) {
    diagnostic.compiler_fault = true;
    diagnostic.summary = error + " printed without end";
  } else if (result.signal != 0) {
    diagnostic.compiler_fault = true;
    diagnostic.summary = error + " was ended by " + signal_text(result.signal);
  } else {
    const bool no_process = tells_of_no_process(result.error);
    diagnostic.environment = no_process || result.error.find("No space left on device") != std::string::npos;
    diagnostic.compiler_fault = !no_process && tells_of_a_fault(result.error);
    diagnostic.summary = no_process ? program.what + " '" + program.path + "' was refused a process (" +
                                          kProcessLimit + "): " + first_error(result.error)
                                    : first_error(result.error);
  }
  if (diagnostic.summary.empty())
    diagnostic.summary = error + " failed with exit code " + std::to_string(result.exit_code);
  return diagnostic;
}

}  // namespace kiln
