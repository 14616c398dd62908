#include <algorithm>
#include <map>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/input_file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "kiln/error.h"
#include "specialize/include_scopes.h"
#include "specialize/includes.h"
#include "specialize/makefile_flags.h"
#include "specialize/neighbour_files.h"
#include "specialize/workload_draft.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

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

/// Macros, and folders that exist, of the command line and of the Makefile beside the program or in the
/// folder above it.
struct CompilerFlags {
  std::map<std::string, std::string> defines;
  std::vector<Path> folders;
  Path makefile;  ///< that gave some of them; empty: none
};

/// Each back end has its own headers of CUDA and HIP; the folder would displace them.
bool is_of_toolkit(FileSystem& files, const Path& folder) {
  return files.status(folder / "crt/host_defines.h") || files.status(folder / "hip/hip_runtime.h");
}

CompilerFlags flags_for(FileSystem& files, const Path& source, const NewArguments& arguments) {
  CompilerFlags flags;
  const auto add_folder = [&](const Path& folder) {
    if (std::find(flags.folders.begin(), flags.folders.end(), folder) == flags.folders.end())
      flags.folders.push_back(folder);
  };
  for (const std::string& define : arguments.defines) {
    const std::size_t equals = define.find('=');
    const std::string name = define.substr(0, equals);
    if (!is_identifier(name)) throw bad_input("-D " + define + ": expected NAME or NAME=VALUE");
    flags.defines[name] = equals == std::string::npos ? "1" : define.substr(equals + 1);
  }
  for (const std::string& folder : arguments.folders) {
    if (!files.status(folder)) throw bad_input("-I " + folder + ": there is no such folder");
    add_folder(std::filesystem::absolute(folder).lexically_normal());
  }
  if (arguments.no_makefile) return flags;
  const Path beside = std::filesystem::absolute(source).parent_path();
  for (const Path& folder : {beside, beside.parent_path()}) {
    for (const char* name : {"GNUmakefile", "Makefile", "makefile"}) {
      const auto status = files.status(folder / name);
      if (!status || status->type != FileStatus::Type::kFile) continue;
      const MakefileFlags read = read_makefile_flags(read_input(files, folder / name, kKernelInput));
      const std::size_t before = flags.defines.size() + flags.folders.size();
      flags.defines.insert(read.defines.begin(), read.defines.end());
      for (const std::string& one : read.folders) {
        const Path path = (folder / one).lexically_normal();
        if (files.status(path) && !is_of_toolkit(files, path)) add_folder(path);
      }
      if (flags.defines.size() + flags.folders.size() > before) flags.makefile = folder / name;
      return flags;
    }
  }
  return flags;
}

int run(World& world, const NewArguments& arguments) {
  if (arguments.source.empty())
    throw bad_input("the file with the kernels is missing: kiln new FILE.cu [KERNEL...]");
  FileSystem& files = world.files();
  const Path source = arguments.source;
  if (!files.status(source)) throw bad_input("there is no file '" + source.string() + "'");
  const Path output(arguments.output.empty() ? source.stem().string() + ".yaml" : arguments.output);
  if (files.status(output) && !arguments.force)
    throw bad_input("'" + output.string() + "' exists already; --force replaces it, -o names another file");

  const Path folder = std::filesystem::absolute(output).parent_path();
  const Path from_there = std::filesystem::absolute(source).lexically_proximate(folder);
  const std::string text = read_program_text(files, source);
  CompilerFlags flags = flags_for(files, source, arguments);
  std::string found;
  Includes includes = find_includes(files, text, {source, {}, flags.folders});
  for (bool more = true; more;) {  // headers may need headers of other folders
    more = false;
    for (const Path& one : folders_of_headers(files, source, missing_headers(includes))) {
      const bool known = std::find(flags.folders.begin(), flags.folders.end(), one) != flags.folders.end();
      if (known || is_of_toolkit(files, one)) continue;
      flags.folders.push_back(one);
      found += "headers are in " + one.string() + ": -I added\n";
      more = true;
    }
    if (more) includes = find_includes(files, text, {source, {}, flags.folders});
  }
  const std::vector<Path> others = files_of_device_code(files, source, text, includes.headers);
  std::vector<std::string> texts = texts_of(includes), more_sources;
  for (const Path& other : others) {
    const std::string other_text = read_program_text(files, other);
    const std::vector<std::string> of_other =
        texts_of(find_includes(files, other_text, {other, {}, flags.folders}));
    texts.push_back(other_text);
    for (const std::string& one : of_other) {
      if (std::find(texts.begin(), texts.end(), one) == texts.end()) texts.push_back(one);
    }
    more_sources.push_back(std::filesystem::absolute(other).lexically_proximate(folder).generic_string());
    found += "device functions are in " + other.string() + ": compiled with it\n";
  }
  std::vector<std::string> folders;
  for (const Path& one : flags.folders) folders.push_back(one.lexically_proximate(folder).generic_string());
  const WorkloadDraft draft = draft_workload({text,
                                              texts,
                                              source.string(),
                                              from_there.generic_string(),
                                              workload_name(source),
                                              arguments.kernels,
                                              {flags.defines.begin(), flags.defines.end()},
                                              folders,
                                              more_sources});
  if (!flags.makefile.empty())
    world.log().info("macros and folders of headers are from " + flags.makefile.string());
  files.make_directories(folder, false);
  files.write_file(output, draft.yaml, false);
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
      ->take_all();
  command->add_option("-I", arguments->folders, "Folder with headers; several are possible")
      ->type_name("FOLDER")
      ->expected(1)
      ->take_all();
  command->add_flag("--no-makefile", arguments->no_makefile,
                    "Take no -D and -I from the Makefile of the program");
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->footer(examples({"kiln new reduce.cu", "kiln new reduce.cu reduce_tree -o jobs/tree.yaml",
                            "kiln new reduce.cu -D TILE=32 -I ../include"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
