// Two machines without a shared folder, one server of each kind on the loopback: the second machine compiles
// nothing. And what a server costs that is killed, stalls, ends in the middle or talks nonsense.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

#include "base/conversation.h"
#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "service/statistics_file.h"
#include "support/loopback_server.h"

namespace kiln {
namespace {

using test::LoopbackServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kJob = R"yaml(workload: shared_out
device: cpu
measure: false
sweep: {mode: [0, 1, 2, 3]}
)yaml";
constexpr const char* kWorkload = R"yaml(workload: shared_out
summary: y = mode
parameters:
  n: {type: int, default: 64}
  mode: {type: int, default: 0, min: 0, max: 100, bind: compile}
buffers:
  y: {type: float, shape: [n]}
kernels:
  shared_out: {source: shared_out.cu, block: [64], grid: ["ceil_div(n, 64)"], args: [y, params]}
run: [shared_out]
verify:
  checks:
    - {buffer: y, expected: mode, rtol: 0}
)yaml";
constexpr const char* kKernel = R"(#include "kiln/params.h"
extern "C" __global__ void shared_out(float* y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = Params::mode;
}
)";

/// Threads of one run that may be waiting for the server when it turns out to be of no use: the job's own,
/// and two that make code ahead.
constexpr int kAsksAtOnce = 3;

class RemoteCache : public test::CliTest {
 protected:
  void SetUp() override {
    write("job.yaml", kJob);
    write("shared_out/shared_out.yaml", kWorkload);
    write("shared_out/shared_out.cu", kKernel);
    write_key("key", std::string(64, 'k'));
  }

  void write_key(const std::string& name, const std::string& bytes) {
    write(name, bytes);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_read);
  }
  [[nodiscard]] std::string http(int port) const {
    return "http://127.0.0.1:" + std::to_string(port) + "/kiln";
  }
  static bool has_http() {
    return std::filesystem::exists(std::filesystem::path(KILN_PROGRAM).parent_path() / "libkiln_remote.so");
  }

  /// `kiln run` on a machine whose cache folder is `cache`.
  ProcessResult run(const std::string& server, const std::string& cache, const std::string& variables = "",
                    const std::string& options = "") {
    const std::string patient = "KILN_CACHE_REMOTE_TIMEOUT='60 s' ";  // this machine may be busy
    const std::string key = "KILN_CACHE_REMOTE_KEY='" + path("key") + "' ";
    Command bash{
        "bash",
        {"-c", patient + "KILN_CACHE_REMOTE='" + server + "' " + (variables.empty() ? key : variables + " ") +
                   "'" KILN_PROGRAM "' run '" + path("job.yaml") + "' --output '" + path(cache + "_results") +
                   "' --cpu-threads 1 -j 1 --cache-dir '" + path(cache) + "' --workload-path '" + path("") +
                   "' " + options},
        "",
        ""};
    bash.time_limit = std::chrono::seconds(240);
    return processes_->run(bash);
  }
  ServiceCounters counters(const std::string& cache) {
    const auto clock = make_system_clock();
    return StatisticsFile(*files_, *clock, path(cache)).read().counters;
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }
  /// Until `done`, for at most a minute.
  template <class Done>
  static bool wait_until(const Done& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  /// In the foreground, so that it ends with the test.
  void start(const Command& command, int port) {
    server_ = processes_->converse(command);
    ASSERT_TRUE(wait_until([&] { return test::can_connect(port); })) << command.program << " does not start";
  }
  /// Values are files below www/kiln/.
  void start_nginx(int port) {
    for (const char* folder : {"nginx", "www/kiln"}) files_->make_directories(path(folder), false);
    const std::string temporary = path("nginx") + "/";
    write("nginx.conf", "daemon off; master_process off; pid " + temporary + "pid; error_log " + temporary +
                            "error.log;\nevents {}\nhttp {\n  access_log off;\n  client_body_temp_path " +
                            temporary + "body;\n  proxy_temp_path " + temporary +
                            "proxy;\n  fastcgi_temp_path " + temporary + "fastcgi;\n  uwsgi_temp_path " +
                            temporary + "uwsgi;\n  scgi_temp_path " + temporary +
                            "scgi;\n  server {\n    listen 127.0.0.1:" + std::to_string(port) +
                            ";\n    client_max_body_size 64m;\n    location /kiln/ { root " + path("www") +
                            "; dav_methods PUT; }\n  }\n}\n");
    start({*processes_->find_program("nginx"), {"-c", path("nginx.conf"), "-p", temporary}, "", ""}, port);
  }
  void start_redis(int port) {
    start({"redis-server",
           {"--port", std::to_string(port), "--bind", "127.0.0.1", "--save", "", "--dir", path(""),
            "--logfile", path("redis.log")},
           "",
           ""},
          port);
  }
  [[nodiscard]] std::vector<std::string> values() { return files_->list(path("www/kiln")); }

  /// One machine compiles, and the other does not.
  void expect_shared(const std::string& server) {
    const ProcessResult here = run(server, "here");
    EXPECT_EQ(here.exit_code, kExitDone) << here.output << here.error;
    EXPECT_EQ(counters("here").compiled, 4U);
    EXPECT_EQ(counters("here").uploads, 4U) << here.error;
    EXPECT_EQ(counters("here").remote_hits, 0U);
    EXPECT_THAT(here.output, HasSubstr("4 uploaded in "));
    const ProcessResult there = run(server, "there");
    EXPECT_EQ(there.exit_code, kExitDone) << there.output << there.error;
    EXPECT_EQ(counters("there").compiled, 0U) << there.error;
    EXPECT_EQ(counters("there").remote_hits, 4U);
    EXPECT_EQ(counters("there").uploads, 0U);
    EXPECT_THAT(there.output, HasSubstr("(4 by way of the remote cache)"));
    EXPECT_THAT(there.error, Not(HasSubstr("remote cache")));
    // Now the folder has them.
    server_.reset();
    const ProcessResult again = run(server, "there");
    EXPECT_EQ(again.exit_code, kExitDone) << again.error;
    EXPECT_EQ(counters("there").compiled, 0U);
    EXPECT_THAT(again.error, Not(HasSubstr("remote cache"))) << "nothing was asked of it";
  }
  /// The job is done as if there were no server, with one warning that contains `why`.
  void expect_one_warning(const std::string& server, const std::string& why,
                          const std::string& variables = "") {
    const ProcessResult result = run(server, "here", variables);
    EXPECT_EQ(result.exit_code, kExitDone) << result.output << result.error;
    EXPECT_EQ(counters("here").compiled, 4U);
    EXPECT_EQ(count(result.error, "is not used from now on"), 1U) << result.error;
    EXPECT_THAT(result.error, HasSubstr(why));
  }
  [[nodiscard]] std::string hurried() const {
    return "KILN_CACHE_REMOTE_TIMEOUT='400 ms' KILN_CACHE_REMOTE_KEY='" + path("key") + "'";
  }

  std::unique_ptr<ProcessRunner> processes_ = make_process_runner();
  std::unique_ptr<Conversation> server_;  ///< ends before its folder
};

class RemoteCacheOverHttp : public RemoteCache {
 protected:
  void SetUp() override {
    if (!has_http()) GTEST_SKIP() << "the plug-in for HTTP was not built (package libcurl4-openssl-dev)";
    RemoteCache::SetUp();
  }
};

#define KILN_NEEDS(program) \
  if (!processes_->find_program(program)) GTEST_SKIP() << "no " program " (package " program ")"

TEST_F(RemoteCacheOverHttp, MachinesShareThroughNginx) {
  KILN_NEEDS("nginx");
  const int port = test::free_port();
  start_nginx(port);
  expect_shared(http(port));
  EXPECT_EQ(values().size(), 4U);
}

TEST_F(RemoteCache, MachinesShareThroughRedis) {
  KILN_NEEDS("redis-server");
  const int port = test::free_port();
  start_redis(port);
  expect_shared("redis://127.0.0.1:" + std::to_string(port) + "/2");
}

TEST_F(RemoteCacheOverHttp, AnEntryOfAnotherKeyIsCompiledAgainAndReplaced) {
  KILN_NEEDS("nginx");
  const int port = test::free_port();
  start_nginx(port);
  ASSERT_EQ(run(http(port), "here").exit_code, kExitDone);
  write_key("other", std::string(64, 'o'));
  const std::string other = "KILN_CACHE_REMOTE_KEY='" + path("other") + "'";
  const ProcessResult result = run(http(port), "there", other);
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(count(result.error, "its HMAC is not that of your key"), 4U) << result.error;
  EXPECT_EQ(counters("there").compiled, 4U);
  EXPECT_EQ(counters("there").uploads, 4U);
  ASSERT_EQ(run(http(port), "third", other).exit_code, kExitDone);
  EXPECT_EQ(counters("third").compiled, 0U);
  // Damage by a disk is detected, too, also without a key.
  for (const std::string& name : values()) {
    std::fstream value(path("www/kiln/" + name), std::ios::in | std::ios::out | std::ios::binary);
    value.seekp(3000);
    value.put('\xff');
  }
  const ProcessResult unauthenticated = run(http(port), "fourth", "KILN_CACHE_REMOTE_UNAUTHENTICATED=on");
  EXPECT_EQ(unauthenticated.exit_code, kExitDone) << unauthenticated.error;
  EXPECT_EQ(count(unauthenticated.error, "is not used ("), 4U) << unauthenticated.error;
  EXPECT_EQ(counters("fourth").uploads, 0U);
}

TEST_F(RemoteCacheOverHttp, WithoutAKeyEntriesAreReadWhereTheUserSaysSo) {
  KILN_NEEDS("nginx");
  const int port = test::free_port();
  start_nginx(port);
  ASSERT_EQ(run(http(port), "here").exit_code, kExitDone);
  const ProcessResult result = run(http(port), "there", "KILN_CACHE_REMOTE_UNAUTHENTICATED=on");
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(counters("there").remote_hits, 4U);
  EXPECT_EQ(values().size(), 4U);
}

TEST_F(RemoteCacheOverHttp, AServerThatIsKilledInTheMiddleCostsOneWarning) {
  KILN_NEEDS("nginx");
  write("job.yaml",
        "workload: shared_out\ndevice: cpu\nmeasure: false\n"
        "sweep: {mode: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}\n");
  const int port = test::free_port();
  start_nginx(port);
  auto running = std::async(std::launch::async, [&] { return run(http(port), "here"); });
  EXPECT_TRUE(wait_until([&] { return !values().empty(); }));
  server_->kill();
  const ProcessResult result = running.get();
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(counters("here").compiled, 12U);
  EXPECT_LT(counters("here").uploads, 12U);
  EXPECT_EQ(count(result.error, "is not used from now on"), 1U) << result.error;
}

TEST_F(RemoteCache, ARedisServerThatIsKilledInTheMiddleCostsOneWarning) {
  KILN_NEEDS("redis-server");
  write("job.yaml",
        "workload: shared_out\ndevice: cpu\nmeasure: false\n"
        "sweep: {mode: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}\n");
  const int port = test::free_port();
  start_redis(port);
  auto running = std::async(std::launch::async,
                            [&] { return run("redis://127.0.0.1:" + std::to_string(port), "here"); });
  EXPECT_TRUE(wait_until([&] { return !files_->list(path("here/v1")).empty(); }));
  server_->kill();
  const ProcessResult result = running.get();
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(counters("here").compiled, 12U);
  EXPECT_EQ(count(result.error, "is not used from now on"), 1U) << result.error;
}

TEST_F(RemoteCacheOverHttp, AServerThatIsNotThereCostsOneWarning) {
  expect_one_warning(http(test::free_port()), "connect");
}

TEST_F(RemoteCacheOverHttp, AServerThatStallsCostsOneWarning) {
  const LoopbackServer server([](int socket) { test::wait_for_end(socket); });
  expect_one_warning(http(server.port()), "imeout", hurried());
  EXPECT_LE(server.connections(), kAsksAtOnce);
}

TEST_F(RemoteCacheOverHttp, AServerThatDripsIsGivenUpInTime) {
  std::atomic<bool> ends{false};
  const LoopbackServer server([&](int socket) {
    test::read_until(socket, "\r\n\r\n");
    test::write_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (!ends) {
      test::write_all(socket, "x");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  expect_one_warning(http(server.port()), "imeout", hurried());
  ends = true;
}

TEST_F(RemoteCacheOverHttp, AServerThatEndsInTheMiddleOfAValueCostsOneWarning) {
  const LoopbackServer server([](int socket) {
    test::read_until(socket, "\r\n\r\n");
    test::write_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nkiln remote 1 half");
  });
  expect_one_warning(http(server.port()), "partial file");
}

TEST_F(RemoteCacheOverHttp, AServerThatFailsOrLeadsElsewhereCostsOneWarning) {
  for (const auto& [answer, why] :
       {std::pair{"503 Service Unavailable", "HTTP status 503"},
        std::pair{"302 Found\r\nLocation: file:///etc/passwd", "redirects are not"}}) {
    files_->remove_all(path("here"));
    files_->remove_all(path("here_results"));
    const LoopbackServer server([answer = std::string(answer)](int socket) {
      test::read_until(socket, "\r\n\r\n");
      test::write_all(socket, "HTTP/1.1 " + answer + "\r\nContent-Length: 0\r\n\r\n");
    });
    expect_one_warning(http(server.port()), why);
    EXPECT_LE(server.connections(), kAsksAtOnce);
  }
}

TEST_F(RemoteCacheOverHttp, AValueThatIsTooLargeIsNotRead) {
  const LoopbackServer server([](int socket) {
    for (;;) {
      const std::string request = test::read_until(socket, "\r\n\r\n");
      if (request.empty()) return;
      if (request.starts_with("GET")) {
        test::write_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 70000000000\r\n\r\nkiln");
        continue;
      }
      test::write_all(socket,
                      "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      test::wait_for_end(socket);  // what a PUT brings is no request
      return;
    }
  });
  const ProcessResult result = run(http(server.port()), "here");
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(count(result.error, "it has more than 67108864 bytes"), 4U) << result.error;
  EXPECT_EQ(count(result.error, "takes no entries from here: it answers PUT with HTTP status 405"), 1U)
      << result.error;
}

TEST_F(RemoteCacheOverHttp, ACertificateThatNobodyVouchesForIsRefused) {
  KILN_NEEDS("openssl");
  Command make{
      "openssl",
      {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
       "subjectAltName=IP:127.0.0.1", "-keyout", path("tls.key"), "-out", path("tls.pem")},
      "",
      ""};
  ASSERT_TRUE(processes_->run(make).ok());
  const int port = test::free_port();
  start({"openssl",
         {"s_server", "-accept", "127.0.0.1:" + std::to_string(port), "-cert", path("tls.pem"), "-key",
          path("tls.key"), "-WWW", "-quiet"},
         "",
         path("")},
        port);
  expect_one_warning("https://127.0.0.1:" + std::to_string(port) + "/kiln", "certificate");
}

TEST_F(RemoteCache, SettingsThatCannotHoldEndTheRunBeforeItBegins) {
  const auto refused = [&](const std::string& server, const std::string& variables) {
    const ProcessResult result = run(server, "here", variables);
    EXPECT_EQ(result.exit_code, kExitBadInput) << result.error;
    return result.error;
  };
  EXPECT_THAT(refused("127.0.0.1:80", ""),
              AllOf(HasSubstr("KILN_CACHE_REMOTE: '127.0.0.1:80' is not the address of a server"),
                    HasSubstr("expected 'http://host[:port]/path'")));
  EXPECT_THAT(refused("redis://127.0.0.1", "KILN_LOG=warn"),
              HasSubstr("there is no key to know its entries by"));
  std::filesystem::permissions(path("key"), std::filesystem::perms(0644));
  EXPECT_THAT(refused("redis://127.0.0.1", ""), HasSubstr("has mode 0644; expected 0600 or 0400"));
  EXPECT_FALSE(exists("here"));
}

}  // namespace
}  // namespace kiln
