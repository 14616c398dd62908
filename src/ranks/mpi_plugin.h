/* The interface between Kiln and libkiln_mpi.so, which is built against a site's MPI (src/mpi_plugin.cpp) and
 * opened when the program runs: a table of C functions, so that no type of MPI is in it. All of them are
 * called by one thread, the one that called `begin`: MPI_THREAD_FUNNELED is enough. Fatal errors of MPI end
 * the whole MPI job, as its default error handler does. */
#ifndef KILN_RANKS_MPI_PLUGIN_H
#define KILN_RANKS_MPI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no other way: NOLINTBEGIN(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

/* Of this header; a plug-in with another number is refused. */
#define KILN_MPI_PLUGIN_VERSION 1
#define KILN_MPI_PLUGIN_SYMBOL "kiln_mpi_plugin_table"

typedef struct kiln_mpi_place {
  int rank, ranks;           /* in MPI_COMM_WORLD */
  int node_rank, node_ranks; /* among the ranks that share this node's memory */
  char host[256];
} kiln_mpi_place;

typedef struct kiln_mpi_plugin {
  uint32_t version;    /* KILN_MPI_PLUGIN_VERSION */
  const char* library; /* "Open MPI v4.1.4, ...": what it was built with */
  /* MPI_Init_thread. NULL, or one sentence that says what is wrong; MPI is then not begun. */
  const char* (*begin)(kiln_mpi_place* place);
  /* Begins to send; `data` must stay until `is_sent` says 1, which also releases the request. */
  void* (*send)(int to, const void* data, size_t bytes);
  int (*is_sent)(void* request);
  /* Whether a message waits: its sender and size. */
  int (*probe)(int* from, size_t* bytes);
  /* Takes the message that `probe` has just reported. */
  void (*receive)(int from, void* data, size_t bytes);
  /* MPI_Finalize: returns when all ranks have called it. */
  void (*end)(void);
  /* MPI_Abort: ends all ranks. */
  void (*abort)(int code);
} kiln_mpi_plugin;

/* The only symbol of the plug-in. The table stays valid as long as the plug-in is loaded. */
const kiln_mpi_plugin* kiln_mpi_plugin_table(void);

/* NOLINTEND(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

#ifdef __cplusplus
}
#endif

#endif
