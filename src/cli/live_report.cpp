#include "cli/live_report.h"

#include <poll.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "base/exit_code.h"
#include "base/hash.h"
#include "base/plugin.h"
#include "cli/interrupt.h"
#include "cli/serve_plugin.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr PluginKind kServePlugin{
    "plug-in for --serve",
    "libkiln_serve.so",
    KILN_SERVE_PLUGIN_SYMBOL,
    KILN_SERVE_PLUGIN_VERSION,
    "it is built where CMake finds cpp-httplib (package libcpp-httplib-dev), with "
    "-D KILN_SERVE=ON",
    false};

LiveReport::Answer refusal(int status, const std::string& why) {
  const nlohmann::json json = {{"error", why}};
  return {status, "application/json", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

/// Another name of this machine could be that of a page elsewhere that asks through the user's browser.
bool is_loopback(const std::string& host) {
  const std::string name = host.substr(0, host.rfind(':'));
  return name == "127.0.0.1" || name == "localhost";
}

void answer_request(void* context, const kiln_serve_request* request, kiln_serve_send send, void* reply) {
  const LiveReport::Answer answer = static_cast<LiveReport*>(context)->answer(
      {request->path, request->host, request->token, request->seen});
  send(reply, answer.status, answer.type, answer.body.data(), answer.body.size());
}

}  // namespace

LiveReport::Answer LiveReport::answer(const Request& request) {
  if (!is_loopback(request.host) || !is_same_secret(request.token, token_))
    return refusal(403, "the address lacks its token; use the one that kiln report --serve printed");
  if (request.path == "/") return {200, "text/html; charset=utf-8", source_.page};
  if (request.path == "/state") return state(request.seen);
  return refusal(404, "expected / or /state");
}

LiveReport::Answer LiveReport::state(const std::string& seen) {
  const std::lock_guard lock(mutex_);
  try {
    const std::string version = source_.version();
    if (version == seen) return {204, "application/json", ""};
    if (version != version_ || update_.empty()) {
      update_ = source_.update(version);
      version_ = version;
    }
    return {200, "application/json", update_};
  } catch (const std::exception& error) {
    return refusal(503, error.what());
  }
}

std::string new_token() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += static_cast<char>(random() & 0xffU);
  return hex_digits(bytes);
}

int serve_report(World& world, LiveReport& report, const std::string& token, int port) {
  const auto& plugin =
      *static_cast<const kiln_serve_plugin*>(open_plugin(kServePlugin, "", world.files()).table);
  const Interrupt interrupt;
  const std::unique_ptr<void, void (*)(void*)> server(plugin.open(port, answer_request, &report),
                                                      plugin.close);
  if (!server)
    throw environment_error("--port " + std::to_string(port) +
                            ": cannot listen there at 127.0.0.1; is the port taken?");
  world.out() << "http://127.0.0.1:" << plugin.port(server.get()) << "/?token=" << token << std::endl;
  if (!world.quiet()) world.status_line().write("the report is live at this address; Ctrl-C ends it");
  pollfd wanted{Interrupt::descriptor(), POLLIN, 0};
  while (!Interrupt::requested()) ::poll(&wanted, 1, -1);
  return kExitDone;
}

}  // namespace kiln
