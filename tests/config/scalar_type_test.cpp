#include "config/scalar_dispatch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <set>

#include "config/expression.h"

namespace kiln {
namespace {

TEST(ScalarTypes, RowsAreInTheOrderOfTheEnumerationAndAgreeWithTheHostsTypes) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < scalar_types().size(); ++i) {
    const ScalarFacts& facts = scalar_types()[i];
    EXPECT_EQ(static_cast<std::size_t>(facts.type), i);
    EXPECT_TRUE(names.insert(facts.name).second) << facts.name;
    EXPECT_EQ(parse_scalar_type(facts.name), facts.type);
    EXPECT_EQ(element_bytes(facts.element), facts.bytes) << facts.name;
    EXPECT_EQ(type_constant(facts.name).has_value(), true);
    visit_element(facts.type, [&]<class T>() {
      EXPECT_EQ(sizeof(T), facts.bytes);
      EXPECT_EQ(kIsRealType<T>, facts.real);
    });
  }
  EXPECT_EQ(parse_scalar_type(""), std::nullopt);
  EXPECT_EQ(parse_scalar_type("float16"), std::nullopt);
}

TEST(ScalarTypes, TypesHaveNamesThatSayTheirWidth) {
  EXPECT_EQ(parse_scalar_type("int8"), ScalarType::kInt8);
  EXPECT_EQ(parse_scalar_type("uint64"), ScalarType::kUnsignedLong);
  EXPECT_EQ(type_constant("int32"), type_constant("int"));
}

TEST(ScalarTypes, ABoolIsReadAsAByte) {
  EXPECT_TRUE(visit_scalar(ScalarType::kBool, []<class T>() { return std::is_same_v<T, std::uint8_t>; }));
  EXPECT_TRUE(visit_element(ScalarType::kBool, []<class T>() { return std::is_same_v<T, bool>; }));
}

TEST(ScalarTypes, EpsilonAndSizeStandInExpressions) {
  const auto value = [](const std::string& text) { return evaluate_expression(text, {}, {}, "key"); };
  EXPECT_EQ(value("eps(half)"), 0x1p-10);
  EXPECT_EQ(value("eps(float)"), 0x1p-23);
  EXPECT_EQ(value("eps(fp8_e4m3)"), 0x1p-3);
  EXPECT_EQ(value("eps(int64)"), 0);
  EXPECT_EQ(value("sizeof(bfloat16) + sizeof(uint8)"), 3);
}

TEST(ScalarTypes, VectorsHaveCudasNamesSizesAndAlignments) {
  const auto is = [](const std::string& name, ScalarType scalar, std::size_t bytes, std::size_t alignment) {
    const auto element = parse_element_type(name);
    return element && element->scalar == scalar && element->bytes() == bytes &&
           element->alignment() == alignment;
  };
  EXPECT_TRUE(is("float", ScalarType::kFloat, 4, 4));
  EXPECT_TRUE(is("float2", ScalarType::kFloat, 8, 8));
  EXPECT_TRUE(is("float3", ScalarType::kFloat, 12, 4));
  EXPECT_TRUE(is("double4", ScalarType::kDouble, 32, 16));
  EXPECT_TRUE(is("uint2", ScalarType::kUnsigned, 8, 8));
  EXPECT_TRUE(is("half2", ScalarType::kHalf, 4, 4));
  EXPECT_TRUE(is("longlong2", ScalarType::kLong, 16, 16));
  EXPECT_TRUE(is("uint16", ScalarType::kUint16, 2, 2));
  for (const char* name : {"", "2", "float1", "float5", "int82", "name4"})
    EXPECT_FALSE(parse_element_type(name)) << name;
  for (const auto& [name, in_kernels] : std::map<std::string, std::string>{{"float3", "float3"},
                                                                           {"unsigned4", "uint4"},
                                                                           {"long2", "longlong2"},
                                                                           {"ulonglong2", "ulonglong2"},
                                                                           {"half2", "__half2"},
                                                                           {"uchar", "unsigned char"}})
    EXPECT_EQ(cpp_name(parse_element_type(name).value()), in_kernels);
}

}  // namespace
}  // namespace kiln
