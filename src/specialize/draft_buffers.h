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
  /// `owner`: the buffer of records, and the members in it, that a pointer among their members stands in.
  std::string buffer_name(const TextParameter& pointer, const std::string& argument, const TextKernel& kernel,
                          const ArgumentType& type, const std::string& elements, bool has_input,
                          const std::string& owner = "");

  std::string texture_argument(const TextParameter& parameter, const TextKernel& kernel,
                               const std::string& elements);

  std::string tensor_map_argument(const TextParameter& parameter, const TextKernel& kernel);

  /// "name: buffer", for a variable in constant memory; absent: the variable has no form in a workload. A
  /// pointer gets the address of a buffer, which has `elements` if the program does not tell.
  std::optional<std::string> symbol(const std::string& variable, const TextKernel& kernel,
                                    const std::string& elements);
  /// "ns::total: total", of a variable of the device that the host reads; absent where it has no form.
  [[nodiscard]] std::optional<std::string> read_symbol(const std::string& variable, const TextKernel& kernel);

  [[nodiscard]] const std::vector<DraftLine>& types() const { return record_lines_; }
  [[nodiscard]] const std::vector<DraftLine>& lines() const { return buffer_lines_; }
  /// The first buffer that a kernel may write.
  [[nodiscard]] std::string output() const;

 private:
  [[nodiscard]] std::string of_variable(const std::string& variable, const std::string& name) const;
  /// What the program has in a buffer before the first launch, as an `init`; absent: numbers of the host.
  [[nodiscard]] std::optional<std::string> content_of(const std::string& given,
                                                      const std::string& type) const;

  /// Elements that the program allocates for what it passes; nothing where a workload's parameters do not
  /// tell.
  std::optional<std::string> allocated_extent(const TextParameter& pointer, const std::string& given,
                                              const TextKernel& kernel);

  void add_record_type(const std::string& name, const TextKernel& kernel);
  /// The buffer with a variable's content; empty: there is no form for it.
  std::string content_of_variable(const std::string& variable, const TextKernel& kernel,
                                  const std::string& elements);
  /// The buffers of a pointer or of an array of `extent` pointers, as a list; empty: there is no form for it.
  std::string addresses(const TextParameter& pointer, std::int64_t extent, const TextKernel& kernel,
                        const std::string& elements, const std::string& owner);
  [[nodiscard]] bool has_pointers(const std::string& type, int depth = 0) const;
  /// What a buffer of records holds at first: zeros, or the members if there are pointers or `by_member`.
  std::string record_init(const std::string& type, bool by_member, const TextKernel& kernel,
                          const std::string& elements, const std::string& owner);
  void add_members_init(const std::string& prefix, const std::string& type, const TextKernel& kernel,
                        const std::string& elements, const std::string& owner,
                        std::vector<std::string>& members);

  DraftScalars& scalars_;
  const DraftTypes& types_;
  const ProgramText& program_;
  std::set<std::string> records_;
  std::set<std::string> open_records_;  // whose content is being made
  std::map<std::string, std::string> buffers_;
  std::vector<DraftLine> record_lines_, buffer_lines_;
};

}  // namespace kiln
