#pragma once

#include <ostream>
#include <string>

namespace kiln::test {

/// A job that runs a workload and checks it, for tests with a parameter.
struct WorkloadCase {
  const char* name;
  const char* workload;
  const char* lines;  ///< `set` and `sweep` of the job
};

inline void PrintTo(const WorkloadCase& one, std::ostream* out) {
  *out << one.name;
}

inline std::string job_text(const WorkloadCase& one, const std::string& device) {
  return "workload: " + std::string(one.workload) + "\ndevice: " + device + "\nmeasure: false\n" + one.lines;
}

}  // namespace kiln::test
