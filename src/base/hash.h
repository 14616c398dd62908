#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kiln {

/// Two lower-case hexadecimal digits for each byte.
[[nodiscard]] std::string hex_digits(std::string_view bytes);

/// SHA-256 (FIPS 180-4, by libcrypto) of `bytes`, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// SHA-256 of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  /// Ends it.
  [[nodiscard]] std::string hex();

 private:
  std::shared_ptr<void> context_;  // EVP_MD_CTX
};

/// HMAC-SHA256 (RFC 2104, by libcrypto) of `bytes` under `key`, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);
/// Whether two texts are equal, in a time that depends on their lengths alone: for secrets that must not be
/// guessed digit by digit.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

/// Digest over tagged, length-delimited fields; keeps the readable text of the input. Two different sequences
/// of (tag, value) never produce the same preimage.
class FieldHasher {
 public:
  FieldHasher& field(std::string_view tag, std::string_view value);
  FieldHasher& field(std::string_view tag, std::int64_t value);

  [[nodiscard]] std::string hex() const;
  /// "tag <length>\n<value>\n" for each field in order: exactly the bytes that were hashed.
  [[nodiscard]] const std::string& preimage() const { return preimage_; }

 private:
  std::string preimage_;
};

}  // namespace kiln
