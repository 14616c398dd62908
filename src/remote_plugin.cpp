// libkiln_remote.so: cache/remote_plugin.h over libcurl. The only file of Kiln that knows libcurl.
#include "cache/remote_plugin.h"

#include <curl/curl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <new>
#include <string>

namespace {

struct CurlDeleter {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

struct Connection {
  std::string url;
  long connect_ms = 0, whole_ms = 0;
  std::unique_ptr<CURL, CurlDeleter> curl;
  std::unique_ptr<curl_slist, CurlDeleter> headers;
};

/// A write into a connection that the server has closed must not end the host program. libcurl leaves that to
/// the signal's disposition, which is the host's.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    sigemptyset(&pending_mask_);
    sigaddset(&pending_mask_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pending_mask_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pending_mask_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pending_mask_{}, before_{};
  bool was_pending_ = false;
};

/// A value on its way here.
struct Incoming {
  CURL* curl;
  size_t left;
  kiln_remote_take take;
  void* context;
  bool too_large = false;
};

size_t take_part(char* data, size_t size, size_t count, void* to) {
  auto& incoming = *static_cast<Incoming*>(to);
  constexpr long kOk = 200;
  const size_t bytes = size * count;
  long status = 0;
  curl_easy_getinfo(incoming.curl, CURLINFO_RESPONSE_CODE, &status);
  incoming.too_large = bytes > incoming.left;
  if (incoming.too_large) return 0;
  incoming.left -= bytes;
  if (status != kOk) return bytes;  // a page for people
  return incoming.take(incoming.context, data, bytes) != 0 ? bytes : 0;
}

/// A value on its way there.
struct Outgoing {
  const char* data;
  size_t bytes, at;
};

size_t give_part(char* data, size_t size, size_t count, void* from) {
  auto& outgoing = *static_cast<Outgoing*>(from);
  const size_t bytes = std::min(size * count, outgoing.bytes - outgoing.at);
  std::memcpy(data, outgoing.data + outgoing.at, bytes);
  outgoing.at += bytes;
  return bytes;
}

/// libcurl begins again where the server had closed a kept connection.
int seek(void* from, curl_off_t to, int origin) {
  auto& outgoing = *static_cast<Outgoing*>(from);
  if (origin != SEEK_SET || to < 0 || static_cast<size_t>(to) > outgoing.bytes) return CURL_SEEKFUNC_CANTSEEK;
  outgoing.at = static_cast<size_t>(to);
  return CURL_SEEKFUNC_OK;
}

/// What holds for all requests. The kept connections survive the reset.
CURL* prepare(Connection& connection, const char* name) {
  CURL* curl = connection.curl.get();
  curl_easy_reset(curl);
  const std::string url = connection.url + "/" + name;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, connection.headers.get());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "kiln");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, connection.connect_ms);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, connection.whole_ms);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  // http:// and https:// alone: libcurl knows others, files among them.
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  return curl;
}

int perform(CURL* curl, Incoming& incoming, kiln_remote_problem* problem) {
  const NoPipeSignal guard;
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_part);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &incoming);
  curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(incoming.left));
  const CURLcode code = curl_easy_perform(curl);
  if (incoming.too_large || code == CURLE_FILESIZE_EXCEEDED) return KILN_REMOTE_TOO_LARGE;
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_OK && status > 0) return static_cast<int>(status);
  std::snprintf(problem->text, sizeof problem->text, "%s", curl_easy_strerror(code));
  return KILN_REMOTE_NO_ANSWER;
}

/// Limit for bodies that are ignored: of errors, and of answers to PUT.
constexpr size_t kMostIgnored = size_t{1} << 20;

Incoming nothing_from(CURL* curl) {
  return {curl, kMostIgnored, [](void*, const void*, size_t) { return 1; }, nullptr};
}

int no_memory(kiln_remote_problem* problem) {
  std::snprintf(problem->text, sizeof problem->text, "there is no memory for a request");
  return KILN_REMOTE_NO_ANSWER;
}

void* open(const char* url, long connect_ms, long whole_ms) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  try {
    auto connection = std::make_unique<Connection>();
    connection->url = url;
    connection->connect_ms = connect_ms;
    connection->whole_ms = whole_ms;
    connection->curl.reset(curl_easy_init());
    // Without it, libcurl waits a second for servers that do not know it.
    connection->headers.reset(curl_slist_append(nullptr, "Expect:"));
    if (!connection->curl || !connection->headers) return nullptr;
    return connection.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void close(void* connection) {
  const NoPipeSignal guard;
  delete static_cast<Connection*>(connection);
}

int get(void* connection, const char* name, size_t most, kiln_remote_take take, void* context,
        kiln_remote_problem* problem) {
  try {
    CURL* curl = prepare(*static_cast<Connection*>(connection), name);
    Incoming incoming{curl, most, take, context};
    return perform(curl, incoming, problem);
  } catch (const std::bad_alloc&) {
    return no_memory(problem);
  }
}

int head(void* connection, const char* name, kiln_remote_problem* problem) {
  try {
    CURL* curl = prepare(*static_cast<Connection*>(connection), name);
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    Incoming incoming = nothing_from(curl);
    incoming.left = static_cast<size_t>(1) << 40U;  // the size of what there is does not matter
    return perform(curl, incoming, problem);
  } catch (const std::bad_alloc&) {
    return no_memory(problem);
  }
}

int put(void* connection, const char* name, const void* data, size_t bytes, kiln_remote_problem* problem) {
  try {
    CURL* curl = prepare(*static_cast<Connection*>(connection), name);
    Outgoing outgoing{static_cast<const char*>(data), bytes, 0};
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_part);
    curl_easy_setopt(curl, CURLOPT_READDATA, &outgoing);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, &outgoing);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(bytes));
    Incoming incoming = nothing_from(curl);
    return perform(curl, incoming, problem);
  } catch (const std::bad_alloc&) {
    return no_memory(problem);
  }
}

}  // namespace

const kiln_remote_plugin* kiln_remote_plugin_table() {
  static const kiln_remote_plugin table{
      KILN_REMOTE_PLUGIN_VERSION, curl_version(), open, close, get, head, put};
  return &table;
}
