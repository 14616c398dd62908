#include "specialize/inputs.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "specialize/includes.h"

namespace kiln {
namespace {

/// An option with a value, as one word ("-IDIR") or as two ("-I DIR").
struct ValueOption {
  std::string name, value;  ///< the name is empty where it is another option
  std::size_t words = 1;
};

ValueOption value_option(const std::vector<std::string>& options, std::size_t at,
                         std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    if (!options[at].starts_with(name)) continue;
    ValueOption option{name, options[at].substr(name.size())};
    if (option.value.empty() && at + 1 < options.size()) {
      option.value = options[at + 1];
      option.words = 2;
    }
    return option;
  }
  return {};
}

/// Moves the folders of "-I" options to `directories`, where their headers are found by content, and then the
/// folders of "-isystem". Relative folders are relative to the workload's.
void take_include_options(std::vector<std::string>& options, std::vector<std::filesystem::path>& directories,
                          const std::filesystem::path& workload) {
  std::vector<std::string> others;
  std::vector<std::filesystem::path> system;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const ValueOption option = value_option(options, i, {"--include-path=", "-I", "-isystem"});
    i += option.words - 1;
    if (option.value.empty()) {
      others.push_back(options[i]);
    } else {
      (option.name == "-isystem" ? system : directories)
          .push_back((workload / std::string(trim(option.value))).lexically_normal());
    }
  }
  directories.insert(directories.end(), system.begin(), system.end());
  options = std::move(others);
}

/// Takes `-include FILE` and its other forms out of the options, where Kiln finds the file: in the workload's
/// folder, else in one of `directories`. The files, in order.
std::vector<std::filesystem::path> take_headers_in_front(
    FileSystem& files, std::vector<std::string>& options,
    const std::vector<std::filesystem::path>& directories, const std::filesystem::path& workload) {
  std::vector<std::filesystem::path> folders = {workload}, found;
  folders.insert(folders.end(), directories.begin(), directories.end());
  std::vector<std::string> others;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const ValueOption option = value_option(options, i, {"--pre-include", "--include", "-include"});
    const std::string name = option.value.starts_with("=") ? option.value.substr(1) : option.value;
    const auto folder = std::find_if(folders.begin(), folders.end(), [&](const std::filesystem::path& one) {
      const auto status = name.empty() ? std::nullopt : files.target_status(one / name);
      return status && status->type == FileStatus::Type::kFile;
    });
    if (folder == folders.end()) {
      others.push_back(options[i]);
      continue;
    }
    found.push_back((*folder / name).lexically_normal());
    i += option.words - 1;
  }
  options = std::move(others);
  return found;
}

/// Whether what stands in the text's first line, blanks and the begin of a comment, may follow a directive.
bool may_follow_directive(const std::string& text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
  if (first == text.size() || text[first] == '\n' || text.compare(first, 2, "//") == 0) return true;
  if (text.compare(first, 2, "/*") != 0) return false;
  const std::size_t close = text.find("*/", first + 2);
  const std::size_t next = close == std::string::npos ? close : text.find_first_not_of(" \t\r", close + 2);
  return next == std::string::npos || text[next] == '\n';
}

/// The text behind #include lines for `headers`. Its lines keep their numbers if there is one header and the
/// first line has no code.
std::string with_headers_in_front(const std::string& text, const std::vector<std::filesystem::path>& headers,
                                  const std::filesystem::path& source) {
  std::string front;
  for (const std::filesystem::path& header : headers) {
    if (!front.empty()) front += "\n";
    front += include_of(header, source);
  }
  if (front.empty()) return text;
  return front + (may_follow_directive(text) ? " " : "\n") + text;
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

std::string include_of(const std::filesystem::path& file, const std::filesystem::path& source) {
  const std::filesystem::path folder = std::filesystem::absolute(source).lexically_normal().parent_path();
  const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
  return "#include \"" + whole.lexically_proximate(folder).generic_string() + "\"";
}

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
  const std::vector<std::filesystem::path> in_front =
      take_headers_in_front(search.files, options, directories, search.base);
  specialization.options = std::move(options);
  for (const std::filesystem::path& directory : directories)
    specialization.include_directories.push_back(directory.string());
  std::vector<std::pair<std::string, std::string>> defines = specialization.defines;
  for (auto& macro : macros_of_options(specialization.options)) defines.push_back(std::move(macro));
  Includes includes = find_includes(search.files, with_headers_in_front(text, in_front, search.source),
                                    {search.source, search.supplied, directories, defines});
  specialization.source_text = std::move(includes.text);
  specialization.headers = std::move(includes.headers);
  specialization.unseen_headers = std::move(includes.unseen);
  specialization.unknown_input = std::move(includes.unknown);
  if (const std::string option = find_option_with_input(specialization.options); !option.empty())
    specialization.unknown_input = "the option '" + option + "' brings in files that are not in the key";
}

}  // namespace kiln
