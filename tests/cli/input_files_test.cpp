// What the user may name where a file is expected: links, pipes, devices, folders.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/exit_code.h"
#include "base/unique_fd.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

namespace fs = std::filesystem;
using test::CliResult;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWorkload = R"yaml(workload: sum
parameters:
  deck: {type: path}
  n: {type: int, default: 4, from: {file: "{deck}/values.bin", record_bytes: 4}}
buffers:
  x: {type: float, shape: [n], init: {file: {path: "{deck}/values.bin", format: binary}, otherwise: 1}}
  t: {type: float, shape: [2], init: {file: {path: "{deck}/numbers.txt"}, otherwise: 1}}
  y: {type: float, shape: [n]}
kernels:
  sum: {source: sum.cu, grid: [1], block: [1], args: [y, x, t, n]}
run: [sum]
verify: {checks: [{buffer: y, expected: 3}]}
)yaml";

constexpr const char* kKernel = R"cuda(#include "sum.h"
extern "C" __global__ void sum(float* y, const float* x, const float* t, int n) {
  for (int i = 0; i < n; ++i) y[i] = add(x[i], t[1]);
}
)cuda";

class InputFiles : public test::CliTest {
 protected:
  InputFiles() {
    write("sum/sum.yaml", kWorkload);
    write("sum/sum.cu", kKernel);
    write("sum/sum.h", "__device__ float add(float a, float b) { return a + b; }\n");
    write("deck/values.bin", std::string("\0\0\x80\x3f", 4) + std::string("\0\0\x80\x3f", 4));
    write("deck/numbers.txt", "1 2\n");
    write("job.yaml",
          "workload: sum\nset: {deck: deck}\ndevice: cpu\nmeasure: {min_time: 1 ms, max_time: 2 ms}\n");
  }

  CliResult run_job() { return kiln({"run", path("job.yaml"), "--format", "json"}); }

  std::string path_of_link(const std::string& target, const std::string& name) {
    fs::create_symlink(path(target), path(name));
    return path(name);
  }

  /// With another thing in place of a file, as a pipe or the device /dev/zero.
  void replace_by(const std::string& name, const std::string& what) {
    fs::remove(path(name));
    if (what == "pipe") {
      ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    } else if (what == "device") {
      fs::create_symlink("/dev/zero", path(name));
    } else if (what == "folder") {
      fs::create_directory(path(name));
    } else {
      fs::create_symlink("/nowhere", path(name));
    }
  }
};

TEST_F(InputFiles, LinkedInputsGiveTheSameProblem) {
  const CliResult plain = run_job();
  ASSERT_EQ(plain.code, kExitDone) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr(R"("n":{"value":2)"));
  fs::rename(path("deck"), path("real_deck"));
  fs::create_directory(path("deck"));
  // Spelt so that the links' own lengths are whole numbers of records, too.
  std::string folder = path("real_deck");
  while ((folder.size() + std::string("/values.bin").size()) % 4 != 0) folder += '/';
  fs::create_symlink(folder + "/values.bin", path("deck/values.bin"));
  fs::create_symlink(folder + "/numbers.txt", path("deck/numbers.txt"));
  const CliResult linked = run_job();
  EXPECT_EQ(linked.code, kExitDone) << linked.err;
  EXPECT_THAT(linked.out, HasSubstr(R"("n":{"value":2)"));
}

TEST_F(InputFiles, LinkedFoldersOfWorkloadsAndResultsWork) {
  fs::create_directory(path("apart"));
  const std::string workload = path_of_link("sum", "apart/sum");
  EXPECT_THAT(kiln({"workloads", workload}).out, HasSubstr("deck"));
  ASSERT_EQ(kiln({"run", path("job.yaml"), "--output", path("results")}).code, kExitDone);
  const std::string results = path_of_link("results", "linked");
  EXPECT_EQ(kiln({"report", results}).code, kExitDone);
  fs::create_directory(path("many"));
  path_of_link("results", "many/one");
  EXPECT_EQ(kiln({"report", path("many")}).code, kExitDone);
}

TEST_F(InputFiles, NamesThatAreNotUtf8AreKeptLikeOthers) {
  const std::string folder = "caf\xe9/sum";
  std::string workload = kWorkload;
  workload.replace(workload.find("sum.cu"), 6, "k\xe9.cu");
  write(folder + "/sum.yaml", workload);
  write(folder + "/k\xe9.cu", kKernel);
  fs::copy_file(path("sum/sum.h"), path(folder + "/sum.h"));
  const std::string job = write("latin.yaml",
                                "workload: caf\xe9/sum\nset: {deck: deck}\ndevice: cpu\n"
                                "measure: {min_time: 1 ms, max_time: 2 ms}\n");
  const fs::path worker = fs::path(KILN_PROGRAM).parent_path() / "kiln-worker";
  const std::string settings = write("settings.yaml", "worker: " + worker.string() + "\n");
  for (const char* isolation : {"none", "process"}) {
    const CliResult first = kiln({"run", job, "--isolation", isolation, "--settings", settings});
    EXPECT_EQ(first.code, kExitDone) << first.err;
    EXPECT_THAT(first.err, Not(HasSubstr("not kept"))) << isolation;
    const CliResult again = kiln({"run", job, "--isolation", isolation, "--settings", settings});
    EXPECT_THAT(again.out, HasSubstr("0 compiled, 1 from disk")) << isolation << again.err;
    EXPECT_EQ(kiln({"cache", "clear"}).code, kExitDone);
  }
}

struct Place {
  std::string file;
  std::string shown;  ///< a part of the message that says which file it is
};

class InputPlaces : public InputFiles, public testing::WithParamInterface<Place> {};

INSTANTIATE_TEST_SUITE_P(Files, InputPlaces,
                         testing::Values(Place{"job.yaml", "job.yaml"}, Place{"sum/sum.yaml", "sum.yaml"},
                                         Place{"sum/sum.cu", "kernels.sum.source"},
                                         Place{"sum/sum.h", "sum.h"}, Place{"deck/values.bin", "values.bin"},
                                         Place{"deck/numbers.txt", "numbers.txt"}),
                         [](const auto& instance) {
                           std::string name = instance.param.file;
                           for (char& c : name) c = c == '/' || c == '.' ? '_' : c;
                           return name;
                         });

TEST_P(InputPlaces, WhatIsNoFileIsRefusedWithItsPath) {
  const std::pair<const char*, const char*> kCases[] = {
      {"pipe", "is a pipe"},
      {"device", "is a device; expected a plain file"},
      {"folder", "is a folder; expected a plain file"},
      {"link", "is a symbolic link to a file that does not"}};
  for (const auto& [what, message] : kCases) {
    const bool finder =
        GetParam().file == "sum/sum.h" && (what == std::string("folder") || what == std::string("link"));
    if (finder) continue;  // another folder may have the header: the compiler says that there is none
    const fs::path kept = path("kept");
    fs::rename(path(GetParam().file), kept);
    replace_by(GetParam().file, what);
    const CliResult result = run_job();
    EXPECT_EQ(result.code, kExitBadInput) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.err, HasSubstr(GetParam().shown));
    EXPECT_THAT(result.out, Not(HasSubstr("\"ok\"")));
    fs::remove_all(path(GetParam().file));
    fs::rename(kept, path(GetParam().file));
  }
}

TEST_F(InputFiles, OtherCommandsLookAtWhatTheyAreGiven) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_directory(path("results"));
  ASSERT_EQ(::mkfifo(path("results/records.jsonl").c_str(), 0600), 0);
  write("capsule/x", "");
  ASSERT_EQ(::mkfifo(path("capsule/capsule.json").c_str(), 0600), 0);
  write("sparse.tar", "");
  fs::resize_file(path("sparse.tar"), std::uintmax_t{100} << 30);
  const std::vector<std::string> kCommands[] = {{"validate", path("pipe")},
                                                {"validate", "/dev/zero"},
                                                {"settings", "--settings", path("pipe")},
                                                {"settings", "--settings", "/dev/zero"},
                                                {"study", path("pipe")},
                                                {"report", path("pipe")},
                                                {"report", "/dev/zero"},
                                                {"report", path("results")},
                                                {"cache", "unpack", path("pipe"), "-o", path("site")},
                                                {"cache", "unpack", "/dev/zero", "-o", path("site")},
                                                {"cache", "unpack", path("sparse.tar"), "-o", path("site")},
                                                {"replay", path("capsule")}};
  for (const std::vector<std::string>& command : kCommands) {
    const CliResult result = kiln(command);
    EXPECT_EQ(result.code, kExitBadInput) << testing::PrintToString(command) << result.err;
    EXPECT_THAT(result.err, testing::AnyOf(HasSubstr("is a pipe"), HasSubstr("is a device; expected a plain"),
                                           HasSubstr("after the end of the bundle")))
        << testing::PrintToString(command);
  }
}

TEST_F(InputFiles, AJobMayComeThroughAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text = *files_->read_file(path("job.yaml"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", path("pipe"), "--dry-run"}, {"validate", path("pipe")}}) {
    UniqueFd both(::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC));  // opens without a reader
    UniqueFd writer(::open(path("pipe").c_str(), O_WRONLY | O_CLOEXEC));
    both = UniqueFd();
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ASSERT_EQ(::write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
      writer = UniqueFd();
    });
    const CliResult result = kiln(command);
    later.join();
    EXPECT_EQ(result.code, kExitDone) << result.err;
  }
}

}  // namespace
}  // namespace kiln
