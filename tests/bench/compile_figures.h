#pragma once

#include "figures.h"
#include "scratch_folder.h"

namespace kiln::bench {

/// Seconds of `kiln compile` for `count` variants of the small stencil (kSmallStencil) that no cache has, as
/// `jobs` compiles at once; `next` numbers them.
[[nodiscard]] double compile_variants(const BenchOptions& options, const ScratchFolder& scratch, int jobs,
                                      int count, int& next);

/// Seconds for `count` units by `processes` programs at once that call NVRTC and do nothing else.
[[nodiscard]] double compile_bare(const BenchOptions& options, int processes, int count);

/// Waits until processes that were ended have given their memory back, which would slow what is measured
/// next.
void let_processes_go();

}  // namespace kiln::bench
