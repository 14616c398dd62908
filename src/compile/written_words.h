#pragma once

#include "compile/compiler.h"

namespace kiln {

/// If the cause of a failed compile is an option or a name of the workload's file, puts its place in front of
/// the diagnostic's summary, with the nearest name: "w.yaml:12:5: kernels.k.template_args[0]: 'flaot', did
/// you mean 'float'?: <summary>". The compiler has to name it in an error; a name that is in the kernel's
/// text, too, may have another place.
void name_written_place(Diagnostic& diagnostic, const Specialization& specialization);

}  // namespace kiln
