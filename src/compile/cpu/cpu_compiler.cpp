#include "compile/cpu/cpu_compiler.h"

#include <gnu/libc-version.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "compile/cpu/arch_options.h"
#include "compile/cpu/embedded_shim.h"
#include "compile/cpu/host_compiler.h"
#include "compile/cpu/local_types.h"
#include "compile/cpu/product_check.h"
#include "compile/cpu/unit.h"
#include "compile/cpu/unit_lanes.h"
#include "compile/cpu/warp_steps.h"
#include "compile/cuda_names.h"
#include "compile/language_version.h"
#include "compile/line_directive.h"
#include "compile/outline.h"
#include "compile/outside_headers.h"
#include "compile/process_diagnosis.h"
#include "compile/reduced_program.h"
#include "compile/unit_files.h"
#include "device/cpu/cpu_target.h"
#include "kiln/error.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

/// glibc's minor version if it has a vector math library, else 0.
int libmvec_version() {
#if defined(__x86_64__)
  const std::vector<std::string> parts = split(gnu_get_libc_version(), '.');
  const auto minor = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  return static_cast<int>(minor.value_or(0));
#else
  return 0;
#endif
}

/// Calls that would end the process go to the shim's functions (shim/warp.h), and so does clock.
constexpr const char* kOwnFunctions =
    "-Wl,--wrap=exit,--wrap=_exit,--wrap=_Exit,--wrap=quick_exit,--wrap=abort,--wrap=clock";

/// With this option a kernel with barriers is not split at them: for comparisons, and to find the cause of a
/// difference.
constexpr const char* kWantsFibers = "-DKILN_FIBERS";
constexpr const char* kFibersWanted = "the option -DKILN_FIBERS asks for it";

bool asks_for_fibers(const Specialization& specialization) {
  const auto& options = specialization.options;
  return std::find(options.begin(), options.end(), kWantsFibers) != options.end();
}

std::vector<std::string> fixed_options(bool clang) {
  std::vector<std::string> options = {
      "-x", "c++", "-O3", "-fPIC", "-shared", "-pipe",
      // No start files and no libstdc++: half of a small kernel's link time.
      "-nostdlib", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables",
      // Kernels of the CUDA dialect access float arrays as uint4 and as their own structs; nvcc and hipcc
      // allow that.
      "-fno-strict-aliasing", "-fno-stack-protector", "-fno-plt", "-fno-math-errno", "-fno-trapping-math",
      "-ffp-contract=fast", "-fopenmp-simd", "-Wno-attributes", "-Wno-unknown-pragmas", "-Wno-narrowing",
      "-U_FORTIFY_SOURCE"};
  // If g++ 12 merges two iterations of a loop, it no longer vectorises the loop inside: miniBUDE runs ten
  // times slower.
  const std::vector<std::string> gcc = {"-fwhole-program", "-fno-gnu-unique", "-fno-loop-unroll-and-jam",
                                        "--param=max-inline-insns-auto=400", "-fno-diagnostics-color",
                                        // The linker need not load it: nothing is optimised there.
                                        "-fno-use-linker-plugin"};
  const std::vector<std::string> llvm = {"-mllvm", "-inline-threshold=2000", "-Wno-duplicate-decl-specifier",
                                         "-Wno-pass-failed", "-fno-color-diagnostics"};
  options.insert(options.end(), clang ? llvm.begin() : gcc.begin(), clang ? llvm.end() : gcc.end());
  return options;
}

/// For a text that is split at its barriers. Its many short loops over work-items would otherwise become
/// copies for each iteration, which takes longer to compile and is no faster.
std::vector<std::string> split_options(bool clang) {
  if (clang) return {};
  return {"--param=max-completely-peeled-insns=100"};
}

/// Whether Kiln has its own header of this name, which the compiler finds first.
bool is_stand_in(const std::string& name) {
  const auto& own = cpu_stand_in_headers();
  return std::any_of(own.begin(), own.end(), [&](const EmbeddedFile& file) { return file.name == name; });
}

class CpuCompiler final : public Compiler {
 public:
  CpuCompiler(CpuCompilerOptions options, ProcessRunner& processes, FileSystem& files, Log& log)
      : options_(std::move(options)), processes_(processes), files_(files), log_(log) {}

  const CompilerIdentity& identity() override {
    const std::lock_guard lock(mutex_);
    if (!identity_) {
      compiler_ = find_host_compiler(options_.program, options_.identity_memo, processes_, files_, log_);
      FieldHasher hasher;
      hasher.field("shim", cpu_unit_fingerprint());
      hasher.field("options", join(fixed_options(compiler_.clang()), " "));
      hasher.field("languages", "c++17, c++20 where a text needs it");
      hasher.field("split options", join(split_options(compiler_.clang()), " "));
      hasher.field("libmvec", libmvec_version());
      if (options_.baseline) hasher.field("baseline", 1);
      identity_ = CompilerIdentity{compiler_.name + (options_.baseline ? ", baseline" : ""),
                                   compiler_.version, hasher.hex()};
    }
    return *identity_;
  }

  Target target_for(const std::string& arch) override { return cpu_target(arch, files_); }

  std::vector<std::string> quick_options() const override { return {"-O1"}; }

  std::string surroundings(const Specialization& specialization) override {
    std::string text = outside(specialization).text;
    for (const auto& [variable, value] : options_.environment) {
      // For these variables the headers count, not their folders.
      if (variable != "CPATH" && variable != "CPLUS_INCLUDE_PATH")
        text.append(text.empty() ? "" : ", ").append(assignment(variable, value));
    }
    return text;
  }

  std::string unknown_input(const Specialization& specialization) override {
    return specialization.unknown_input.empty() ? outside(specialization).unknown
                                                : specialization.unknown_input;
  }

  std::map<std::string, std::string> slow_kernels(const Specialization& specialization) override {
    static_cast<void>(identity());
    std::map<std::string, std::string> found;
    const Specialization ready = prepared(specialization);
    if (!may_need_fibers(ready)) return found;
    if (asks_for_fibers(specialization)) {
      for (const EntryPoint& entry : specialization.entries) found[entry.name_expression] = kFibersWanted;
      return found;
    }
    const auto expanded = preprocess(ready);
    if (!expanded) return found;
    for (const auto& [entry, way] : make_split_unit(ready, *expanded, !compiler_.clang()).ways) {
      if (way.kind == EntryWay::Kind::kFibers) found[entry] = way.reason;
    }
    return found;
  }

  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
    static_cast<void>(identity());
    if (auto missing = missing_kernel(specialization)) return *missing;
    if (const auto option = find_option_against_code(specialization.options)) {
      const std::string summary =
          specialization.source_name + ": error: the option '" + *option +
          "' keeps the C++ compiler from writing a kernel's code; expected options for "
          "compiling and linking in one step";
      return Diagnostic{summary, summary, "", false};
    }
    try {
      return compile_reduced(specialization,
                             [&](const Specialization& one) { return compile_best(prepared(one), stop); });
    } catch (const std::filesystem::filesystem_error& error) {
      throw temporary_folder_error(options_.scratch, error);
    }
  }

 private:
  OutsideHeaders outside(const Specialization& specialization) {
    std::vector<std::string> names = specialization.unseen_headers;
    std::erase_if(names, [](const std::string& name) { return is_stand_in(name); });
    if (names.empty()) return {};
    static_cast<void>(identity());
    {
      const std::lock_guard lock(mutex_);
      if (!says_folders_) {
        const auto built_in = find_header_folders(compiler_, folders_memo(), processes_, files_, log_);
        says_folders_ = !built_in.empty();
        outside_.emplace(HeaderFolders{folders_of_variables(options_.environment), built_in}, files_);
      }
    }
    if (!*says_folders_)
      return {"", "the C++ compiler does not say where it looks for headers: " + compiler_.path};
    return outside_->find(names);
  }

  /// The memo's path; empty if a variable may change the answer, so that processes share nothing.
  std::filesystem::path folders_memo() const {
    for (const char* variable : {"GCC_EXEC_PREFIX", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS"}) {
      if (options_.environment.contains(variable)) return {};
    }
    return options_.identity_memo.empty() ? "" : options_.identity_memo.string() + ".folders";
  }

  /// Lanes of a warp that rely on running in step wait for each other; types of variables have names.
  static Specialization prepared(Specialization specialization) {
    std::vector<std::string*> texts = {&specialization.source_text};
    for (IncludedHeader& header : specialization.headers) texts.push_back(&header.text);
    std::vector<Outline> outlines;
    std::vector<const Outline*> all;
    bool lanes = !unit_numbers(specialization).one_warp_kernels.empty();  // may rely on running in step
    for (const std::string* text : texts) {
      outlines.push_back(outline(*text));
      for (const char* word : {"volatile", "__shared__", "__device__", "__syncthreads", "atomic"})
        lanes = lanes || text->find(word) != std::string::npos;
    }
    all.reserve(outlines.size());
    for (const Outline& one : outlines) all.push_back(&one);
    const UnitLanes unit = lanes ? unit_lanes(specialization, all) : UnitLanes();
    std::vector<std::vector<TextEdit>> edits;
    for (const Outline& one : outlines) {
      edits.push_back(lanes ? mark_warp_steps(one, unit) : std::vector<TextEdit>());
      for (TextEdit& edit : name_local_types(one)) edits.back().push_back(std::move(edit));
    }
    for (std::size_t t = 0; t < texts.size(); ++t) {
      if (!edits[t].empty()) *texts[t] = apply_edits(*texts[t], std::move(edits[t]));
    }
    include_names_of_cuda(specialization);
    return specialization;
  }

  /// Names of `cuda::` without an include: the text gets their headers.
  static void include_names_of_cuda(Specialization& specialization) {
    std::vector<std::string_view> texts = {specialization.source_text};
    for (const IncludedHeader& header : specialization.headers) texts.emplace_back(header.text);
    std::string includes;
    for (const std::string& name : implied_cuda_headers(texts, specialization.unseen_headers, is_stand_in)) {
      includes += "#include <" + name + ">\n";
      specialization.unseen_headers.push_back(name);
    }
    if (includes.empty()) return;
    std::sort(specialization.unseen_headers.begin(), specialization.unseen_headers.end());
    specialization.source_text.insert(0, includes + line_directive(specialization.source_name));
  }

  /// Kernels with barriers are split at them if possible, on the preprocessor's output.
  CompileResult compile_best(const Specialization& specialization, const std::stop_token& stop) {
    const bool gcc = !compiler_.clang();
    if (!may_need_fibers(specialization))
      return compile_unit(specialization, make_cpu_unit(specialization, gcc), stop);
    EntryWays ways;
    const auto fibers = [&](const std::string& reason) {
      for (auto& [entry, way] : ways) {
        if (way.kind == EntryWay::Kind::kSplit) way = {EntryWay::Kind::kFibers, "", reason, false};
      }
      return compile_unit(specialization, make_cpu_unit(specialization, gcc, &ways), stop);
    };
    if (asks_for_fibers(specialization)) {
      for (const EntryPoint& entry : specialization.entries)
        ways[entry.name_expression] = {EntryWay::Kind::kSplit, "", "", false};
      return fibers(kFibersWanted);
    }
    const auto expanded = preprocess(specialization, stop);
    if (!expanded) return fibers("");  // the compiler will report the error
    SplitUnit split = make_split_unit(specialization, *expanded, gcc);
    ways = std::move(split.ways);
    for (const auto& [entry, way] : ways) {
      if (way.kind == EntryWay::Kind::kFibers)
        log_.debug("kernel '" + entry + "' runs as fibers on the cpu: " + way.reason);
    }
    if (!split.splits) return fibers("");
    CompileResult result = compile_unit(specialization, split.unit, stop, split_options(!gcc));
    const auto* failed = std::get_if<Diagnostic>(&result);
    if (failed == nullptr || failed->environment) return result;
    log_.debug("'" + specialization.source_name + "' split at its barriers does not compile:\n" +
               failed->log);
    return fibers("split at its barriers it does not compile: " + failed->summary);
  }

  std::optional<std::string> preprocess(const Specialization& specialization,
                                        const std::stop_token& stop = {}) {
    const ScratchFolder folder = make_shared_scratch(files_, options_.scratch, "cpu");
    const std::filesystem::path& work = folder.get().path;
    const CpuUnit unit = make_expansion_unit(specialization);
    write_unit_headers(files_, work / "include", unit.headers);
    Command command = make_command(specialization, work);
    std::vector<std::string>& arguments = command.arguments;
    const auto output = std::find(arguments.begin(), arguments.end(), "-o");
    arguments.erase(output, arguments.end());
    std::erase(arguments, "-shared");
    arguments.insert(arguments.end(), {"-DKILN_PREPROCESSING", "-E", "-"});
    command.standard_input = unit.text;
    command.output_limit = std::size_t{64} << 20;
    const ProcessResult result = run(std::move(command), stop);
    if (!result.ok()) return std::nullopt;
    return result.output;
  }

  ProcessResult run(Command command, const std::stop_token& stop) {
    command.stop = stop;
    ProcessResult result = processes_.run(command);
    if (result.stopped) throw Cancelled();
    return result;
  }

  CompileResult compile_unit(const Specialization& specialization, const CpuUnit& unit,
                             const std::stop_token& stop, const std::vector<std::string>& more_options = {}) {
    const ScratchFolder folder = make_shared_scratch(files_, options_.scratch, "cpu");
    const std::filesystem::path& work = folder.get().path;
    write_unit_headers(files_, work / "include", unit.headers);

    Command command = make_command(specialization, work, more_options);
    command.standard_input = unit.text;
    const std::string repeat = compiler_.path + " " + join(command.arguments, " ");
    const ProcessResult result = run(std::move(command), stop);
    if (!result.ok()) return failure(result, specialization, repeat);

    CodeObject object;
    const auto binary = files_.read_file(work / "kernel.so");
    if (!binary)
      return Diagnostic{"'" + compiler_.path +
                            "' succeeded but wrote no file; is the setting `cpu_compiler` (KILN_CXX) a C++ "
                            "compiler?",
                        result.error, repeat, true, true};
    if (const auto defect = defect_of_product(*binary, unit.lowered_names)) {
      return Diagnostic{specialization.source_name +
                            ": error: what the C++ compiler wrote is not the kernel's code: " + *defect,
                        result.error, repeat, false, true};
    }
    object.binary = *binary;
    object.format = "shared_object";
    object.lowered_names = unit.lowered_names;
    object.log = result.error;
    object.compile_seconds = result.seconds;
    return object;
  }

  /// The options of the specialisation come after `more_options`, and so overrule them.
  Command make_command(const Specialization& specialization, const std::filesystem::path& work,
                       const std::vector<std::string>& more_options = {}) const {
    Command command;
    command.program = compiler_.path;
    // The unit comes from standard input, so #include "..." looks in this folder first, not in the caller's.
    command.directory = (work / "include").string();
    command.time_limit = options_.time_limit;
    std::vector<std::string>& arguments = command.arguments;
    arguments = fixed_options(compiler_.clang());
    arguments.push_back(std::string("-std=") + language_version(specialization));
    arguments.insert(arguments.end(), more_options.begin(), more_options.end());
    const std::string arch =
        options_.baseline ? baseline_arch(specialization.target.arch) : specialization.target.arch;
    for (std::string& option : arch_options(arch)) arguments.push_back(std::move(option));
    // clang 14 keeps values in xmm16 to xmm31 across __tls_get_addr, whose first call in a thread may
    // overwrite them (glibc's memset and memcpy use them). Without AVX-512 these registers do not exist.
    if (compiler_.clang() && arch.starts_with("x86-64-v4")) {
      arguments.emplace_back("-mno-avx512f");
    }
    if (specialization.lineinfo) arguments.emplace_back("-g1");
    if (specialization.fast_math) {
      arguments.emplace_back("-ffast-math");
      if (libmvec_version() >= 22) arguments.push_back("-DKILN_LIBMVEC=" + std::to_string(libmvec_version()));
      if (libmvec_version() >= 22 && compiler_.clang()) arguments.emplace_back("-fveclib=libmvec");
    }
    arguments.push_back("-I" + (work / "include").string());
    const std::filesystem::path source_folder =
        std::filesystem::path(specialization.source_path).parent_path();
    if (!source_folder.empty()) arguments.push_back("-I" + source_folder.string());
    for (const std::string& directory : specialization.include_directories)
      arguments.push_back("-I" + directory);
    arguments.insert(arguments.end(), specialization.options.begin(), specialization.options.end());
    arguments.insert(arguments.end(), {"-o", (work / "kernel.so").string(), "-", "-Wl,--as-needed",
                                       kOwnFunctions, "-lm", "-lgcc"});
    if (specialization.fast_math && libmvec_version() >= 22) arguments.emplace_back("-lmvec");
    return command;
  }

  /// Finds an entry whose name is not in the text; the compiler's own message would be less helpful.
  static std::optional<Diagnostic> missing_kernel(const Specialization& specialization) {
    if (!specialization.headers.empty()) return std::nullopt;
    const Outline text = outline(specialization.source_text);
    for (const EntryPoint& entry : specialization.entries) {
      if (names_variable(entry.name_expression)) continue;
      const std::string name = kernel_name(entry.name_expression);
      const auto names_it = [&](const Token& token) { return token.is(name); };
      const bool named =
          std::any_of(text.source.tokens.begin(), text.source.tokens.end(), names_it) || pasted(text, name);
      if (named) continue;
      const std::vector<std::string> kernels = find_kernels(specialization.source_text);
      std::string summary = specialization.source_name + ": error: no kernel '" + name + "' in this file (";
      summary += kernels.empty() ? "it defines none)" : "its kernels: " + join(kernels, ", ") + ")";
      return Diagnostic{summary, summary, "", false};
    }
    return std::nullopt;
  }

  /// Whether a macro may paste the name together or contain it.
  static bool pasted(const Outline& text, const std::string& name) {
    for (const Directive& directive : text.source.directives) {
      for (const Token& token : directive.tokens) {
        if (token.is("##") || token.is(name)) return true;
      }
    }
    return false;
  }

  Diagnostic failure(const ProcessResult& result, const Specialization& specialization,
                     const std::string& repeat) const {
    Diagnostic diagnostic = process_diagnosis(
        result, {"the C++ compiler", compiler_.path, options_.time_limit}, specialization.source_name);
    diagnostic.command = repeat;
    const bool silent = result.error.find("error:") == std::string::npos;
    if (silent && !diagnostic.environment && !diagnostic.compiler_fault && !is_cpp_compiler()) {
      diagnostic.summary =
          "'" + compiler_.path +
          "' is not a C++ compiler; correct the setting `cpu_compiler` (KILN_CXX): " + diagnostic.summary;
      diagnostic.environment = true;
    }
    return diagnostic;
  }

  /// Whether the program has the macros of a C++ compiler.
  [[nodiscard]] bool is_cpp_compiler() const {
    Command command;
    command.program = compiler_.path;
    command.arguments = {"-x", "c++", "-dM", "-E", "-"};
    command.time_limit = std::chrono::seconds(20);
    const ProcessResult result = processes_.run(command);
    return !result.started || result.output.find("__cplusplus") != std::string::npos;
  }

  CpuCompilerOptions options_;
  ProcessRunner& processes_;
  FileSystem& files_;
  Log& log_;
  std::mutex mutex_;
  HostCompiler compiler_;
  std::optional<CompilerIdentity> identity_;
  std::optional<bool> says_folders_;  // this and the next member do not change once they are set
  std::optional<OutsideHeaderFinder> outside_;
};

}  // namespace

std::unique_ptr<Compiler> make_cpu_compiler(CpuCompilerOptions options, ProcessRunner& processes,
                                            FileSystem& files, Log& log) {
  return std::make_unique<CpuCompiler>(std::move(options), processes, files, log);
}

}  // namespace kiln
