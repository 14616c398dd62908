#include "compile/cpu/host_compiler.h"

#include <optional>
#include <system_error>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstall = "install one, for example with 'apt-get install g++'";

std::string locate(const std::string& wanted, ProcessRunner& processes) {
  if (!wanted.empty()) {
    if (const auto path = processes.find_program(wanted)) return *path;
    throw environment_error("no C++ compiler for CPU kernels: '" + wanted +
                            "' is not a program that can be run; correct the setting or " + kInstall);
  }
  for (const char* name : {"g++", "clang++", "c++"}) {
    if (const auto path = processes.find_program(name)) return *path;
  }
  throw environment_error(
      std::string("no C++ compiler for CPU kernels: looked for g++, clang++ and c++ in PATH; ") + kInstall);
}

/// "<resolved path>\t<size>\t<modified>": what the memo's lines start with. Empty if the program cannot be
/// examined.
std::string stamp(const std::string& path, FileSystem& files) {
  std::error_code failure;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failure);
  const std::filesystem::path& examined = failure ? std::filesystem::path(path) : resolved;
  const std::optional<FileStatus> status = files.status(examined);
  if (!status) return {};
  return examined.string() + "\t" + std::to_string(status->size) + "\t" + std::to_string(status->modified_ns);
}

std::optional<std::string> recall(const std::filesystem::path& memo, const std::string& key,
                                  FileSystem& files) {
  if (memo.empty() || key.empty()) return std::nullopt;
  try {
    for (const std::string& line : split(files.read_file(memo).value_or(""), '\n')) {
      if (line.rfind(key + "\t", 0) == 0 && line.size() > key.size() + 1) return line.substr(key.size() + 1);
    }
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;  // asking the compiler again is always possible
  }
  return std::nullopt;
}

/// Replaces the memo by one line: a machine has one compiler at a time, and an old stamp never returns.
void remember(const std::filesystem::path& memo, const std::string& key, const std::string& version,
              FileSystem& files, Log& log) {
  if (memo.empty() || key.empty()) return;
  try {
    const std::filesystem::path fresh =
        memo.string() + "." + std::to_string(std::hash<std::string>{}(key + version));
    if (memo.has_parent_path()) files.make_directories(memo.parent_path(), true);
    files.write_file(fresh, key + "\t" + version + "\n", false);
    if (!files.rename(fresh, memo)) files.remove_all(fresh);
  } catch (const std::filesystem::filesystem_error& error) {
    log.debug(std::string("the compiler's version is not remembered: ") + error.what());
  }
}

std::string ask(const std::string& path, ProcessRunner& processes) {
  Command command;
  command.program = path;
  command.arguments = {"--version"};
  command.time_limit = std::chrono::seconds(20);
  const ProcessResult result = processes.run(command);
  std::string line(trim(split(result.output, '\n').front()));
  if (result.ok() && !line.empty()) return line;
  throw environment_error("the C++ compiler '" + path + "' does not answer to --version" +
                          (result.error.empty() ? "" : ": " + std::string(trim(result.error))));
}

}  // namespace

HostCompiler find_host_compiler(const std::string& wanted, const std::filesystem::path& memo,
                                ProcessRunner& processes, FileSystem& files, Log& log) {
  HostCompiler compiler;
  compiler.path = locate(wanted, processes);
  const std::string key = stamp(compiler.path, files);
  if (const auto version = recall(memo, key, files)) {
    compiler.version = *version;
  } else {
    compiler.version = ask(compiler.path, processes);
    remember(memo, key, compiler.version, files, log);
  }
  compiler.name = compiler.version.find("clang") != std::string::npos ? "clang++" : "g++";
  return compiler;
}

}  // namespace kiln
