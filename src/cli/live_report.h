#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "cli/world.h"

namespace kiln {

/// A report that is made anew whenever its files have changed, as the answers of an HTTP server. Thread-safe.
class LiveReport {
 public:
  struct Source {
    std::string page;                                       ///< HTML, the same for the whole time
    std::function<std::string()> version;                   ///< another one when the files have changed
    std::function<std::string(const std::string&)> update;  ///< of that version: page_update_json()
  };
  struct Request {
    std::string path, host, token, seen;
  };
  struct Answer {
    int status = 200;  ///< of HTTP
    const char* type = "application/json";
    std::string body;
  };

  /// Only requests with `token` are answered.
  LiveReport(std::string token, Source source) : token_(std::move(token)), source_(std::move(source)) {}

  /// `/`: the page; `/state`: what is newer than version `seen`, or status 204; 403 without the token or for
  /// a host that is not this machine; 404 for any other path; 503 while the files cannot be read, with the
  /// reason.
  [[nodiscard]] Answer answer(const Request& request);

 private:
  Answer state(const std::string& seen);

  std::string token_;
  Source source_;
  std::mutex mutex_;
  std::string version_, update_;  ///< the last one that was made
};

/// 32 random hexadecimal digits.
[[nodiscard]] std::string new_token();

/// Serves at 127.0.0.1 until the user interrupts; `port` 0: one that is free. Prints the address, with the
/// token. Throws environment_error without the plug-in libkiln_serve.so or where the port is taken. Returns
/// the exit code.
int serve_report(World& world, LiveReport& report, const std::string& token, int port);

}  // namespace kiln
