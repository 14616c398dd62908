#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kiln/communicator.h"

namespace kiln {

/// Decisions of rank 0 that hold on all ranks of a program (Service::share). Every call is collective: all
/// ranks make it, in the same order, from one thread at a time.
class RankAgreement {
 public:
  /// Throws bad_input for a communicator that makes no sense, and where another rank has another Kiln.
  explicit RankAgreement(Communicator communicator);

  [[nodiscard]] bool leads() const { return communicator_.rank == 0; }
  /// The decision of rank 0, which calls `decide`. Its exception is thrown on all ranks.
  [[nodiscard]] std::string decided(const std::function<std::string()>& decide) const;

 private:
  void broadcast(std::string& text) const;

  Communicator communicator_;
};

/// Texts as one text, and back. Throws internal_error for what `pack_texts` has not made.
[[nodiscard]] std::string pack_texts(const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> unpack_texts(const std::string& packed);

}  // namespace kiln
