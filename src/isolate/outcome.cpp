#include "isolate/outcome.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "cache/entry.h"

namespace kiln {
namespace {

using Json = nlohmann::json;
using Path = std::filesystem::path;

constexpr const char* kCodeFolder = "code";
constexpr const char* kReportFile = "report.json";

/// A compiler's log is in any encoding; what is not UTF-8 in it is replaced.
void write_report(FileSystem& files, const Path& folder, const Json& report) {
  constexpr int kNoIndent = -1;
  files.write_file(folder / kReportFile, report.dump(kNoIndent, ' ', false, Json::error_handler_t::replace),
                   false);
}

void write_code(FileSystem& files, const Path& folder, const CodeObject& code) {
  const CacheKey key{sha256_hex(code.binary), ""};
  files.make_directories(folder / kCodeFolder, true);
  write_cache_entry(files, folder / kCodeFolder, key, code, {}, 0);
}

WorkerOutcome report_from(const Json& report) {
  const auto text = [&](const char* key) { return report.at(key).get<std::string>(); };
  if (report.contains("error")) {
    for (const ErrorKind kind : {ErrorKind::kBadInput, ErrorKind::kEnvironment}) {
      if (report.at("kind") == static_cast<int>(kind)) return Error(kind, text("error"));
    }
    return Error(ErrorKind::kInternal, text("error"));
  }
  return Diagnostic{text("summary"), text("log"), text("command"), report.at("environment").get<bool>(),
                    report.at("compiler_fault").get<bool>()};
}

}  // namespace

void write_outcome(FileSystem& files, const Path& folder, const CompileResult& result) {
  if (const auto* code = std::get_if<CodeObject>(&result)) return write_code(files, folder, *code);
  const auto& diagnostic = std::get<Diagnostic>(result);
  write_report(files, folder,
               {{"summary", diagnostic.summary},
                {"log", diagnostic.log},
                {"command", diagnostic.command},
                {"environment", diagnostic.environment},
                {"compiler_fault", diagnostic.compiler_fault}});
}

void write_outcome(FileSystem& files, const Path& folder, const Error& error) {
  write_report(files, folder, {{"error", error.what()}, {"kind", static_cast<int>(error.kind())}});
}

WorkerOutcome read_outcome(FileSystem& files, const Path& folder) {
  try {
    if (files.status(folder / kCodeFolder)) {
      auto read = read_entry_code(files, folder / kCodeFolder);
      if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) return OutcomeGarbage{damage->what};
      return std::get<EntryCode>(std::move(read)).code;
    }
    const auto text = files.read_file(folder / kReportFile);
    if (!text) return OutcomeGarbage{"there is none"};
    return report_from(Json::parse(*text));
  } catch (const Json::exception& error) {
    return OutcomeGarbage{std::string("report.json is not as expected: ") + error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return OutcomeGarbage{error.what()};
  }
}

}  // namespace kiln
