#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "config/job_fields.h"
#include "config/tune_section.h"
#include "config/yaml_node.h"

namespace kiln {

/// `measure:` of a job.
struct MeasureSpec {
  double min_time = 0.5;  ///< seconds
  double max_time = 10;   ///< seconds
  std::size_t min_samples = 5;
  std::size_t max_samples = 1000;
  bool cold = false;    ///< flush the last-level cache before each sample
  bool energy = false;  ///< joules of a step, too
  bool enabled = true;  ///< `measure: false`: check only
};

/// Whether a list of names and values, such as a job's `set` or `sweep`, has that name.
template <class Entries>
[[nodiscard]] bool has_name(const Entries& entries, const std::string& name) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == name; });
}

/// The content of a job file, checked for form but not yet against the workload.
struct JobSpec {
  std::string file;
  std::string text;                         ///< the whole file, for the digest in records
  std::string workload;                     ///< a name or a path; empty when `inline_workload` is set
  std::optional<YamlNode> inline_workload;  ///< `workload:` given as a map
  SourceLocation workload_where;
  std::vector<std::string> devices = {"auto"};
  std::vector<std::pair<std::string, RawValue>> set;  ///< parameter, bind.<parameter>, fast_math, graph
  std::vector<std::pair<std::string, std::vector<RawValue>>> sweep;  ///< in order; the last varies fastest
  std::vector<std::pair<std::string, RawValue>> keep;  ///< buffer -> file, with {parameter} placeholders
  MeasureSpec measure;
  bool spread = false;          ///< each variant runs on one of the devices, not on all
  std::string output;           ///< folder; empty: none
  std::string isolation;        ///< auto, none or process; empty: as the setting says
  bool wisdom = false;          ///< parameters that nothing gives take the values of the nearest wisdom
  std::string wisdom_from;      ///< a file or folder; empty: the usual folders
  SourceLocation wisdom_where;  ///< of that path
  bool strict_wisdom = false;   ///< no wisdom, or a stale one, is an error
  bool require_checks = false;  ///< a variant that no check has compared makes `kiln run` fail
  TuneSection tune;             ///< for `kiln tune`; other commands ignore it
};

/// Whether a YAML file describes a workload.
[[nodiscard]] bool is_workload_file(const YamlNode& root);

/// Reads and checks a job file, or a workload's file as a job with that workload alone. Throws bad_input with
/// file, line, column, key and the nearest known key.
[[nodiscard]] JobSpec load_job(FileSystem& files, const std::string& path);
/// load_job() for text in memory; `name` replaces the file's name in messages.
[[nodiscard]] JobSpec parse_job(const std::string& text, const std::string& name);

/// `--set k=v`: replaces what the file sets, sweeps or tunes for `k`. Paths are relative to the working
/// directory.
void apply_set(JobSpec& job, const std::string& assignment);
/// `--sweep k=v1,v2`.
void apply_sweep(JobSpec& job, const std::string& assignment);
/// `--keep buffer=file`: replaces what the file says of the buffer.
void apply_keep(JobSpec& job, const std::string& assignment);

}  // namespace kiln
