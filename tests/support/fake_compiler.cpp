#include "support/fake_compiler.h"

#include <utility>

#include "base/hash.h"
#include "kiln/error.h"

namespace kiln::test {

std::string fake_binary(const Specialization& specialization) {
  FieldHasher content;
  content.field("source", specialization.source_text).field("params", specialization.params_header);
  for (const auto& [name, value] : specialization.defines) content.field("define:" + name, value);
  for (const std::string& option : specialization.options) content.field("option", option);
  std::string binary = "KILNFAKE " + content.hex() + "\n";
  for (const EntryPoint& entry : specialization.entries) binary += "_Z" + entry.name_expression + "\n";
  return binary;
}

FakeCompiler::FakeCompiler(CompilerIdentity identity) : identity_(std::move(identity)) {}

CompileResult FakeCompiler::compile(const Specialization& specialization, const std::stop_token& stop) {
  constexpr double kSeconds = 0.25;
  std::unique_lock lock(mutex_);
  ++begun_;
  ++by_source_[specialization.source_text];
  changed_.notify_all();
  const auto free = [this] { return !blocked_; };
  if (!obeys_stops_)
    changed_.wait(lock, free);
  else if (!changed_.wait(lock, stop, free))
    throw Cancelled();
  if (!exception_.empty()) throw internal_error(exception_);
  if (diagnostic_) return *diagnostic_;
  CodeObject code;
  code.binary = fake_binary(specialization);
  code.format = "fake";
  code.log = "a warning of " + specialization.source_name;
  if (!ptx_note_.empty()) {
    code.format = "ptx";
    code.log = ptx_note_ + "\n" + code.log;
  }
  code.compile_seconds = kSeconds;
  for (const EntryPoint& entry : specialization.entries) {
    code.lowered_names[entry.name_expression] = "_Z" + entry.name_expression;
    code.resources[entry.name_expression].registers = 32;
    code.resources[entry.name_expression].static_shared_bytes = static_shared_bytes_;
  }
  return code;
}

Target FakeCompiler::target_for(const std::string& arch) {
  if (arch != "native" && arch != "fake_1") throw bad_input("'" + arch + "' is not known; known: fake_1");
  return Target{"fake", "fake_1", 32};
}

void FakeCompiler::set_diagnostic(std::optional<Diagnostic> diagnostic) {
  const std::lock_guard lock(mutex_);
  diagnostic_ = std::move(diagnostic);
}

void FakeCompiler::set_ptx_note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  ptx_note_ = note;
}

void FakeCompiler::set_static_shared_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  static_shared_bytes_ = bytes;
}

void FakeCompiler::set_exception(const std::string& message) {
  const std::lock_guard lock(mutex_);
  exception_ = message;
}

void FakeCompiler::block() {
  const std::lock_guard lock(mutex_);
  blocked_ = true;
}

void FakeCompiler::obey_stops() {
  const std::lock_guard lock(mutex_);
  obeys_stops_ = true;
}

void FakeCompiler::unblock() {
  const std::lock_guard lock(mutex_);
  blocked_ = false;
  changed_.notify_all();
}

void FakeCompiler::wait_for_begun(int n) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return begun_ >= n; });
}

int FakeCompiler::compiles() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}

int FakeCompiler::compiles_of(const std::string& source_text) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_source_.find(source_text);
  return found == by_source_.end() ? 0 : found->second;
}

Specialization make_specialization(const std::string& source_text) {
  Specialization specialization;
  specialization.source_name = "axpy.cu";
  specialization.source_path = "/kernels/axpy.cu";
  specialization.source_text = source_text;
  specialization.params_header = "struct Params {};";
  specialization.entries.push_back(EntryPoint{"axpy", std::nullopt, ""});
  specialization.target = Target{"fake", "fake_1", 32};
  return specialization;
}

}  // namespace kiln::test
