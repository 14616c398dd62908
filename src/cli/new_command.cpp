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
#include "specialize/includes.h"
#include "specialize/workload_draft.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

struct NewArguments {
  std::string source;
  std::vector<std::string> kernels;
  std::string output;
  bool force = false;
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

/// Those that stand beside the program, and beside each other.
std::vector<std::string> texts_of_headers(FileSystem& files, const Path& source, const std::string& text) {
  std::vector<std::string> texts;
  for (IncludedHeader& header : find_includes(files, text, {source}).headers)
    texts.push_back(std::move(header.text));
  return texts;
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
  const WorkloadDraft draft =
      draft_workload({text, texts_of_headers(files, source, text), source.string(),
                      from_there.generic_string(), workload_name(source), arguments.kernels});
  files.make_directories(folder, false);
  files.write_file(output, draft.yaml, false);
  for (const std::string& note : draft.notes) world.log().warn(source.string() + ": " + note);
  world.out() << "wrote " << output.string() << ": " << join(draft.kernels, ", ") << "; " << draft.marks
              << " lines say FILL IN\n"
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
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->footer(examples({"kiln new reduce.cu", "kiln new reduce.cu reduce_tree -o jobs/tree.yaml"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
