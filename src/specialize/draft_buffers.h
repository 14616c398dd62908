#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specialize/draft_lines.h"
#include "specialize/draft_scalars.h"
#include "specialize/draft_types.h"

namespace kiln {

/// The buffers of a drafted workload, and the types of their elements.
class DraftBuffers {
 public:
  DraftBuffers(const DraftTypes& types, DraftScalars& scalars)
      : scalars_(scalars), types_(types), program_(types.program()) {}

  /// The buffer of a pointer: named like what the program passes (`argument`), so that kernels share it.
  std::string buffer_name(const TextParameter& pointer, const std::string& argument, const TextKernel& kernel,
                          const ArgumentType& type, const std::string& elements, bool has_input);

  std::string texture_argument(const TextParameter& parameter, const TextKernel& kernel,
                               const std::string& elements);

  std::string tensor_map_argument(const TextParameter& parameter, const TextKernel& kernel);

  /// "name: buffer", for a variable in constant memory; absent: the variable has no form in a workload.
  std::optional<std::string> symbol(const std::string& variable, const TextKernel& kernel);

  [[nodiscard]] const std::vector<DraftLine>& types() const { return record_lines_; }
  [[nodiscard]] const std::vector<DraftLine>& lines() const { return buffer_lines_; }
  /// The first buffer that a kernel may write.
  [[nodiscard]] std::string output() const;

 private:
  /// What the program has in a buffer before the first launch, as an `init`; absent: numbers of the host.
  [[nodiscard]] std::optional<std::string> content_of(const std::string& given,
                                                      const std::string& type) const;

  /// Elements that the program allocates for what it passes; nothing where a workload's parameters do not
  /// tell.
  std::optional<std::string> allocated_extent(const TextParameter& pointer, const std::string& given,
                                              const TextKernel& kernel);

  void add_record_type(const std::string& name, const TextKernel& kernel);

  DraftScalars& scalars_;
  const DraftTypes& types_;
  const ProgramText& program_;
  std::set<std::string> records_;
  std::map<std::string, std::string> buffers_;
  std::vector<DraftLine> record_lines_, buffer_lines_;
};

}  // namespace kiln
