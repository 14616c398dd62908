#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

/// Settings of Kiln on this machine, whatever the job: a plain value, filled by hand or from the environment.
/// `kiln settings` and docs/settings.md list each member's meaning, variable and default.
struct Settings {
  std::string cache_dir;                      ///< folder of compiled kernels
  bool cache = true;                          ///< false: nothing is read from or written to `cache_dir`
  bool cache_locks = true;                    ///< one compile per key among processes
  std::vector<std::string> cache_read_only;   ///< further folders of compiled kernels, never written to
  std::string cache_remote;                   ///< URL of a server of compiled kernels; empty: none
  std::string cache_remote_key;               ///< file with the key that its entries are signed with
  bool cache_remote_unauthenticated = false;  ///< true: without a key its entries are read, none is written
  double cache_remote_timeout = 2;            ///< seconds, of each transfer
  std::string cache_remote_plugin;            ///< path of libkiln_remote.so; empty: searched
  std::uint64_t cache_max_size = 2'000'000'000;  ///< bytes in `cache_dir`; 0: no cap
  bool compile = true;                     ///< false: code comes from these folders and from bundles alone
  std::string device = "auto";             ///< for jobs that leave the device open
  std::vector<std::string> workload_path;  ///< folders searched for workloads, in order
  std::string log_level = "warn";          ///< debug, info, warn, error or off
  std::string cpu_compiler;                ///< a name or a path; empty: the first of g++, clang++, c++
  int cpu_threads = 0;                     ///< 0: all that this process may use
  int cpu_stack_kib = 64;                  ///< stack of a work-item in kernels with barriers
  std::string nvrtc;                       ///< path of libnvrtc; empty: searched
  std::string hip;                         ///< path of libamdhip64; empty: searched
  std::string hiprtc;                      ///< path of libhiprtc; empty: searched
  std::string nvcc;                        ///< a name or a path; empty: searched
  std::string hipcc;                       ///< a name or a path; empty: searched
  double compile_time_limit = 120;         ///< seconds; 0: none
  double launch_time_limit = 1800;         ///< seconds, of jobs and studies; 0: none
  int compile_jobs = 0;                    ///< compiles at once; 0: one for each core
  std::uint64_t compile_memory_limit = std::uint64_t{8}
                                       << 30;  ///< limit in bytes of a worker process; 0: none
  std::string isolation = "auto";              ///< where compiles run: auto, none or process
  std::string worker;                          ///< path of kiln-worker; empty: searched
  std::string mpi_plugin;                      ///< path of libkiln_mpi.so; empty: searched
  std::string trace;                           ///< file for a Chrome trace; empty: none
  std::string wisdom_dir;                      ///< folder of points found to be fast; empty: none
  std::vector<std::string> wisdom_read_only;   ///< further such folders
  std::string color = "auto";                  ///< auto, always or never

  /// For a program that embeds Kiln without exposing it to its users: the defaults, with the program's own
  /// cache (`$XDG_CACHE_HOME/<name>/kiln`, by default below ~/.cache) and workloads from
  /// `../share/kiln/kernels_src` beside the program and from the library's installation. Reads no settings
  /// file and no environment variable of Kiln; the program changes members as it needs. Throws Error (bad
  /// input) for a name that cannot be a folder's.
  [[nodiscard]] static Settings for_application(const std::string& name);
  /// For a program whose users configure Kiln: defaults, then the file that KILN_SETTINGS names, else the
  /// user's own (`$XDG_CONFIG_HOME/kiln/settings.yaml`), then the variables. Nothing is taken from the
  /// current folder. Throws Error (bad input) that names the place of a wrong value.
  [[nodiscard]] static Settings from_environment();

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace kiln
