#include "compile/hip/hiprtc_compiler.h"

#include <chrono>
#include <mutex>
#include <optional>

#include "base/hash.h"
#include "base/text.h"
#include "compile/hip/hip_product.h"
#include "compile/hip/hiprtc_library.h"
#include "compile/hip/hiprtc_program.h"
#include "compile/hip/hiprtc_unit.h"
#include "compile/identity_memo.h"
#include "compile/portable_header.h"
#include "compile/reduced_program.h"
#include "compile/rtc_diagnosis.h"
#include "device/hip/code_object.h"
#include "kiln/error.h"
#include "specialize/cuda_for_hip.h"

namespace kiln {
namespace {

/// Version of the text that Kiln adds to every compile; it grows if that text changes the code.
constexpr std::int64_t kUnitFormat = 3;

/// The log without what the linking compiler shows of its input, which is no text, around the messages of
/// KILN_REFUSED_PTX; these have their place in themselves.
std::string readable_log(const std::string& log) {
  constexpr std::string_view kBefore = "declared with 'error' attribute: ";
  std::string readable;
  bool shown = false;
  for (const std::string& line : split(log, '\n')) {
    const std::size_t at = line.find(kBefore);
    const bool ends = line.find(" generated when compiling") != std::string::npos;
    shown = at != std::string::npos || (shown && !ends);
    if (at != std::string::npos) {
      readable += line.substr(at + kBefore.size()) + "\n";
    } else if (!shown) {
      readable += line + "\n";
    }
  }
  return readable;
}

class HiprtcCompiler final : public Compiler {
 public:
  HiprtcCompiler(HiprtcCompilerOptions options, FileSystem& files, Log& log)
      : options_(std::move(options)), files_(files), log_(log) {}

  const CompilerIdentity& identity() override {
    {
      const std::lock_guard lock(mutex_);
      if (!identity_) identity_ = remembered();
      if (identity_) return *identity_;
    }
    const HiprtcLibrary& hiprtc = library();
    const std::lock_guard lock(mutex_);
    if (identity_) return *identity_;
    identity_ = make_identity(hiprtc.version, hiprtc.build_id);
    remember_identity(options_.identity_memo, program_stamp(hiprtc.path, files_),
                      join({hiprtc.version, hiprtc.build_id, program_stamp(hiprtc.comgr_path, files_)}, "\t"),
                      files_, log_);
    return *identity_;
  }

  Target target_for(const std::string& arch) override {
    require_known_isa(library(), arch);
    return {"hip", arch, wavefront_size(arch)};
  }

  std::string surroundings(const Specialization& specialization) override {
    std::string text = specialization.lineinfo ? "sources in " + options_.source_folder.string() : "";
    if (!options_.environment.empty()) text += (text.empty() ? "" : "; ") + options_.environment;
    return text;
  }

  CompileResult compile(const Specialization& specialization, const std::stop_token& /*stop*/) override {
    require_known_isa(library(), specialization.target.arch);
    return compile_reduced(specialization, [&](const Specialization& one) { return compile_as_it_is(one); });
  }

  std::vector<std::string> quick_options() const override { return {"-O1"}; }

  /// comgr works on one compile at a time, and LLVM may end the process.
  [[nodiscard]] int compiles_at_once() const override { return 1; }

  std::string abilities() override { return join(library().isas, ", "); }

 private:
  CompileResult compile_as_it_is(const Specialization& specialization) {
    CompileResult result = compile_once(specialization, false);
    const auto* diagnostic = std::get_if<Diagnostic>(&result);
    if (diagnostic == nullptr || specialization.left_out.empty() || !mixes_sides(diagnostic->log))
      return result;
    CompileResult both = compile_once(specialization, true);
    return std::holds_alternative<CodeObject>(both) ? both : result;
  }

  /// Whether functions of the host, which a whole program keeps, and of the device meet: `sqrtf` in a class's
  /// member, a constructor of the host around one of HIP's vectors, a definition without the marks of its
  /// declaration.
  static bool mixes_sides(const std::string& log) {
    for (const char* words :
         {"call to __device__ function from __host__ function",
          "cannot overload __host__ __device__ function", "call to __host__ function from __",
          "which does not have a default constructor"}) {
      if (log.find(words) != std::string::npos) return true;
    }
    return false;
  }

  /// `both`: functions without a mark are for both sides.
  CompileResult compile_once(const Specialization& specialization, bool both) {
    const HiprtcLibrary& hiprtc = library();
    std::vector<std::string> options = hiprtc_options(specialization);
    // The machine's own headers of C, C++ and CUDA do not go with what hipRTC has built in.
    options.emplace_back("-nostdinc");
    if (uses_cuda_warp(specialization)) options.emplace_back("-DHIP_DISABLE_WARP_SYNC_BUILTINS");
    Specialization one = specialization;
    if (both) make_functions_for_both_sides(one);
    RtcUnit unit = make_hiprtc_unit(one, options_.source_folder);
    add_language_headers(unit, specialization);
    keep_sources(unit, files_, log_);

    const std::lock_guard lock(compiling_);
    const auto begin = std::chrono::steady_clock::now();
    HiprtcProgram program(hiprtc, unit, specialization.source_name);
    for (const EntryPoint& entry : specialization.entries) program.add_name(entry.name_expression);
    CompileResult result = CodeObject();
    if (const hiprtc_abi::Result answer = program.compile(options); answer != hiprtc_abi::kSuccess) {
      result = failure(hiprtc, answer, program.log(), specialization);
    } else {
      result = product(program, specialization);
    }
    if (auto* diagnostic = std::get_if<Diagnostic>(&result)) {
      diagnostic->command = "hiprtc " + join(options, " ") + " " + specialization.source_path;
    } else {
      std::get<CodeObject>(result).compile_seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return result;
  }

  static CompilerIdentity make_identity(const std::string& version, const std::string& build_id) {
    FieldHasher hasher;
    hasher.field("unit", kUnitFormat).field("portable.h", portable_header()).field("build", build_id);
    hasher.field("headers", hiprtc_headers_fingerprint());
    return {"hipRTC", version, hasher.hex()};
  }

  /// The memo's identity of the file that would be opened, if the comgr that it used is unchanged.
  std::optional<CompilerIdentity> remembered() {
    if (options_.identity_memo.empty()) return std::nullopt;
    const std::string stamp = program_stamp(hiprtc_candidate(options_.places, files_), files_);
    const auto text = recall_identity(options_.identity_memo, stamp, files_);
    if (!text) return std::nullopt;
    const std::vector<std::string> parts = split(*text, '\t');
    constexpr std::size_t kComgr = 2;  // its stamp starts with its path
    if (parts.size() <= kComgr) return std::nullopt;
    const std::vector<std::string> comgr(parts.begin() + kComgr, parts.end());
    if (program_stamp(parts[kComgr], files_) != join(comgr, "\t")) return std::nullopt;
    return make_identity(parts[0], parts[1]);
  }

  const HiprtcLibrary& library() {
    const std::lock_guard lock(mutex_);
    if (!library_) library_ = open_hiprtc(options_.places, files_);
    return *library_;
  }

  static Diagnostic failure(const HiprtcLibrary& hiprtc, hiprtc_abi::Result answer, const std::string& log,
                            const Specialization& specialization) {
    Diagnostic diagnostic;
    diagnostic.log = log.find("kiln_refused_ptx") == std::string::npos ? log : readable_log(log);
    diagnostic.environment =
        answer == hiprtc_abi::kOutOfMemory || answer == hiprtc_abi::kBuiltinOperationFailure;
    diagnostic.summary = first_error_line(diagnostic.log);
    if (diagnostic.summary.empty()) {
      diagnostic.summary =
          specialization.source_name + ": error: hipRTC failed: " + hiprtc.call.get_error_string(answer);
    }
    if (diagnostic.environment) diagnostic.summary += " (" + hiprtc.path + ")";
    if (auto missing = missing_kernel(specialization)) diagnostic.summary = *std::move(missing);
    return diagnostic;
  }

  static CompileResult product(const HiprtcProgram& program, const Specialization& specialization) {
    CodeObject object;
    object.binary = program.code();
    object.log = program.log();
    for (const EntryPoint& entry : specialization.entries) {
      if (auto name = program.known_name(entry.name_expression))
        object.lowered_names[entry.name_expression] = *std::move(name);
    }
    if (object.lowered_names.size() < specialization.entries.size()) object.lowered_names.clear();
    return hip_product("hipRTC", std::move(object), specialization);
  }

  HiprtcCompilerOptions options_;
  FileSystem& files_;
  Log& log_;
  std::mutex compiling_;                  // hipRTC itself runs one compile after another
  std::mutex mutex_;                      // guards the members below
  std::optional<HiprtcLibrary> library_;  // does not change once it is set
  std::optional<CompilerIdentity> identity_;
};

}  // namespace

std::unique_ptr<Compiler> make_hiprtc_compiler(HiprtcCompilerOptions options, FileSystem& files, Log& log) {
  return std::make_unique<HiprtcCompiler>(std::move(options), files, log);
}

}  // namespace kiln
