#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/input_file.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "kiln/error.h"
#include "specialize/build_flags.h"
#include "specialize/compiled_parts.h"
#include "specialize/configured_header.h"
#include "specialize/host_libraries.h"
#include "specialize/include_scopes.h"
#include "specialize/includes.h"
#include "specialize/neighbour_files.h"
#include "specialize/program_text.h"
#include "specialize/tokens.h"
#include "specialize/workload_draft.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using Macros = std::vector<std::pair<std::string, std::string>>;

struct NewArguments {
  std::string source;
  std::vector<std::string> kernels;
  std::string output;
  std::vector<std::string> defines, folders;
  bool force = false, no_makefile = false;
};

/// A name that a workload may have: that of the file, its other characters as "_".
std::string workload_name(const Path& source) {
  std::string name = source.stem().string();
  for (char& c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!fits) c = '_';
  }
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "_");
  return name;
}

std::string read_program_text(FileSystem& files, const Path& source) {
  try {
    return read_input(files, source, kKernelInput);
  } catch (const Error& error) {
    throw bad_input(error.message() + ": '" + source.string() + "'");
  }
}

std::vector<std::string> texts_of(const Includes& includes) {
  return texts_in_their_scopes(includes.text, includes.headers);
}

/// A macro or a folder that a file of the build gives.
struct FlagOfBuild {
  std::string value;  ///< of a macro
  std::string place;  ///< "src/Makefile:3"
};

/// Macros and folders that exist: of the command line, and those that files of the build offer.
struct CompilerFlags {
  std::map<std::string, std::string> defines;
  std::vector<Path> folders;
  std::map<std::string, FlagOfBuild> offered_defines;
  std::vector<Path> offered_folders;
  std::map<Path, std::string> folder_places;
  std::vector<std::string> used;                 ///< "-DNAME of src/Makefile:3"
  std::map<std::string, std::string> variables;  ///< of CMake; a nearer file comes first
  std::vector<Path> in_front;                    ///< headers that a Makefile puts in front of the program
};

/// Each back end has its own headers of CUDA and HIP; the folder would displace them.
bool is_of_toolkit(FileSystem& files, const Path& folder) {
  return files.status(folder / "crt/host_defines.h") || files.status(folder / "cuda_runtime_api.h") ||
         files.status(folder / "hip/hip_runtime.h");
}

/// "NAME" or "NAME=VALUE"; whether the name is new.
bool define(const std::string& macro, CompilerFlags& flags) {
  const std::size_t equals = macro.find('=');
  const std::string value = equals == std::string::npos ? "1" : macro.substr(equals + 1);
  return flags.defines.insert_or_assign(macro.substr(0, equals), value).second;
}

CompilerFlags flags_for(FileSystem& files, const Path& source, const NewArguments& arguments) {
  CompilerFlags flags;
  const auto add_folder = [&](const Path& folder) {
    if (std::find(flags.folders.begin(), flags.folders.end(), folder) == flags.folders.end())
      flags.folders.push_back(folder);
  };
  for (const std::string& one : arguments.defines) {
    if (!is_identifier(one.substr(0, one.find('='))))
      throw bad_input("-D " + one + ": expected NAME or NAME=VALUE");
    define(one, flags);
  }
  for (const std::string& folder : arguments.folders) {
    if (!files.status(folder)) throw bad_input("-I " + folder + ": there is no such folder");
    add_folder(std::filesystem::absolute(folder).lexically_normal());
  }
  if (arguments.no_makefile) return flags;
  const Path beside = std::filesystem::absolute(source).lexically_normal().parent_path();
  const std::vector<BuildFile> build = build_files_of(files, source);
  Path top;
  for (const BuildFile& one : build) top = one.cmake ? one.path.parent_path() : top;
  for (const auto& [path, text, cmake] : build) {
    const Path folder = path.parent_path();
    const std::string program = source.filename().string();
    const BuildFlags read = path.extension() == ".py" ? read_setup_flags(text)
                            : cmake                   ? read_cmake_flags({text, folder, top, program})
                                                      : read_makefile_flags(text, program);
    flags.variables.insert(read.variables.begin(), read.variables.end());
    for (std::size_t i = 0; i < read.in_front.size() && flags.in_front.size() <= i; ++i) {
      const Path header = (folder / read.in_front[i]).lexically_normal();
      if (const auto status = files.target_status(header); status && status->type == FileStatus::Type::kFile)
        flags.in_front.push_back(header);
    }
    const auto place = [&, &file = path](const std::string& key) {
      return file.lexically_proximate(beside).generic_string() + ":" + std::to_string(read.lines.at(key));
    };
    for (const auto& [name, value] : read.defines)  // values of nearer files stay
      flags.offered_defines.try_emplace(name, FlagOfBuild{value, place(name)});
    for (const std::string& one : read.folders) {
      const Path of_headers = (folder / one).lexically_normal();
      if (!files.status(of_headers) || is_of_toolkit(files, of_headers)) continue;
      if (flags.folder_places.emplace(of_headers, place("-I" + one)).second)
        flags.offered_folders.push_back(of_headers);
    }
  }
  return flags;
}

/// The macros of the command line, and what files of the build offer besides.
Macros all_macros(const CompilerFlags& flags) {
  std::map<std::string, std::string> all = flags.defines;
  for (const auto& [name, offered] : flags.offered_defines) all.emplace(name, offered.value);
  return {all.begin(), all.end()};
}

/// Of the macros that files of the build offer those that are named.
void take_named_macros(CompilerFlags& flags, const std::set<std::string>& names) {
  for (const auto& [name, offered] : flags.offered_defines) {
    if (!names.contains(name) || !flags.defines.emplace(name, offered.value).second) continue;
    flags.used.push_back("-D" + name + " of " + offered.place);
  }
}

/// A text and its headers, as far as they are compiled.
CompiledParts read_parts(FileSystem& files, const std::string& text, const Path& source,
                         const CompilerFlags& flags) {
  const Macros macros = all_macros(flags);
  const Path beside = std::filesystem::absolute(source).lexically_normal().parent_path();
  std::string lines;
  for (const Path& header : flags.in_front)
    lines += "#include \"" + header.lexically_proximate(beside).generic_string() + "\"\n";
  std::vector<Path> folders = flags.folders;
  if (!flags.in_front.empty()) folders.push_back(beside);  // of a source that is named without its folder
  Includes includes = find_includes(files, lines + text, {source, {}, folders, macros});
  std::vector<std::string> in_front;
  for (std::size_t i = 0; i < flags.in_front.size(); ++i) {
    const std::size_t end = includes.text.find('\n') + 1;
    for (const IncludeUse& use : find_include_uses(includes.text.substr(0, end)))
      in_front.push_back(use.header.name);
    includes.text.erase(0, end);
  }
  return compiled_parts(includes, macros, in_front);
}

/// Adds the folders of headers that were not found; what was done is added to `found`. `folder`: of the
/// draft.
void add_folders_of_headers(FileSystem& files, const std::string& text, const Path& source,
                            const Path& folder, CompilerFlags& flags, CompiledParts& parts,
                            std::string& found) {
  for (bool more = true; more;) {  // headers may need headers of other folders
    more = false;
    for (const Path& one :
         folders_of_headers(files, source, missing_headers(parts.includes), flags.offered_folders)) {
      const bool known = std::find(flags.folders.begin(), flags.folders.end(), one) != flags.folders.end();
      if (known || is_of_toolkit(files, one)) continue;
      flags.folders.push_back(one);
      found += "headers are in " + one.string() + ": -I added\n";
      if (const auto place = flags.folder_places.find(one); place != flags.folder_places.end())
        flags.used.push_back("-I" + one.lexically_proximate(folder).generic_string() + " of " +
                             place->second);
      more = true;
    }
    if (more) parts = read_parts(files, text, source, flags);
  }
}

/// Makes the missing headers that a build makes of a text beside others ("config.h" of "config.h.in"), in a
/// folder beside the draft. Whether there are any.
bool make_configured_headers(FileSystem& files, const Path& source, const Path& headers,
                             const CompilerFlags& flags, const CompiledParts& parts, std::string& found) {
  bool any = false;
  for (const HeaderName& header : missing_headers(parts.includes)) {
    const std::string name = header.name + ".in";
    const std::vector<Path> folders = folders_of_headers(files, source, {{name, true}});
    if (folders.empty() || header.name.find("..") != std::string::npos) continue;
    const Path of = folders.front() / name;
    const ConfiguredHeader made = configured_header(read_program_text(files, of), flags.variables);
    const Path path = headers / header.name;
    files.make_directories(path.parent_path(), false);
    files.write_file(path, made.text, false);
    found += "wrote " + path.string() + ", made of " + of.string() + " as the build does";
    if (!made.unknown.empty()) found += "; FILL IN: " + join(made.unknown, ", ");
    found += "\n";
    any = true;
  }
  return any;
}

/// Adds declarations of the named types of libraries whose headers were not found.
void add_types_of_libraries(const std::vector<std::string>& unseen, const std::set<std::string>& names,
                            std::vector<std::string>& texts) {
  for (const std::string& header : unseen) {
    for (const LibraryTypes& types : types_of_host_library(header)) {
      const bool used = std::any_of(types.names.begin(), types.names.end(),
                                    [&](std::string_view name) { return names.contains(std::string(name)); });
      if (used && std::find(texts.begin(), texts.end(), types.text) == texts.end())
        texts.emplace_back(types.text);
    }
  }
}

std::vector<LeftOutKernel> left_out_kernels(const std::vector<LeftOutPart>& parts) {
  std::vector<LeftOutKernel> kernels;
  for (const LeftOutPart& part : parts) {
    std::vector<TextKernel> found = read_program(part.text).kernels;
    if (found.empty()) found = read_program(part.text + "\n() {}\n").kernels;  // a head, its body is shared
    for (const TextKernel& kernel : found) kernels.push_back({kernel.name, part.why, part.header});
  }
  return kernels;
}

/// The macro ("X", "SIZE=4") that nothing defines and without which no kernel of the text is compiled, or not
/// the first one that was asked for; "" if there is none.
std::string missing_macro(const CompiledParts& parts, const std::vector<std::string>& kernels) {
  if (kernels.empty()) {
    const auto has_kernels = [](const std::string& text) {
      const TokenizedText source = tokenize(text);  // comments say nothing
      return std::any_of(source.tokens.begin(), source.tokens.end(),
                         [](const Token& token) { return token.is("__global__"); });
    };
    const std::vector<std::string> headers = texts_of(parts.includes);
    if (has_kernels(parts.includes.text) || std::any_of(headers.begin(), headers.end(), has_kernels))
      return "";
    const auto part = std::find_if(parts.left_out.begin(), parts.left_out.end(),
                                   [](const LeftOutPart& one) { return !one.header && !one.remedy.empty(); });
    return part == parts.left_out.end() ? "" : part->remedy;
  }
  for (const LeftOutPart& part : parts.left_out) {
    if (part.remedy.empty() || part.text.find(kernels.front()) == std::string::npos) continue;
    const auto is_asked_for = [&](const auto& kernel) { return kernel.name == kernels.front(); };
    const std::vector<LeftOutKernel> found = left_out_kernels({part});
    if (std::none_of(found.begin(), found.end(), is_asked_for)) continue;
    const std::vector<TextKernel> compiled =
        read_program(parts.includes.text, texts_of(parts.includes)).kernels;
    if (std::none_of(compiled.begin(), compiled.end(), is_asked_for)) return part.remedy;
  }
  return "";
}

/// What a draft is made of.
struct ProgramInput {
  Path source;
  std::string text;
  std::vector<std::string> kernels;  ///< empty: all
};

/// The file of the command line, or the file that includes it where it is no whole program.
ProgramInput read_program_file(FileSystem& files, const NewArguments& arguments, std::string& found) {
  constexpr int kMostLevels = 3;
  ProgramInput program = {arguments.source, read_program_text(files, arguments.source), arguments.kernels};
  for (int level = 0; level < kMostLevels; ++level) {
    if (level == 0 && program.text.find("<<<") != std::string::npos) break;  // a program of its own
    std::vector<std::string> kernels;
    for (const TextKernel& kernel : read_program(program.text).kernels) kernels.push_back(kernel.name);
    if (level == 0 && kernels.empty()) break;
    const Path including = including_file(files, program.source, program.text,
                                          program.kernels.empty() ? kernels : program.kernels);
    if (including.empty()) break;
    found += program.source.string() + " is a part of " + including.string() +
             ", which includes it: compiled with that file\n";
    if (program.kernels.empty()) program.kernels = kernels;
    program.source = including;
    program.text = read_program_text(files, including);
  }
  return program;
}

int run(World& world, const NewArguments& arguments) {
  if (arguments.source.empty())
    throw bad_input("the file with the kernels is missing: kiln new FILE.cu [KERNEL...]");
  FileSystem& files = world.files();
  const Path named = arguments.source;
  if (!files.status(named)) throw bad_input("there is no file '" + named.string() + "'");
  const Path output(arguments.output.empty() ? named.stem().string() + ".yaml" : arguments.output);
  if (files.status(output) && !arguments.force)
    throw bad_input("'" + output.string() + "' exists already; --force replaces it, -o names another file");

  const Path folder = std::filesystem::absolute(output).parent_path();
  std::string found;
  const auto [source, text, kernels] = read_program_file(files, arguments, found);
  const Path from_there = std::filesystem::absolute(source).lexically_proximate(folder);
  CompilerFlags flags = flags_for(files, source, arguments);
  CompiledParts parts = read_parts(files, text, source, flags);
  add_folders_of_headers(files, text, source, folder, flags, parts, found);
  const Path configured = folder / (output.stem().string() + "_headers");
  ScratchFolder headers_of_failure;  // what this command has made goes where no draft comes of it
  if (!files.status(configured)) headers_of_failure.reset({&files, configured});
  if (!arguments.no_makefile && make_configured_headers(files, source, configured, flags, parts, found)) {
    flags.folders.push_back(configured);
    parts = read_parts(files, text, source, flags);
    add_folders_of_headers(files, text, source, folder, flags, parts, found);
  }
  constexpr int kMostConditionals = 4;  // around the kernels
  for (int i = 0; i < kMostConditionals; ++i) {
    const std::string macro = missing_macro(parts, kernels);
    if (macro.empty() || !define(macro, flags)) break;
    found += "nothing defines " + macro.substr(0, macro.find('=')) + ", without which " +
             (kernels.empty() ? "no kernel is" : "'" + kernels.front() + "' is not") + " compiled: -D " +
             macro + " added\n";
    parts = read_parts(files, text, source, flags);
    add_folders_of_headers(files, text, source, folder, flags, parts, found);
  }
  const Includes& includes = parts.includes;
  const std::vector<Path> others = files_of_device_code(files, source, includes.text, includes.headers);
  std::vector<std::string> texts = texts_of(includes), more_sources;
  std::set<std::string> names = parts.names;
  add_types_of_libraries(includes.unseen, names, texts);
  for (const Path& other : others) {
    const std::string other_text = read_program_text(files, other);
    CompiledParts of_other = read_parts(files, other_text, other, flags);
    add_folders_of_headers(files, other_text, other, folder, flags, of_other, found);
    names.merge(of_other.names);
    const std::vector<std::string> headers = texts_of(of_other.includes);
    texts.push_back(of_other.includes.text);
    for (const std::string& one : headers) {
      if (std::find(texts.begin(), texts.end(), one) == texts.end()) texts.push_back(one);
    }
    more_sources.push_back(std::filesystem::absolute(other).lexically_proximate(folder).generic_string());
    found += "device functions are in " + other.string() + ": compiled with it\n";
  }
  for (const UndeclaredFunction& one : undeclared_functions(files, source, includes.text, includes.headers)) {
    const std::string header =
        std::filesystem::absolute(one.header).lexically_proximate(folder).generic_string();
    found +=
        "'" + one.name + "' is declared by no text; " + header +
        ", which the program does not include, defines it: if the build puts it in front, write source: [" +
        header + ", " + from_there.generic_string() + "]\n";
  }
  take_named_macros(flags, names);
  const std::string from = flags.used.empty() ? "" : "by the build: " + join(flags.used, ", ");
  std::vector<std::string> folders;
  for (const Path& one : flags.folders) folders.push_back(one.lexically_proximate(folder).generic_string());
  std::vector<std::string> in_front;
  for (const Path& one : flags.in_front) {
    in_front.push_back(one.lexically_proximate(folder).generic_string());
    found += "the Makefile puts " + one.string() + " in front: -include added\n";
  }
  const WorkloadDraft draft = draft_workload({includes.text,
                                              texts,
                                              source.string(),
                                              from_there.generic_string(),
                                              workload_name(named),
                                              kernels,
                                              {flags.defines.begin(), flags.defines.end()},
                                              folders,
                                              from,
                                              more_sources,
                                              left_out_kernels(parts.left_out),
                                              text,
                                              in_front});
  if (!from.empty()) world.log().info(from);
  files.make_directories(folder, false);
  files.write_file(output, draft.yaml, false);
  static_cast<void>(headers_of_failure.release());
  for (const std::string& note : draft.notes) world.log().warn(source.string() + ": " + note);
  world.out() << found << "wrote " << output.string() << ": " << join(draft.kernels, ", ") << "; "
              << draft.marks << " lines say FILL IN\n"
              << "next: kiln validate " << output.string() << " && kiln run " << output.string() << "\n";
  return kExitDone;
}

}  // namespace

Subcommand add_new_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("new", "Draft a workload for the kernels of a CUDA or HIP program");
  const auto arguments = std::make_shared<NewArguments>();
  command->add_option("FILE", arguments->source, "The program, with its host code")->type_name("");
  command->add_option("KERNEL", arguments->kernels, "Kernels to take; all by default")->type_name("");
  command
      ->add_option("-o,--output", arguments->output, "Where to write it (default: the program's name, .yaml)")
      ->type_name("PATH");
  command->add_option("-D", arguments->defines, "Macro of the compiler's command line; several are possible")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("-I", arguments->folders, "Folder with headers; several are possible")
      ->type_name("FOLDER")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--no-makefile", arguments->no_makefile,
                    "Take no -D and -I from the Makefile, CMakeLists.txt and setup.py of the program");
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->footer(examples({"kiln new reduce.cu", "kiln new reduce.cu reduce_tree -o jobs/tree.yaml",
                            "kiln new reduce.cu -D TILE=32 -I ../include"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
