#include "launch/argument_pack.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace kiln {
namespace {

template <class T>
void add(ArgumentPack& pack, const T& value) {
  pack.add_bytes(std::as_bytes(std::span(&value, 1)));
}

template <class T>
T value_at(const ArgumentPack& pack, std::size_t index) {
  T value;
  std::memcpy(&value, pack.data()[index], sizeof(T));
  return value;
}

struct Params {
  std::int64_t nx;
  float alpha;
  bool flag;
};

TEST(ArgumentPack, KeepsValuesOfEveryKind) {
  ArgumentPack pack;
  int somewhere = 0;
  pack.add_pointer(&somewhere);
  add(pack, std::int32_t{-7});
  add(pack, std::uint32_t{4'000'000'000});
  add(pack, std::int64_t{-5'000'000'000});
  add(pack, std::uint64_t{18'000'000'000'000'000'000U});
  add(pack, 1.5F);
  add(pack, 0.1);
  add(pack, true);
  add(pack, Params{512, 2.0F, true});
  ASSERT_EQ(pack.size(), 9);
  EXPECT_EQ(pack.sizes(), std::vector<std::size_t>({sizeof(void*), 4, 4, 8, 8, 4, 8, 1, sizeof(Params)}));
  EXPECT_EQ(value_at<int*>(pack, 0), &somewhere);
  EXPECT_EQ(value_at<std::int32_t>(pack, 1), -7);
  EXPECT_EQ(value_at<std::uint32_t>(pack, 2), 4'000'000'000);
  EXPECT_EQ(value_at<std::int64_t>(pack, 3), -5'000'000'000);
  EXPECT_EQ(value_at<std::uint64_t>(pack, 4), 18'000'000'000'000'000'000U);
  EXPECT_EQ(value_at<float>(pack, 5), 1.5F);
  EXPECT_EQ(value_at<double>(pack, 6), 0.1);
  EXPECT_EQ(value_at<bool>(pack, 7), true);
  EXPECT_EQ(value_at<Params>(pack, 8).nx, 512);
  EXPECT_EQ(value_at<Params>(pack, 8).alpha, 2.0F);
}

TEST(ArgumentPack, EveryValueIsAlignedFor16Bytes) {
  ArgumentPack pack;
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    pack.add_bytes(std::vector<std::byte>(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pack.data()[bytes]) % 16, 0) << bytes;
  }
}

TEST(ArgumentPack, NullPointerAndEmptyStruct) {
  ArgumentPack pack;
  pack.add_pointer(nullptr);
  pack.add_bytes({});
  EXPECT_EQ(value_at<void*>(pack, 0), nullptr);
  EXPECT_NE(pack.data()[1], nullptr);
  EXPECT_EQ(pack.sizes(), std::vector<std::size_t>({sizeof(void*), 0}));
}

TEST(ArgumentPack, ValuesStayWhereTheyAreWhenItMoves) {
  ArgumentPack pack;
  for (int i = 0; i < 100; ++i) add(pack, i);
  const ArgumentPack moved = std::move(pack);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(value_at<int>(moved, static_cast<std::size_t>(i)), i);
}

}  // namespace
}  // namespace kiln
