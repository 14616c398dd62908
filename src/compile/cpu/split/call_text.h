#pragma once

#include <string>

#include "compile/cpu/split/loop_text.h"

namespace kiln::fission {

/// Writes the calls that wait: barriers, warp operations, operations of CUB, and split functions.
class CallText : protected LoopText {
 protected:
  using LoopText::LoopText;

  [[nodiscard]] bool same(TokenRange condition, Place around) const;
  void emit_calls(TokenRange range, Place around);
  /// Declares an array, and fills it with the values that an argument has in the work-items of the block, or
  /// in the lanes of a warp.
  std::string values_of(TokenRange range, bool block, bool by_reference);
  /// The lanes that coalesced_threads() gives, the initializer of a group.
  [[nodiscard]] std::string coalesced_members(TokenRange value) const;

 private:
  [[nodiscard]] std::string coalesced_call(const SyncCall& call,
                                           const std::vector<std::string>& arguments) const;
  /// "a && __any_sync(...)": only the work-items for which a holds make the call.
  void refuse_conditional(const SyncCall& call, TokenRange range) const;
  [[nodiscard]] bool plain(TokenRange argument, Place around) const;
  /// An argument in the form that the split function or operation takes.
  std::string argument(TokenRange range, Place around, bool by_reference);
  void block_call(const SyncCall& call, Result& result);
  /// An operation of CUB: once for each work-item to bring its values, and once to take the result.
  void step_call(const SyncCall& call, bool whole, Result& result);
  void grid_sync(const SyncCall& call);
  /// The lanes that take part in a warp operation.
  [[nodiscard]] std::string active() const;
  void warp_call(const SyncCall& call, Result& result);
  void user_call(const SyncCall& call, Result& result, Place around);

  bool views_ = false;
  int calls_ = 0;
};

}  // namespace kiln::fission
