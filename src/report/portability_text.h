#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/study_results.h"
#include "report/portability.h"
#include "report/text_table.h"

namespace kiln {

/// A heading and a table for each problem and figure, with a line for each application: value and efficiency
/// on each device, harmonic and arithmetic mean; then the notes.
[[nodiscard]] std::string portability_to_terminal(const Portability& report, const TextStyle& style);
[[nodiscard]] std::string portability_to_markdown(const Portability& report);
/// The comparison of the devices of one run: for a terminal of this `style`, or as Markdown if `style` is
/// null. Empty if fewer than two devices have records.
[[nodiscard]] std::string devices_text(const std::vector<Record>& records, const TextStyle* style);
/// A line for each application and device (RFC 4180); an unknown value is an empty field.
[[nodiscard]] std::string portability_to_csv(const Portability& report);
/// JSON in the form of schemas/report.schema.json, indented: the comparison, and the studies' findings.
[[nodiscard]] std::string portability_to_json(const Portability& report,
                                              const std::vector<StudyReport>& studies);

/// "stencil7 T=double nx=512: effective_bandwidth, GB/s".
[[nodiscard]] std::string portability_heading(const PortabilityRow& row);
/// The table of the row `first` and the rows after it that share its problem and figure.
[[nodiscard]] TextTable portability_table(const Portability& report, std::size_t first);
/// The number of rows from `first` on that share its problem and figure.
[[nodiscard]] std::size_t portability_rows(const Portability& report, std::size_t first);

}  // namespace kiln
