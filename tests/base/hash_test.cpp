#include "base/hash.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

// The examples of FIPS 180-4's companion document of NIST, and the two of a million and of no bytes.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, NulBytesCount) {
  EXPECT_NE(sha256_hex(std::string(1, '\0')), sha256_hex(""));
  EXPECT_NE(sha256_hex(std::string(1, '\0')), sha256_hex(std::string(2, '\0')));
}

TEST(FieldHasher, PreimageIsWhatIsHashed) {
  FieldHasher hasher;
  hasher.field("arch", "sm_90").field("warp_size", 32);
  EXPECT_EQ(hasher.preimage(), "arch 5\nsm_90\nwarp_size 2\n32\n");
  EXPECT_EQ(hasher.hex(), sha256_hex(hasher.preimage()));
}

TEST(FieldHasher, FieldsDoNotRunIntoEachOther) {
  EXPECT_NE(FieldHasher().field("a", "bc").field("d", "").preimage(),
            FieldHasher().field("a", "b").field("d", "c").preimage());
  EXPECT_NE(FieldHasher().field("a", "x\nb 1\ny").preimage(),
            FieldHasher().field("a", "x").field("b", "y").preimage());
  EXPECT_NE(FieldHasher().field("a 1\nx\nb", "y").preimage(),
            FieldHasher().field("a", "x").field("b", "y").preimage());
  EXPECT_NE(FieldHasher().field("a\nb", "").preimage(), FieldHasher().field("a\\nb", "").preimage());
}

TEST(FieldHasher, OrderCounts) {
  EXPECT_NE(FieldHasher().field("option", "-a").field("option", "-b").hex(),
            FieldHasher().field("option", "-b").field("option", "-a").hex());
}

/// Test cases 1, 2, 3 and 6 of RFC 4231.
TEST(HmacSha256, KnownDigests) {
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(
      hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, SecretsAreComparedWhole) {
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("abc", "abd"));
  EXPECT_FALSE(is_same_secret("abc", "ab"));
  EXPECT_TRUE(is_same_secret("", ""));
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  Sha256 hash;
  for (const char* part : {"a", "", "bc"}) hash.add(part);
  EXPECT_EQ(hash.hex(), sha256_hex("abc"));
}

}  // namespace
}  // namespace kiln
