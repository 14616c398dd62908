#pragma once

#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// Why a text of HIP is written for wavefronts of 64 work-items, with the place: "'WARP_SIZE' is 64
/// (k.hip:3)", "a shuffle across 32 lanes (k.hip:9)". Empty for texts that are not HIP's, and where nothing
/// shows it.
[[nodiscard]] std::string wavefronts_of_64(const std::string& text, const std::string& name);
/// For a source and its headers.
[[nodiscard]] std::string wavefronts_of_64(const Specialization& specialization);

}  // namespace kiln
