#include "base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

/// zlib's stream, from `bytes` on.
class Inflater {
 public:
  Inflater(std::string_view bytes, const std::string& file) : left_(bytes), file_(file) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw environment_error("zlib cannot be initialised");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends some of the content; false at the end of the bytes.
  bool append(std::string& text) {
    if (ended_) {
      // As gzip does: bytes after a member that do not begin another one are padding.
      if (!is_gzip(left_) || inflateReset(&stream_) != Z_OK) return false;
      ended_ = false;
    }
    const std::size_t before = text.size();
    const auto given = std::min<std::size_t>(left_.size(), std::numeric_limits<uInt>::max());
    text.resize(before + kChunk);
    // zlib's interface takes bytes that it does not change without `const`.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream_.avail_out = static_cast<uInt>(kChunk);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    text.resize(text.size() - stream_.avail_out);
    const std::size_t taken = given - stream_.avail_in;
    left_.remove_prefix(taken);
    ended_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      throw bad_input("is a damaged file of gzip: " + std::string(zError(result)), {file_, 0, 0});
    return text.size() > before || taken > 0;
  }
  /// At the end of a member.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::string_view left_;
  const std::string& file_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

bool is_gzip(std::string_view beginning) {
  return beginning.starts_with("\x1f\x8b");
}

std::string gunzip(std::string_view bytes, std::uint64_t most_bytes, const std::string& file) {
  Inflater inflater(bytes, file);
  std::string text;
  while (inflater.append(text)) {
    if (text.size() <= most_bytes) continue;
    throw bad_input("holds more than " + format_bytes(most_bytes) + " once it is decompressed", {file, 0, 0});
  }
  if (!inflater.ended()) throw bad_input("is a file of gzip that is cut off", {file, 0, 0});
  return text;
}

std::string gunzip_beginning(std::string_view bytes, std::uint64_t most_bytes, const std::string& file) {
  Inflater inflater(bytes, file);
  std::string text;
  while (text.size() < most_bytes && inflater.append(text)) continue;
  text.resize(std::min<std::uint64_t>(text.size(), most_bytes));
  return text;
}

}  // namespace kiln
