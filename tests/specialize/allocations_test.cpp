#include "specialize/allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::map<std::string, std::string> allocations(const std::string& text) {
  return find_allocations(tokenize(text));
}

TEST(Allocations, HaveTheNameOfThePointer) {
  EXPECT_THAT(allocations("void f() {\n"
                          "  cudaMalloc((void**)&a, n * sizeof(float));\n"
                          "  CHECK(cudaMalloc(&b, size(1, 2) * 4));\n"
                          "  cudaMallocManaged(&c, bytes, cudaMemAttachGlobal);\n"
                          "  hipMalloc(reinterpret_cast<void**>(&d), 8);\n"
                          "  cudaMalloc(pointers, 8);\n"
                          "}"),
              ElementsAre(Pair("a", "n*sizeof(float)"), Pair("b", "size(1,2)*4"), Pair("c", "bytes"),
                          Pair("d", "8")));
}

TEST(Allocations, OfTwoSizesAreLeftOut) {
  EXPECT_THAT(allocations("void f() { cudaMalloc(&a, n); } void g() { cudaMalloc(&a, n); }"),
              ElementsAre(Pair("a", "n")));
  EXPECT_THAT(allocations("void f() { cudaMalloc(&a, n); } void g() { cudaMalloc(&a, m); }"), IsEmpty());
}

std::string elements(const std::string& bytes, const std::map<std::string, std::string>& constants = {}) {
  const AllocatedElements found = allocated_elements(bytes, constants);
  return found.count.empty() ? "none" : found.count + " of " + found.type;
}

TEST(Allocations, AreCountedInElements) {
  EXPECT_EQ(elements("n*sizeof(float)"), "n of float");
  EXPECT_EQ(elements("sizeof(unsigned int)*(n+1)"), "(n+1) of unsigned int");
  EXPECT_EQ(elements("(n*sizeof(T)*m)"), "n*m of T");
  EXPECT_EQ(elements("sizeof(Node)"), "1 of Node");
  EXPECT_EQ(elements("bytes", {{"bytes", "size"}, {"size", "n * sizeof(int)"}}), "n of int");
}

TEST(Allocations, OfOtherFormsAreNotCounted) {
  EXPECT_EQ(elements("n"), "none");
  EXPECT_EQ(elements("n*sizeof(int)+16"), "none");
  EXPECT_EQ(elements("n/sizeof(int)"), "none");
  EXPECT_EQ(elements("sizeof(int)*sizeof(float)"), "none");
  EXPECT_EQ(elements("n*(2*sizeof(int))"), "none");
  EXPECT_EQ(elements("sizeof(int)<<n"), "none");
  EXPECT_EQ(elements("sizeof x"), "none");
  EXPECT_EQ(elements(""), "none");
  EXPECT_EQ(elements("a", {{"a", "b"}, {"b", "a"}}), "none");
}

}  // namespace
}  // namespace kiln
