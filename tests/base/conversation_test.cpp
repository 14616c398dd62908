#include "base/conversation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace kiln {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

std::unique_ptr<Conversation> with_shell(const std::string& script, std::size_t cutoff = 1U << 20) {
  Command command;
  command.program = "sh";
  command.arguments = {"-c", script};
  command.output_cutoff = cutoff;
  return make_process_runner()->converse(command);
}

std::string answer_of(Conversation& conversation, const std::string& question) {
  const auto answer = conversation.ask(question, 10s);
  const auto* reply = std::get_if<Reply>(&answer);
  return reply == nullptr ? "ended" : reply->line + reply->error;
}

ProcessResult end_of(Conversation& conversation, milliseconds limit = 10s) {
  const auto answer = conversation.ask("?", limit);
  if (const auto* reply = std::get_if<Reply>(&answer)) {
    ADD_FAILURE() << "it answered " << reply->line;
    return {};
  }
  return std::get<ProcessResult>(answer);
}

TEST(Conversation, EachLineIsAnswered) {
  const auto echo = with_shell("while read line; do echo \"got $line\"; done");
  EXPECT_EQ(answer_of(*echo, "one"), "got one");
  EXPECT_EQ(answer_of(*echo, "two words"), "got two words");
  EXPECT_EQ(answer_of(*echo, ""), "got ");
}

TEST(Conversation, TellsTheEndAndWhatWasPrintedSinceTheQuestion) {
  const auto program =
      with_shell("read a; echo early >&2; echo one; read b; echo late >&2; printf half; exit 3");
  EXPECT_EQ(answer_of(*program, "1"), "oneearly\n");
  const ProcessResult end = end_of(*program);
  EXPECT_TRUE(end.started);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output, "half");
  EXPECT_EQ(end.error, "late\n");
  EXPECT_FALSE(end_of(*program).ok());  // and stays over
}

TEST(Conversation, TellsTheSignal) {
  EXPECT_EQ(end_of(*with_shell("read a; kill -SEGV $$")).signal, SIGSEGV);
}

TEST(Conversation, SilenceIsEndedAtTheLimit) {
  const ProcessResult end = end_of(*with_shell("read a; sleep 100"), 50ms);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_GE(end.seconds, 0.05);
}

TEST(Conversation, AStopEndsIt) {
  const auto program = with_shell("read a; echo one; read b; sleep 100");
  std::stop_source stop;
  ASSERT_TRUE(std::holds_alternative<Reply>(program->ask("1", 10s, stop.get_token())));
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  const auto answer = program->ask("2", 60s, stop.get_token());
  other.join();
  const auto* end = std::get_if<ProcessResult>(&answer);
  ASSERT_NE(end, nullptr);
  EXPECT_TRUE(end->stopped);
  EXPECT_FALSE(end->timed_out);
  EXPECT_EQ(end->signal, SIGKILL);
  EXPECT_LT(end->seconds, 30);
}

TEST(Conversation, AFloodIsEnded) {
  for (const char* stream : {"", " >&2"}) {
    const ProcessResult end = end_of(
        *with_shell(std::string("read a; while :; do printf xxxxxxxxxxxxxxxx") + stream + "; done", 4096));
    EXPECT_TRUE(end.flooded);
    EXPECT_EQ(end.signal, SIGKILL);
  }
}

TEST(Conversation, AProgramThatDoesNotReadOrExistIsData) {
  EXPECT_EQ(end_of(*with_shell("exit 4")).exit_code, 4);
  Command command;
  command.program = "no-such-program-anywhere";
  const ProcessResult end = end_of(*make_process_runner()->converse(command));
  EXPECT_FALSE(end.started);
  EXPECT_NE(end.error.find("no-such-program-anywhere"), std::string::npos);
}

TEST(Conversation, WhatTheProgramStartedEndsWithIt) {
  auto program = with_shell("read a; sleep 1000 & echo $!; read b; wait");
  const std::string child = answer_of(*program, "go");
  const auto alive = [&] { return ::kill(std::stoi(child), 0) == 0; };
  ASSERT_TRUE(alive());
  program.reset();
  // The orphan is reaped by the process that adopts it: a zombie counts as ended.
  const auto ended = [&] {
    std::error_code code;
    return !alive() || !std::filesystem::exists("/proc/" + child + "/exe", code);
  };
  for (int i = 0; i < 500 && !ended(); ++i) ::usleep(10'000);
  EXPECT_TRUE(ended());
}

}  // namespace
}  // namespace kiln
