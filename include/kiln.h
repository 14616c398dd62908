/* Kiln for C99, and for every language that calls C: kernels of source texts and of workload files, compiled
 * for a device at run time, cached and launched. docs/embedding.md, "C and Fortran" explains it; kiln/kiln.h
 * is the interface for C++.
 *
 * - A function that can fail returns a kiln_status and sets its last parameter to the result, or to NULL
 * after a failure. kiln_last_error_message() in the same thread describes the failure. No exception leaves a
 * function.
 * - Handles are opaque. kiln_..._create, _open, _load, _borrow, _record, _capture and _get make one for the
 * caller, kiln_..._release destroys it (NULL: nothing to do). A handle keeps the objects alive from which it
 * was made: handles may be released in any order.
 * - Strings are UTF-8 and end with a zero byte. Kiln copies the strings that it takes; a string that it
 * returns belongs to the handle and lives as long.
 * - Functions and kernels may be launched by several threads at once. A request or a buffer is for one thread
 * at a time.
 * - Structures begin with their size, which the caller fills in (`options.size = sizeof options`): they grow
 * at their end, and an older program works with a newer library.
 */
#ifndef KILN_H
#define KILN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no other way: NOLINTBEGIN(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

/* ABI number of this header. The linker refuses a library with another one: its name ends with the number,
 * libkiln.so.1. */
#define KILN_ABI 1

/* The numbers are the exit codes of the program `kiln`. */
typedef enum kiln_status {
  KILN_OK = 0,
  KILN_BAD_INPUT = 2,   /* a wrong argument, or a text that does not compile */
  KILN_ENVIRONMENT = 3, /* the machine lacks something, or a kernel failed on the device */
  KILN_INTERNAL = 70,   /* a bug in Kiln */
  KILN_CANCELLED = 130  /* the program's own `progress` function ended the call */
} kiln_status;

/* The kind of failure, finer than the status. */
typedef enum kiln_error_kind {
  KILN_ERROR_NONE = 0,
  KILN_ERROR_BAD_INPUT = 1,
  KILN_ERROR_COMPILE = 2,      /* KILN_BAD_INPUT: a kernel does not compile, or takes other arguments */
  KILN_ERROR_UNFIT = 3,        /* KILN_BAD_INPUT: code or shape do not fit the device */
  KILN_ERROR_ENVIRONMENT = 4,  /* no such device, compiler or library, no permission */
  KILN_ERROR_DEVICE_FAULT = 5, /* KILN_ENVIRONMENT: a kernel failed while it ran */
  KILN_ERROR_DEVICE_LOST = 6,  /* KILN_ENVIRONMENT: and the device is lost for this process */
  KILN_ERROR_INTERNAL = 7,
  KILN_ERROR_CANCELLED = 8 /* KILN_CANCELLED */
} kiln_error_kind;

typedef struct kiln_service kiln_service;
typedef struct kiln_device kiln_device;
typedef struct kiln_stream kiln_stream;
typedef struct kiln_event kiln_event;
typedef struct kiln_graph kiln_graph;
typedef struct kiln_buffer kiln_buffer;
typedef struct kiln_program kiln_program;
typedef struct kiln_function_request kiln_function_request;
typedef struct kiln_function kiln_function;
typedef struct kiln_family kiln_family;
typedef struct kiln_workload kiln_workload;
typedef struct kiln_kernel_request kiln_kernel_request;
typedef struct kiln_kernel kiln_kernel;
typedef struct kiln_step kiln_step;

/* ---- errors and versions ---- */

/* These describe the last failed call in this thread; valid until the next one fails. "" if none failed. */
kiln_error_kind kiln_last_error_kind(void);
const char* kiln_last_error_message(void);
const char* kiln_last_error_log(void); /* the compiler's */

uint32_t kiln_abi(void);        /* KILN_ABI of the library */
const char* kiln_version(void); /* "0.2.0" */

/* ---- service ---- */

typedef enum kiln_log_level {
  KILN_LOG_DEBUG = 0,
  KILN_LOG_INFO = 1,
  KILN_LOG_WARN = 2,
  KILN_LOG_ERROR = 3
} kiln_log_level;

/* Called by any thread, one at a time; must not call Kiln. */
typedef void (*kiln_log_function)(void* user, kiln_log_level level, const char* message);

/* The stage of a call that gets a kernel. A kernel that is in memory is not reported. */
typedef enum kiln_stage {
  KILN_STAGE_LOOKING = 0, /* on the disk and in bundles */
  KILN_STAGE_WAITING = 1, /* for another thread that compiles it */
  KILN_STAGE_COMPILING = 2,
  KILN_STAGE_LOADING = 3, /* onto the device */
  KILN_STAGE_READY = 4,
  KILN_STAGE_FAILED = 5
} kiln_stage;

/* Called before each stage by the thread that works, one at a time; `kernel` is "cg.cu axpy<double>",
 * `seconds` the time since the call began. Returning 0 ends the call before that stage with KILN_CANCELLED; a
 * compile that has begun runs to its end. Must not call Kiln. */
typedef int (*kiln_progress_function)(void* user, kiln_stage stage, const char* kernel, double seconds);

typedef struct kiln_service_options {
  size_t size; /* sizeof(kiln_service_options) */
  const char*
      application; /* "cg": settings of the program's own, cache in ~/.cache/cg/kiln, no file and no variable
                      of Kiln's is read; NULL: the user's settings file and the KILN_* variables */
  const char* settings;  /* lines of a settings file over these: "cache: false\nlog_level: off"; NULL: none */
  kiln_log_function log; /* receives messages; NULL: standard error */
  void* user;            /* first argument of `log` and `progress` */
  kiln_progress_function progress; /* NULL: none */
} kiln_service_options;

typedef struct kiln_statistics {
  size_t size; /* sizeof(kiln_statistics) */
  uint64_t memory_hits, disk_hits, compiled, waited, failed;
  double compile_seconds, load_seconds;
  uint64_t bytes_read, bytes_written;
} kiln_statistics;

/* `options` NULL: the user's settings. */
kiln_status kiln_service_create(const kiln_service_options* options, kiln_service** service);
void kiln_service_release(kiln_service* service);
/* Adds the program's own code: `size` bytes of a bundle of `kiln cache pack`, which have to stay in memory
 * until the service and all its objects are released. Kernels of a bundle need no compiler. */
kiln_status kiln_service_add_bundle(const kiln_service* service, const void* bundle, size_t size);
/* Counts of how kernels were found since the service began. Waits until all entries of the cache are written.
 */
kiln_status kiln_service_statistics(const kiln_service* service, kiln_statistics* statistics);

/* The ranks of a parallel program, by functions of the program's own: no type of MPI is in this interface. */
typedef struct kiln_communicator {
  size_t size; /* sizeof(kiln_communicator) */
  void* user;  /* first argument of the functions */
  int (*rank)(void* user);
  int (*ranks)(void* user); /* how many */
  /* Sends the `bytes` (at most 1 MiB) that rank `root` has at `data` to all ranks; 0: done. All ranks call
   * it, in the same order, in the thread that calls Kiln. */
  int (*broadcast)(void* user, void* data, size_t bytes, int root);
} kiln_communicator;

/* From now on rank 0 decides for all ranks: kernel requests with wisdom take the values that it finds, and
 * the defaults on all ranks if these values fail on rank 0. This call, and kiln_kernel_get of such requests,
 * are then collective: all ranks make them, in the same order, from one thread at a time; a failure on rank 0
 * is a failure on all. */
kiln_status kiln_service_share(const kiln_service* service, const kiln_communicator* communicator);
/* Writes the trace so far to the file of the setting `trace`, if it is set. */
kiln_status kiln_service_write_trace(const kiln_service* service);

/* ---- devices ---- */

/* "auto", "cpu", "cuda:0". */
kiln_status kiln_device_open(const kiln_service* service, const char* name, kiln_device** device);
void kiln_device_release(kiln_device* device);
const char* kiln_device_id(const kiln_device* device);   /* "cuda:0" */
const char* kiln_device_name(const kiln_device* device); /* the product's */
const char* kiln_device_arch(const kiln_device* device); /* the architecture for which code is generated */
kiln_status kiln_device_free_memory(const kiln_device* device, uint64_t* bytes);
/* Waits for all work that was launched with a null stream. */
kiln_status kiln_device_synchronize(const kiln_device* device);

/* ---- streams, events, graphs: for programs that have no streams of their own ---- */

kiln_status kiln_stream_create(const kiln_device* device, kiln_stream** stream);
/* The program's own stream (a CUstream or hipStream_t), which has to live as long; NULL: the null stream
 * of launches. */
kiln_status kiln_stream_borrow(const kiln_device* device, void* native, kiln_stream** stream);
void kiln_stream_release(kiln_stream* stream);
void* kiln_stream_native(const kiln_stream* stream); /* the stream for launches */
kiln_status kiln_stream_synchronize(const kiln_stream* stream);
/* An event after all work that was enqueued until now. */
kiln_status kiln_stream_record(const kiln_stream* stream, kiln_event** event);
kiln_status kiln_stream_wait(const kiln_stream* stream, const kiln_event* event);
void kiln_event_release(kiln_event* event);
/* Seconds on the device between two events that have completed. */
kiln_status kiln_event_seconds(const kiln_event* from, const kiln_event* to, double* seconds);
/* Records the work that `enqueue(user)` puts on the stream as a graph; none of it runs meanwhile. Fails if
 * `enqueue` returns anything but KILN_OK. */
kiln_status kiln_stream_capture(const kiln_stream* stream, kiln_status (*enqueue)(void* user), void* user,
                                kiln_graph** graph);
kiln_status kiln_graph_launch(const kiln_graph* graph, const kiln_stream* stream);
/* Captures again what later launches of the graph do: kernels with other values of their arguments. If
 * `enqueue` fails, the graph stays unchanged. */
kiln_status kiln_graph_update(const kiln_graph* graph, const kiln_stream* stream,
                              kiln_status (*enqueue)(void* user), void* user);
void kiln_graph_release(kiln_graph* graph);

/* ---- buffers: arrays that host and device share, copied when the other side has changed them ---- */

typedef enum kiln_access {
  KILN_READ = 0,
  KILN_WRITE = 1, /* all of it: nothing is copied before */
  KILN_UPDATE = 2 /* a part */
} kiln_access;

kiln_status kiln_buffer_create(const kiln_device* device, size_t count, size_t element_bytes,
                               kiln_buffer** buffer);
void kiln_buffer_release(kiln_buffer* buffer);
/* The address for work on that stream. */
kiln_status kiln_buffer_on_device(kiln_buffer* buffer, const kiln_stream* stream, kiln_access access,
                                  void** address);
/* The address on the host, after the work on the stream of the last access. */
kiln_status kiln_buffer_on_host(kiln_buffer* buffer, kiln_access access, void** address);

/* ---- programs: kernels of a text in memory ---- */

/* `name` is the text's name in messages ("cg.cu"). */
kiln_status kiln_program_create(const kiln_service* service, const char* name, const char* text,
                                kiln_program** program);
void kiln_program_release(kiln_program* program);
/* An `#include` of this name finds this text before any file. */
kiln_status kiln_program_header(kiln_program* program, const char* name, const char* text);
/* The content of a __constant__ or __device__ variable. */
kiln_status kiln_program_symbol(kiln_program* program, const char* name, const void* content, size_t bytes);
/* The __global__ functions that the text itself defines. */
size_t kiln_program_kernel_count(const kiln_program* program);
const char* kiln_program_kernel_name(const kiln_program* program, size_t index); /* NULL: there is none */

/* A request for a kernel of a program. `stream`: a native stream that may be in capture, or NULL. */
kiln_status kiln_function_request_create(const kiln_program* program, const char* kernel,
                                         const kiln_device* device, void* stream,
                                         kiln_function_request** request);
void kiln_function_request_release(kiln_function_request* request);
kiln_status kiln_function_request_template_args(kiln_function_request* request, size_t count,
                                                const char* const* arguments);
kiln_status kiln_function_request_define(kiln_function_request* request, const char* name, const char* value);
/* Compiles the value of an argument (from 0) in; launches must still pass this value. */
kiln_status kiln_function_request_constant_bool(kiln_function_request* request, int argument, int value);
kiln_status kiln_function_request_constant_int(kiln_function_request* request, int argument, int64_t value);
kiln_status kiln_function_request_constant_uint(kiln_function_request* request, int argument, uint64_t value);
kiln_status kiln_function_request_constant_double(kiln_function_request* request, int argument, double value);
kiln_status kiln_function_request_block(kiln_function_request* request, uint32_t x, uint32_t y, uint32_t z);
kiln_status kiln_function_request_grid(kiln_function_request* request, uint32_t x, uint32_t y, uint32_t z);
/* The grid of each launch is as many blocks as cover the values of these arguments (from 0); below 0: one
 * block. */
kiln_status kiln_function_request_cover(kiln_function_request* request, int x, int y, int z);
kiln_status kiln_function_request_shared_bytes(kiln_function_request* request, uint32_t bytes);
/* `blocks` 0: no minimum number of blocks. */
kiln_status kiln_function_request_launch_bounds(kiln_function_request* request, uint32_t threads,
                                                uint32_t blocks);
/* `backend` "cuda", "hip", "cpu", or "" for all. */
kiln_status kiln_function_request_options(kiln_function_request* request, const char* backend, size_t count,
                                          const char* const* options);
kiln_status kiln_function_request_fast_math(kiln_function_request* request, int on);
kiln_status kiln_function_request_lineinfo(kiln_function_request* request, int on);

/* ---- functions ---- */

/* Finds or compiles the code, lets the kernel's compiler compare its arguments with `signature`, and loads
 * it. `signature` lists C types as the program passes them: "int, double, const double*, double*". A
 * structure of the kernel's text is named with its bytes: "Particle{48}". */
kiln_status kiln_function_get(const kiln_function_request* request, const char* signature,
                              kiln_function** function);
void kiln_function_release(kiln_function* function);

typedef struct kiln_function_info {
  size_t size;        /* sizeof(kiln_function_info) */
  const char* name;   /* "axpy<double>" */
  const char* origin; /* "memory", "disk", "compiled" or "waited" */
  const char* key;    /* the digest that names the code in the cache */
  double compile_seconds;
  int32_t registers; /* registers of a work-item; -1: the back end has none */
  uint64_t static_shared_bytes, local_bytes, max_threads_per_block;
  int64_t resident_blocks; /* blocks of the request's shape on the whole device; -1: not known */
} kiln_function_info;
kiln_status kiln_function_get_info(const kiln_function* function, kiln_function_info* info);

/* The shape of one launch. */
typedef struct kiln_shape {
  size_t size;           /* sizeof(kiln_shape) */
  uint32_t grid[3];      /* blocks */
  uint32_t block[3];     /* work-items; {0, 0, 0}: the request's */
  uint64_t shared_bytes; /* dynamic shared memory of a block; UINT64_MAX: the request's */
} kiln_shape;

/* Enqueues on the caller's stream, in the shape of the request; `values[i]` points at the value of argument
 * i, which is read before the call returns. Allocates nothing, and takes no lock of Kiln's on a GPU. */
kiln_status kiln_launch(const kiln_function* function, void* stream, void* const* values);
/* kiln_launch for `count` values of `sizes[i]` bytes, which are compared with the signature. `shape` NULL:
 * the request's. */
kiln_status kiln_launch_checked(const kiln_function* function, void* stream, const kiln_shape* shape,
                                size_t count, void* const* values, const size_t* sizes);
/* kiln_launch with a null stream, and the wait for it. */
kiln_status kiln_run(const kiln_function* function, void* const* values);
/* Median seconds of a launch on the device: one to warm up, then `repeats`, on the null stream. */
kiln_status kiln_time(const kiln_function* function, int repeats, void* const* values, double* seconds);

/* Functions for all values of the arguments `keyed` (from 0; integers or bool; 1 to 8), which are
 * constants in the code of each. A launch with new values compiles, every later one is a look-up. */
kiln_status kiln_family_get(const kiln_function_request* request, const char* signature, size_t count,
                            const int* keyed, kiln_family** family);
void kiln_family_release(kiln_family* family);
kiln_status kiln_family_launch(const kiln_family* family, void* stream, void* const* values);

/* ---- workloads: kernels of YAML files ---- */

/* A name on the workload path, or the path of a file or folder. */
kiln_status kiln_workload_load(const kiln_service* service, const char* name_or_path,
                               kiln_workload** workload);
void kiln_workload_release(kiln_workload* workload);
const char* kiln_workload_name(const kiln_workload* workload);
size_t kiln_workload_kernel_count(const kiln_workload* workload);
const char* kiln_workload_kernel_name(const kiln_workload* workload, size_t index); /* NULL: there is none */

kiln_status kiln_kernel_request_create(const kiln_workload* workload, const char* kernel,
                                       const kiln_device* device, void* stream,
                                       kiln_kernel_request** request);
void kiln_kernel_request_release(kiln_kernel_request* request);
/* A parameter's value, "bind.<parameter>", "fast_math", "launch_bounds" or "lineinfo". Replaces what was set.
 */
kiln_status kiln_kernel_request_set_bool(kiln_kernel_request* request, const char* parameter, int value);
kiln_status kiln_kernel_request_set_int(kiln_kernel_request* request, const char* parameter, int64_t value);
kiln_status kiln_kernel_request_set_double(kiln_kernel_request* request, const char* parameter, double value);
kiln_status kiln_kernel_request_set_text(kiln_kernel_request* request, const char* parameter,
                                         const char* value);
kiln_status kiln_kernel_request_header(kiln_kernel_request* request, const char* name, const char* text);
/* Takes values of the nearest point that was found to be fast; `file_or_folder` NULL: the usual places. */
kiln_status kiln_kernel_request_wisdom(kiln_kernel_request* request, const char* file_or_folder);

kiln_status kiln_kernel_get(const kiln_kernel_request* request, kiln_kernel** kernel);
void kiln_kernel_release(kiln_kernel* kernel);

typedef struct kiln_kernel_info {
  size_t size; /* sizeof(kiln_kernel_info) */
  const char* name;
  const char* origin;
  const char* key;
  const char* wisdom; /* the point that gave it values; "": none */
  double compile_seconds;
} kiln_kernel_info;
kiln_status kiln_kernel_get_info(const kiln_kernel* kernel, kiln_kernel_info* info);

typedef enum kiln_scalar_kind {
  KILN_SCALAR_BOOL = 0,
  KILN_SCALAR_INT = 1,
  KILN_SCALAR_UINT = 2,
  KILN_SCALAR_DOUBLE = 3
} kiln_scalar_kind;

/* The value of a run-time parameter for one launch. */
typedef struct kiln_scalar {
  const char* name;
  kiln_scalar_kind kind;
  union {
    int boolean;
    int64_t integer;
    uint64_t natural;
    double real;
  } value;
} kiln_scalar;

/* `pointers` are the kernel's buffer arguments, in the order of the workload file. */
kiln_status kiln_kernel_launch(const kiln_kernel* kernel, void* stream, size_t count,
                               const void* const* pointers, size_t scalar_count, const kiln_scalar* scalars);
/* kiln_kernel_launch with a null stream, and the wait for it. */
kiln_status kiln_kernel_run(const kiln_kernel* kernel, size_t count, const void* const* pointers,
                            size_t scalar_count, const kiln_scalar* scalars);

/* ---- steps: all of a workload's `run:`, as one call ---- */

typedef struct kiln_step_options {
  size_t size; /* sizeof(kiln_step_options) */
  size_t set_count, input_count, output_count;
  const char* const* set;     /* "batch=8": replaces the job's value */
  const char* const* inputs;  /* buffers that calls pass; none: the workload's `inputs` */
  const char* const* outputs; /* buffers that calls get back; none: the workload's `outputs` */
  int wisdom;                 /* 1: parameters that nothing gives take the values of the nearest wisdom */
} kiln_step_options;

/* A buffer as the workload file declares it. Where a parameter alone is the type or an extent, the array that
 * a program passes may decide its value. */
typedef struct kiln_declared_buffer {
  size_t size; /* sizeof(kiln_declared_buffer) */
  int is_output;
  const char* name;
  const char* type;           /* "float", or "T" for a parameter of types */
  const char* type_parameter; /* "T"; "": the type is fixed */
  size_t rank;
  const char* const* shape;            /* expressions, "2 * n"; the last extent is contiguous */
  const char* const* shape_parameters; /* for each extent, "n"; "": another expression */
} kiln_declared_buffer;

/* Calls `declare` for each input and each output of a step, without a device. What it is given is valid until
 * it returns. `job` is as for kiln_step_create. */
kiln_status kiln_step_declare(const kiln_service* service, const char* job, const kiln_step_options* options,
                              void (*declare)(void* user, const kiln_declared_buffer* buffer), void* user);

/* Compiles a workload for the device, allocates its buffers and fills them. `job`: the path of a job file,
 * its text (if it contains a line break), or the name or folder of a workload. Of swept parameters the first
 * value is taken. `options` NULL: none. */
kiln_status kiln_step_create(const kiln_service* service, const kiln_device* device, const char* job,
                             const kiln_step_options* options, kiln_step** step);
void kiln_step_release(kiln_step* step);

typedef struct kiln_step_buffer {
  size_t size; /* sizeof(kiln_step_buffer) */
  const char* name;
  const char* type; /* "float", "half", or the name of a record */
  size_t element_bytes;
  size_t rank;
  const uint64_t* shape; /* extents, the last contiguous */
} kiln_step_buffer;
size_t kiln_step_input_count(const kiln_step* step);
size_t kiln_step_output_count(const kiln_step* step);
kiln_status kiln_step_get_input(const kiln_step* step, size_t index, kiln_step_buffer* buffer);
kiln_status kiln_step_get_output(const kiln_step* step, size_t index, kiln_step_buffer* buffer);

typedef struct kiln_step_info {
  size_t size;            /* sizeof(kiln_step_info) */
  const char* name;       /* of the workload */
  size_t launches, units; /* launches that the step may do; texts that were compiled or found */
  double compile_seconds; /* summed over units; 0: all were found */
  uint64_t buffer_bytes;  /* memory on the device */
  int graph;              /* 1: launches that follow each other are one graph */
} kiln_step_info;
kiln_status kiln_step_get_info(const kiln_step* step, kiln_step_info* info);

/* Enqueues the step on the caller's stream, with the addresses of arrays on the device in the order of inputs
 * and outputs; NULL stands for the step's own buffer. Threads may call it at once: calls run one after the
 * other. The arrays stay valid until the stream has done the work. */
kiln_status kiln_step_launch(const kiln_step* step, void* stream, size_t input_count,
                             const void* const* inputs, size_t output_count, void* const* outputs);
/* kiln_step_launch with a null stream, and the wait for it. */
kiln_status kiln_step_run(const kiln_step* step, size_t input_count, const void* const* inputs,
                          size_t output_count, void* const* outputs);

/* ---- jobs: what `kiln run` does with a job file ---- */

typedef struct kiln_job_options {
  size_t size; /* sizeof(kiln_job_options) */
  size_t set_count, sweep_count, device_count;
  const char* const* set;     /* "nx=256": replaces the job's value */
  const char* const* sweep;   /* "block_x=64,128", likewise */
  const char* const* devices; /* replace the job's; none: the job's */
  const char* output;         /* folder whose records.jsonl gets a line for each variant; NULL: the job's */
  int resume;                 /* variants that this folder has a record of do not run again */
  /* As soon as a variant has ended: its record, a line of schemas/record.schema.json. */
  void (*record)(void* user, const char* json);
  /* Before variant `index` (from 0) of `count` runs; `label` is "block_x=64", or "". */
  void (*progress)(void* user, size_t index, size_t count, const char* label);
  int (*stop)(void* user); /* called between steps; not 0: the job ends as soon as it can */
  void* user;              /* first argument of the functions, which one thread calls at a time */
} kiln_job_options;

typedef struct kiln_job_result {
  size_t size;    /* sizeof(kiln_job_result) */
  size_t records; /* variants with a record */
  int finished;   /* 0: `stop` ended the job */
  int good;       /* 1: finished, no variant failed and no check found a result wrong */
} kiln_job_result;

/* Runs every variant in this process. `job`: the path of a job file or, if it contains a line break, its
 * text. A variant that fails is a record. `options` NULL: none; `result` NULL: not returned. */
kiln_status kiln_job_run(const kiln_service* service, const char* job, const kiln_job_options* options,
                         kiln_job_result* result);

/* NOLINTEND(modernize-*,readability-identifier-naming,cppcoreguidelines-*) */

#ifdef __cplusplus
}
#endif

#endif
