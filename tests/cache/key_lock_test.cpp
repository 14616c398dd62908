#include "cache/key_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/process_identity.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

constexpr double kLease = 60;

class KeyLockTest : public testing::Test {
 protected:
  KeyTurn take(const std::function<bool()>& is_done = [] { return false; }) {
    return locks_.take("k", is_done);
  }

  /// A lock file as a process of this machine or of another wrote it.
  void put_lock(bool here, std::int64_t pid, std::uint64_t start) {
    files_.make_directories("/locks", true);
    files_.write_file("/locks/k",
                      "held " + (here ? this_process().machine : "elsewhere") + " " + std::to_string(pid) +
                          " " + std::to_string(start) + " 1\n",
                      false);
  }
  [[nodiscard]] double seconds() const { return static_cast<double>(clock_.steady_ns()) * 1e-9; }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  KeyLocks locks_{files_, clock_, "/locks", kLease};
};

TEST_F(KeyLockTest, IsTakenAndGivenBack) {
  {
    const KeyTurn turn = take();
    EXPECT_TRUE(turn.lock);
    EXPECT_FALSE(turn.waited);
    EXPECT_TRUE(files_.status("/locks/k"));
  }
  EXPECT_FALSE(files_.status("/locks/k"));
  EXPECT_EQ(seconds(), 0);
}

TEST_F(KeyLockTest, AnotherKeyIsNotHeldUp) {
  const KeyTurn one = take();
  const KeyTurn other = locks_.take("other", [] { return false; });
  EXPECT_TRUE(other.lock);
  EXPECT_EQ(seconds(), 0);
}

TEST_F(KeyLockTest, WaitsUntilTheWorkIsDone) {
  const KeyTurn held = take();
  int asked = 0;
  const KeyTurn turn = take([&] { return ++asked == 5; });
  EXPECT_FALSE(turn.lock);
  EXPECT_TRUE(turn.waited);
  EXPECT_EQ(asked, 5);
}

TEST_F(KeyLockTest, TakesItWhenTheOtherLeavesIt) {
  KeyTurn held = take();
  const KeyTurn turn = take([&] {
    held.lock.reset();
    return false;
  });
  EXPECT_TRUE(turn.lock);
  EXPECT_TRUE(turn.waited);
}

TEST_F(KeyLockTest, WhoWaitsLearnsThatTheOtherGaveUp) {
  KeyTurn held = take();
  const KeyTurn turn = take([&] {
    locks_.give_up(std::move(held.lock));
    return false;
  });
  EXPECT_FALSE(turn.lock);
  EXPECT_TRUE(turn.waited);
  EXPECT_TRUE(files_.status("/locks/k"));
  const KeyTurn next = take();  // who comes later tries again
  EXPECT_TRUE(next.lock);
  EXPECT_FALSE(next.waited);
}

TEST_F(KeyLockTest, OfADeadProcessIsTakenAtOnce) {
  put_lock(true, this_process().pid, this_process().start + 1);
  const KeyTurn turn = take();
  EXPECT_TRUE(turn.lock);
  EXPECT_EQ(seconds(), 0);
  EXPECT_EQ(files_.list("/locks").size(), 1U);
}

TEST_F(KeyLockTest, OfAnotherMachineIsTakenAfterItsLease) {
  put_lock(false, 1, 1);
  const KeyTurn turn = take();
  EXPECT_TRUE(turn.lock);
  EXPECT_TRUE(turn.waited);
  EXPECT_GT(seconds(), kLease);
  EXPECT_LT(seconds(), kLease + 1);
}

TEST_F(KeyLockTest, TheClockOfAnotherMachineDoesNotMatter) {
  class FarFuture : public test::FakeClock {
   public:
    [[nodiscard]] std::int64_t system_ns() const override {
      return FakeClock::system_ns() + 86'400'000'000'000;
    }
  };
  FarFuture skewed;
  KeyLocks locks(files_, skewed, "/locks", kLease);
  const KeyTurn held = take();
  const double begin = static_cast<double>(skewed.steady_ns()) * 1e-9;
  const KeyTurn turn =
      locks.take("k", [&] { return static_cast<double>(skewed.steady_ns()) * 1e-9 > begin + 5; });
  EXPECT_TRUE(turn.waited);
  EXPECT_FALSE(turn.lock);
}

TEST_F(KeyLockTest, AFileWithoutAnOwnerIsTakenSoon) {
  for (const char* text : {"", "held", "nonsense 1 2 3", "held m x y z\n"}) {
    files_.make_directories("/locks", true);
    files_.write_file("/locks/k", text, false);
    const double begin = seconds();
    EXPECT_TRUE(take().lock) << text;
    EXPECT_LT(seconds() - begin, 3);
  }
}

TEST_F(KeyLockTest, AFileThatIsBeingWrittenIsNotTaken) {
  clock_.advance(1000);  // a clock that does not begin now
  files_.make_directories("/locks", true);
  files_.write_file("/locks/k", "", false);
  const double begin = seconds();
  int asked = 0;
  const KeyTurn turn = take([&] { return ++asked == 3; });
  EXPECT_FALSE(turn.lock);
  EXPECT_TRUE(turn.waited);
  EXPECT_LT(seconds() - begin, 1);
}

TEST_F(KeyLockTest, WithoutAWritableFolderThereIsNoLock) {
  files_.set_read_only(true);
  const KeyTurn turn = take();
  EXPECT_FALSE(turn.lock);
  EXPECT_FALSE(turn.waited);
}

TEST_F(KeyLockTest, ALockThatWasTakenOverIsNotTakenBack) {
  KeyTurn slow = take();
  files_.write_file("/locks/k", "held elsewhere 1 1 7\n", false);
  slow.lock.reset();
  EXPECT_EQ(files_.read_file("/locks/k"), "held elsewhere 1 1 7\n");
}

TEST_F(KeyLockTest, StaleOnesAreRemoved) {
  put_lock(true, this_process().pid, this_process().start + 1);
  const KeyTurn held = locks_.take("mine", [] { return false; });
  files_.write_file("/locks/remote", "held elsewhere 1 1 7\n", false);
  EXPECT_EQ(locks_.remove_stale(), 1U);
  EXPECT_EQ(files_.list("/locks"), (std::vector<std::string>{"mine", "remote"}));
  clock_.advance(kLease + 1);
  files_.write_file("/locks/new", "held elsewhere 1 1 8\n", false);
  EXPECT_EQ(locks_.remove_stale(), 2U);
  EXPECT_EQ(files_.list("/locks"), (std::vector<std::string>{"new"}));
}

TEST(KeyLockThreads, OneAtATimeOnARealDisk) {
  const auto files = make_real_file_system();
  const auto clock = make_system_clock();
  const auto folder = files->make_unique_directory(std::filesystem::temp_directory_path() / "kiln-lock-");
  KeyLocks locks(*files, *clock, folder, kLease);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const KeyTurn turn = locks.take("k", [] { return false; });
      EXPECT_TRUE(turn.lock);
      most = std::max<int>(most, ++inside);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --inside;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(files->list(folder).empty());
  files->remove_all(folder);
}

}  // namespace
}  // namespace kiln
