#pragma once

#include <string>
#include <vector>

#include "report/ceilings.h"
#include "report/portability.h"

namespace kiln {

/// One page with all of it: the comparison's tables, bars of the median times with their intervals, a heat
/// map where two numbers were swept, a roofline for each device with ceilings, and a table of the records. It
/// needs nothing from elsewhere: style sheet and pictures are in it, there is no script. Light or dark as the
/// reader's system is.
[[nodiscard]] std::string html_page(const std::vector<Record>& records, const Portability& report,
                                    const std::vector<DeviceCeilings>& ceilings);

}  // namespace kiln
