#include "trial/overlap_check.h"

#include "trial/buffer_layout.h"
#include "workload/selection.h"

namespace kiln {
namespace {

class OverlapCheck {
 public:
  explicit OverlapCheck(const Configuration& configuration) : configuration_(configuration) {}

  void check(const ProgramSpec& program) const {
    for (const StatementSpec& statement : program) {
      if (!is_selected(configuration_, statement)) continue;
      if (const auto* copy = std::get_if<CopySpec>(&statement.action)) check_copy(*copy, statement.where);
      if (const auto* repeat = std::get_if<RepeatSpec>(&statement.action)) check(repeat->body);
      if (const auto* parallel = std::get_if<ParallelSpec>(&statement.action)) check_branches(*parallel);
    }
  }

 private:
  [[nodiscard]] bool overlap(const std::string& first, const std::string& second) const {
    const Workload& workload = configuration_.workload();
    const BufferSpec& a = *workload.find_buffer(first);
    const BufferSpec& b = *workload.find_buffer(second);
    if (!a.view && !b.view) return &a == &b;
    return layout_of(configuration_, a).overlaps(layout_of(configuration_, b));
  }

  void check_copy(const CopySpec& copy, const SourceLocation& where) const {
    if (!overlap(copy.from, copy.to)) return;
    throw bad_input("copy: '" + copy.from + "' and '" + copy.to +
                        "' have bytes in common; expected buffers " + "or views that have none",
                    where);
  }

  void check_branches(const ParallelSpec& parallel) const {
    for (const ProgramSpec& branch : parallel.branches) {
      check(branch);
      NamedBuffers written;
      add_written(branch, written);
      for (const ProgramSpec& other : parallel.branches) {
        if (&other != &branch) require_apart(written, buffers_taken(configuration_, other));
      }
    }
  }

  void require_apart(const NamedBuffers& written, const NamedBuffers& taken) const {
    for (const auto& [name, where] : written) {
      for (const auto& [other, other_where] : taken) {
        if (!overlap(name, other)) continue;
        throw bad_input(
            "parallel: this writes '" + name + "', and another branch takes " +
                (other == name ? "it, too" : "'" + other + "', which has bytes in common with it") +
                "; expected branches that do not depend on each other",
            where);
      }
    }
  }

  /// Adds the buffers that statements which may run write, as far as known.
  void add_written(const ProgramSpec& program, NamedBuffers& written) const {
    for (const StatementSpec& statement : program) {
      if (!is_selected(configuration_, statement)) continue;
      if (const auto* fill = std::get_if<FillSpec>(&statement.action))
        written.emplace_back(fill->buffer, statement.where);
      if (const auto* copy = std::get_if<CopySpec>(&statement.action))
        written.emplace_back(copy->to, statement.where);
      if (const auto* repeat = std::get_if<RepeatSpec>(&statement.action)) add_written(repeat->body, written);
    }
  }

  const Configuration& configuration_;
};

}  // namespace

void check_overlaps(const Configuration& configuration, const ProgramSpec& program) {
  OverlapCheck(configuration).check(program);
}

}  // namespace kiln
