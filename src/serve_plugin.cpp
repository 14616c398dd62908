// libkiln_serve.so: cli/serve_plugin.h over cpp-httplib. The only file of Kiln that knows cpp-httplib.
#include "cli/serve_plugin.h"

#include <httplib.h>

#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kThreads = 4;
constexpr std::size_t kMostBody = 1024;  // a GET has none
constexpr time_t kSeconds = 5;           // for a request to come, and for an answer to go

class Server {
 public:
  Server(kiln_serve_answer answer, void* context) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kMostBody);
    server_.set_read_timeout(kSeconds);
    server_.set_write_timeout(kSeconds);
    server_.set_keep_alive_timeout(kSeconds);
    // Without SO_REUSEPORT, which is the library's default: no other program of this user takes the port
    // over.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Referrer-Policy", "no-referrer"}});
    server_.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                     const std::exception_ptr&) { response.status = 500; });
    server_.Get(".*", [answer, context](const httplib::Request& asked, httplib::Response& response) {
      const std::string host = asked.get_header_value("Host");
      const std::string token = asked.get_param_value("token");
      const std::string seen = asked.get_param_value("seen");
      const kiln_serve_request request{asked.path.c_str(), host.c_str(), token.c_str(), seen.c_str()};
      answer(context, &request, send, &response);
    });
  }
  ~Server() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool listen(int port) {
    port_ = port == 0                               ? server_.bind_to_any_port(kLoopback)
            : server_.bind_to_port(kLoopback, port) ? port
                                                    : -1;
    if (port_ <= 0) return false;
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // stop() before the thread listens would be lost.
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  }
  [[nodiscard]] int port() const { return port_; }

 private:
  static void send(void* reply, int status, const char* type, const char* bytes, size_t size) {
    auto& response = *static_cast<httplib::Response*>(reply);
    response.status = status;
    response.set_content(bytes, size, type);
  }

  httplib::Server server_;
  std::thread thread_;
  int port_ = -1;
};

void* open_server(int port, kiln_serve_answer answer, void* context) {
  try {
    auto server = std::make_unique<Server>(answer, context);
    return server->listen(port) ? server.release() : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

int port_of(void* server) {
  return static_cast<Server*>(server)->port();
}

void close_server(void* server) {
  delete static_cast<Server*>(server);
}

}  // namespace

extern "C" const kiln_serve_plugin* kiln_serve_plugin_table() {
  static const kiln_serve_plugin table{KILN_SERVE_PLUGIN_VERSION, open_server, port_of, close_server};
  return &table;
}
