#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <limits>

#include "kiln/error.h"

namespace kiln {
namespace {

/// A tag must not contain a line end, because fields could then be confused: it is escaped.
std::string escape_tag(std::string_view tag) {
  std::string text;
  for (const char c : tag) {
    if (c == '\\') {
      text += "\\\\";
    } else if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text;
}

void require(bool done) {
  if (!done) throw internal_error("libcrypto could not compute a SHA-256 digest");
}

}  // namespace

std::string hex_digits(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), [](void* context) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context)); }) {
  require(context_ &&
          EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_.get()), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  require(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_.get()), digest.data(), &length) == 1);
  return hex_digits({reinterpret_cast<const char*>(digest.data()), length});
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  require(key.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(),
               &length) != nullptr);
  return hex_digits({reinterpret_cast<const char*>(digest.data()), length});
}

bool is_same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

FieldHasher& FieldHasher::field(std::string_view tag, std::string_view value) {
  preimage_.append(escape_tag(tag)).append(" ").append(std::to_string(value.size())).append("\n");
  preimage_.append(value).append("\n");
  return *this;
}

FieldHasher& FieldHasher::field(std::string_view tag, std::int64_t value) {
  return field(tag, std::string_view(std::to_string(value)));
}

std::string FieldHasher::hex() const {
  return sha256_hex(preimage_);
}

}  // namespace kiln
