#include "specialize/inputs.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "specialize/includes.h"

namespace kiln {
namespace {

/// Moves the folders of "-I" options to `directories`, where their headers are found by content, and then the
/// folders of "-isystem". Relative folders are relative to the workload's.
void take_include_options(std::vector<std::string>& options, std::vector<std::filesystem::path>& directories,
                          const std::filesystem::path& workload) {
  std::vector<std::string> others;
  std::vector<std::filesystem::path> system;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string folder;
    bool is_system = false;
    for (const std::string prefix : {"--include-path=", "-I", "-isystem"}) {
      if (!options[i].starts_with(prefix)) continue;
      folder = options[i].substr(prefix.size());
      is_system = prefix == "-isystem";
      if (folder.empty() && i + 1 < options.size()) folder = options[++i];
      break;
    }
    if (folder.empty()) {
      others.push_back(options[i]);
    } else {
      (is_system ? system : directories).push_back((workload / std::string(trim(folder))).lexically_normal());
    }
  }
  directories.insert(directories.end(), system.begin(), system.end());
  options = std::move(others);
}

/// The first option that makes the compiler read a file that Kiln does not; empty: none does.
std::string find_option_with_input(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    for (const char* prefix :
         {"-include",   "--include", "-imacros",     "--imacros",     "--pre-include",  "-iquote",
          "-idirafter", "-iprefix",  "-iwithprefix", "-isysroot",     "--sysroot",      "-B",
          "-specs",     "--specs",   "-fplugin",     "-fprofile-use", "-fauto-profile", "-ivfsoverlay",
          "--config",   "@"}) {
      if (option.starts_with(prefix)) return option;
    }
  }
  return "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> macros_of_options(const std::vector<std::string>& options) {
  std::vector<std::pair<std::string, std::string>> macros;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view start : {"--define-macro=", "--define-macro", "-D"}) {
      if (!options[i].starts_with(start)) continue;
      std::string macro = options[i].substr(start.size());
      if (macro.empty() && i + 1 < options.size()) macro = options[++i];
      const std::size_t equals = macro.find('=');
      const std::string value = equals == std::string::npos ? "1" : macro.substr(equals + 1);
      macros.emplace_back(trim(macro.substr(0, equals)), value);
      break;
    }
  }
  return macros;
}

void add_inputs(Specialization& specialization, const std::string& text, std::vector<std::string> options,
                const InputSearch& search) {
  std::vector<std::filesystem::path> directories = search.directories;
  take_include_options(options, directories, search.base);
  specialization.options = std::move(options);
  for (const std::filesystem::path& directory : directories)
    specialization.include_directories.push_back(directory.string());
  std::vector<std::pair<std::string, std::string>> defines = specialization.defines;
  for (auto& macro : macros_of_options(specialization.options)) defines.push_back(std::move(macro));
  Includes includes =
      find_includes(search.files, text, {search.source, search.supplied, directories, defines});
  specialization.source_text = std::move(includes.text);
  specialization.headers = std::move(includes.headers);
  specialization.unseen_headers = std::move(includes.unseen);
  specialization.unknown_input = std::move(includes.unknown);
  if (const std::string option = find_option_with_input(specialization.options); !option.empty())
    specialization.unknown_input = "the option '" + option + "' brings in files that are not in the key";
}

}  // namespace kiln
