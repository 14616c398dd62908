// What reads a kernel's text before a compiler does: includes, outline, the analyses and edits for the CPU.
// An input is the text and its headers, each after a line "==NAME\n".
#include <algorithm>
#include <set>
#include <string>

#include "compile/cpu/barrier_analysis.h"
#include "compile/cpu/guard_marks.h"
#include "compile/cpu/host_text.h"
#include "compile/cpu/lane_index.h"
#include "compile/outline.h"
#include "fuzz/fuzz_target.h"
#include "specialize/include_scan.h"
#include "specialize/includes.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::require;

std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// Edits lie in the text and keep its lines.
void require_sound(const std::string& text, const std::vector<TextEdit>& edits) {
  for (const TextEdit& edit : edits)
    require(edit.offset <= text.size() && edit.length <= text.size() - edit.offset);
  require(lines(apply_edits(text, edits)) >= lines(text));
}

void analyse(const std::string& text) {
  const Outline found = outline(text);
  static_cast<void>(find_kernels(text));
  static_cast<void>(dynamic_shared_assignments(found));
  static_cast<void>(includes_unseen_header(found, {"a.h"}));
  std::set<std::string_view> macros;
  collect_macros(found, macros);
  for (const DefinitionOutline& definition : found.definitions) {
    require(definition.body.begin <= definition.body.end &&
            definition.body.end <= found.source.tokens.size());
    if (!definition.kernel) continue;
    require_sound(text, mark_guards(found, definition, macros));
    static_cast<void>(may_wait(definition.name, {&found}));
  }
  require_sound(text, mark_lane_indices(found));
  require_sound(text, host_edits(found, text, true));
  require_sound(text, host_edits(found, text, false));
}

void scan(const std::string& text) {
  for (const IncludeUse& use : find_include_uses(text)) {
    require(use.offset <= text.size() && use.length <= text.size() - use.offset);
    require(use.line >= 1 && use.line <= lines(text) + 1);
  }
  static_cast<void>(find_header_macros(text));
  static_cast<void>(parse_header_name(text));
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const auto contents = test::split_files(test::text_of(data, size), "k.cu");
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/w/include", false);
  for (const auto& [name, text] : contents) {
    if (test::is_plain_name(name) && name != "include") files.write_file("/w/" + name, text, false);
  }
  const std::string& text = contents.at("k.cu");
  scan(text);
  analyse(text);
  test::attempt([&] {
    const Includes found =
        find_includes(files, text, {"/w/k.cu", {}, {"/w/include", "/w"}, {{"NAME", "\"a.h\""}}});
    test::require(found.headers.size() <= contents.size());
  });
  return 0;
}
