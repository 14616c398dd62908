#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/ahead_compiler.h"
#include "record/study_lines.h"
#include "study/study_spec.h"
#include "trial/variant.h"

namespace kiln {

/// The cases of one workload on one device.
struct DeviceCases {
  std::string section;  ///< section of the study's file
  DeviceInfo device;
  std::vector<std::string> constants;  ///< that are studied: they change the text that the compiler sees
  std::vector<std::string> unread;     ///< that the kernels of a step do not look at
  std::string no_ahead;  ///< why there are no cases of the compiler that programs are built with; a sentence
  std::vector<StudyCase> cases;  ///< the place of each is that of its variant
  std::shared_ptr<const Workload> workload;
  std::vector<Variant> variants;      ///< of each case
  std::vector<std::string> excluded;  ///< instances that a constraint leaves out, and which
};

/// Expands a study for one device, with cases of that compiler for programs, if it is there. Throws bad_input
/// at the place of what is wrong: unknown names (with the nearest), constants that are always bound at one
/// time, values that are not allowed, too many cases, a generic case that violates a constraint.
[[nodiscard]] DeviceCases expand_study(const StudySpec& study,
                                       const std::shared_ptr<const Workload>& workload,
                                       const DeviceInfo& device, FileSystem& files,
                                       const AheadCompiler& ahead = {});

}  // namespace kiln
