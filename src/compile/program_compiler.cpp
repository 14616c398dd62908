#include "compile/program_compiler.h"

#include <mutex>
#include <optional>

#include "base/hash.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "compile/identity_memo.h"
#include "compile/lowered_names.h"
#include "compile/portable_header.h"
#include "compile/process_diagnosis.h"
#include "compile/rtc_diagnosis.h"
#include "compile/unit_files.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// Version of the text that Kiln adds to every compile; it grows if that text changes the code.
constexpr std::int64_t kUnitFormat = 1;

class ProgramCompiler final : public Compiler {
 public:
  ProgramCompiler(CompilerRecipe recipe, ProgramCompilerOptions options, ProcessRunner& processes,
                  FileSystem& files, Log& log)
      : recipe_(std::move(recipe)),
        options_(std::move(options)),
        processes_(processes),
        files_(files),
        log_(log) {}

  const CompilerIdentity& identity() override {
    const std::lock_guard lock(mutex_);
    if (!identity_) {
      program_ = locate();
      const std::string answer = ask();
      FieldHasher hasher;
      hasher.field("unit", kUnitFormat).field("portable.h", portable_header()).field("version", answer);
      identity_ = CompilerIdentity{recipe_.name, recipe_.version_in(answer), hasher.hex()};
    }
    return *identity_;
  }

  Target target_for(const std::string& arch) override { return recipe_.target_for(arch); }

  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
    static_cast<void>(identity());
    try {
      return compile_in(make_shared_scratch(files_, options_.scratch, recipe_.name), specialization, stop);
    } catch (const std::filesystem::filesystem_error& error) {
      throw temporary_folder_error(options_.scratch, error);
    }
  }

 private:
  std::string locate() {
    for (const std::string& program : recipe_.programs) {
      if (const auto path = processes_.find_program(program)) return *path;
    }
    throw environment_error("no " + recipe_.name + " was found: " + recipe_.advice);
  }

  std::string ask() {
    const std::string stamp = program_stamp(program_, files_);
    if (const auto answer = recall_identity(options_.identity_memo, stamp, files_)) return *answer;
    Command command;
    command.program = program_;
    command.arguments = {"--version"};
    command.time_limit = std::chrono::seconds(20);
    const ProcessResult result = processes_.run(command);
    if (!result.ok() || trim(result.output).empty()) {
      throw environment_error("'" + program_ + "' does not answer to --version" +
                              (result.error.empty() ? "" : ": " + std::string(trim(result.error))));
    }
    std::string answer(trim(result.output));
    std::replace(answer.begin(), answer.end(), '\n', '\t');  // the memo is one line
    remember_identity(options_.identity_memo, stamp, answer, files_, log_);
    return answer;
  }

  CompileResult compile_in(const ScratchFolder& folder, const Specialization& specialization,
                           const std::stop_token& stop) {
    const std::filesystem::path& work = folder.get().path;
    const std::filesystem::path include = work / "include";
    const std::filesystem::path binary = work / "binary";
    RtcUnit unit = recipe_.make_unit(specialization);
    write_unit_headers(files_, include, unit.headers);
    files_.write_file(include / recipe_.source_file, unit.text + entry_uses(specialization.entries), false);

    Command command;
    command.program = program_;
    command.directory = work.string();
    command.time_limit = options_.time_limit;
    command.stop = stop;
    command.arguments = recipe_.options(specialization);
    const std::filesystem::path source(specialization.source_path);
    if (source.has_parent_path()) command.arguments.push_back("-I" + source.parent_path().string());
    command.arguments.insert(command.arguments.end(), {"-I" + include.string(), "-o", binary.string(),
                                                       (include / recipe_.source_file).string()});
    ProcessResult result = processes_.run(command);
    if (result.stopped) throw Cancelled();
    result.error += result.output;
    const std::string repeat = program_ + " " + join(command.arguments, " ");
    if (!result.ok()) {
      Diagnostic diagnostic = process_diagnosis(result, {recipe_.name, program_, options_.time_limit},
                                                specialization.source_name);
      diagnostic.command = repeat;
      if (auto missing = missing_kernel(specialization)) diagnostic.summary = *std::move(missing);
      return diagnostic;
    }
    auto code = files_.read_file(binary);
    if (!code)
      return Diagnostic{recipe_.name + " succeeded but wrote no file", result.error, repeat, true, true};
    CompileResult product = recipe_.product(*std::move(code), result.error, specialization);
    if (auto* object = std::get_if<CodeObject>(&product)) object->compile_seconds = result.seconds;
    if (auto* diagnostic = std::get_if<Diagnostic>(&product)) diagnostic->command = repeat;
    return product;
  }

  CompilerRecipe recipe_;
  ProgramCompilerOptions options_;
  ProcessRunner& processes_;
  FileSystem& files_;
  Log& log_;
  std::mutex mutex_;  // guards the members below, which do not change once they are set
  std::string program_;
  std::optional<CompilerIdentity> identity_;
};

}  // namespace

std::unique_ptr<Compiler> make_program_compiler(CompilerRecipe recipe, ProgramCompilerOptions options,
                                                ProcessRunner& processes, FileSystem& files, Log& log) {
  return std::make_unique<ProgramCompiler>(std::move(recipe), std::move(options), processes, files, log);
}

}  // namespace kiln
