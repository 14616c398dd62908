#include "embed/kept_texts.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace kiln {
namespace {

bool always(const std::optional<FileStatus>& /*status*/) {
  return true;
}

/// Whether the bytes may be a kernel text; a large file may be a workload's data.
bool is_text(const std::optional<std::string>& bytes) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  return !bytes || bytes->size() <= kLargest;
}

}  // namespace

std::optional<FileStatus> KeptTexts::status(const Path& path) {
  return known_or(
      statuses_, path, [&] { return ReadOnlyFiles::status(path); }, always);
}

std::optional<FileStatus> KeptTexts::target_status(const Path& path) {
  return known_or(
      target_statuses_, path, [&] { return ReadOnlyFiles::target_status(path); }, always);
}

std::optional<std::string> KeptTexts::read(const Path& path, const ReadRange& range) {
  constexpr std::uint64_t kWhole = std::uint64_t{64} << 20;  // callers read all of a text
  if (range.offset != 0 || range.pipes || range.most < kWhole) return ReadOnlyFiles::read(path, range);
  return known_or(
      texts_, path, [&] { return ReadOnlyFiles::read(path, range); }, is_text);
}

template <class Value, class Ask, class Keep>
std::optional<Value> KeptTexts::known_or(ByPath<Value>& known, const Path& path, const Ask& ask,
                                         const Keep& is_kept) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known.find(path.native()); found != known.end()) return found->second;
  }
  std::optional<Value> found = ask();
  if (!is_kept(found)) return found;
  const std::lock_guard lock(mutex_);
  return known.emplace(path.native(), std::move(found)).first->second;
}

}  // namespace kiln
