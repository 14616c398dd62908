// The readers of what processes leave for each other: a capsule, what became of it, and a worker's outcome.
// An input is the files of a folder, the first of them capsule.json, each other one after a line "==NAME\n".
#include <string>

#include "base/hash.h"
#include "fuzz/fuzz_target.h"
#include "isolate/capsule.h"
#include "isolate/outcome.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::require;

/// A capsule that was read can be written, and is then read as the same text.
void write_again(FileSystem& files, const Capsule& capsule) {
  files.make_directories("/again", true);
  files.make_directories("/third", true);
  write_capsule(files, "/again", capsule);
  write_capsule(files, "/third", read_capsule(files, "/again"));
  require(files.read_file("/again/capsule.json") == files.read_file("/third/capsule.json"));
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/capsule/headers", true);
  for (const auto& [name, bytes] : test::split_files(test::text_of(data, size), "capsule.json")) {
    const bool header = name.starts_with("headers/") && test::is_plain_name(name.substr(8));
    if (header || test::is_plain_name(name)) {
      if (name != "headers") files.write_file("/capsule/" + name, bytes, false);
    }
  }
  test::attempt([&] { write_again(files, read_capsule(files, "/capsule")); });
  static_cast<void>(read_failure(files, "/capsule"));
  const WorkerOutcome outcome = read_outcome(files, "/capsule");
  if (const auto* garbage = std::get_if<OutcomeGarbage>(&outcome)) test::require(!garbage->what.empty());
  return 0;
}
