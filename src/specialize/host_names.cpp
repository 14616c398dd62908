#include "specialize/host_names.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace kiln {
namespace {

using NameList = std::vector<std::string_view>;

const NameList kStreams = {
    "cout",       "cerr",      "clog",    "cin",      "wcout",        "endl",    "flush", "ends",  "ostream",
    "istream",    "iostream",  "ios",     "ios_base", "streambuf",    "hex",     "dec",   "oct",   "fixed",
    "scientific", "boolalpha", "getline", "setw",     "setprecision", "setfill", "left",  "right", "ws"};
const NameList kFileStreams = {"fstream", "ifstream", "ofstream", "filebuf"};
const NameList kStringStreams = {"stringstream", "ostringstream", "istringstream", "stringbuf"};
const NameList kManipulators = {"setw",     "setprecision", "setfill", "setbase",
                                "put_time", "get_time",     "quoted"};
const NameList kStrings = {"string",       "wstring",  "to_string",   "stoi",
                           "stol",         "stof",     "stod",        "stoul",
                           "stoull",       "stoll",    "getline",     "char_traits",
                           "basic_string", "u8string", "string_view", "basic_string_view"};
const NameList kAlgorithms = {"min",
                              "max",
                              "minmax",
                              "clamp",
                              "swap",
                              "sort",
                              "stable_sort",
                              "partial_sort",
                              "nth_element",
                              "find",
                              "find_if",
                              "count",
                              "count_if",
                              "copy",
                              "copy_n",
                              "copy_if",
                              "fill",
                              "fill_n",
                              "generate",
                              "generate_n",
                              "transform",
                              "for_each",
                              "for_each_n",
                              "reverse",
                              "rotate",
                              "shuffle",
                              "random_shuffle",
                              "unique",
                              "remove",
                              "remove_if",
                              "replace",
                              "max_element",
                              "min_element",
                              "minmax_element",
                              "lower_bound",
                              "upper_bound",
                              "equal_range",
                              "binary_search",
                              "merge",
                              "equal",
                              "mismatch",
                              "all_of",
                              "any_of",
                              "none_of",
                              "is_sorted",
                              "next_permutation",
                              "prev_permutation",
                              "iter_swap",
                              "partition",
                              "includes",
                              "set_union",
                              "set_intersection",
                              "lexicographical_compare",
                              "move_backward",
                              "make_heap",
                              "push_heap",
                              "pop_heap",
                              "sort_heap",
                              "adjacent_find",
                              "search",
                              "equal_to"};
const NameList kNumeric = {"accumulate",
                           "iota",
                           "inner_product",
                           "partial_sum",
                           "adjacent_difference",
                           "reduce",
                           "transform_reduce",
                           "inclusive_scan",
                           "exclusive_scan",
                           "gcd",
                           "lcm",
                           "midpoint"};
const NameList kFunctional = {"function", "bind", "ref", "cref", "reference_wrapper", "plus", "minus",
                              "multiplies", "divides", "modulus", "negate", "equal_to", "not_equal_to",
                              "greater", "less", "greater_equal", "less_equal", "logical_and", "logical_or",
                              "logical_not", "bit_and", "bit_or", "bit_xor", "bit_not", "hash", "invoke",
                              "mem_fn", "placeholders", "not_fn", "identity",
                              // Removed by C++17; compilers keep them.
                              "unary_function", "binary_function", "ptr_fun", "mem_fun", "mem_fun_ref",
                              "bind1st", "bind2nd", "not1", "not2"};
const NameList kMemory = {"unique_ptr",
                          "shared_ptr",
                          "weak_ptr",
                          "make_unique",
                          "make_shared",
                          "allocator",
                          "addressof",
                          "pointer_traits",
                          "allocator_traits",
                          "default_delete",
                          "align",
                          "uninitialized_copy",
                          "uninitialized_fill",
                          "construct_at",
                          "destroy_at",
                          "launder",
                          "enable_shared_from_this"};
const NameList kRandom = {"random_device",
                          "mt19937",
                          "mt19937_64",
                          "minstd_rand",
                          "minstd_rand0",
                          "default_random_engine",
                          "ranlux24",
                          "ranlux48",
                          "knuth_b",
                          "seed_seq",
                          "uniform_real_distribution",
                          "uniform_int_distribution",
                          "normal_distribution",
                          "bernoulli_distribution",
                          "binomial_distribution",
                          "poisson_distribution",
                          "exponential_distribution",
                          "gamma_distribution",
                          "discrete_distribution",
                          "lognormal_distribution",
                          "geometric_distribution",
                          "cauchy_distribution",
                          "linear_congruential_engine",
                          "mersenne_twister_engine",
                          "generate_canonical"};
const NameList kChrono = {"chrono", "chrono_literals"};
const NameList kIterator = {"iterator",
                            "iterator_traits",
                            "back_inserter",
                            "inserter",
                            "front_inserter",
                            "distance",
                            "advance",
                            "next",
                            "prev",
                            "begin",
                            "end",
                            "size",
                            "data",
                            "reverse_iterator",
                            "ostream_iterator",
                            "istream_iterator",
                            "random_access_iterator_tag",
                            "input_iterator_tag",
                            "forward_iterator_tag",
                            "bidirectional_iterator_tag",
                            "make_reverse_iterator",
                            "move_iterator",
                            "cbegin",
                            "cend"};
const NameList kHostAtomics = {"atomic",
                               "atomic_flag",
                               "atomic_thread_fence",
                               "atomic_load",
                               "atomic_store",
                               "atomic_exchange",
                               "atomic_fetch_add",
                               "atomic_fetch_sub",
                               "atomic_ref",
                               "atomic_bool",
                               "atomic_int",
                               "atomic_uint",
                               "atomic_long",
                               "atomic_ulong",
                               "atomic_llong",
                               "atomic_ullong",
                               "atomic_int32_t",
                               "atomic_uint32_t",
                               "atomic_int64_t",
                               "atomic_uint64_t",
                               "atomic_size_t",
                               "memory_order",
                               "memory_order_relaxed",
                               "memory_order_acquire",
                               "memory_order_release",
                               "memory_order_acq_rel",
                               "memory_order_seq_cst"};
const NameList kExceptions = {"exception",         "runtime_error",  "logic_error",  "invalid_argument",
                              "out_of_range",      "bad_alloc",      "domain_error", "length_error",
                              "range_error",       "overflow_error", "terminate",    "exception_ptr",
                              "current_exception", "system_error",   "error_code"};

/// By header, without the headers of numerics and types, which device code uses.
const std::map<std::string_view, NameList>& host_headers() {
  static const std::map<std::string_view, NameList> headers = {
      {"iostream", kStreams},
      {"ostream", kStreams},
      {"istream", kStreams},
      {"ios", kStreams},
      {"iosfwd", kStreams},
      {"iomanip", kManipulators},
      {"fstream", kFileStreams},
      {"sstream", kStringStreams},
      {"string", kStrings},
      {"string_view", {"string_view", "basic_string_view"}},
      {"vector", {"vector"}},
      {"map", {"map", "multimap"}},
      {"set", {"set", "multiset"}},
      {"unordered_map", {"unordered_map", "unordered_multimap"}},
      {"unordered_set", {"unordered_set", "unordered_multiset"}},
      {"list", {"list"}},
      {"forward_list", {"forward_list"}},
      {"deque", {"deque"}},
      {"queue", {"queue", "priority_queue"}},
      {"stack", {"stack"}},
      {"bitset", {"bitset"}},
      {"valarray", {"valarray"}},
      {"initializer_list", {"initializer_list"}},
      {"algorithm", kAlgorithms},
      {"numeric", kNumeric},
      {"functional", kFunctional},
      {"memory", kMemory},
      {"random", kRandom},
      {"chrono", kChrono},
      {"iterator", kIterator},
      {"exception", kExceptions},
      {"stdexcept", kExceptions},
      {"system_error", kExceptions},
      {"new", {"new", "nothrow", "align_val_t", "launder", "bad_alloc"}},
      {"thread", {"thread", "this_thread", "jthread"}},
      {"mutex",
       {"mutex", "lock_guard", "unique_lock", "scoped_lock", "once_flag", "call_once", "recursive_mutex"}},
      {"shared_mutex", {"shared_mutex", "shared_lock"}},
      {"atomic", kHostAtomics},
      {"condition_variable", {"condition_variable", "condition_variable_any"}},
      {"future", {"future", "async", "promise", "packaged_task", "launch"}},
      {"filesystem", {"filesystem"}},
      {"regex", {"regex", "smatch", "cmatch", "regex_match", "regex_search"}},
      {"locale", {"locale", "use_facet"}},
      {"codecvt", {"codecvt_utf8"}},
      {"typeinfo", {"typeid", "type_info", "bad_cast"}},
      {"typeindex", {"type_index"}},
      {"any", {"any", "any_cast", "make_any"}},
      {"variant",
       {"variant", "variant_size", "variant_size_v", "variant_alternative", "variant_alternative_t",
        "variant_npos", "visit", "holds_alternative", "get_if", "monostate"}},
      {"optional", {"optional", "nullopt", "make_optional"}},
      {"execution", {"execution", "par", "par_unseq"}},
      {"format", {"format", "format_to", "format_to_n", "vformat", "formatter"}},
      {"print", {"print", "println"}},
      {"source_location", {"source_location"}},
      {"stop_token", {"stop_token", "stop_source"}},
      {"semaphore", {"counting_semaphore", "binary_semaphore"}},
      {"latch", {"latch"}},
      {"syncstream", {"osyncstream"}},
      {"charconv", {"from_chars", "to_chars"}},
      {"csignal", {"signal", "raise", "SIGINT", "SIGTERM"}},
      {"ctime",
       {"time", "time_t", "tm", "strftime", "localtime", "ctime", "difftime", "timespec", "clock_gettime"}},
      {"cerrno", {"errno"}},
      {"cstdarg", {"va_list", "va_start", "va_arg", "va_end"}},
  };
  return headers;
}

/// Members of std that only host code has.
bool host_only_in_std(std::string_view name) {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> all;
    for (const NameList* list : {&kStreams, &kFileStreams, &kStringStreams, &kManipulators, &kStrings,
                                 &kRandom, &kChrono, &kExceptions})
      all.insert(list->begin(), list->end());
    for (const std::string_view one : {"vector",
                                       "map",
                                       "multimap",
                                       "set",
                                       "multiset",
                                       "unordered_map",
                                       "unordered_set",
                                       "list",
                                       "deque",
                                       "queue",
                                       "priority_queue",
                                       "stack",
                                       "valarray",
                                       "function",
                                       "unique_ptr",
                                       "shared_ptr",
                                       "make_unique",
                                       "make_shared",
                                       "thread",
                                       "mutex",
                                       "lock_guard",
                                       "unique_lock",
                                       "future",
                                       "async",
                                       "filesystem",
                                       "regex",
                                       "locale",
                                       "sort",
                                       "stable_sort",
                                       "accumulate",
                                       "format",
                                       "print",
                                       "println",
                                       "source_location",
                                       "osyncstream",
                                       "from_chars",
                                       "iota",
                                       "generate",
                                       "shuffle",
                                       "any",
                                       "condition_variable",
                                       "type_index",
                                       "weak_ptr",
                                       "shared_mutex",
                                       "shared_lock",
                                       "scoped_lock",
                                       "recursive_mutex",
                                       "promise",
                                       "packaged_task",
                                       "unordered_multimap",
                                       "unordered_multiset",
                                       "enable_shared_from_this",
                                       "forward_list"})
      all.insert(one);
    return all;
  }();
  return names.contains(name);
}

bool is_of_run_time(std::string_view name) {
  for (const std::string_view index : {"hipThreadIdx_", "hipBlockIdx_", "hipBlockDim_", "hipGridDim_"}) {
    if (name.starts_with(index)) return false;
  }
  for (const std::string_view number :
       {"cufftReal", "cufftDoubleReal", "cufftComplex", "cufftDoubleComplex"}) {
    if (name == number) return false;
  }
  // "cudaMalloc", "hipMemcpy", "cublasCreate": a capital letter ends the library's prefix.
  for (const std::string_view prefix :
       {"cuda", "hip", "cublas", "cusparse", "cufft", "cusolver", "cudnn", "nccl", "rocblas", "hipblas",
        "checkCuda", "checkHip", "cuptiA", "nvtxR", "sdk"}) {
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        (std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0))
      return true;
  }
  return is_callback_mark(name) || name.starts_with("MPI_") || name.starts_with("omp_");
}

/// Whether the name at `at` is a namespace or a class that a program has called so: `namespace cudaTools`,
/// `cudaTools::Vector`. Of the run time's names only types of enumerators stand in front of "::".
bool is_a_scope(const std::vector<Token>& tokens, std::size_t at) {
  if (at > 0 && tokens[at - 1].is("namespace")) return true;
  if (at + 1 >= tokens.size() || !tokens[at + 1].is("::")) return false;
  static const std::set<std::string_view> types = {"cudaMemcpyKind",    "cudaError", "cudaDeviceAttr",
                                                   "cudaFuncAttribute", "cudaLimit", "cudaMemoryAdvise",
                                                   "hipMemcpyKind"};
  return !tokens[at].text.ends_with("_t") && !types.contains(tokens[at].text);
}

/// Whether a program uses a type of its own here that has the prefix of the run time: `struct cudaGraph {`,
/// `cudaGraph graph`, `cudaVector<int>* v`. The run time's own types end in `_t` or are listed.
bool is_own_type(const std::vector<Token>& tokens, std::size_t at) {
  static const std::set<std::string_view> types = {"cudaAccessPolicyWindow",
                                                   "cudaArray",
                                                   "cudaChannelFormatDesc",
                                                   "cudaChannelFormatKind",
                                                   "cudaComputeMode",
                                                   "cudaDeviceAttr",
                                                   "cudaDeviceP2PAttr",
                                                   "cudaDeviceProp",
                                                   "cudaEglFrame",
                                                   "cudaError",
                                                   "cudaExtent",
                                                   "cudaExternalMemoryBufferDesc",
                                                   "cudaExternalMemoryHandleDesc",
                                                   "cudaExternalSemaphoreHandleDesc",
                                                   "cudaExternalSemaphoreSignalParams",
                                                   "cudaExternalSemaphoreWaitParams",
                                                   "cudaFuncAttribute",
                                                   "cudaFuncAttributes",
                                                   "cudaFuncCache",
                                                   "cudaGraphExecUpdateResult",
                                                   "cudaGraphInstantiateParams",
                                                   "cudaGraphNodeParams",
                                                   "cudaGraphNodeType",
                                                   "cudaGraphicsRegisterFlags",
                                                   "cudaGraphicsResource",
                                                   "cudaHostNodeParams",
                                                   "cudaKernelNodeParams",
                                                   "cudaLaunchAttribute",
                                                   "cudaLaunchAttributeID",
                                                   "cudaLaunchParams",
                                                   "cudaLimit",
                                                   "cudaMemAccessDesc",
                                                   "cudaMemLocation",
                                                   "cudaMemPoolAttr",
                                                   "cudaMemPoolProps",
                                                   "cudaMemRangeAttribute",
                                                   "cudaMemcpy3DParms",
                                                   "cudaMemcpy3DPeerParms",
                                                   "cudaMemcpyKind",
                                                   "cudaMemoryAdvise",
                                                   "cudaMemsetParams",
                                                   "cudaMipmappedArray",
                                                   "cudaOutputMode",
                                                   "cudaPitchedPtr",
                                                   "cudaPointerAttributes",
                                                   "cudaPos",
                                                   "cudaResourceDesc",
                                                   "cudaResourceType",
                                                   "cudaResourceViewDesc",
                                                   "cudaResourceViewFormat",
                                                   "cudaSharedMemConfig",
                                                   "cudaStreamAttrValue",
                                                   "cudaStreamCaptureMode",
                                                   "cudaStreamCaptureStatus",
                                                   "cudaSurfaceBoundaryMode",
                                                   "cudaTextureAddressMode",
                                                   "cudaTextureDesc",
                                                   "cudaTextureFilterMode",
                                                   "cudaTextureReadMode",
                                                   "hipArray",
                                                   "hipChannelFormatDesc",
                                                   "hipExtent",
                                                   "hipFuncAttributes",
                                                   "hipLaunchParm",
                                                   "hipMemcpyKind",
                                                   "hipPitchedPtr",
                                                   "hipPos",
                                                   "hipResourceDesc",
                                                   "hipTextureDesc"};
  const std::string_view name = tokens[at].text;
  if (!name.starts_with("cuda") && !name.starts_with("hip")) return false;
  if (name.ends_with("_t") || types.contains(name)) return false;
  if (at > 0 && (tokens[at - 1].is("struct") || tokens[at - 1].is("class"))) return true;
  std::size_t next = at + 1;
  if (next < tokens.size() && tokens[next].is("<")) next = behind_angles(tokens, next, tokens.size());
  if (next >= tokens.size()) return false;
  if (at > 0 && tokens[at - 1].is("}") && tokens[next].is(";")) return true;  // of a typedef
  while (next < tokens.size() && (tokens[next].is("*") || tokens[next].is("&"))) ++next;
  return next < tokens.size() && tokens[next].identifier();
}

bool is_of_host_library(std::string_view name) {
  static const std::set<std::string_view> names = {"fopen",
                                                   "fclose",
                                                   "fprintf",
                                                   "fscanf",
                                                   "fread",
                                                   "fwrite",
                                                   "fgets",
                                                   "fputs",
                                                   "fflush",
                                                   "scanf",
                                                   "sscanf",
                                                   "sprintf",
                                                   "snprintf",
                                                   "vprintf",
                                                   "puts",
                                                   "putchar",
                                                   "getchar",
                                                   "perror",
                                                   "stderr",
                                                   "stdout",
                                                   "stdin",
                                                   "FILE",
                                                   "exit",
                                                   "atexit",
                                                   "getenv",
                                                   "system",
                                                   "rand",
                                                   "srand",
                                                   "drand48",
                                                   "srand48",
                                                   "rand_r",
                                                   "random",
                                                   "srandom",
                                                   "time",
                                                   "gettimeofday",
                                                   "getrusage",
                                                   "rusage",
                                                   "clock_gettime",
                                                   "timeval",
                                                   "timespec",
                                                   "usleep",
                                                   "sleep",
                                                   "getopt",
                                                   "getopt_long",
                                                   "optarg",
                                                   "strtol",
                                                   "strtod",
                                                   "strtoul",
                                                   "atoi",
                                                   "atof",
                                                   "atol",
                                                   "qsort",
                                                   "realloc",
                                                   "calloc",
                                                   "aligned_alloc",
                                                   "posix_memalign",
                                                   "strdup",
                                                   "strerror",
                                                   "hipLaunchKernelGGL",
                                                   "hipLaunchKernel",
                                                   "checkCudaErrors",
                                                   "getLastCudaError",
                                                   "gpuErrchk"};
  return names.contains(name);
}

}  // namespace

bool is_callback_mark(std::string_view name) {
  return name == "CUDART_CB" || name == "CUDA_CB";
}

/// Thrust's policies, containers and algorithms. A function for devices that uses one says so.
bool host_only_in_thrust(std::string_view name) {
  static const std::set<std::string_view> names = {"device",
                                                   "host",
                                                   "device_vector",
                                                   "host_vector",
                                                   "universal_vector",
                                                   "device_malloc",
                                                   "device_free",
                                                   "device_new",
                                                   "device_delete",
                                                   "gather",
                                                   "gather_if",
                                                   "scatter",
                                                   "scatter_if",
                                                   "sort",
                                                   "sort_by_key",
                                                   "stable_sort",
                                                   "stable_sort_by_key",
                                                   "is_sorted",
                                                   "exclusive_scan",
                                                   "inclusive_scan",
                                                   "exclusive_scan_by_key",
                                                   "inclusive_scan_by_key",
                                                   "transform_exclusive_scan",
                                                   "transform_inclusive_scan",
                                                   "adjacent_difference",
                                                   "reduce",
                                                   "reduce_by_key",
                                                   "transform",
                                                   "transform_if",
                                                   "transform_reduce",
                                                   "for_each",
                                                   "for_each_n",
                                                   "copy",
                                                   "copy_if",
                                                   "copy_n",
                                                   "fill",
                                                   "fill_n",
                                                   "sequence",
                                                   "tabulate",
                                                   "generate",
                                                   "unique",
                                                   "unique_by_key",
                                                   "unique_copy",
                                                   "remove_if",
                                                   "remove_copy_if",
                                                   "partition",
                                                   "count",
                                                   "count_if",
                                                   "max_element",
                                                   "min_element",
                                                   "minmax_element",
                                                   "inner_product",
                                                   "find",
                                                   "find_if",
                                                   "lower_bound",
                                                   "upper_bound",
                                                   "binary_search",
                                                   "merge",
                                                   "merge_by_key",
                                                   "set_union",
                                                   "set_difference",
                                                   "all_of",
                                                   "any_of",
                                                   "none_of",
                                                   "equal"};
  return names.contains(name);
}

bool names_host_only(const std::vector<Token>& tokens, std::size_t at) {
  const Token& token = tokens[at];
  if (token.is("<")) {  // "<<<" and "<< <" of a launch; shifts have two, but for `operator<< <T>`
    return at + 2 < tokens.size() && tokens[at + 1].is("<") && tokens[at + 2].is("<") &&
           !(at > 0 && tokens[at - 1].is("operator"));
  }
  if (!token.identifier()) return false;
  if (token.is("dynamic_cast") || token.is("typeid") || token.is("catch")) return true;
  if (at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"))) return false;
  if (at > 1 && tokens[at - 1].is("::") && tokens[at - 2].is("thrust"))
    return host_only_in_thrust(token.text);
  if (at > 1 && tokens[at - 1].is("::"))
    return tokens[at - 2].is("std") && (host_only_in_std(token.text) || is_of_host_library(token.text));
  if (is_of_run_time(token.text)) return !is_a_scope(tokens, at) && !is_own_type(tokens, at);
  if (!is_of_host_library(token.text)) return false;
  // NameList names such as `time` may also be variables and members: only a call or a type counts.
  const bool called = at + 1 < tokens.size() && tokens[at + 1].is("(");
  const bool value = token.is("stderr") || token.is("stdout") || token.is("stdin") || token.is("FILE") ||
                     token.is("optarg") || token.is("timeval") || token.is("timespec") || token.is("rusage");
  return called || value;
}

bool names_host_only_of_std(const std::vector<Token>& tokens, std::size_t at) {
  static const std::set<std::string_view> streams = {
      "cout",     "cerr",     "clog",         "cin",           "ostream",       "istream", "ifstream",
      "ofstream", "iostream", "stringstream", "ostringstream", "istringstream", "string"};
  const Token& token = tokens[at];
  if (!token.identifier() || at + 1 >= tokens.size()) return false;
  if (at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("::") || tokens[at - 1].is("->"))) return false;
  if (streams.contains(token.text)) return true;
  return tokens[at + 1].is("<") && host_only_in_std(token.text);
}

const std::vector<std::string_view>* names_of_host_header(std::string_view header) {
  if (header == "bits/stdc++.h") {
    static const NameList all = [] {
      NameList names;
      for (const auto& [name, list] : host_headers()) names.insert(names.end(), list.begin(), list.end());
      for (const char* type_header : {"utility", "tuple", "array", "limits", "complex"}) {
        const NameList& list = *names_of_type_header(type_header);
        names.insert(names.end(), list.begin(), list.end());
      }
      return names;
    }();
    return &all;
  }
  const auto found = host_headers().find(header);
  return found == host_headers().end() ? nullptr : &found->second;
}

const std::vector<std::string_view>* names_of_type_header(std::string_view header) {
  static const std::map<std::string_view, NameList> headers = {
      {"utility",
       {"pair", "make_pair", "move", "forward", "swap", "exchange", "declval", "as_const", "get",
        "integer_sequence", "index_sequence", "make_index_sequence", "make_integer_sequence",
        "index_sequence_for", "tuple_size", "tuple_element", "in_place", "piecewise_construct",
        "initializer_list"}},
      {"tuple",
       {"tuple", "make_tuple", "tie", "get", "apply", "forward_as_tuple", "tuple_cat", "tuple_size",
        "tuple_element", "ignore", "pair", "move", "forward", "swap"}},
      {"array", {"array", "get", "to_array", "tuple_size", "tuple_element"}},
      {"limits", {"numeric_limits"}},
      {"complex", {"complex"}}};
  const auto found = headers.find(header);
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace kiln
