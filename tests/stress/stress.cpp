#include "stress.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/hash.h"

namespace kiln::stress {

Place::Place(const Options& options)
    : files(make_real_file_system()),
      clock(make_system_clock()),
      scratch(make_scratch_folder(*files, options.folder, "kiln-stress-")) {}

CacheKey key_of(std::uint64_t number) {
  FieldHasher hasher;
  hasher.field("number", static_cast<std::int64_t>(number));
  return {hasher.hex(), hasher.preimage()};
}

CodeObject code_of(std::uint64_t number, std::size_t bytes) {
  CodeObject code;
  code.format = "fake";
  const std::string pattern = key_of(number).digest;
  while (code.binary.size() < bytes) code.binary += pattern;
  code.binary.resize(bytes);
  return code;
}

pid_t start_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = body();
  } catch (const std::exception& error) {
    const ssize_t written =
        ::write(STDERR_FILENO, error.what(), std::char_traits<char>::length(error.what()));
    static_cast<void>(written);  // nothing is left to say it with
  }
  ::_exit(code);
}

int wait_for(pid_t child) {
  constexpr int kSignalled = 1000;
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return kSignalled;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

CompileResult CountingCompiler::compile(const Specialization& specialization, const std::stop_token& stop) {
  files_.append_file(count_, specialization.source_text + "\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_));
  CompileResult result = FakeCompiler::compile(specialization, stop);
  std::get<CodeObject>(result).binary = counted_binary(specialization, bytes_);
  return result;
}

std::string counted_binary(const Specialization& specialization, std::size_t bytes) {
  std::string binary = test::fake_binary(specialization);
  binary.resize(std::max(bytes, binary.size()), '.');
  return binary;
}

}  // namespace kiln::stress
