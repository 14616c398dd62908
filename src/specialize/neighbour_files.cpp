#include "specialize/neighbour_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"
#include "specialize/declarations.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using Kind = Declaration::Kind;

constexpr int kFoldersAbove = 3;
constexpr int kLevelsOfProject = 8;        // above a program
constexpr std::size_t kMostFiles = 200;    // of a folder
constexpr std::size_t kMostFolders = 500;  // of a project
constexpr std::size_t kMostFilesOfProject = 4000;
constexpr std::array<const char*, 10> kFolderNames = {"",           "include", "inc",  "common",  "Common",
                                                      "common/inc", "utils",   "util", "headers", "includes"};
constexpr std::array<const char*, 4> kHeaderFolders = {"include", "inc", "headers", "includes"};

/// What texts declare for the device, and what they define. Members have the name of their class, functions
/// the number of their parameters: "Image::f(2". Operators are used without their names.
struct DeviceNames {
  std::set<std::string> declared, defined;
  std::set<std::string> classes;  ///< with their members; without specialisations
  std::set<std::string> used;     ///< more often than they are declared
  std::set<std::string> marks;    ///< __device__, __constant__ and macros that stand for one of them

  [[nodiscard]] std::set<std::string> missing() const {
    std::set<std::string> names;
    for (const std::string& name : declared) {
      const std::size_t scope = name.rfind(':', name.rfind('('));
      std::string word = name.substr(scope == std::string::npos ? 0 : scope + 1);
      word.resize(std::min(word.rfind('('), word.size()));
      if (word.starts_with("~")) word.erase(0, 1);
      if (!defined.contains(name) && (word.starts_with("operator") || used.contains(word)))
        names.insert(name);
    }
    return names;
  }

  /// Whether a text that defines these cannot stand beside one that defines the others.
  [[nodiscard]] bool defines_a_class_of(const DeviceNames& others) const {
    return std::any_of(classes.begin(), classes.end(),
                       [&](const std::string& name) { return others.classes.contains(name); });
  }
};

bool is_of_device(const std::vector<Token>& tokens, TokenSpan span, const std::set<std::string>& marks) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (tokens[i].identifier() && marks.contains(std::string(tokens[i].text))) return true;
    if (tokens[i].is("__global__") || tokens[i].is("{")) return false;
  }
  return false;
}

bool has_mark(std::string_view text) {
  return text.find("__device__") != std::string_view::npos ||
         text.find("__constant__") != std::string_view::npos;
}

/// `#define HD __host__ __device__`
void add_marks(const std::string& text, std::set<std::string>& marks) {
  if (!has_mark(text) || text.find("define") == std::string::npos) return;
  for (const Directive& directive : tokenize(text).directives) {
    const std::vector<Token>& words = directive.tokens;
    if (words.size() < 3 || !words[0].is("define")) continue;
    const bool marks_device = std::any_of(words.begin() + 2, words.end(), [&](const Token& word) {
      return word.identifier() && marks.contains(std::string(word.text));
    });
    const bool opens = std::any_of(words.begin() + 2, words.end(),
                                   [](const Token& word) { return word.is("{") || word.is(";"); });
    if (marks_device && !opens) marks.emplace(words[1].text);
  }
}

/// "(2" of a function, so that one of several of a name is not taken for another.
std::string parameters_of(const std::vector<Token>& tokens, const Declaration& one) {
  if (one.kind != Kind::kPrototype && one.kind != Kind::kFunction) return "";
  const std::vector<TokenSpan> parts = parts_of(tokens, one.parameters, true);
  const bool none =
      parts.size() == 1 && parts[0].end == parts[0].begin + 1 && tokens[parts[0].begin].is("void");
  return "(" + std::to_string(none ? 0 : parts.size());
}

/// "f", "operator+" and "~Image"; with "Image::" in front where the name of a function is written so.
std::string written_name(const std::vector<Token>& tokens, const Declaration& one) {
  std::string name(one.names.front());
  const std::size_t open = one.parameters.begin;  // behind the name and "("
  if (open < 2 || open > tokens.size()) return name;
  std::size_t at = open - 2;
  while (name == "operator" && at > one.whole.begin && !tokens[at].is("operator")) --at;
  if (!tokens[at].is(name)) return name;
  for (std::size_t i = at + 1; i + 1 < open && name.starts_with("operator"); ++i)
    append_token(name, tokens[i].text);
  if (at > 0 && tokens[at - 1].is("~")) {
    name.insert(0, "~");
    --at;
  }
  if (at < 2 || !tokens[at - 1].is("::")) return name;
  at -= 2;
  int depth = 0;  // of "Image<T>::f"
  for (; at > 0 && (depth > 0 || tokens[at].is(">")); --at) {
    if (tokens[at].is(">")) ++depth;
    if (tokens[at].is("<")) --depth;
  }
  return std::string(tokens[at].text) + "::" + name;
}

/// "template <> struct A<int> {...};"
bool is_specialisation(const std::vector<Token>& tokens, const Declaration& one) {
  for (std::size_t i = one.whole.begin; i + 1 < one.body.begin; ++i) {
    if (tokens[i].is(one.names.front())) return tokens[i + 1].is("<");
  }
  return false;
}

/// `owner`: the class whose members they are, empty: none.
void add_declarations(const std::vector<Token>& tokens, const std::vector<Declaration>& declarations,
                      const std::string& owner, DeviceNames& names, std::multiset<std::string>& declarators) {
  for (const Declaration& one : declarations) {
    if (one.kind == Kind::kScope) add_declarations(tokens, one.members, owner, names, declarators);
    if (one.kind == Kind::kClass && !one.names.empty()) {
      if (owner.empty() && !is_specialisation(tokens, one)) names.classes.emplace(one.names.front());
      add_declarations(tokens, one.members, std::string(one.names.front()) + "::", names, declarators);
    }
    if (one.kind == Kind::kClass || one.names.empty()) continue;
    if (!is_of_device(tokens, one.whole, names.marks)) {
      const std::string written = one.kind == Kind::kFunction ? written_name(tokens, one) : "";
      if (owner.empty() && written.find("::") != std::string::npos)  // the mark is in the class
        names.defined.insert(written + parameters_of(tokens, one));
      continue;
    }
    if (!owner.empty() && one.kind == Kind::kVariable) continue;
    const std::string parameters = parameters_of(tokens, one);
    const std::string name = owner + written_name(tokens, one) + parameters;
    const bool external = one.kind == Kind::kVariable && tokens[one.whole.begin].is("extern");
    if (one.kind == Kind::kPrototype || external) {
      names.declared.insert(name);
      declarators.emplace(one.names.front());
    } else if (one.kind == Kind::kFunction || one.kind == Kind::kVariable) {
      names.defined.insert(name);
      if (owner.empty())  // "f" of a namespace is declared in it
        names.defined.insert(name.substr(name.find("::") == std::string::npos ? 0 : name.find("::") + 2));
    }
  }
}

/// `members`: functions of a class of another text may be defined there, without a mark.
void add_text(const std::string& text, DeviceNames& names, bool members = false) {
  constexpr std::size_t kWords = 2;
  if (!members && !has_mark(text) && names.marks.size() == kWords && names.declared.empty()) return;
  const TokenizedText source = tokenize(text);
  std::multiset<std::string> declarators;
  add_declarations(source.tokens, read_declarations(source), "", names, declarators);
  for (const Token& token : source.tokens) {
    if (!token.identifier()) continue;
    const std::string name(token.text);
    if (const auto declarator = declarators.find(name); declarator != declarators.end()) {
      declarators.erase(declarator);
    } else {
      names.used.insert(name);
    }
  }
}

/// Whether "Image::f" is in the text, of "Image::f(2".
bool may_define_member(const std::string& text, const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.find("::") != std::string::npos &&
           text.find(name.substr(0, name.find('('))) != std::string::npos;
  });
}

/// Empty for a folder that may not be read.
std::vector<std::string> names_in(FileSystem& files, const Path& folder) {
  try {
    return files.list(folder);
  } catch (const std::filesystem::filesystem_error&) {
    return {};
  }
}

/// Source files beside the program, those that have kernels' usual suffix first.
std::vector<Path> files_beside(FileSystem& files, const Path& source, const std::set<std::string>& known) {
  std::vector<Path> found;
  const Path folder = source.parent_path().empty() ? Path(".") : source.parent_path();
  std::vector<std::string> names = names_in(files, folder);
  std::sort(names.begin(), names.end());
  for (const char* suffix : {".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".inl"}) {
    for (const std::string& name : names) {
      const bool fits = Path(name).extension() == suffix && !known.contains(name);
      if (fits && found.size() < kMostFiles) found.push_back(folder / name);
    }
  }
  return found;
}

/// The status of what a link leads to; a place that may not be looked into has nothing.
std::optional<FileStatus> found_status(FileSystem& files, const Path& path) {
  try {
    return files.target_status(path);
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
}

/// Empty for a folder that is called as a file is, and for a file that cannot be read: it need not be of the
/// program.
std::string readable_text(FileSystem& files, const Path& path) {
  try {
    return files.read_file(path).value_or("");
  } catch (const std::filesystem::filesystem_error&) {
    return "";
  }
}

/// Whether a header is of the C library or is called like one of C++, "cstring": a file of that name in a
/// project is for compilers that lack it, or another header.
bool is_of_standard(const std::string& name) {
  static const std::set<std::string, std::less<>> names = {
      "assert.h", "complex.h", "ctype.h",   "errno.h",   "fenv.h",   "float.h",  "inttypes.h",
      "iso646.h", "limits.h",  "locale.h",  "malloc.h",  "math.h",   "memory.h", "pthread.h",
      "setjmp.h", "signal.h",  "stdarg.h",  "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
      "stdlib.h", "string.h",  "strings.h", "tgmath.h",  "time.h",   "unistd.h", "getopt.h"};
  static const std::set<std::string, std::less<>> names_of_cxx = {"algorithm",
                                                                  "any",
                                                                  "array",
                                                                  "atomic",
                                                                  "barrier",
                                                                  "bit",
                                                                  "bitset",
                                                                  "charconv",
                                                                  "chrono",
                                                                  "codecvt",
                                                                  "compare",
                                                                  "complex",
                                                                  "concepts",
                                                                  "condition_variable",
                                                                  "coroutine",
                                                                  "deque",
                                                                  "exception",
                                                                  "execution",
                                                                  "expected",
                                                                  "filesystem",
                                                                  "format",
                                                                  "forward_list",
                                                                  "fstream",
                                                                  "functional",
                                                                  "future",
                                                                  "initializer_list",
                                                                  "iomanip",
                                                                  "ios",
                                                                  "iosfwd",
                                                                  "iostream",
                                                                  "istream",
                                                                  "iterator",
                                                                  "latch",
                                                                  "limits",
                                                                  "list",
                                                                  "locale",
                                                                  "map",
                                                                  "mdspan",
                                                                  "memory",
                                                                  "memory_resource",
                                                                  "mutex",
                                                                  "new",
                                                                  "numbers",
                                                                  "numeric",
                                                                  "optional",
                                                                  "ostream",
                                                                  "print",
                                                                  "queue",
                                                                  "random",
                                                                  "ranges",
                                                                  "ratio",
                                                                  "regex",
                                                                  "scoped_allocator",
                                                                  "semaphore",
                                                                  "set",
                                                                  "shared_mutex",
                                                                  "source_location",
                                                                  "span",
                                                                  "sstream",
                                                                  "stack",
                                                                  "stdexcept",
                                                                  "stop_token",
                                                                  "streambuf",
                                                                  "string",
                                                                  "string_view",
                                                                  "strstream",
                                                                  "syncstream",
                                                                  "system_error",
                                                                  "thread",
                                                                  "tuple",
                                                                  "type_traits",
                                                                  "typeindex",
                                                                  "typeinfo",
                                                                  "unordered_map",
                                                                  "unordered_set",
                                                                  "utility",
                                                                  "valarray",
                                                                  "variant",
                                                                  "vector",
                                                                  "version"};
  const bool of_c = name.starts_with("c") && names.contains(name.substr(1) + ".h");  // "cstring"
  return names.contains(name) || names_of_cxx.contains(name) || of_c;
}

/// Whether a header is of a system or of CUDA: a copy of it that lies somewhere in a project is not meant.
bool is_of_system(const std::string& name) {
  static const std::set<std::string, std::less<>> names = {
      "windows.h", "Windows.h", "cuda.h", "nvrtc.h", "npp.h", "mma.h", "cuComplex.h", "cooperative_groups.h"};
  if (is_of_standard(name) || names.contains(name)) return true;
  static constexpr std::array<std::string_view, 14> kStarts = {
      "cuda_runtime", "cuda_fp",  "cuda_bf16", "cuda_pipeline", "curand",  "cublas",   "cufft",
      "cusparse",     "cusolver", "cudnn",     "device_",       "vector_", "hip_fp16", "math_"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

/// Whether a header is of CUDA's C++ libraries: a project's copy of them is mostly for an older CUDA.
bool is_of_cccl(const std::string& name) {
  return name.starts_with("cub/") || name.starts_with("thrust/") || name.starts_with("cuda/std/");
}

/// The folders of the program's project, the nearest to its root first. The root is the highest folder, up to
/// eight above the program, with a file of a build or of a version control; else the folders of headers
/// beside the folders above the program.
std::vector<Path> folders_of_project(FileSystem& files, const Path& source) {
  Path root, folder = std::filesystem::absolute(source).lexically_normal().parent_path();
  std::vector<Path> of_headers;
  for (int above = 0; above <= kLevelsOfProject; ++above, folder = folder.parent_path()) {
    for (const char* name : kHeaderFolders) {
      if (above <= kFoldersAbove && found_status(files, folder / name)) of_headers.push_back(folder / name);
    }
    for (const char* mark : {"CMakeLists.txt", "Makefile", "makefile", ".git", "meson.build", "setup.py"}) {
      if (found_status(files, folder / mark)) root = folder;
    }
  }
  std::vector<Path> folders;
  if (!root.empty()) folders.push_back(root);
  if (root.empty()) folders = std::move(of_headers);
  for (std::size_t i = 0; i < folders.size() && folders.size() < kMostFolders; ++i) {
    const Path parent = folders[i];
    for (const std::string& name : names_in(files, parent)) {
      const auto status = name.starts_with(".") ? std::nullopt : files.status(parent / name);  // of a link
      if (status && status->type == FileStatus::Type::kDirectory) folders.push_back(parent / name);
    }
  }
  return folders;
}

/// The folder of the program and up to three folders above it, with the folders of headers in them.
std::vector<Path> folders_near(FileSystem& files, const Path& source) {
  std::vector<Path> found;
  Path folder = std::filesystem::absolute(source).parent_path();
  for (int above = 0; above <= kFoldersAbove; ++above, folder = folder.parent_path()) {
    for (const char* name : kFolderNames) {
      const Path candidate = (folder / name).lexically_normal();
      if (found_status(files, candidate)) found.push_back(candidate);
    }
  }
  return found;
}

/// The nearest folder above the program, however high, or folder of headers in one of them, for which `has`
/// holds; empty: none.
template <class Has>
Path folder_above(const Path& source, const Has& has) {
  Path folder = std::filesystem::absolute(source).lexically_normal().parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (has(folder)) return folder;
    for (const char* name : kHeaderFolders) {
      if (has(folder / name)) return folder / name;
    }
  }
  return {};
}

/// By its suffix: <name.h> may be a header of the system or of a library.
bool is_no_header_of_c(const std::string& name) {
  const std::string suffix = Path(name).extension().string();
  return suffix == ".cuh" || suffix == ".cu" || suffix == ".hpp" || suffix == ".hh" || suffix == ".hxx";
}

/// Of the folders for which `has` holds the one that has the most folders above it in common with the
/// program; of equals the first. Empty: none.
template <class Has>
Path nearest(const std::vector<Path>& folders, const Path& source, const Has& has) {
  const Path from = std::filesystem::absolute(source).lexically_normal().parent_path();
  Path found;
  std::ptrdiff_t most = -1;
  for (const Path& folder : folders) {
    const std::ptrdiff_t common = std::distance(
        from.begin(), std::mismatch(from.begin(), from.end(), folder.begin(), folder.end()).first);
    if (common <= most || !has(folder)) continue;
    most = common;
    found = folder;
  }
  return found;
}

/// Where the sources of "project/include/math" may be: "project/src/math", "project/math", "project/src".
std::vector<Path> folders_of_sources(const Path& headers) {
  std::vector<Path> found;
  for (Path above = headers, below; above.has_relative_path(); above = above.parent_path()) {
    const std::string name = above.filename().string();
    if (name == "include" || name == "inc" || name == "headers" || name == "includes" || name == "public") {
      const Path parts[] = {below, {}};
      for (const Path& part : parts) {
        for (const char* sources : {"src", "source", "lib", "private", ""})
          found.push_back((above.parent_path() / sources / part).lexically_normal());
      }
      break;
    }
    below = below.empty() ? above.filename() : above.filename() / below;
  }
  return found;
}

/// Names that a text calls as functions; those that it uses in any other way are added to `others`.
void add_called(const std::string& text, std::set<std::string>& called, std::set<std::string>& others) {
  static const std::set<std::string_view> words = {"return", "else", "case", "throw", "do"};
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].identifier()) continue;
    std::size_t next = i + 1;
    if (next < tokens.size() && tokens[next].is("<")) next = behind_angles(tokens, next, tokens.size());
    const bool calls = next < tokens.size() && tokens[next].is("(");
    const bool plain =
        i > 0 && (tokens[i - 1].identifier()
                      ? words.contains(tokens[i - 1].text)
                      : !tokens[i - 1].is(".") && !tokens[i - 1].is("->") && !tokens[i - 1].is("::") &&
                            !tokens[i - 1].is(">") && !tokens[i - 1].is("*") && !tokens[i - 1].is("&"));
    (calls && plain ? called : others).emplace(tokens[i].text);
  }
  for (const Directive& directive : source.directives) {
    for (const Token& token : directive.tokens) others.emplace(token.text);
  }
}

/// Files that a Makefile includes by a plain path.
void add_included_makefiles(FileSystem& files, std::vector<BuildFile>& found) {
  const Path folder = found.back().path.parent_path();
  std::istringstream lines(found.back().text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || (word != "include" && word != "-include" && word != "sinclude")) continue;
    while (words >> word) {
      if (word.find_first_of("$*#") != std::string::npos) break;
      const Path path = (folder / word).lexically_normal();
      const auto status = found_status(files, path);
      if (status && status->type == FileStatus::Type::kFile)
        found.push_back({path, readable_text(files, path), false});
    }
  }
}

/// setup.py with macros, and the modules beside it that it imports.
void add_setup(FileSystem& files, const Path& folder, std::vector<BuildFile>& found) {
  const auto add = [&](const std::string& name) {
    const auto status = found_status(files, folder / name);
    if (!status || status->type != FileStatus::Type::kFile) return;
    found.push_back({folder / name, readable_text(files, folder / name), false});
  };
  const std::size_t before = found.size();
  add("setup.py");
  if (found.size() == before) return;
  if (found.back().text.find("define_macros") == std::string::npos) {
    found.pop_back();
    return;
  }
  std::istringstream lines(found.back().text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, module;
    if (words >> word >> module && (word == "import" || word == "from") && is_identifier(module))
      add(module + ".py");
  }
}

}  // namespace

std::vector<HeaderName> missing_headers(const Includes& includes) {
  std::map<std::string, bool> quoted;
  for (const std::string& name : includes.unseen) quoted[name] = false;
  const auto add = [&](const std::string& text) {
    for (const IncludeUse& use : find_include_uses(text)) {
      const auto known = quoted.find(use.header.name);
      if (known != quoted.end()) known->second = known->second || use.header.quoted;
    }
  };
  add(includes.text);
  for (const IncludedHeader& header : includes.headers) add(header.text);
  std::vector<HeaderName> missing;
  missing.reserve(quoted.size());
  for (const auto& [name, in_quotes] : quoted) missing.push_back({name, in_quotes});
  return missing;
}

std::vector<Path> folders_of_headers(FileSystem& files, const Path& source,
                                     const std::vector<HeaderName>& missing,
                                     const std::vector<Path>& of_build) {
  const std::vector<Path> candidates = folders_near(files, source);
  std::vector<Path> found, tree;
  for (const auto& [name, quoted] : missing) {
    const auto has = [&, &header = name](const Path& candidate) {
      return found_status(files, candidate / header).has_value();
    };
    // Of CUDA's libraries Kiln has its own on a cpu, and NVRTC the toolkit's: a project's copy collides with
    // it.
    if (name.starts_with("/") || is_of_cccl(name) || std::any_of(found.begin(), found.end(), has)) continue;
    if (!quoted && is_of_standard(name)) continue;
    const auto given = std::find_if(of_build.begin(), of_build.end(), has);
    if (given != of_build.end()) {
      found.push_back(*given);
      continue;
    }
    if (name.find('.') == std::string::npos) continue;  // such as one of C++
    const auto first = std::find_if(candidates.begin(), candidates.end(), has);
    if (first != candidates.end()) {
      found.push_back(*first);
      continue;
    }
    const bool with_folder = name.find('/') != std::string::npos;
    const bool own = with_folder || quoted || is_no_header_of_c(name);
    if (name.starts_with(".") || !(own || !is_of_system(name))) continue;
    if (tree.empty()) tree = folders_of_project(files, source);
    Path folder_with;
    if (with_folder) {
      const auto below = std::find_if(tree.begin(), tree.end(), has);
      folder_with = below != tree.end() ? *below : folder_above(source, has);
    } else if (own) {
      folder_with = nearest(tree, source, has);
    } else {
      const auto below = std::find_if(tree.begin(), tree.end(), has);
      const bool alone = below != tree.end() && std::find_if(below + 1, tree.end(), has) == tree.end();
      if (alone) folder_with = *below;
    }
    if (!folder_with.empty()) found.push_back(folder_with);
  }
  return found;
}

std::vector<BuildFile> build_files_of(FileSystem& files, const Path& source) {
  std::vector<BuildFile> found;
  Path folder = std::filesystem::absolute(source).lexically_normal().parent_path();
  for (int above = 0; above <= kLevelsOfProject && folder.has_relative_path(); ++above) {
    bool has_makefile = false;
    for (const char* name : {"GNUmakefile", "Makefile", "makefile", "CMakeLists.txt"}) {
      const bool cmake = std::string_view(name) == "CMakeLists.txt";
      if (has_makefile && !cmake) continue;
      const auto status = found_status(files, folder / name);
      if (!status || status->type != FileStatus::Type::kFile) continue;
      found.push_back({folder / name, readable_text(files, folder / name), cmake});
      if (!cmake) add_included_makefiles(files, found);
      has_makefile = true;
    }
    add_setup(files, folder, found);
    if (found_status(files, folder / ".git")) break;
    folder = folder.parent_path();
  }
  return found;
}

std::vector<Path> files_of_device_code(FileSystem& files, const Path& source, const std::string& text,
                                       const std::vector<IncludedHeader>& headers) {
  DeviceNames names;
  names.marks = {"__device__", "__constant__"};
  for (const IncludedHeader& header : headers) add_marks(header.text, names.marks);
  add_marks(text, names.marks);
  std::set<std::string> known = {source.filename().string()};
  for (const IncludedHeader& header : headers) {
    add_text(header.text, names);
    known.insert(Path(header.name).filename().string());
  }
  add_text(text, names);
  std::vector<Path> found;
  if (names.missing().empty()) return found;
  std::vector<Path> candidates = files_beside(files, source, known);
  std::set<Path> folders = {source.parent_path().lexically_normal()};
  for (const IncludedHeader& header : headers) {
    if (header.path.empty() || !folders.insert(Path(header.path).parent_path().lexically_normal()).second)
      continue;
    const std::vector<Path> beside = files_beside(files, header.path, known);
    candidates.insert(candidates.end(), beside.begin(), beside.end());
    for (const Path& folder : folders_of_sources(Path(header.path).parent_path().lexically_normal())) {
      if (!folders.insert(folder).second || !found_status(files, folder)) continue;
      const std::vector<Path> of_sources = files_beside(files, folder / "none", known);
      candidates.insert(candidates.end(), of_sources.begin(), of_sources.end());
    }
  }
  std::map<Path, std::pair<std::string, DeviceNames>> read;
  for (bool more = true; more && !names.missing().empty();) {
    more = false;
    const std::set<std::string> missing = names.missing();
    for (const Path& candidate : candidates) {
      if (std::find(found.begin(), found.end(), candidate) != found.end()) continue;
      const auto [one, is_new] = read.try_emplace(candidate);
      auto& [other, theirs] = one->second;
      if (is_new) {
        other = readable_text(files, candidate);
        theirs.marks = names.marks;
        add_text(other, theirs, may_define_member(other, missing));
      }
      const bool has = std::any_of(
          missing.begin(), missing.end(),
          [&defined = theirs.defined](const std::string& name) { return defined.contains(name); });
      if (!has || theirs.defines_a_class_of(names)) continue;  // a copy of a header, say
      found.push_back(candidate);
      add_text(other, names);
      more = true;
      break;
    }
  }
  return found;
}

namespace {

/// Whether compilers for devices have the function built in: of <math.h>, of <stdlib.h> and CUDA's own.
bool is_built_in(const std::string& name) {
  static const std::set<std::string_view> names = {
      "abs",        "acos",    "acosh",     "asin",      "asinh",   "assert",    "atan",     "atan2",
      "atanh",      "cbrt",    "ceil",      "clock",     "clock64", "copysign",  "cos",      "cosh",
      "cospi",      "erf",     "erfc",      "erfcinv",   "erfcx",   "erfinv",    "exp",      "exp10",
      "exp2",       "expm1",   "fabs",      "fdim",      "fdivide", "floor",     "fma",      "fmax",
      "fmin",       "fmod",    "frexp",     "free",      "hypot",   "ilogb",     "isfinite", "isinf",
      "isnan",      "j0",      "j1",        "jn",        "labs",    "ldexp",     "lgamma",   "llabs",
      "llmax",      "llmin",   "llrint",    "llround",   "log",     "log10",     "log1p",    "log2",
      "logb",       "lrint",   "lround",    "malloc",    "max",     "memcpy",    "memset",   "min",
      "modf",       "nan",     "nearbyint", "nextafter", "norm",    "norm3d",    "norm4d",   "normcdf",
      "normcdfinv", "pow",     "powi",      "printf",    "rcbrt",   "remainder", "remquo",   "rhypot",
      "rint",       "rnorm3d", "rnorm4d",   "round",     "rsqrt",   "scalbln",   "scalbn",   "signbit",
      "sin",        "sincos",  "sincospi",  "sinh",      "sinpi",   "sqrt",      "tan",      "tanh",
      "tgamma",     "trunc",   "ullmax",    "ullmin",    "umax",    "umin",      "y0",       "y1",
      "yn"};
  return names.contains(name) || (name.ends_with('f') && names.contains(name.substr(0, name.size() - 1)));
}

}  // namespace

std::vector<UndeclaredFunction> undeclared_functions(FileSystem& files, const Path& source,
                                                     const std::string& text,
                                                     const std::vector<IncludedHeader>& headers) {
  std::set<std::string> called, others, of_headers, included;
  add_called(text, called, others);
  for (const IncludedHeader& header : headers) {
    add_called(header.text, of_headers, others);
    if (!header.path.empty()) included.insert(Path(header.path).lexically_normal().string());
  }
  std::erase_if(called, [&](const std::string& name) {
    const bool of_cuda = name.starts_with("__") || name.starts_with("atomic") || name.starts_with("make_");
    return of_cuda || is_built_in(name) || others.contains(name);
  });
  std::vector<UndeclaredFunction> found;
  std::map<std::string, int> definitions;
  std::size_t read = 0;
  for (const Path& folder : folders_near(files, source)) {
    std::vector<std::string> names = names_in(files, folder);
    std::sort(names.begin(), names.end());
    for (const std::string& file : names) {
      const std::string suffix = Path(file).extension().string();
      const bool header = suffix == ".h" || suffix == ".cuh" || suffix == ".hpp" || suffix == ".inl";
      const Path path = folder / file;
      if (!header || included.contains(path.string()) || called.empty() || ++read > kMostFiles) continue;
      const std::string its_text = readable_text(files, path);
      if (std::none_of(called.begin(), called.end(),
                       [&](const std::string& name) { return its_text.find(name) != std::string::npos; }))
        continue;
      DeviceNames defined;
      defined.marks = {"__device__", "__constant__"};
      add_marks(its_text, defined.marks);
      add_text(its_text, defined);
      for (const std::string& name : called) {
        const auto one = defined.defined.lower_bound(name + "(");
        if (one == defined.defined.end() || !one->starts_with(name + "(")) continue;
        ++definitions[name];
        found.push_back({name, path});
      }
    }
  }
  std::erase_if(found, [&](const UndeclaredFunction& one) { return definitions[one.name] > 1; });
  const auto same_header = [](const UndeclaredFunction& a, const UndeclaredFunction& b) {
    return a.header == b.header;
  };
  found.erase(std::unique(found.begin(), found.end(), same_header), found.end());
  return found;
}

namespace {

/// Whether `text`, a file of `folder`, includes the file `included`, by its path from there, by the end of
/// its path, or, if `by_name`, by its name in quotes where no such file is beside the text (-I finds it).
bool includes_file(FileSystem& files, const std::string& text, const Path& folder, const Path& included,
                   bool by_name) {
  if (text.find(included.filename().string()) == std::string::npos) return false;
  const std::vector<IncludeUse> uses = find_include_uses(text);
  return std::any_of(uses.begin(), uses.end(), [&](const IncludeUse& use) {
    if (Path(use.header.name).filename() != included.filename()) return false;
    if ((folder / use.header.name).lexically_normal() == included) return true;
    if (use.header.name.find("..") != std::string::npos) return false;
    const bool plain = use.header.name.find('/') == std::string::npos;
    if (plain) return by_name && use.header.quoted && !found_status(files, folder / use.header.name);
    const std::string end = "/" + Path(use.header.name).lexically_normal().generic_string();
    return included.generic_string().ends_with(end);
  });
}

/// `POOL_SIZE`: a name in capitals, but for limits and constants of the language's and CUDA's headers.
bool is_macro_of_program(const Token& token) {
  static constexpr std::array<std::string_view, 11> kBegin = {"M_",   "FLT_", "DBL_", "INT",   "UINT", "LONG",
                                                              "CUDA", "CU_",  "FP_",  "SIZE_", "EXIT_"};
  static constexpr std::array<std::string_view, 3> kEnd = {"_MAX", "_MIN", "_EPSILON"};
  static const std::set<std::string_view> known = {"NULL",           "EOF",      "INFINITY", "NAN",
                                                   "HUGE_VAL",       "CHAR_BIT", "SEEK_SET", "SEEK_END",
                                                   "CLOCKS_PER_SEC", "FILE"};
  const std::string_view name = token.text;
  constexpr std::size_t kShortest = 3;
  if (!token.identifier() || name.size() < kShortest || known.contains(name)) return false;
  const bool capitals = name[0] >= 'A' && name[0] <= 'Z' &&
                        std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return capitals &&
         std::none_of(kBegin.begin(), kBegin.end(), [&](auto begin) { return name.starts_with(begin); }) &&
         std::none_of(kEnd.begin(), kEnd.end(), [&](auto end) { return name.ends_with(end); });
}

/// Whether a text uses macros that it neither defines nor asks for by #ifdef; calls of macros do not count.
bool uses_undefined_macros(const std::string& text) {
  static const std::set<std::string_view> no_types = {"return", "case", "else", "sizeof", "goto", "new"};
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::set<std::string_view> used, known;
  for (const Directive& directive : source.directives) {
    for (const Token& token : directive.tokens) known.insert(token.text);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("enum")) {
      while (i < tokens.size() && !tokens[i].is("{") && !tokens[i].is(";")) known.insert(tokens[i++].text);
      for (const std::size_t close = i < tokens.size() && tokens[i].is("{") ? tokens[i].close : i; i < close;
           ++i)
        known.insert(tokens[i].text);
      continue;
    }
    if (!is_macro_of_program(tokens[i]) || (i + 1 < tokens.size() && tokens[i + 1].is("("))) continue;
    const bool declared =
        i > 0 && (tokens[i - 1].identifier() || tokens[i - 1].is("*") || tokens[i - 1].is("&")) &&
        !no_types.contains(tokens[i - 1].text) && i + 1 < tokens.size() && !tokens[i + 1].identifier();
    const bool operand = declared && !tokens[i - 1].identifier();  // "n * SIZE" and "float* SIZE"
    if (!operand) (declared ? known : used).insert(tokens[i].text);
  }
  return std::any_of(used.begin(), used.end(), [&](std::string_view name) { return !known.contains(name); });
}

/// Whether all headers that a text includes are of the language and of CUDA.
bool includes_system_headers_alone(const std::string& text) {
  const std::vector<IncludeUse> uses = find_include_uses(text);
  return std::all_of(uses.begin(), uses.end(), [](const IncludeUse& use) {
    return !use.header.quoted && (is_of_system(use.header.name) || is_of_cccl(use.header.name));
  });
}

}  // namespace

std::filesystem::path including_file(FileSystem& files, const std::filesystem::path& source,
                                     const std::string& text, const std::vector<std::string>& kernels) {
  const bool includes = !find_include_uses(text).empty();
  if (includes && !(includes_system_headers_alone(text) && uses_undefined_macros(text))) return {};
  const Path included = std::filesystem::absolute(source).lexically_normal();
  std::vector<Path> folders = folders_of_project(files, source);
  folders.insert(folders.begin(), included.parent_path());
  const bool only_one = std::none_of(folders.begin() + 1, folders.end(), [&](const Path& folder) {
    return folder != included.parent_path() && found_status(files, folder / included.filename());
  });
  std::set<Path> seen;
  Path first;
  std::size_t read = 0;
  for (const Path& folder : folders) {
    for (const Path& path : files_beside(files, folder / "none", {})) {
      if (path == included || !seen.insert(path).second || ++read > kMostFilesOfProject) continue;
      const std::string other = readable_text(files, path);
      if (!includes_file(files, other, folder, included, only_one)) continue;
      const bool launches = other.find("<<<") != std::string::npos &&
                            std::any_of(kernels.begin(), kernels.end(), [&](const std::string& kernel) {
                              return other.find(kernel) != std::string::npos;
                            });
      if (launches) return path;
      const bool of_cuda = path.extension() == ".cu" || path.extension() == ".cuh";
      if (first.empty() && of_cuda && !includes) first = path;
    }
  }
  return first;
}

}  // namespace kiln
