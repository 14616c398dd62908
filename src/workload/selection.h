#pragma once

#include <string>
#include <vector>

#include "workload/configuration.h"
#include "workload/workload.h"

namespace kiln {

/// Whether the statement's `when` holds, or depends on what the program does.
[[nodiscard]] bool is_selected(const Configuration& configuration, const StatementSpec& statement);

/// The launches of a program that may run, those in bodies and branches included, in the order of the text.
[[nodiscard]] std::vector<const LaunchSpec*> selected_launches(const Configuration& configuration,
                                                               const ProgramSpec& program);

/// Buffers by name, with the place where each is named.
using NamedBuffers = std::vector<std::pair<std::string, SourceLocation>>;
/// Buffers that the statement names, or its kernel takes; without statements inside of it.
[[nodiscard]] NamedBuffers buffers_of(const StatementSpec& statement);
/// Buffers of the statement and of statements inside of it, as far as they may run.
[[nodiscard]] NamedBuffers buffers_taken(const Configuration& configuration, const StatementSpec& statement);
[[nodiscard]] NamedBuffers buffers_taken(const Configuration& configuration, const ProgramSpec& program);

/// The launches of one step. Throws bad_input if there is none, if two kernels go by one name, or if a metric
/// reads the time of a launch that is not among them.
[[nodiscard]] std::vector<const LaunchSpec*> selected_run(const Configuration& configuration);

/// Throws the same for any value of the choices that `run` depends on, as far as it depends on choices alone:
/// what is wrong with a variant is found before that variant is asked for.
void check_every_selection(const Workload& workload);

}  // namespace kiln
