#include "compile/cpu/host_compiler.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "compile/identity_memo.h"
#include "compile/outside_headers.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kInstallCompiler = "install one, for example with 'apt-get install g++'";

std::string locate(const std::string& wanted, ProcessRunner& processes) {
  if (!wanted.empty()) {
    if (const auto path = processes.find_program(wanted)) return *path;
    throw environment_error("no C++ compiler for CPU kernels: '" + wanted +
                            "' is not a program that can be run; correct the setting or " + kInstallCompiler);
  }
  for (const char* name : {"g++", "clang++", "c++"}) {
    if (const auto path = processes.find_program(name)) return *path;
  }
  throw environment_error(
      std::string("no C++ compiler for CPU kernels: looked for g++, clang++ and c++ in PATH; ") +
      kInstallCompiler);
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

std::vector<std::filesystem::path> find_header_folders(const HostCompiler& compiler,
                                                       const std::filesystem::path& memo,
                                                       ProcessRunner& processes, FileSystem& files,
                                                       Log& log) {
  const std::string stamp = program_stamp(compiler.path, files);
  if (const auto known = recall_identity(memo, stamp, files)) {
    const std::vector<std::string> parts = split(*known, '\t');
    const std::vector<std::string> missing = split(parts.size() > 1 ? parts[1] : "", ':');
    const bool current = std::none_of(missing.begin(), missing.end(), [&](const std::string& folder) {
      return !folder.empty() && files.target_status(folder);
    });
    const std::vector<std::string> folders = split(parts[0], ':');
    if (current) return {folders.begin(), folders.end()};
  }
  Command command;
  command.program = "env";  // without the folders that this process's variables would put first
  command.arguments = {"-u", "CPATH", "-u", "CPLUS_INCLUDE_PATH", "LC_ALL=C", compiler.path, "-x", "c++",
                       "-E", "-v",    "-"};
  command.time_limit = std::chrono::seconds(20);
  const ProcessResult result = processes.run(command);
  if (!result.ok()) return {};
  SearchList list = parse_search_list(result.error);
  const auto joined = [](const std::vector<std::filesystem::path>& folders) {
    std::vector<std::string> names;
    names.reserve(folders.size());
    for (const std::filesystem::path& folder : folders) names.push_back(folder.string());
    return join(names, ":");
  };
  if (!list.folders.empty())
    remember_identity(memo, stamp, joined(list.folders) + "\t" + joined(list.missing), files, log);
  return std::move(list.folders);
}

HostCompiler find_host_compiler(const std::string& wanted, const std::filesystem::path& memo,
                                ProcessRunner& processes, FileSystem& files, Log& log) {
  HostCompiler compiler;
  compiler.path = locate(wanted, processes);
  const std::string key = program_stamp(compiler.path, files);
  if (const auto version = recall_identity(memo, key, files)) {
    compiler.version = *version;
  } else {
    compiler.version = ask(compiler.path, processes);
    remember_identity(memo, key, compiler.version, files, log);
  }
  compiler.name = compiler.version.find("clang") != std::string::npos ? "clang++" : "g++";
  return compiler;
}

}  // namespace kiln
