#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/word_table.h"
#include "compile/ahead_compiler.h"
#include "study/study_spec.h"
#include "trial/variant.h"

namespace kiln {

/// What stands for what. Ahead-of-time code is made by the run-time compiler, and by the one that programs
/// are built with where that is there; its compile time is not charged to a run.
enum class CaseGroup {
  kAotGeneric,       ///< all at run time that may be
  kAotInstantiated,  ///< the same, but one of the fixed set of template-like instances
  kJitGeneric,       ///< the text of kAotGeneric again, compiled at run time: also the study's control
  kJitSpecialised,   ///< all at compile time that may be
  kOnly,             ///< one studied constant at compile time
  kAllBut,           ///< all at compile time that may be, but one studied constant
  kFactorial,        ///< some of them, neither none, one nor all
};
template <>
inline constexpr auto kWords<CaseGroup> =
    std::to_array<Word<CaseGroup>>({{CaseGroup::kAotGeneric, "aot_generic"},
                                    {CaseGroup::kAotInstantiated, "aot_instantiated"},
                                    {CaseGroup::kJitGeneric, "jit_generic"},
                                    {CaseGroup::kJitSpecialised, "jit_specialised"},
                                    {CaseGroup::kOnly, "only"},
                                    {CaseGroup::kAllBut, "all_but"},
                                    {CaseGroup::kFactorial, "factorial"}});

/// One kernel that a study measures. Its place in DeviceCases::cases is that of its variant.
struct StudyCase {
  std::string name;  ///< "only.natpro", "aot_generic.nvcc fast_math"
  CaseGroup group = CaseGroup::kAotGeneric;
  std::vector<std::string> constants;  ///< studied ones that this case binds at compile time
  bool fast_math = false, launch_bounds = true;
  std::string compiler = {};  ///< of AheadCompiler; empty: the run-time compiler
};

/// The cases of one workload on one device.
struct DeviceCases {
  std::string section;  ///< of the study's file
  DeviceInfo device;
  std::vector<std::string> constants;  ///< that are studied: they change the text that the compiler sees
  std::vector<std::string> unread;     ///< that the kernels of a step do not look at
  std::string no_ahead;  ///< why there are no cases of the compiler that programs are built with; a sentence
  std::vector<StudyCase> cases;
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
