/* The interface between Kiln and libkiln_serve.so, which is built against cpp-httplib (src/serve_plugin.cpp)
 * and opened by `kiln report --serve`: a table of C functions, so that no type of cpp-httplib is in it. */
#ifndef KILN_CLI_SERVE_PLUGIN_H
#define KILN_CLI_SERVE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no other way: NOLINTBEGIN(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

/* Of this header; a plug-in with another number is refused. */
#define KILN_SERVE_PLUGIN_VERSION 1
#define KILN_SERVE_PLUGIN_SYMBOL "kiln_serve_plugin_table"

/* A GET. Texts end with 0; empty where the request has none. */
typedef struct kiln_serve_request {
  const char* path;
  const char* host;  /* the header Host */
  const char* token; /* parameters of the address */
  const char* seen;
} kiln_serve_request;

/* Takes the answer to a request: status of HTTP, type of the content, its bytes. Called once. */
typedef void (*kiln_serve_send)(void* reply, int status, const char* type, const char* bytes, size_t size);
/* Answers a request with one call of `send`; called by several threads at a time. */
typedef void (*kiln_serve_answer)(void* context, const kiln_serve_request* request, kiln_serve_send send,
                                  void* reply);

typedef struct kiln_serve_plugin {
  uint32_t version; /* KILN_SERVE_PLUGIN_VERSION */
  /* Listens at 127.0.0.1, `port` (0: one that is free), and answers in threads of its own. NULL: it cannot
   * listen there. */
  void* (*open)(int port, kiln_serve_answer answer, void* context);
  int (*port)(void* server);
  /* Ends the threads: `answer` is not called any more. */
  void (*close)(void* server);
} kiln_serve_plugin;

/* The only symbol of the plug-in. The table stays valid as long as the plug-in is loaded. */
const kiln_serve_plugin* kiln_serve_plugin_table(void);

/* NOLINTEND(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

#ifdef __cplusplus
}
#endif

#endif
