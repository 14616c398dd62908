#include "compile/cuda/nvrtc_compiler.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "compile/cuda/cubin_resources.h"
#include "compile/cuda/cuda_headers.h"
#include "compile/cuda/device_linker.h"
#include "compile/cuda/fixed_options.h"
#include "compile/cuda/nvrtc_headers.h"
#include "compile/cuda/nvrtc_library.h"
#include "compile/cuda/nvrtc_program.h"
#include "compile/cuda/nvrtc_unit.h"
#include "compile/cuda_names.h"
#include "compile/device_launches.h"
#include "compile/identity_memo.h"
#include "compile/kernel_cast.h"
#include "compile/portable_header.h"
#include "compile/reduced_program.h"
#include "compile/rtc_diagnosis.h"
#include "kiln/error.h"
#include "specialize/compiled_parts.h"

namespace kiln {
namespace {

/// Version of the text that Kiln adds to every compile; it grows if that text changes the code.
constexpr std::int64_t kUnitFormat = 4;

/// Saves a tenth of the time of a small compile.
constexpr const char* kMinimal = "--minimal";

/// Functions without __device__ or __host__ are device functions. nvcc takes them as functions of the host.
constexpr const char* kDefaultDevice = "-default-device";

/// nvcc takes __int128 without an option.
constexpr const char* kWideIntegers = "-device-int128";

/// Code that launches kernels calls the device's runtime, with which it is linked.
constexpr const char* kRelocatable = "-rdc=true";

/// Functions of CUDA's run time that kernels may call, too, once the run time for kernels is linked.
constexpr std::array<std::string_view, 6> kDeviceRuntime = {
    "cudaMalloc", "cudaFree", "cudaMemcpyAsync", "cudaMemsetAsync", "cudaGetLastError", "cudaGetErrorString"};

/// NVRTC declares it for pointers of all types and defines it nowhere.
constexpr std::string_view kTypedMalloc =
    "template <typename T>\nstatic __inline__ __device__ cudaError_t cudaMalloc(T** pointer, size_t bytes) "
    "{\n"
    "  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);\n}\n";

bool names_device_runtime(const std::vector<std::string_view>& texts) {
  return std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    return std::any_of(kDeviceRuntime.begin(), kDeviceRuntime.end(),
                       [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
  });
}

/// Whether errors of NVRTC's log say that one of them is not declared.
bool lacks_device_runtime(const std::string& log) {
  return std::any_of(kDeviceRuntime.begin(), kDeviceRuntime.end(), [&](std::string_view name) {
    return log.find("identifier \"" + std::string(name) + "\" is undefined") != std::string::npos;
  });
}

/// A message of NVRTC's log for a name expression.
constexpr const char* kAmbiguousName = "cannot determine which instance of overloaded function";

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(NvrtcCompilerOptions options, FileSystem& files, Log& log)
      : options_(std::move(options)), files_(files), log_(log) {}

  const CompilerIdentity& identity() override {
    {
      const std::lock_guard lock(mutex_);
      if (!identity_) recall();
      if (identity_) return *identity_;
    }
    const NvrtcLibrary& nvrtc = library();
    const std::lock_guard lock(mutex_);
    if (identity_) return *identity_;
    identity_ = make_identity(nvrtc.version(), nvrtc.build_id);
    remember_identity(options_.identity_memo, program_stamp(nvrtc.path, files_),
                      nvrtc.version() + "\t" + nvrtc.build_id + "\t" +
                          (nvrtc.makes_machine_code() ? "cubin" : "ptx") + "\t" + archs_text(nvrtc.archs),
                      files_, log_);
    return *identity_;
  }

  Target target_for(const std::string& arch) override {
    static_cast<void>(choose(arch));
    return {"cuda", arch, 32};
  }

  std::string note_on(const Target& target) override { return choose(target.arch).note; }

  std::string surroundings(const Specialization& specialization) override {
    std::string text;
    // Of all branches: more versions in the key than are needed, without reading conditions in a warm start.
    const ImpliedHeaders implied = implied_headers(texts_of(specialization), specialization.unseen_headers);
    std::vector<std::string> headers = included_and_implied(specialization, implied);
    for (std::string& name : implied_of_cuda(specialization)) headers.push_back(std::move(name));
    if (!headers.empty()) text = header_versions(headers, cuda_headers(), files_);
    if (specialization.lineinfo) text += "; sources in " + options_.source_folder.string();
    if (launches_from_kernels(specialization) || names_device_runtime(texts_of(specialization))) {
      const std::filesystem::path runtime = find_device_runtime(options_.places, nvrtc_path(), files_);
      text += "; linked with " + (runtime.empty() ? "nothing" : program_stamp(runtime, files_));
    }
    if (!options_.environment.empty()) text += (text.empty() ? "" : "; ") + options_.environment;
    return text;
  }

  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
    return compile_reduced(specialization,
                           [&](const Specialization& one) { return compile_as_it_is(one, stop); });
  }

  /// NVRTC holds locks of its own: docs/performance.md compares 16 threads with 16 processes.
  [[nodiscard]] int compiles_at_once() const override { return 2; }

  std::optional<RefusedOption> refuse(const std::vector<std::string>& options) const override {
    return find_fixed_cuda_option(options);
  }

  /// Options of ptxas; NVRTC has no such option of its own.
  std::vector<std::string> quick_options() const override { return {"--ptxas-options=-O1"}; }

  std::string abilities() override {
    std::vector<std::string> archs;
    for (const int arch : library().archs) archs.push_back("sm_" + std::to_string(arch));
    return join(archs, ", ");
  }

 private:
  CompileResult compile_as_it_is(const Specialization& specialization, const std::stop_token& stop) {
    const NvrtcLibrary& nvrtc = library();
    const NvrtcArch arch = choose(compiled_arch(specialization));
    RtcUnit unit = make_nvrtc_unit(specialization, options_.source_folder);
    const ImpliedHeaders implied = implied_by(specialization);
    std::vector<std::string> unseen = included_and_implied(specialization, implied);
    const std::vector<std::string> of_cuda = implied_of_cuda(specialization);
    unseen.insert(unseen.end(), of_cuda.begin(), of_cuda.end());
    NvrtcHeaders more = make_nvrtc_headers(unseen, names_std(specialization),
                                           unseen.empty() ? CudaHeaders{} : cuda_headers(), files_);
    std::string front = "#include \"" + std::string(kNvccHeader) + "\"\n" + implied.macros;
    for (auto& [name, text] : more.in_memory) {
      if (std::find(implied.names.begin(), implied.names.end(), name) != implied.names.end())
        front += "#include <" + name + ">\n";
      unit.add_header(std::move(name), std::move(text));
    }
    for (const std::string& name : of_cuda) front += "#include <" + name + ">\n";
    bool launches = launches_from_kernels(specialization);
    if (launches) front += kTypedMalloc;
    unit.text.insert(0, front);
    keep_sources(unit, files_, log_);
    std::vector<std::string> options = nvrtc_options(specialization, arch, more.folders);
    if (has_own_cache(nvrtc.version())) options.emplace_back("--no-cache");
    if (!has_option(specialization, {kDefaultDevice, "--device-as-default-execution-space"}))
      options.emplace_back(kDefaultDevice);
    if (needs_wide_integers(specialization, nvrtc.version()) &&
        !has_option(specialization, {kWideIntegers, "--device-int128"}))
      options.emplace_back(kWideIntegers);
    if (launches) {
      const std::string problem = arch.ptx ? "kernels that launch kernels need machine code; " +
                                                 (arch.note.empty() ? arch.option + " makes PTX" : arch.note)
                                           : device_linker().problem;
      if (!problem.empty())
        return Diagnostic{specialization.source_name + ": error: " + problem, "", "", true};
      options.emplace_back(kRelocatable);
    }
    const bool minimal = !launches && implied.names.empty() && of_cuda.empty() &&
                         may_be_minimal(specialization, nvrtc.version());
    if (minimal) options.emplace_back(kMinimal);

    const auto begin = std::chrono::steady_clock::now();
    std::optional<NvrtcProgram> made;
    std::map<std::string, std::string> names;  // for each entry: the name by which NVRTC looks it up
    for (const EntryPoint& entry : specialization.entries)
      names[entry.name_expression] = entry.name_expression;
    const auto compile_so = [&] {
      NvrtcProgram& program = made.emplace(nvrtc, unit, specialization.source_name);
      for (const EntryPoint& entry : specialization.entries)
        program.add_name(names.at(entry.name_expression));
      const nvrtc_abi::Result answer = program.compile(options, options_.time_limit, stop);
      if (answer == nvrtc_abi::kCancelled && stop.stop_requested()) throw Cancelled();
      return answer;
    };
    nvrtc_abi::Result result = compile_so();
    // A kernel may have the name of a built-in function of NVRTC.
    if (result == nvrtc_abi::kCompilation && made->log().find(kAmbiguousName) != std::string::npos) {
      for (auto& [entry, name] : names) name = kernel_cast(specialization, entry).value_or(entry);
      result = compile_so();
    }
    // The text needs more, or is wrong: an ordinary compile decides, and its log is shown.
    if (minimal && (result == nvrtc_abi::kCompilation || result == nvrtc_abi::kInvalidOption)) {
      options.pop_back();
      result = compile_so();
    }
    // Functions for both sides may allocate memory, which only a program that is linked can.
    if (result == nvrtc_abi::kCompilation && !launches && !arch.ptx && lacks_device_runtime(made->log()) &&
        device_linker().problem.empty()) {
      launches = true;
      options.emplace_back(kRelocatable);
      unit.text.insert(0, kTypedMalloc);
      result = compile_so();
    }
    NvrtcProgram& program = *made;
    const std::string command = "nvrtc " + join(options, " ") + " " + specialization.source_path;
    if (result != nvrtc_abi::kSuccess) {
      Diagnostic diagnostic = failure(result, program.log(), specialization);
      diagnostic.command = command;
      return diagnostic;
    }
    CodeObject object;
    object.format = arch.ptx ? "ptx" : "cubin";
    object.binary = arch.ptx ? program.ptx() : program.cubin();
    if (object.binary.empty()) {
      return Diagnostic{specialization.source_name + ": error: NVRTC " + nvrtc.version() + " made no " +
                            (arch.ptx ? "PTX" : "machine code") +
                            " with these options: " + join(options, " "),
                        program.log(), command};
    }
    if (launches) {
      std::string error;
      object.binary = device_linker().link(object.binary, arch.option, error);
      if (object.binary.empty())
        return Diagnostic{specialization.source_name + ": error: " + error, program.log(), command};
    }
    for (const EntryPoint& entry : specialization.entries) {
      object.lowered_names[entry.name_expression] = program.lowered_name(names.at(entry.name_expression));
    }
    if (!arch.ptx) object.resources = cubin_resources(object.binary, object.lowered_names);
    object.log = arch.note.empty() ? "" : arch.note + "\n";
    object.log += program.log();
    object.compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return object;
  }

  /// The library that is open, or would be opened.
  std::string nvrtc_path() {
    const std::lock_guard lock(mutex_);
    return library_ ? library_->path : nvrtc_candidate(options_.places, files_);
  }

  const DeviceLinker& device_linker() {
    const NvrtcLibrary& nvrtc = library();
    const std::lock_guard lock(mutex_);
    if (!device_linker_)
      device_linker_ = open_device_linker(options_.places, nvrtc.path, nvrtc.major, files_);
    return *device_linker_;
  }

  static std::vector<std::string_view> texts_of(const Specialization& specialization) {
    std::vector<std::string_view> texts = {specialization.source_text, specialization.params_header};
    for (const IncludedHeader& header : specialization.headers) texts.emplace_back(header.text);
    return texts;
  }
  static bool names_std(const Specialization& specialization) {
    const auto texts = texts_of(specialization);
    return std::any_of(texts.begin(), texts.end(),
                       [](std::string_view text) { return text.find("std") != std::string_view::npos; });
  }
  /// A header that is included in a branch which is not compiled declares nothing.
  static ImpliedHeaders implied_by(const Specialization& specialization) {
    const bool includes = !specialization.unseen_headers.empty();
    return implied_headers(texts_of(specialization), includes ? compiled_parts(specialization).includes.unseen
                                                              : specialization.unseen_headers);
  }
  /// Headers of names of `cuda::` that the texts use without an include.
  std::vector<std::string> implied_of_cuda(const Specialization& specialization) {
    return implied_cuda_headers(texts_of(specialization), specialization.unseen_headers,
                                [&](const std::string& name) { return cuda_headers().has(name, files_); });
  }
  static std::vector<std::string> included_and_implied(const Specialization& specialization,
                                                       const ImpliedHeaders& implied) {
    std::vector<std::string> names = specialization.unseen_headers;
    names.insert(names.end(), implied.names.begin(), implied.names.end());
    return names;
  }

  static CompilerIdentity make_identity(const std::string& version, const std::string& build_id) {
    FieldHasher hasher;
    hasher.field("unit", kUnitFormat).field("portable.h", portable_header()).field("build", build_id);
    hasher.field("headers", nvrtc_headers_fingerprint());
    return {"NVRTC", version, hasher.hex()};
  }

  static std::string archs_text(const std::vector<int>& archs) {
    std::vector<std::string> numbers;
    numbers.reserve(archs.size());
    for (const int arch : archs) numbers.push_back(std::to_string(arch));
    return join(numbers, " ");
  }

  /// Reads from the memo what it knows about the file, so that the file need not be opened.
  void recall() {
    if (options_.identity_memo.empty()) return;
    const std::string stamp = program_stamp(nvrtc_candidate(options_.places, files_), files_);
    const auto text = recall_identity(options_.identity_memo, stamp, files_);
    if (!text) return;
    const std::vector<std::string> parts = split(*text, '\t');
    constexpr std::size_t kParts = 4;
    if (parts.size() != kParts) return;  // written by an earlier version of Kiln
    Abilities recalled{parts[0], parts[2] == "cubin", {}};
    for (const std::string& number : split(parts[3], ' ')) {
      const auto arch = parse_integer(number);
      if (!arch) return;
      recalled.archs.push_back(static_cast<int>(*arch));
    }
    abilities_ = std::move(recalled);
    identity_ = make_identity(parts[0], parts[1]);
  }

  const NvrtcLibrary& library() {
    const std::lock_guard lock(mutex_);
    if (!library_) library_ = open_nvrtc(options_.places, files_);
    return *library_;
  }

  NvrtcArch choose(const std::string& arch) {
    {
      const std::lock_guard lock(mutex_);
      if (!library_ && !abilities_) recall();
      if (!library_ && abilities_)
        return choose_nvrtc_arch(arch, abilities_->archs, abilities_->version, abilities_->machine_code);
    }
    const NvrtcLibrary& nvrtc = library();
    return choose_nvrtc_arch(arch, nvrtc.archs, nvrtc.version(), nvrtc.makes_machine_code());
  }

  /// The headers that belong to the NVRTC in use; for a cache hit the library need not be opened.
  const CudaHeaders& cuda_headers() {
    const CompilerIdentity& compiler = identity();
    const std::lock_guard lock(mutex_);
    if (!cuda_headers_) {
      const std::string path = library_ ? library_->path : nvrtc_candidate(options_.places, files_);
      const auto major = parse_integer(split(compiler.version, '.').front());
      cuda_headers_ = find_cuda_headers(options_.places, path, static_cast<int>(major.value_or(0)), files_);
    }
    return *cuda_headers_;
  }

  Diagnostic failure(nvrtc_abi::Result result, const std::string& log, const Specialization& specialization) {
    Diagnostic diagnostic;
    diagnostic.log = log;
    diagnostic.environment =
        result == nvrtc_abi::kOutOfMemory || result == nvrtc_abi::kBuiltinOperationFailure;
    if (result == nvrtc_abi::kCancelled) {
      diagnostic.summary = specialization.source_name + ": error: NVRTC did not finish within " +
                           format_seconds(std::chrono::duration<double>(options_.time_limit).count());
      diagnostic.compiler_fault = true;
      return diagnostic;
    }
    diagnostic.summary = first_error_line(log);
    if (diagnostic.summary.empty()) {
      diagnostic.summary =
          specialization.source_name + ": error: NVRTC failed: " + library_->call.get_error_string(result);
    }
    if (diagnostic.environment) diagnostic.summary += " (" + library_->path + ")";
    add_missing_header(diagnostic);
    add_foreign_headers(diagnostic);
    if (auto missing = missing_kernel(specialization)) diagnostic.summary = *std::move(missing);
    return diagnostic;
  }

  /// NVRTC may not understand CUDA's headers of another release.
  void add_foreign_headers(Diagnostic& diagnostic) {
    const CudaHeaders& headers = cuda_headers();
    const std::string major = std::to_string(library().major);
    if (headers.folders.empty() || headers.version.empty() || headers.version.starts_with(major + "."))
      return;
    if (diagnostic.summary.find(headers.folders.front().string()) == std::string::npos) return;
    diagnostic.summary += "; these headers are of CUDA " + headers.version + ", NVRTC is " +
                          library().version() + ": install the headers of CUDA " + major +
                          ", or name an NVRTC of their release with KILN_NVRTC";
  }

  /// NVRTC says "cannot open source file "name"", or "could not open".
  void add_missing_header(Diagnostic& diagnostic) {
    const std::string before = "open source file \"";
    const std::size_t at = diagnostic.log.find(before);
    if (at == std::string::npos) return;
    const std::size_t begin = at + before.size();
    const std::string name = diagnostic.log.substr(begin, diagnostic.log.find('"', begin) - begin);
    diagnostic.summary += "; " + missing_header_advice(name, cuda_headers(), library().major);
  }

  /// The abilities of the NVRTC that would be opened.
  struct Abilities {
    std::string version;
    bool machine_code = false;
    std::vector<int> archs;
  };

  NvrtcCompilerOptions options_;
  FileSystem& files_;
  Log& log_;
  std::mutex mutex_;
  std::optional<Abilities> abilities_;
  std::optional<NvrtcLibrary> library_;  // does not change once it is set
  std::optional<CompilerIdentity> identity_;
  std::optional<DeviceLinker> device_linker_;  // does not change once it is set
  std::optional<CudaHeaders> cuda_headers_;    // does not change once it is set
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc_compiler(NvrtcCompilerOptions options, FileSystem& files, Log& log) {
  return std::make_unique<NvrtcCompiler>(std::move(options), files, log);
}

}  // namespace kiln
