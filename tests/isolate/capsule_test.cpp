#include "isolate/capsule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

class CapsuleTest : public testing::Test {
 protected:
  CapsuleTest() { files_.make_directories("/capsule", true); }

  static Capsule full_capsule() {
    Capsule capsule;
    Specialization& spec = capsule.specialization;
    spec.source_name = "axpy \"quoted\".cu";
    spec.source_path = "/home/me/axpy.cu";
    spec.source_text = std::string("__global__ void axpy();\n\0\xff", 26);
    spec.params_header = "struct Params { int n; };\n";
    spec.headers = {{"../a.h", "/home/a.h", "int a;"}, {"sub/b.h", "/home/me/sub/b.h", "int b;"}};
    spec.defines = {{"FAST", ""}, {"N", "4"}};
    spec.options = {"-O3", "-DTEXT=\"a b\""};
    spec.include_directories = {"/home/me"};
    spec.unseen_headers = {"cub/cub.cuh"};
    spec.fast_math = true;
    spec.lineinfo = true;
    spec.entries = {{"axpy<float, 4>", Dim3{256, 2, 1}, "512"}, {"plain", std::nullopt, ""}};
    spec.target = Target{"cuda", "sm_90a", 32};
    capsule.compiler = {"NVRTC", "12.8.93", "shim 1"};
    capsule.settings.cpu_compiler = "/opt/my compiler/g++";
    capsule.settings.compile_time_limit = 2.5;
    capsule.settings.compile_memory_limit = 12345;
    capsule.settings.workload_path = {"/a", "/b"};
    capsule.kiln_version = "0.1.0";
    return capsule;
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(CapsuleTest, ReadsBackWhole) {
  const Capsule written = full_capsule();
  write_capsule(files_, "/capsule", written);
  const Capsule read = read_capsule(files_, "/capsule");
  const Specialization& a = written.specialization;
  const Specialization& b = read.specialization;
  EXPECT_EQ(a.source_name, b.source_name);
  EXPECT_EQ(a.source_path, b.source_path);
  EXPECT_EQ(a.source_text, b.source_text);
  EXPECT_EQ(a.params_header, b.params_header);
  ASSERT_EQ(b.headers.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.headers[i].name, b.headers[i].name);
    EXPECT_EQ(a.headers[i].path, b.headers[i].path);
    EXPECT_EQ(a.headers[i].text, b.headers[i].text);
  }
  EXPECT_EQ(a.defines, b.defines);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.include_directories, b.include_directories);
  EXPECT_EQ(a.unseen_headers, b.unseen_headers);
  EXPECT_TRUE(b.fast_math);
  EXPECT_TRUE(b.lineinfo);
  ASSERT_EQ(b.entries.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.entries[i].name_expression, b.entries[i].name_expression);
    EXPECT_EQ(a.entries[i].fixed_block, b.entries[i].fixed_block);
    EXPECT_EQ(a.entries[i].launch_bounds, b.entries[i].launch_bounds);
  }
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(read.compiler.name, "NVRTC");
  EXPECT_EQ(read.compiler.version, "12.8.93");
  EXPECT_EQ(read.compiler.fingerprint, "shim 1");
  EXPECT_EQ(read.settings.cpu_compiler, "/opt/my compiler/g++");
  EXPECT_EQ(read.settings.compile_time_limit, 2.5);
  EXPECT_EQ(read.settings.compile_memory_limit, 12345U);
  EXPECT_EQ(read.settings.workload_path, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(read.kiln_version, "0.1.0");
}

TEST_F(CapsuleTest, NothingIsWrittenOutsideOfTheFolder) {
  write_capsule(files_, "/capsule", full_capsule());
  for (const std::string& path : files_.files_below("/")) EXPECT_THAT(path, testing::StartsWith("/capsule/"));
}

TEST_F(CapsuleTest, EachMissingFileIsNamed) {
  write_capsule(files_, "/capsule", full_capsule());
  for (const std::string& path : files_.files_below("/capsule")) {
    const std::string text = files_.read_file(path).value();
    files_.remove_all(path);
    EXPECT_THAT(bad_input_of([&] { (void)read_capsule(files_, "/capsule"); }), HasSubstr(path));
    files_.write_file(path, text, false);
  }
  EXPECT_NO_THROW((void)read_capsule(files_, "/capsule"));
}

TEST_F(CapsuleTest, WhatIsNoCapsuleIsBadInput) {
  for (const char* text : {"", "{}", "[]", "{\"format\": 1}", "{\"format\": 2}", "\xff"}) {
    files_.write_file("/capsule/capsule.json", text, false);
    EXPECT_THAT(
        bad_input_of([&] { (void)read_capsule(files_, "/capsule"); }),
        testing::AllOf(HasSubstr("/capsule/capsule.json: "), testing::Not(HasSubstr("json.exception"))))
        << text;
  }
  files_.write_file("/capsule/capsule.json", "{}", false);
  EXPECT_THAT(bad_input_of([&] { (void)read_capsule(files_, "/capsule"); }),
              HasSubstr("expected the description of a failure capsule as Kiln writes it, found one with the "
                        "fault: key 'format' not found"));
}

TEST_F(CapsuleTest, ANumberThatIsNotWholeOrOutOfRangeIsBadInput) {
  Capsule capsule = full_capsule();
  capsule.specialization.entries.front().fixed_block = Dim3{32, 4, 1};
  write_capsule(files_, "/capsule", capsule);
  const std::string text = files_.read_file("/capsule/capsule.json").value();
  const std::size_t place = text.find("32", text.find("fixed_block"));
  ASSERT_NE(place, std::string::npos);
  for (const char* number : {"88888888888888888888888888888881", "-1", "1.5", "1e300"}) {
    files_.write_file("/capsule/capsule.json", std::string(text).replace(place, 2, number), false);
    EXPECT_THAT(bad_input_of([&] { (void)read_capsule(files_, "/capsule"); }),
                HasSubstr("/capsule/capsule.json: a number in it is not whole or not in range"))
        << number;
  }
}

TEST_F(CapsuleTest, WhatIsNotUtf8IsKeptAsItIs) {
  Capsule capsule = full_capsule();
  Specialization& spec = capsule.specialization;
  spec.source_name = "k\xe9.cu";
  spec.source_path = "/caf\xe9/k\xe9.cu";
  spec.options = {"-DX=\xff", "-DY=1", "-DZ=\xc3\xa9"};
  spec.include_directories = {"/caf\xe9"};
  spec.defines = {{"A", "\"\xe9\""}, {"B", "plain"}};
  spec.headers.front().name = "h\xe9.h";
  spec.headers.front().path = "/caf\xe9/h\xe9.h";
  capsule.settings.cache_dir = "/home/caf\xe9/cache";
  write_capsule(files_, "/capsule", capsule);
  const Capsule read = read_capsule(files_, "/capsule");
  EXPECT_EQ(read.specialization.source_name, spec.source_name);
  EXPECT_EQ(read.specialization.source_path, spec.source_path);
  EXPECT_EQ(read.specialization.options, spec.options);
  EXPECT_EQ(read.specialization.include_directories, spec.include_directories);
  EXPECT_EQ(read.specialization.defines, spec.defines);
  EXPECT_EQ(read.specialization.headers.front().name, spec.headers.front().name);
  EXPECT_EQ(read.specialization.headers.front().path, spec.headers.front().path);
  EXPECT_EQ(read.settings.cache_dir, capsule.settings.cache_dir);
}

TEST_F(CapsuleTest, BytesThatAreNoHexadecimalDigitsAreBadInput) {
  write_capsule(files_, "/capsule", full_capsule());
  std::string text = files_.read_file("/capsule/capsule.json").value();
  const std::size_t at = text.find("\"source_name\": ") + 15;
  for (const char* value : {"{\"hex\": \"6be\"}", "{\"hex\": \"zz\"}", "{\"hex\": 1}", "{}", "[]"}) {
    std::string bad = text;
    bad.replace(at, bad.find(',', at) - at, value);
    files_.write_file("/capsule/capsule.json", bad, false);
    EXPECT_NE(bad_input_of([&] { (void)read_capsule(files_, "/capsule"); }), "") << value;
  }
}

TEST_F(CapsuleTest, TellsTheFailure) {
  EXPECT_EQ(read_failure(files_, "/capsule"), "");
  write_failure(files_, "/capsule", Diagnostic{"it crashed", "the log", "kiln replay /capsule", false, true});
  EXPECT_EQ(read_failure(files_, "/capsule"), "it crashed");
  EXPECT_EQ(files_.read_file("/capsule/log.txt"), "the log");
}

}  // namespace
}  // namespace kiln
