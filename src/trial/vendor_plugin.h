/* The interface between Kiln and libkiln_vendor.so, which calls routines of libraries that a machine may have
 * (cuBLAS, cuSPARSE, an OpenBLAS) on a workload's buffers: a table of C functions. The plug-in opens the
 * libraries when it runs; it is built without them. Functions are called by one thread at a time. */
#ifndef KILN_TRIAL_VENDOR_PLUGIN_H
#define KILN_TRIAL_VENDOR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no other way: NOLINTBEGIN(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

/* Of this header; a plug-in with another number is refused. */
#define KILN_VENDOR_PLUGIN_VERSION 1
#define KILN_VENDOR_PLUGIN_SYMBOL "kiln_vendor_plugin_table"

/* An argument by its name: a buffer, or a number. */
typedef struct kiln_vendor_argument {
  const char* name;
  void* data;       /* of a buffer: its address on the device; NULL for a number */
  const char* type; /* of a buffer: of its elements, "float"; "" for records */
  double number;
} kiln_vendor_argument;

typedef struct kiln_vendor_request {
  const char* routine; /* "gemm" */
  const char* backend; /* "cuda" */
  void* stream;        /* the vendor's handle; NULL on the cpu */
  const kiln_vendor_argument* arguments;
  size_t argument_count;
  const char* const* folders; /* where libraries are looked for before the loader's own places */
  size_t folder_count;
} kiln_vendor_request;

typedef struct kiln_vendor_plugin {
  uint32_t version; /* KILN_VENDOR_PLUGIN_VERSION */
  /* A call that may be run often, with a sentence in `text` that names the function and the library:
   * "cublasSgeam of cuBLAS 13.0.2". NULL: `text` says why there is none. The request need not outlive it; its
   * buffers and stream do. */
  void* (*prepare)(const kiln_vendor_request* request, char* text, size_t text_size);
  /* Enqueues; on the cpu, runs. NULL, or one sentence that says what is wrong, valid until the next call. */
  const char* (*run)(void* call);
  void (*release)(void* call);
} kiln_vendor_plugin;

/* The only symbol of the plug-in. The table stays valid as long as the plug-in is loaded. */
const kiln_vendor_plugin* kiln_vendor_plugin_table(void);

/* NOLINTEND(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

#ifdef __cplusplus
}
#endif

#endif
