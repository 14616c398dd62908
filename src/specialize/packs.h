#pragma once

#include "specialize/program_text.h"

namespace kiln {

/// Gives kernels whose template ends with a pack as many parameters as a launch shows: `Ts... ts` becomes
/// `Ts_1 ts_1, Ts_2 ts_2`, and `int... Ns` of `k<4, 8>` `int Ns_1, int Ns_2`. Kernels for which no launch
/// shows the number keep the pack.
void write_out_packs(ProgramText& program);

}  // namespace kiln
