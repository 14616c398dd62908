#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The error in a file that should be ELF: a clause, "it is cut short".
struct BadElf : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A 64-bit little-endian ELF file, the format of all back ends' machine code. A view: the bytes outlive it.
/// Every length in the file is checked; an offset outside the file throws BadElf.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::uint32_t type = 0, link = 0;
    std::uint64_t flags = 0;
    std::string_view content;  ///< empty for sections without bytes in the file
    std::uint64_t bytes = 0;   ///< size in memory, also of sections without bytes in the file
  };
  struct Segment {
    std::uint32_t type = 0;
    std::string_view content;
  };
  struct Symbol {
    std::string_view name;
    bool function = false, thread_local_variable = false;
    std::uint64_t address = 0, bytes = 0;
  };

  explicit ElfFile(std::string_view file);

  [[nodiscard]] std::uint16_t type() const { return type_; }  ///< ET_REL, ET_EXEC, ET_DYN
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// The symbols of the linker's table or of the loader's table.
  [[nodiscard]] std::vector<Symbol> symbols() const;
  [[nodiscard]] std::vector<Symbol> dynamic_symbols() const;

 private:
  [[nodiscard]] std::vector<Symbol> symbols_in(std::uint32_t table_type) const;

  std::uint16_t type_ = 0;
  std::uint16_t machine_ = 0;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

}  // namespace kiln
