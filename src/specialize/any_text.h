#pragma once

#include <algorithm>

#include "specialize/specialization.h"

namespace kiln {

/// Whether the source text or the text of one of the headers satisfies `holds`.
template <class Predicate>
[[nodiscard]] bool any_text(const Specialization& specialization, const Predicate& holds) {
  return holds(specialization.source_text) ||
         std::any_of(specialization.headers.begin(), specialization.headers.end(),
                     [&](const IncludedHeader& header) { return holds(header.text); });
}

}  // namespace kiln
