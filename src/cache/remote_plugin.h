/* The interface between Kiln and libkiln_remote.so, which is built against libcurl (src/remote_plugin.cpp)
 * and opened when a server of HTTP is first asked: a table of C functions, so that no type of libcurl is in
 * it. A connection is used by one thread at a time. */
#ifndef KILN_CACHE_REMOTE_PLUGIN_H
#define KILN_CACHE_REMOTE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no other way: NOLINTBEGIN(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

/* Of this header; a plug-in with another number is refused. */
#define KILN_REMOTE_PLUGIN_VERSION 1
#define KILN_REMOTE_PLUGIN_SYMBOL "kiln_remote_plugin_table"

/* What the calls below return in place of a status of HTTP. */
#define KILN_REMOTE_NO_ANSWER 0
#define KILN_REMOTE_TOO_LARGE (-1)

typedef struct kiln_remote_problem {
  char text[256]; /* one clause, of KILN_REMOTE_NO_ANSWER */
} kiln_remote_problem;

/* Is given the parts of a value; 0: there is no memory for it. */
typedef int (*kiln_remote_take)(void* context, const void* data, size_t bytes);

typedef struct kiln_remote_plugin {
  uint32_t version;    /* KILN_REMOTE_PLUGIN_VERSION */
  const char* library; /* "libcurl/7.88.1 OpenSSL/3.0.19": what it runs with */
  /* For all names below `url`, http:// or https://; the limits in milliseconds. NULL: no memory. */
  void* (*open)(const char* url, long connect_ms, long whole_ms);
  void (*close)(void* connection);
  /* GET, HEAD and PUT of `url`/`name`: the status that the server answers with, or one of the above.
   * Redirects are not followed. Of an answer to GET with status 200, `take` gets the body, at most `most`
   * bytes. */
  int (*get)(void* connection, const char* name, size_t most, kiln_remote_take take, void* context,
             kiln_remote_problem* problem);
  int (*head)(void* connection, const char* name, kiln_remote_problem* problem);
  int (*put)(void* connection, const char* name, const void* data, size_t bytes,
             kiln_remote_problem* problem);
} kiln_remote_plugin;

/* The only symbol of the plug-in. The table stays valid as long as the plug-in is loaded. */
const kiln_remote_plugin* kiln_remote_plugin_table(void);

/* NOLINTEND(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

#ifdef __cplusplus
}
#endif

#endif
