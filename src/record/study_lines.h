#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/word_table.h"
#include "record/machine_code.h"

namespace kiln {

/// Version of the form of a study's file; goes up when a reader of the old form would misread the new.
inline constexpr int kStudyFormat = 2;

/// The beginning of every line of a study's file, which occurs nowhere else in it.
inline constexpr std::string_view kStudyBeginning = R"({"kind":)";

/// The first line of a study's file: what was measured, with which program, in which order. A resumed study
/// may have another number of rounds; results contain theirs.
struct StudyHeader {
  std::string run_id, time, kiln_version, kiln_revision;
  std::string study_file;
  struct Section {
    std::string name, workload;
  };
  std::vector<Section> sections;
  std::string digest;  ///< digest of everything that decides what is measured: only the same study is resumed
  std::uint64_t seed = 1;
  std::size_t rounds = 0, samples = 0, compiles = 0;
  std::vector<std::string> devices;
};

/// The role of a case. Ahead-of-time code is made by the run-time compiler and, if it is available, by the
/// compiler that programs are built with; its compile time is not charged to a run.
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

/// One kernel that a study measures.
struct StudyCase {
  std::string name;  ///< "only.natpro", "aot_generic.nvcc fast_math"
  CaseGroup group = CaseGroup::kAotGeneric;
  std::vector<std::string> constants;  ///< studied ones that this case binds at compile time
  bool fast_math = false, launch_bounds = true;
  std::string compiler = {};  ///< name of an AheadCompiler; empty: the run-time compiler
};

/// How a program comes by the code of its first step.
enum class FirstWay {
  kAhead,           ///< compiled before and part of the program: loaded
  kCold,            ///< compiled now: nothing is in any cache
  kDisk,            ///< found in the cache on disk
  kBackground,      ///< as kCold, but generic code runs until a thread has the case's own
  kBackgroundDisk,  ///< the same, with the generic code found on disk
};
template <>
inline constexpr auto kWords<FirstWay> = std::to_array<Word<FirstWay>>({{FirstWay::kAhead, "ahead"},
                                                                        {FirstWay::kCold, "cold"},
                                                                        {FirstWay::kDisk, "disk"},
                                                                        {FirstWay::kBackground, "background"},
                                                                        {FirstWay::kBackgroundDisk,
                                                                         "background_disk"}});

/// Seconds from the wish for a kernel, its inputs in place, to the end of the first step; one value for each
/// time that it was measured.
struct FirstTimes {
  std::vector<double> seconds;
  std::vector<double> swap_seconds;  ///< to the case's own code, of the ways in the background
};

/// The cost of a case's code before its step can run; lists hold one value for each cold compile.
struct CaseCosts {
  std::vector<double> compile_seconds;  ///< with nothing in any cache
  std::vector<double> load_seconds;     ///< load time in the driver, after a compile
  std::vector<double> disk_seconds;     ///< from the key to loaded code, out of the disk cache
  std::uint64_t binary_bytes = 0;
  std::vector<std::string> keys;          ///< keys of its units: equal keys mean equal machine code
  std::map<FirstWay, FirstTimes> first;   ///< the ways that were measured
  std::vector<MachineCode> machine_code;  ///< code of the step's kernels; empty if no tool reads it

  /// Sum over all kernels of a step; absent unless it is known for each.
  [[nodiscard]] std::optional<std::uint64_t> code_bytes() const;
  [[nodiscard]] std::optional<std::uint64_t> instructions() const;
};

/// The samples that one round took of a case, in seconds of one step.
struct Visit {
  std::vector<double> seconds;
  std::vector<double> launches;  ///< median of each launch of the step

  /// The value of this round: its samples stand too close together to count as many.
  [[nodiscard]] double median() const;
};

/// The line of a case: all that is known before the rounds, but for its record.
struct CaseLine {
  std::string section, device;
  StudyCase which;
  std::string compiled_by;
  std::optional<CaseCosts> costs;  ///< absent: it does not compile
};

/// The line of a visit.
struct VisitLine {
  std::string section, device, name;
  std::size_t round = 0;
  Visit visit;
};

}  // namespace kiln
