#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// What is wrong with a file that should be ELF: a clause, "it is cut short".
struct BadElf : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A 64-bit little-endian ELF file, as all back ends' machine code is. A view: the bytes outlive it. Every
/// length in the file is checked; what lies outside throws BadElf.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    std::uint32_t type = 0, link = 0;
    std::uint64_t flags = 0;
    std::string_view content;  ///< empty for those without bytes in the file
    std::uint64_t bytes = 0;   ///< of memory, also of those
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
  /// Of the table that the linker sees, or of the one that the loader sees.
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
