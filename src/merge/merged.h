#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/json_lines.h"

// The joined content of several files of one kind: `kiln merge`. The order of the inputs does not matter, and
// a result can be merged again with its inputs.
namespace kiln {

struct MergeInput {
  std::string file;  ///< its name in messages
  JsonLines lines;
};

struct Merged {
  std::string text;
  std::size_t kept = 0;     ///< records, outcomes, or results of a study
  std::size_t dropped = 0;  ///< that others of the same key stand for
};

struct MergeOptions {
  bool all = false;    ///< every record that differs, in place of the newest of each variant
  bool mixed = false;  ///< also records of other sources and versions of Kiln
};

/// One record for each variant (label, values, sources, compiler) and class of device (a device's number does
/// not matter): the newest that was run. Throws bad_input, unless `mixed`, where two records of a workload
/// are of different sources, or two of different versions of Kiln; names both places.
[[nodiscard]] Merged merge_records(const std::vector<MergeInput>& inputs, const MergeOptions& options);

/// One outcome for each point: the newest. Questions to searchers, finalists and ends are left out, because
/// they belong to one search. Throws bad_input if workload, source, space, device, compiler, driver or
/// version differ.
[[nodiscard]] Merged merge_journals(const std::vector<MergeInput>& inputs);

/// One block for each section and device: of several that which has a result, then the newest. Devices of
/// different kinds that have the same id get their names behind it. Throws bad_input where sections, sources,
/// seed, samples, compiles or version differ.
[[nodiscard]] Merged merge_studies(const std::vector<MergeInput>& inputs);

/// Throws bad_input: `what` is `value` at one place and `other_value` at the other.
[[noreturn]] void refuse_to_merge(const std::string& what, const std::string& value, const std::string& place,
                                  const std::string& other_value, const std::string& other_place,
                                  const std::string& hint = "");

}  // namespace kiln
