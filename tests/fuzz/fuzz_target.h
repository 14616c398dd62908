#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// What libFuzzer and replay_main.cpp call with each input. Anything but a return is a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kiln::test {

/// A finding.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace kiln::test
