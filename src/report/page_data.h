#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/study_results.h"
#include "report/ceilings.h"
#include "report/portability.h"
#include "report/timeline.h"

namespace kiln {

/// What a page shows; `report` is the comparison of `records`. Each member may be empty.
struct PageContent {
  const std::vector<Record>& records;
  const Portability& report;
  const std::vector<DeviceCeilings>& ceilings;
  const std::vector<StudyReport>& studies;
  std::vector<Timeline> timelines = {};
};

/// The data for the plots and filters of a page (page/page_script.js), as one line of JSON that may stand in
/// an element <script>. Numbers that are not finite are null or left out. Members:
/// - devices: the set of the comparison, names
/// - records: workload, device, label, run, time, status, step ([median, low, high] in seconds, or null),
///   metrics (name, unit, value, higher: is better), parameters (name: text), swept (name: number, those that
///   the label names), block (index, or null)
/// - blocks, one for each workload and problem: title, workload, variants (name, and for each device the best
///   record's index or null, and the state in words)
/// - ceilings: device, ceilings (name, unit, value)
/// - studies: workload, device, cases (name, failure, step), ratios (caption, marks of label and [median,
///   low, high]), amortisation (caption, axis, launches, curves of label, ratios and texts)
/// - timelines: caption, lanes, spans (lane, kind, name, begin, seconds)
[[nodiscard]] std::string page_data_json(const PageContent& content);

/// Indices of the records whose values a row of the comparison shows: "0 7".
[[nodiscard]] std::string records_of_row(const PageContent& content, std::size_t row);

}  // namespace kiln
