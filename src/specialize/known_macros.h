#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specialize/include_scan.h"
#include "specialize/macro_expander.h"
#include "specialize/tokens.h"

namespace kiln {

/// Whether something holds in no compilation of a program, in some, or in all.
enum class Truth { kNever, kSometimes, kAlways };

/// The compilers that a program is read for. kAny: nvcc, and where a condition asks for HIP, hipcc, too.
enum class ReadFor { kAny, kHip, kCuda };

/// What is known of macros at a place of a program. Macros of compilers, of CUDA and of HIP may be defined or
/// not, but `__global__` and the like are, `__cplusplus` is the macro of C++17, the limits of whole numbers
/// are known, and macros of systems on which no CUDA program is compiled are not defined. Any other macro is
/// defined if the program or its command line defines it.
class KnownMacros {
 public:
  /// `defines`: of the command line. For HIP nvcc's macros are not known to be defined; for CUDA HIP's macros
  /// are not defined.
  KnownMacros(const std::vector<std::pair<std::string, std::string>>& defines, ReadFor compilers);

  /// Conditions compare the versions of CUDA and of nvcc as in CUDA 12.6, except for HIP; without this
  /// call they may be any. Whether such a macro is defined stays unknown.
  void assume_current_cuda();

  /// After `#define` or `#undef`; kSometimes: the directive may be compiled or not.
  void learn(const Directive& directive, Truth compiled);

  [[nodiscard]] Truth is_defined(std::string_view name) const;

  /// Of `#if`, `#ifdef`, `#ifndef` and their forms with "el".
  [[nodiscard]] Truth holds(const Directive& condition) const;

  /// Macros that nothing defines, each of which would make the condition hold: "X", "SIZE=4".
  [[nodiscard]] std::vector<std::string> remedies(const Directive& condition) const;

  /// The header that an #include of macros names; absent if it is not known.
  [[nodiscard]] std::optional<HeaderName> header(const Directive& include) const;

 private:
  [[nodiscard]] Truth value(std::vector<std::string> words) const;
  /// Of a macro that holds a version of CUDA.
  [[nodiscard]] std::optional<std::int64_t> version(std::string_view name) const;
  void blur(std::string_view name);

  ReadFor compilers_;
  bool current_cuda_ = false;
  MacroExpander expander_;
  std::set<std::string, std::less<>> unclear_;        ///< may be defined or not
  std::set<std::string, std::less<>> unclear_texts_;  ///< defined, in one of several ways
  std::set<std::string, std::less<>> undefined_;      ///< by #undef
};

}  // namespace kiln
