#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "compile/compiler.h"

namespace kiln::test {

/// Compiles nothing: the "binary" is text made from the specialization, the same for the same one, and
/// loadable by FakeDevice. The lowered name of `axpy<float>` is "_Z" + that. Thread-safe. Can be made to
/// fail, throw or block.
class FakeCompiler : public Compiler {
 public:
  explicit FakeCompiler(CompilerIdentity identity = {"fakec", "1.0", "fingerprint"});

  const CompilerIdentity& identity() override { return identity_; }
  CompileResult compile(const Specialization& specialization, const std::stop_token& stop = {}) override;
  /// Knows "native" and "fake_1".
  Target target_for(const std::string& arch) override;

  /// From now on every compile gives this Diagnostic; `nullopt` ends it.
  void set_diagnostic(std::optional<Diagnostic> diagnostic);
  /// From now on every compile throws internal_error(message); empty ends it.
  void set_exception(const std::string& message);
  /// From now on code is PTX, for this reason.
  void set_ptx_note(const std::string& note);
  /// From now on each kernel of the code uses so much shared memory of its own.
  void set_static_shared_bytes(std::uint64_t bytes);
  /// While blocked, compiles wait inside `compile` until `unblock`; a stop does not end them.
  void block();
  /// From now on a stop ends them.
  void obey_stops();
  void unblock();
  /// Waits until `n` compiles have begun since the start.
  void wait_for_begun(int n);

  /// Compiles that have begun.
  [[nodiscard]] int compiles() const;
  /// How often this source text was compiled.
  [[nodiscard]] int compiles_of(const std::string& source_text) const;

 private:
  CompilerIdentity identity_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, int> by_source_;
  int begun_ = 0;
  bool blocked_ = false;
  bool obeys_stops_ = false;
  std::optional<Diagnostic> diagnostic_;
  std::string exception_;
  std::string ptx_note_;
  std::optional<std::uint64_t> static_shared_bytes_;
};

/// A small specialization for "fake:fake_1" with one entry named "axpy" and the given source text.
[[nodiscard]] Specialization make_specialization(const std::string& source_text = "void axpy();");

/// The binary that FakeCompiler makes for it.
[[nodiscard]] std::string fake_binary(const Specialization& specialization);

}  // namespace kiln::test
