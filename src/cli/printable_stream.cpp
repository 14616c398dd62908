#include "cli/printable_stream.h"

#include <string_view>

#include "base/text.h"
#include "report/text_table.h"

namespace kiln {
namespace {

/// The length of a sequence of `paint` at the beginning of `text`, or 0.
std::size_t painted_length(std::string_view text) {
  for (const Tone tone : {Tone::kGood, Tone::kWarn, Tone::kBad, Tone::kDim, Tone::kStrong}) {
    if (text.starts_with(escape_of(tone))) return escape_of(tone).size();
  }
  return text.starts_with(kEndOfColour) ? kEndOfColour.size() : 0;
}

void write_coloured(std::string_view text, std::ostream& target) {
  while (!text.empty()) {
    const std::size_t begin = text.find('\033');
    target << printable(text.substr(0, begin));
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t length = painted_length(text);
    if (length > 0)
      target << text.substr(0, length);
    else
      target << printable(text.substr(0, 1));
    text.remove_prefix(length > 0 ? length : 1);
  }
}

}  // namespace

PrintableStream::PrintableStream(std::ostream& target, bool colours)
    : std::ostream(nullptr), buffer_(target, colours) {
  rdbuf(&buffer_);
}

PrintableStream::~PrintableStream() {
  buffer_.hand_on();
}

bool PrintableStream::Buffer::hand_on() {
  if (colours_)
    write_coloured(text_, target_);
  else
    target_ << printable(text_);
  text_.clear();
  return target_.good();
}

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text, std::streamsize size) {
  constexpr std::size_t kLarge = 65536;
  text_.append(text, static_cast<std::size_t>(size));
  // Only whole lines are handed on before a flush: a character or a colour may have come in part.
  if (text_.size() < kLarge || text_.back() != '\n') return size;
  return hand_on() ? size : 0;
}

int PrintableStream::Buffer::sync() {
  if (!hand_on()) return -1;
  target_.flush();
  return target_.good() ? 0 : -1;
}

}  // namespace kiln
