#include "config/setting_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "config/remote_address.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

std::string quoted(const std::string& text) {
  return in_quotes(text);
}

std::string to_path(const std::string& text, const PathBase& base) {
  const bool in_home = text == "~" || text.starts_with("~/");
  if (in_home && !base.home.empty())
    return (base.home / text.substr(std::min<std::size_t>(2, text.size()))).string();
  const Path path(text);
  if (path.is_absolute() || base.folder.empty()) return text;
  return (base.folder / path).lexically_normal().string();
}

std::vector<std::string> to_paths(const std::string& text, const PathBase& base) {
  std::vector<std::string> paths;
  for (const std::string& part : split(text, ':')) {
    if (!part.empty()) paths.push_back(to_path(part, base));
  }
  return paths;
}

bool to_switch(const std::string& text) {
  static const std::map<std::string, bool> names = {{"on", true},     {"off", false}, {"true", true},
                                                    {"false", false}, {"yes", true},  {"no", false},
                                                    {"1", true},      {"0", false}};
  const auto found = names.find(text);
  if (found == names.end()) throw bad_input(quoted(text) + " is neither on nor off");
  return found->second;
}

int to_count(const std::string& text) {
  const auto value = parse_integer(text);
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) {
    throw bad_input(quoted(text) + " is not a whole number of at least 0");
  }
  return static_cast<int>(*value);
}

struct SizeUnit {
  const char* name;
  std::uint64_t bytes;
};
constexpr std::array<SizeUnit, 9> kSizeUnits = {{{"B", 1},
                                                 {"kB", 1'000},
                                                 {"MB", 1'000'000},
                                                 {"GB", 1'000'000'000},
                                                 {"TB", 1'000'000'000'000},
                                                 {"KiB", std::uint64_t{1} << 10},
                                                 {"MiB", std::uint64_t{1} << 20},
                                                 {"GiB", std::uint64_t{1} << 30},
                                                 {"TiB", std::uint64_t{1} << 40}}};

std::vector<std::string> size_unit_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kSizeUnits));
  for (const SizeUnit& unit : kSizeUnits) names.emplace_back(unit.name);
  return names;
}

/// Reads back as the same number, unlike text for tables: in the unit that makes the smallest whole number.
std::string bytes_text(std::uint64_t bytes) {
  const SizeUnit* best = kSizeUnits.data();
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes % unit.bytes == 0 && unit.bytes > best->bytes) best = &unit;
  }
  return bytes == 0 ? "0" : std::to_string(bytes / best->bytes) + " " + best->name;
}

const std::string& to_word(const std::string& text, const SettingRow& row) {
  if (std::find(row.words.begin(), row.words.end(), text) == row.words.end()) {
    throw bad_input(quoted(text) + " is not known" + suggestion(text, row.words));
  }
  return text;
}

std::string to_text(const std::string& text, const SettingRow& row, const PathBase& base) {
  if (row.kind == SettingKind::kPath) return to_path(text, base);
  if (row.kind == SettingKind::kRemote) return text.empty() ? text : parse_remote_address(text).text;
  return row.words.empty() ? text : to_word(text, row);
}

/// If a row has a word for no limit, 0 is not accepted.
std::uint64_t to_bytes(const std::string& text, const SettingRow& row) {
  if (row.words.empty()) return parse_bytes(text);
  if (text == row.words.front()) return 0;
  if (text.find_first_of("0123456789") == std::string::npos) {
    throw bad_input(quoted(text) + " is neither a size such as '2 GB' nor '" + row.words.front() + "'");
  }
  const std::uint64_t bytes = parse_bytes(text);
  if (bytes == 0)
    throw bad_input(quoted(text) + " is not a limit; write '" + row.words.front() + "' for none");
  return bytes;
}

/// A member's type decides how its text is read and written.
struct Assignment {
  Settings& settings;
  const SettingRow& row;
  const std::string& text;
  const PathBase& base;

  void operator()(std::string Settings::*member) const { settings.*member = to_text(text, row, base); }
  void operator()(std::vector<std::string> Settings::*member) const {
    settings.*member = to_paths(text, base);
  }
  void operator()(bool Settings::*member) const { settings.*member = to_switch(text); }
  void operator()(int Settings::*member) const { settings.*member = to_count(text); }
  void operator()(double Settings::*member) const { settings.*member = parse_seconds(text); }
  void operator()(std::uint64_t Settings::*member) const { settings.*member = to_bytes(text, row); }
};

struct Text {
  const Settings& settings;
  const SettingRow& row;

  std::string operator()(std::string Settings::*member) const { return settings.*member; }
  std::string operator()(std::vector<std::string> Settings::*member) const {
    return join(settings.*member, ":");
  }
  std::string operator()(bool Settings::*member) const { return settings.*member ? "on" : "off"; }
  std::string operator()(int Settings::*member) const { return std::to_string(settings.*member); }
  std::string operator()(double Settings::*member) const { return format_number(settings.*member) + " s"; }
  std::string operator()(std::uint64_t Settings::*member) const {
    const bool has_word = settings.*member == 0 && !row.words.empty();
    return has_word ? row.words.front() : bytes_text(settings.*member);
  }
};

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

constexpr const char* kPageHead = R"(# Settings

<!-- Generated: kiln settings --format markdown > docs/settings.md -->

A setting configures Kiln on a machine; a job file says what to run. The strongest source wins: command line, environment variable,
settings file, default. `kiln settings` shows each value and where it came from.

The settings file is the first of `--settings FILE`, `$KILN_SETTINGS`, `./kiln.yaml` and `$XDG_CONFIG_HOME/kiln/settings.yaml`
(`~/.config/kiln/settings.yaml`). It is a YAML map from the names below to values, with paths relative to the file:

```yaml
cache_dir: ~/scratch/kiln
cpu_threads: 8
```

Kiln reads a settings file that you name, whatever its owner. `./kiln.yaml` may name compilers and libraries to run, so Kiln reads it
only if no other user can have written it. You or root must own the file, the folder, and a symbolic link with its target. The file's
mode must not let its group or others write to it, and no other user may be able to replace it in its folder (others can if the mode
is 0777, but not in `/tmp`). Otherwise Kiln ignores the file and one warning gives the reason. The same holds for the `kernels_src/`
of a checkout above the current folder. Programs that embed Kiln read nothing from the current folder ([embedding.md](embedding.md)).

| name | variable | option | default | meaning |
| --- | --- | --- | --- | --- |
)";

}  // namespace

std::uint64_t parse_bytes(const std::string& text) {
  const std::size_t letters = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  const auto number = parse_real(std::string_view(text).substr(0, letters));
  const std::string_view stated = trim(std::string_view(text).substr(letters));
  if (!number || *number < 0) {
    throw bad_input(quoted(text) + " is not a size such as '500 MB', '8 GiB' or '0'");
  }
  const std::string name = stated.empty() ? "B" : std::string(stated);
  const auto unit = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                 [&](const SizeUnit& one) { return one.name == name; });
  if (unit == kSizeUnits.end()) {
    throw bad_input(quoted(text) + ": '" + name + "' is not a unit of size" +
                    suggestion(name, size_unit_names()));
  }
  constexpr double kMost = 9.0e18;
  const double bytes = *number * static_cast<double>(unit->bytes);
  if (bytes > kMost) throw bad_input(quoted(text) + " is too large");
  return static_cast<std::uint64_t>(bytes);
}

double parse_seconds(const std::string& text) {
  static const std::map<std::string_view, double> units = {{"", 1},     {"s", 1},    {"ms", 1e-3},
                                                           {"min", 60}, {"h", 3600}, {"d", 86400}};
  const std::size_t letters = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  const auto number = parse_real(std::string_view(text).substr(0, letters));
  const auto unit = units.find(trim(std::string_view(text).substr(letters)));
  if (!number || *number < 0 || unit == units.end()) {
    throw bad_input(quoted(text) + " is not a duration such as '120', '2 s', '500 ms', '12 h' or '30 d'");
  }
  return *number * unit->second;
}

const std::vector<std::string>& isolation_words() {
  static const std::vector<std::string> words = {"auto", "none", "process"};
  return words;
}

const std::vector<SettingRow>& setting_rows() {
  using S = Settings;
  using K = SettingKind;
  // clang-format off
  static const std::vector<SettingRow> rows = {
    {"cache_dir", "KILN_CACHE_DIR", "--cache-dir", K::kPath, &S::cache_dir, "`jit_cache/` in a checkout, else `$XDG_CACHE_HOME/kiln` (`~/.cache/kiln`)",
     "Folder of compiled kernels"},
    {"cache", "KILN_CACHE", "--cache", K::kSwitch, &S::cache, "on",
     "Keep compiled kernels on disk: on or off"},
    {"cache_locks", "KILN_CACHE_LOCKS", "", K::kSwitch, &S::cache_locks, "on",
     "Processes that want the same kernel wait for the one that compiles it: on or off"},
    {"cache_read_only", "KILN_CACHE_READ_ONLY", "--cache-read-only", K::kPathList, &S::cache_read_only, "none",
     "Folders of compiled kernels that other users maintain, separated by ':'; searched in order after `cache_dir`, verified, never written to"},
    {"cache_remote", "KILN_CACHE_REMOTE", "", K::kRemote, &S::cache_remote, "none",
     "Server of compiled kernels for machines without a shared folder, searched after these folders: `http://host[:port]/path`, `https://...` or `redis://host[:port][/db]` (docs/reliability.md)"},
    {"cache_remote_key", "KILN_CACHE_REMOTE_KEY", "", K::kPath, &S::cache_remote_key, "none",
     "File with the key that signs the server's entries: at least 32 bytes, owned by you, mode 0600 or 0400"},
    {"cache_remote_unauthenticated", "KILN_CACHE_REMOTE_UNAUTHENTICATED", "", K::kSwitch, &S::cache_remote_unauthenticated, "off",
     "Without a key, run the server's entries unauthenticated, and write nothing to it: on or off"},
    {"cache_remote_timeout", "KILN_CACHE_REMOTE_TIMEOUT", "", K::kSeconds, &S::cache_remote_timeout, "2 s",
     "A transfer from or to the server that takes longer (or a connect that takes more than a quarter of it) is given up, and this process does not use the server again"},
    {"cache_remote_plugin", "KILN_CACHE_REMOTE_PLUGIN", "", K::kPath, &S::cache_remote_plugin, "searched: beside the program, `../lib/kiln/`",
     "Path of libkiln_remote.so, the client for HTTP servers"},
    {"cache_max_size", "KILN_CACHE_MAX_SIZE", "--cache-max-size", K::kBytes, &S::cache_max_size, "2 GB",
     "Size of `cache_dir` above which the least recently used entries are removed, such as `500 MB` or `8 GiB`; off: no limit", {"off"}},
    {"compile", "KILN_COMPILE", "", K::kSwitch, &S::compile, "on",
     "Compile kernels that neither the cache folders nor a bundle have: on or off. Off: such a kernel is an error that lists the available code, and Kiln looks for no compiler"},
    {"device", "KILN_DEVICE", "", K::kText, &S::device, "auto",
     "Device of jobs with `device: auto` or no device: auto (first GPU, else the CPU), cpu, cuda:0, hip:0, or several with commas"},
    {"workload_path", "KILN_WORKLOAD_PATH", "--workload-path", K::kPathList, &S::workload_path, "`kernels_src/` of the checkout, else `share/kiln/kernels_src/` of the installation",
     "Folders searched for workloads by name, separated by ':'"},
    {"log_level", "KILN_LOG", "--log-level", K::kWord, &S::log_level, "warn",
     "Messages on standard error: debug, info, warn, error or off", {"debug", "info", "warn", "error", "off"}},
    {"cpu_compiler", "KILN_CXX", "--cpu-compiler", K::kText, &S::cpu_compiler, "the first of g++, clang++, c++",
     "C++ compiler of the CPU back end: a name or a path"},
    {"cpu_threads", "KILN_CPU_THREADS", "--cpu-threads", K::kCount, &S::cpu_threads, "0",
     "Threads that run CPU kernels; 0: as many as this process may use"},
    {"cpu_stack_kib", "KILN_CPU_STACK", "--cpu-stack", K::kCount, &S::cpu_stack_kib, "64",
     "Stack in KiB of each work-item in CPU kernels with barriers"},
    {"nvrtc", "KILN_NVRTC", "--nvrtc", K::kPath, &S::nvrtc, "searched: `CUDA_HOME`, installed toolkits, Python wheels",
     "NVRTC, the compiler for NVIDIA's GPUs: the path of a libnvrtc.so"},
    {"hip", "KILN_HIP", "--hip", K::kPath, &S::hip, "searched: `ROCM_PATH`, the loader's path, `/opt/rocm*`",
     "HIP run time, for AMD's GPUs: the path of a libamdhip64.so"},
    {"hiprtc", "KILN_HIPRTC", "--hiprtc", K::kPath, &S::hiprtc, "searched as `hip`, and beside it",
     "hipRTC, the compiler for AMD's GPUs: the path of a libhiprtc.so, or of a libamdhip64.so that holds it"},
    {"nvcc", "KILN_NVCC", "--nvcc", K::kText, &S::nvcc, "searched: `CUDA_HOME`, PATH, installed toolkits",
     "nvcc, the ahead-of-time compiler for NVIDIA's GPUs with which studies compare: a name or a path"},
    {"hipcc", "KILN_HIPCC", "--hipcc", K::kText, &S::hipcc, "searched: `ROCM_PATH`, PATH, `/opt/rocm*`",
     "hipcc, the ahead-of-time compiler for AMD's GPUs with which studies compare: a name or a path"},
    {"compile_time_limit", "KILN_COMPILE_TIME_LIMIT", "--compile-time-limit", K::kSeconds, &S::compile_time_limit, "120 s",
     "A compile that takes longer is stopped and its variant fails; 0: no limit"},
    {"launch_time_limit", "KILN_LAUNCH_TIME_LIMIT", "--launch-time-limit", K::kSeconds, &S::launch_time_limit, "1800 s",
     "A launch of `kiln run`, `study` or `roofline` that takes longer ends the process: finished results are kept, and the variant is recorded as `timed out`; 0: no limit"},
    {"compile_jobs", "KILN_COMPILE_JOBS", "-j,--compile-jobs", K::kCount, &S::compile_jobs, "0",
     "Compiles that run at once; 0: one for each core that this process may use"},
    {"compile_memory_limit", "KILN_COMPILE_MEMORY_LIMIT", "--compile-memory-limit", K::kBytes, &S::compile_memory_limit, "8 GiB",
     "Memory limit of a worker process and of each compiler that it starts; 0: no limit"},
    {"isolation", "KILN_ISOLATION", "--isolation", K::kWord, &S::isolation, "auto",
     "Where compiles run: none (in this process; the C++ compiler is always a separate process), process (in worker processes) or auto (in this process up to one compile of hipRTC or two of NVRTC at once, beyond that in worker processes; all in worker processes if many are requested). Variants of `kiln run` run in a separate process with process, variants of `kiln tune` with process or auto", isolation_words()},
    {"wisdom_dir", "KILN_WISDOM_DIR", "", K::kPath, &S::wisdom_dir, "`$XDG_DATA_HOME/kiln/wisdom` (`~/.local/share/kiln/wisdom`)",
     "Folder of the points that were found to be fast (docs/wisdom.md)"},
    {"wisdom_read_only", "KILN_WISDOM_READ_ONLY", "", K::kPathList, &S::wisdom_read_only, "none",
     "Folders of such points that other users maintain, separated by ':'; read after `wisdom_dir`"},
    {"worker", "KILN_WORKER", "", K::kPath, &S::worker, "searched: beside the program, `../libexec/kiln/`, PATH",
     "Path of kiln-worker, which compiles in a separate process"},
    {"mpi_plugin", "KILN_MPI_PLUGIN", "", K::kPath, &S::mpi_plugin, "searched: beside the program, `../lib/kiln/`",
     "Path of libkiln_mpi.so, with which the ranks of `mpirun -n N kiln ...` share a job"},
    {"trace", "KILN_TRACE", "--trace", K::kPath, &S::trace, "none",
     "File for a trace of compiles, loads, launches, waits and copies, for chrome://tracing or Perfetto; written when the program ends"},
    {"color", "NO_COLOR", "--color", K::kColor, &S::color, "auto",
     "Colour in tables and messages: auto (on a terminal), always or never; NO_COLOR with any value means never", {"auto", "always", "never"}},
  };
  // clang-format on
  return rows;
}

void assign_setting(Settings& settings, const SettingRow& row, const std::string& text,
                    const PathBase& base) {
  std::visit(Assignment{settings, row, text, base}, row.member);
}

std::string setting_text(const Settings& settings, const SettingRow& row) {
  return std::visit(Text{settings, row}, row.member);
}

std::string settings_page() {
  std::string page = kPageHead;
  for (const SettingRow& row : setting_rows()) {
    page += "| " +
            join({code(row.name), code(row.variable), code(row.option), row.default_text, row.help}, " | ") +
            " |\n";
  }
  return page;
}

}  // namespace kiln
