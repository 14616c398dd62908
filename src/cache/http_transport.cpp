#include <cmath>
#include <mutex>
#include <utility>

#include "base/plugin.h"
#include "base/unique_handle.h"
#include "cache/idle_pool.h"
#include "cache/remote_plugin.h"
#include "cache/remote_transport.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr PluginKind kHttpPlugin{
    "plug-in for servers of HTTP",
    "libkiln_remote.so",
    KILN_REMOTE_PLUGIN_SYMBOL,
    KILN_REMOTE_PLUGIN_VERSION,
    "it is built where CMake finds libcurl (package libcurl4-openssl-dev), with -D KILN_REMOTE=ON",
    false};

struct HttpConnectionTraits {
  struct Handle {
    const kiln_remote_plugin* plugin = nullptr;
    void* connection = nullptr;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.connection != b.connection; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept { handle.plugin->close(handle.connection); }
};
using HttpConnection = UniqueHandle<HttpConnectionTraits>;

int append(void* context, const void* data, std::size_t bytes) {
  try {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), bytes);
    return 1;
  } catch (const std::exception&) {
    return 0;
  }
}

Error unexpected(const char* method, int status) {
  constexpr int kRedirects = 300, kErrors = 400;
  const std::string answers = std::string("it answers ") + method + " with ";
  if (status == KILN_REMOTE_TOO_LARGE) return environment_error(answers + "a page that is too large");
  const bool redirects = status >= kRedirects && status < kErrors;
  return environment_error(answers + "HTTP status " + std::to_string(status) +
                           (redirects ? "; redirects are not followed" : ""));
}

/// Not of the one value, or of one method.
bool is_trouble(int status) {
  constexpr int kServerErrors = 500, kNotImplemented = 501, kFull = 507;
  return status == KILN_REMOTE_TOO_LARGE ||
         (status >= kServerErrors && status != kNotImplemented && status != kFull);
}

class HttpTransport final : public RemoteTransport {
 public:
  HttpTransport(RemoteAddress address, const RemoteTimeLimits& limits, std::string plugin, FileSystem& files)
      : address_(std::move(address)), limits_(limits), plugin_path_(std::move(plugin)), files_(files) {}

  std::optional<std::string> get(const std::string& name, std::uint64_t most) override {
    std::string value;
    const int status =
        call([&](const kiln_remote_plugin& plugin, void* connection, kiln_remote_problem* why) {
          return plugin.get(connection, name.c_str(), most, append, &value, why);
        });
    if (status == KILN_REMOTE_TOO_LARGE)
      throw bad_input("it has more than " + std::to_string(most) + " bytes");
    if (is_absent(status)) return std::nullopt;
    if (status != kOk) throw unexpected("GET", status);
    return value;
  }

  bool has(const std::string& name) override {
    const int status =
        call([&](const kiln_remote_plugin& plugin, void* connection, kiln_remote_problem* why) {
          return plugin.head(connection, name.c_str(), why);
        });
    if (is_trouble(status)) throw unexpected("HEAD", status);
    return status == kOk;  // a server that does not know HEAD is given what it may have
  }

  std::optional<std::string> put(const std::string& name, std::string_view value) override {
    constexpr int kSuccesses = 200, kRedirects = 300;
    const int status =
        call([&](const kiln_remote_plugin& plugin, void* connection, kiln_remote_problem* why) {
          return plugin.put(connection, name.c_str(), value.data(), value.size(), why);
        });
    if (status >= kSuccesses && status < kRedirects) return std::nullopt;
    const Error error = unexpected("PUT", status);
    if (is_trouble(status)) throw error;
    return error.message();
  }

 private:
  static constexpr int kOk = 200;

  static bool is_absent(int status) {
    constexpr int kNotFound = 404, kGone = 410;
    return status == kNotFound || status == kGone;
  }

  const kiln_remote_plugin& plugin() {
    const std::lock_guard lock(mutex_);
    if (plugin_ == nullptr)
      plugin_ = static_cast<const kiln_remote_plugin*>(open_plugin(kHttpPlugin, plugin_path_, files_).table);
    return *plugin_;
  }

  HttpConnection connect() {
    constexpr double kMsPerSecond = 1000;
    const auto ms = [](double seconds) { return std::lround(std::ceil(seconds * kMsPerSecond)); };
    const kiln_remote_plugin& plugin = this->plugin();
    HttpConnection connection(
        {&plugin, plugin.open(address_.text.c_str(), ms(limits_.connect), ms(limits_.whole))});
    if (!connection) throw environment_error("libcurl has no memory for a connection");
    return connection;
  }

  template <class Call>
  int call(const Call& call) {
    std::optional<HttpConnection> connection = idle_.take();
    if (!connection) connection = connect();
    kiln_remote_problem problem = {};
    const int status = call(*connection->get().plugin, connection->get().connection, &problem);
    if (status == KILN_REMOTE_NO_ANSWER) throw environment_error(std::string(problem.text));
    idle_.give(*std::move(connection));
    return status;
  }

  RemoteAddress address_;
  RemoteTimeLimits limits_;
  std::string plugin_path_;
  FileSystem& files_;
  std::mutex mutex_;                            // of `plugin_`
  const kiln_remote_plugin* plugin_ = nullptr;  ///< null: not opened yet
  IdlePool<HttpConnection> idle_;
};

}  // namespace

std::unique_ptr<RemoteTransport> make_http_transport(const RemoteAddress& address,
                                                     const RemoteTimeLimits& limits,
                                                     const std::string& plugin, FileSystem& files) {
  return std::make_unique<HttpTransport>(address, limits, plugin, files);
}

}  // namespace kiln
