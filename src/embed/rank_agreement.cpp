#include "embed/rank_agreement.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>

#include "base/text.h"
#include "base/version.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr char kDecided = 'd';
constexpr char kFailed = 'f';
constexpr int kLead = 0;

}  // namespace

RankAgreement::RankAgreement(Communicator communicator) : communicator_(std::move(communicator)) {
  if (!communicator_.broadcast) throw bad_input("communicator: broadcast is missing");
  if (communicator_.size < 1 || communicator_.rank < 0 || communicator_.rank >= communicator_.size)
    throw bad_input("communicator: rank " + std::to_string(communicator_.rank) + " of " +
                    std::to_string(communicator_.size) + " does not exist");
  const BuildInfo build = build_info();
  const std::string own = build.version + " " + build.revision;
  const std::string lead = decided([&own] { return std::string(own); });
  if (lead != own)
    throw bad_input("communicator: rank " + std::to_string(communicator_.rank) + " has Kiln " + own +
                    ", rank 0 has Kiln " + lead + "; expected the same");
}

std::string RankAgreement::decided(const std::function<std::string()>& decide) const {
  std::string text;
  std::exception_ptr failure;
  if (leads()) {
    try {
      text = kDecided + decide();
    } catch (const Error& error) {
      failure = std::current_exception();
      text = kFailed + pack_texts({std::to_string(static_cast<int>(error.kind())), error.what()});
    } catch (const std::exception& error) {
      failure = std::current_exception();
      text = kFailed + pack_texts({std::to_string(static_cast<int>(ErrorKind::kInternal)), error.what()});
    }
  }
  broadcast(text);
  if (failure) std::rethrow_exception(failure);
  if (text.starts_with(kDecided)) return text.substr(1);
  const std::vector<std::string> told = unpack_texts(text.substr(std::min<std::size_t>(text.size(), 1)));
  throw Error(static_cast<ErrorKind>(parse_integer(told.at(0)).value_or(0)), "rank 0: " + told.at(1));
}

void RankAgreement::broadcast(std::string& text) const {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const auto send = [&](void* data, std::size_t bytes) {
    if (!communicator_.broadcast(data, bytes, kLead))
      throw environment_error("communicator: the broadcast of " + std::to_string(bytes) + " bytes failed");
  };
  std::uint64_t size = text.size();
  send(&size, sizeof size);
  text.resize(size);
  for (std::size_t at = 0; at < text.size(); at += kPart) send(&text[at], std::min(kPart, text.size() - at));
}

std::string pack_texts(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += std::to_string(text.size()) + ":" + text;
  return packed;
}

std::vector<std::string> unpack_texts(const std::string& packed) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < packed.size();) {
    const std::size_t colon = packed.find(':', at);
    const auto size =
        colon == std::string::npos ? std::nullopt : parse_integer(packed.substr(at, colon - at));
    if (!size || *size < 0 || static_cast<std::size_t>(*size) > packed.size() - colon - 1)
      throw internal_error("a decision of rank 0 cannot be read");
    texts.push_back(packed.substr(colon + 1, static_cast<std::size_t>(*size)));
    at = colon + 1 + static_cast<std::size_t>(*size);
  }
  return texts;
}

}  // namespace kiln
