#include "base/input_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/unique_fd.h"
#include "kiln/error.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

namespace fs = std::filesystem;
using test::bad_input_of;
using ::testing::HasSubstr;

class InputFile : public testing::Test {
 protected:
  void SetUp() override {
    root_ = files_->make_unique_directory(fs::temp_directory_path() / "kiln-input-test-");
  }
  void TearDown() override { files_->remove_all(root_); }

  [[nodiscard]] fs::path at(const std::string& name) const { return root_ / name; }
  [[nodiscard]] std::string refusal(const fs::path& path, const InputRules& rules = kWorkloadInput) {
    return bad_input_of([&] { static_cast<void>(read_input(*files_, path, rules)); });
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  fs::path root_;
};

TEST_F(InputFile, LinksAreFollowed) {
  files_->write_file(at("x"), "12345", false);
  fs::create_symlink("x", at("link"));
  fs::create_symlink("link", at("second"));
  EXPECT_EQ(read_input(*files_, at("second")), "12345");
  EXPECT_EQ(input_status(*files_, at("second")).size, 5U);
}

TEST_F(InputFile, ALinkToNothingSaysSo) {
  fs::create_symlink("nowhere", at("link"));
  EXPECT_EQ(refusal(at("link")), at("link").string() + ": is a symbolic link to a file that does not exist");
  EXPECT_EQ(refusal(at("absent")), at("absent").string() + ": no such file");
  fs::create_symlink("loop", at("loop"));
  EXPECT_EQ(refusal(at("loop")), at("loop").string() + ": is a symbolic link to a file that does not exist");
}

TEST_F(InputFile, WhatIsNoPlainFileIsNotOpened) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  at("socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal(at("fifo")), HasSubstr("fifo: is a pipe; expected a plain file"));
  EXPECT_THAT(refusal(at("socket")), HasSubstr("socket: is a socket; expected a plain file"));
  EXPECT_THAT(refusal("/dev/zero"), HasSubstr("/dev/zero: is a device; expected a plain file"));
  EXPECT_THAT(refusal(root_), HasSubstr("is a folder; expected a plain file"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(input_status(*files_, at("fifo"))); }),
              HasSubstr("is a pipe"));
  EXPECT_EQ(read_input(*files_, "/dev/null"), "") << "an empty file to its readers";
}

TEST_F(InputFile, ALargeFileIsRefusedBeforeItIsRead) {
  files_->write_file(at("sparse"), "", false);
  fs::resize_file(at("sparse"), std::uintmax_t{100} << 30);
  EXPECT_THAT(refusal(at("sparse")), HasSubstr("at most 16 MiB; it has 100 GiB"));
  EXPECT_EQ(files_->read(at("sparse"), {std::uint64_t{99} << 30, 3}), std::string(3, '\0'));
}

/// A pipe as `kiln run <(sed ... job.yaml)` names it.
class NamedPipe {
 public:
  NamedPipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw internal_error("no pipe");
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
  }
  [[nodiscard]] fs::path path() const { return "/dev/fd/" + std::to_string(read_.get()); }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(write_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close() { write_ = UniqueFd(); }

 private:
  UniqueFd read_, write_;
};

TEST_F(InputFile, APipeIsReadToItsEndWhereThatIsAllowed) {
  NamedPipe pipe;
  std::thread writer([&] {
    for (const char* part : {"work", "load: ", "x"}) {
      pipe.write(part);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    pipe.close();
  });
  const std::string text = read_input(*files_, pipe.path(), kJobInput);
  writer.join();
  EXPECT_EQ(text, "workload: x");
}

TEST_F(InputFile, APipeThatNobodyWritesToIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_THAT(refusal(at("fifo"), kJobInput), HasSubstr("is a pipe that nothing is written to"));
}

TEST_F(InputFile, APipeMayNotHoldMoreThanAFile) {
  const InputRules small{10, true};
  NamedPipe pipe;
  pipe.write("twelve bytes");
  EXPECT_THAT(refusal(pipe.path(), small), HasSubstr("at most 10 B"));
}

TEST_F(InputFile, ASignalEndsTheWaitForAPipe) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const NamedPipe pipe;
  std::atomic<bool> ended = false;
  std::string message;
  std::thread reader([&] {
    message = refusal(pipe.path(), kJobInput);
    ended = true;
  });
  while (!ended) {
    ::pthread_kill(reader.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  reader.join();
  EXPECT_THAT(message, HasSubstr("reading was interrupted"));
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace kiln
