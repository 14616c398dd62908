#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace kiln {

/// A stream that hands on what is written to it as `printable` text (base/text.h), at each flush and at its
/// end. With `colours` the escape sequences of `paint` pass; a value that comes from a file is made printable
/// before it is painted.
class PrintableStream : public std::ostream {
 public:
  PrintableStream(std::ostream& target, bool colours);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer(std::ostream& target, bool colours) : target_(target), colours_(colours) {}
    bool hand_on();

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    std::ostream& target_;
    bool colours_;
    std::string text_;
  };

  Buffer buffer_;
};

}  // namespace kiln
