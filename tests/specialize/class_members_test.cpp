#include "specialize/class_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

/// "type name; ..." of a type's members; "none" if it is not a class with known members.
std::string members(const std::string& text, const std::string& type) {
  const ProgramText program = read_program(text);
  const auto found = members_of_type(program, type);
  if (!found) return "none";
  std::string result;
  for (const TextParameter& member : *found) {
    result.append(result.empty() ? "" : "; ").append(member.type).append(" ").append(member.name);
  }
  return result;
}

TEST(ClassMembers, HaveThoseOfBasesInFront) {
  const std::string text =
      "struct Base { int n; };\ntemplate <class T> class Middle : public Base { T* data; };\n"
      "struct Top final : Middle<double>, private Base2 { float *x, y; static int count; };\n"
      "struct Base2 { char c; };\n";
  EXPECT_EQ(members(text, "Top"), "int n; double* data; char c; float* x; float y");
  EXPECT_EQ(members("template <class I> struct Strides { using index_t = I; I* all; };\n"
                    "struct Mid : Strides<long> { using real = float; };\n"
                    "struct Params : public Mid { index_t row; real x[3]; };\n",
                    "Params"),
            "long* all; long row; float[3] x")
      << "types of bases";
  EXPECT_EQ(members("struct A : Unknown { int a; };", "A"), "none");
  EXPECT_EQ(members("struct Add : std::binary_function<int, int, int> {};", "Add"), "");
}

TEST(ClassMembers, AreThoseOfTheSpecialisation) {
  const std::string text =
      "template <class T, int N> struct Vec { T all[N]; };\n"
      "template <class T> struct Vec<T, 2> { T x, y; };\n"
      "template <> struct Vec<half, 4> { unsigned long bits; };\n"
      "namespace ns { using Vec2 = Vec<int, 2>; }\n";
  EXPECT_EQ(members(text, "Vec<float, 5>"), "float[5] all");
  EXPECT_EQ(members(text, "const ns::Vec2"), "int x; int y");
  EXPECT_EQ(members(text, "Vec<half,4>"), "unsigned long bits");
}

TEST(ClassMembers, AreThoseOfTheSpecialisationThatSaysMost) {
  const std::string text =
      "template <class T, class Tag = void> struct View;\n"
      "template <class T> struct View<const T> { const T* data; int size; };\n"
      "template <class T, class Tag = int> struct Box { T one; };\n"
      "template <class T> struct Box<T*, int> { T* first; };\n"
      "template <class T> struct Box<const T*, int> { T last; };\n"
      "template <class T, int N> struct Box<Vec<T, N>, int> { T all[N]; };\n"
      "template <class T> struct Box<Vec<T, 1>, int> { T single; };\n";
  EXPECT_EQ(members(text, "View<const float>"), "const float* data; int size");
  EXPECT_EQ(members(text, "View<float const>"), "const float* data; int size");
  EXPECT_EQ(members(text, "View<float>"), "none");
  EXPECT_EQ(members(text, "Box<float>"), "float one");
  EXPECT_EQ(members(text, "Box<float *>"), "float* first");
  EXPECT_EQ(members(text, "Box<const float *, int>"), "float last");
  EXPECT_EQ(members(text, "Box<const float *, long>"), "const float* one");
  EXPECT_EQ(members(text, "Box<Vec<double, 2>>"), "double[2] all");
  EXPECT_EQ(members(text, "Box<Vec<double, 1>>"), "double single");
}

TEST(ClassMembers, HaveTypesThatTemplatesAndClassesName) {
  const std::string text =
      "template <class T> struct Restricted { typedef T* __restrict__ Pointer; };\n"
      "template <class T, size_t N, template <class> class Traits = Restricted, class Index = int>\n"
      "class Accessor { using Size = Index; typename Traits<T>::Pointer data_; Size sizes_[N]; };\n"
      "template <class T, size_t N> using Wide = Accessor<T, N, Restricted, long>;\n";
  EXPECT_EQ(members(text, "Wide<float, 3>"), "float*__restrict__ data_; long[3] sizes_");
}

TEST(ClassMembers, HaveExtentsOfConstantsOfTheirClasses) {
  const std::string text =
      "template <class T> struct Info { static constexpr int kMost = 8; T* data; long sizes[kMost]; };\n"
      "template <int N> struct Base { enum { kHalf = N / 2 }; };\n"
      "struct Top : Base<6> { static const int kAll = kHalf * 2; int a[kAll][kMost]; float "
      "b[Info<int>::kMost]; "
      "};\n"
      "struct Endless { static constexpr int kA = kA + 1; int a[kA]; int* p; };\n";
  EXPECT_EQ(members(text, "Info<float>"), "float* data; long[(8)] sizes");
  EXPECT_EQ(members(text, "Top"), "int[((6/2)*2)][kMost] a; float[8] b");
  EXPECT_NE(members(text, "Endless"), "none") << "a constant that names itself ends";
  std::string sum = "kA";
  for (int i = 0; i < 40; ++i) sum += " + kA";
  EXPECT_LT(members("struct Wide { static constexpr int kA = " + sum + "; int a[kA]; };", "Wide").size(),
            1 << 20)
      << "a constant that names itself many times";
}

TEST(ClassMembers, OfNestedClassesAndUnionsArePartOfIt) {
  const std::string text =
      "struct P { struct Inner { int a; }; Inner one; struct { float u, v; } uv; union { double d; int i; }; "
      "};\n";
  const std::string found = members(text, "P");
  EXPECT_THAT(found, testing::StartsWith("Inner one; "));
  EXPECT_THAT(found, testing::EndsWith(" uv; double d"));
  EXPECT_EQ(members(text, "Inner"), "int a");
}

/// Of a union the first form counts that is as large and as aligned as the union.
TEST(ClassMembers, OfUnionsHaveOneForm) {
  EXPECT_EQ(members("struct A { char c; union { int i; double d; }; float f; };", "A"),
            "char c; double d; float f");
  EXPECT_EQ(members("union Bits { unsigned u; float f; };", "Bits"), "unsigned u");
  EXPECT_EQ(members("struct A { union { struct { float x, y, z; }; float all[3]; }; };", "A"),
            "float x; float y; float z");
  EXPECT_EQ(members("struct A { union { int n; char text[6]; }; };", "A"),
            "int n; unsigned char [4] n_padding")
      << "the largest that is aligned";
  EXPECT_EQ(members("struct A { union { short s[6]; double d; }; };", "A"),
            "double d; unsigned char [8] d_padding");
  EXPECT_EQ(members("struct A { union { char c[9]; struct { short s; float f; }; }; };", "A"),
            "unsigned [3] c_or_s")
      << "no form is aligned";
  EXPECT_EQ(members("template <class T> struct A { union { T t; unsigned char bytes[16]; }; };\n"
                    "struct B { union { A<float4> a; int i; }; };",
                    "A<double>"),
            "double t; unsigned char [8] t_padding");
  EXPECT_EQ(members("struct A { union { Unknown first; int i; }; };", "A"), "Unknown first");
  EXPECT_EQ(
      members("struct A { union { int i; float f; } u; };\nstruct B { union { long l; int i; } u; };", "B"),
      "B_2 u");
}

TEST(ClassMembers, OfStructsWithoutANameLieAsInThem) {
  EXPECT_EQ(members("struct A { char c; struct { int i; char d; }; char e; };", "A"),
            "char c; int i; char d; unsigned char [3] d_padding; char e");
  EXPECT_EQ(members("struct A { char c; struct { char d; double x; }; };", "A"),
            "char c; unsigned long long [2] d");
}

/// Larger ones are aligned to 16 bytes.
TEST(ClassMembers, OfEigenAreRowsOfNumbers) {
  const std::string text =
      "using Vec = Eigen::Vector3f; using Mat = Eigen::Matrix<double, 3, 3>;\n"
      "struct Body { Vec x; Mat m; Matrix3f n; };\nstruct Vector3d { double x; };\n";
  EXPECT_EQ(members(text, "Vec"), "float [3] elements");
  EXPECT_EQ(members(text, "const Mat"), "double [9] elements");
  EXPECT_EQ(members(text, "Matrix3f"), "float [9] elements");
  EXPECT_EQ(members(text, "Vector3d"), "double x") << "the program's own";
  EXPECT_EQ(members(text, "Eigen::Vector4f"), "none");
  EXPECT_EQ(members(text, "Eigen::VectorXf"), "none");
}

TEST(ClassMembers, NameTheirOwnTemplate) {
  EXPECT_EQ(members("template <class T, int N> struct Node { Node* next; Node<T, 1>* last; T x[N]; };",
                    "Node<float, 2>"),
            "Node<float,2>* next; Node<float,1>* last; float[2] x");
}

TEST(ClassMembers, OfPackedClassesTakeFewerBytes) {
  const auto bytes = [](const std::string& text) { return packed_bytes(read_program(text), "A"); };
  EXPECT_EQ(bytes("struct A { char c; int i; };"), 0U);
  EXPECT_EQ(bytes("#pragma pack(push, 1)\nstruct A { char c; int i; short s; };\n#pragma pack(pop)\n"), 7U);
  EXPECT_EQ(bytes("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct A { char c; int i; };"), 0U);
  EXPECT_EQ(bytes("#pragma pack(2)\nstruct A { char c; int i; char d; };\n#pragma pack()\n"), 8U);
  EXPECT_EQ(bytes("#pragma pack(1)\nstruct A { int i, k; };"), 0U) << "as without it";
  EXPECT_EQ(bytes("struct __attribute__((packed)) P { char c; int i; };\nstruct A { P p[3]; char c; };"),
            16U);
}

TEST(ClassMembers, MayHaveValuesInBraces) {
  EXPECT_EQ(
      members("struct V { float zoom{1.0f}; double all[3]{}; P center{0, 1}; int a{1}, b = {2}; };", "V"),
      "float zoom; double[3] all; P center; int a; int b");
}

TEST(ClassMembers, OfCudasOwnStructsAreKnown) {
  EXPECT_EQ(members("", "cudaPitchedPtr"), "void * ptr; size_t pitch; size_t xsize; size_t ysize");
}

TEST(ClassMembers, PackedClassesMayBeAligned) {
  const ProgramText program = read_program(
      "struct __attribute__((packed, aligned(4))) Row { char kind; int value; };\n"
      "struct __attribute__((packed)) Plain { char kind; int value; };\nstruct alignas(16) Wide { float3 x; "
      "};\n"
      "struct Self { Self inside; int n; };\n");
  EXPECT_EQ(packed_bytes(program, "Row"), 8U);
  EXPECT_EQ(packed_bytes(program, "Plain"), 5U);
  EXPECT_EQ(own_alignment(program, "Wide"), 16U);
  EXPECT_EQ(packed_bytes(program, "Self"), 0U);
}

TEST(ClassMembers, OfTheLibrariesClassesAreKnown) {
  EXPECT_EQ(members("", "std::span<const float>"), "const float * data; size_t size");
  EXPECT_EQ(members("", "cuda::std::span<int, 4>"), "int * data");
  EXPECT_EQ(members("", "thrust::device_ptr<double>"), "double * data");
  EXPECT_EQ(members("", "std::array<float, 3>"), "float [3] elements");
}

}  // namespace
}  // namespace kiln
