#include "compile/reduced_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string_view>

#include "base/text.h"
#include "compile/outline.h"
#include "compile/reached_names.h"
#include "specialize/include_scan.h"
#include "specialize/symbol_expression.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// The text between `before` and `after`, all on one line, at the first position where both occur.
std::optional<std::string> between(const std::string& text, std::string_view before, std::string_view after) {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    const std::size_t end = text.find(after, begin);
    if (end == std::string::npos) return std::nullopt;
    std::string found = text.substr(begin, end - begin);
    if (!found.empty() && found.find('\n') == std::string::npos) return found;
  }
  return std::nullopt;
}

/// Whether each error has one of the words.
bool only_errors_with(const std::string& log, std::initializer_list<std::string_view> words) {
  bool any = false;
  for (const std::string& line : split(log, '\n')) {
    if (line.find(": error: ") == std::string::npos) continue;
    any = std::any_of(words.begin(), words.end(),
                      [&](std::string_view word) { return line.find(word) != std::string::npos; });
    if (!any) return false;
  }
  return any;
}

/// The option with which g++ takes what it refuses and nvcc does not; null where there is none.
const char* option_of_nvcc(const std::string& log) {
  // A member that is called like its type, and names in templates that nothing instantiates.
  if (only_errors_with(log, {"changes meaning of", "that depend on a template parameter"}))
    return "-fpermissive";
  // Functions that call each other.
  const bool recursive = only_errors_with(log, {"inlining failed in call to"}) &&
                         log.find("function body not available") == std::string::npos;
  if (recursive) return "-DKILN_FORCEINLINE_MAY_CALL";
  return nullptr;
}

/// Of a library of the host whose header the compiler found by itself: the header, if an error is in it or in
/// one of the library's other headers ("GL/freeglut_std.h" of <GL/freeglut.h>).
std::optional<std::string> header_around(const Specialization& specialization, const std::string& log) {
  const std::vector<TextLine> lines = error_lines_in(log);
  const auto find = [&](const auto& is_around) -> std::optional<std::string> {
    for (const TextLine& line : lines) {
      for (const std::string& unseen : specialization.unseen_headers) {
        if (is_around(line.file, unseen) && may_be_left_out(specialization, unseen)) return unseen;
      }
    }
    return std::nullopt;
  };
  auto found =
      find([](const std::string& file, const std::string& unseen) { return file.ends_with("/" + unseen); });
  if (found) return found;
  found = find([](const std::string& file, const std::string& unseen) {
    const std::string folder = std::filesystem::path(unseen).parent_path().string();
    return !folder.empty() && std::filesystem::path(file).parent_path().string().ends_with("/" + folder);
  });
  if (found) return found;
  return find([](const std::string& file, const std::string& unseen) {  // boost/log/a.hpp, boost/core/b.hpp
    const std::size_t folder = unseen.find('/');
    return folder != std::string::npos && file.find("/" + unseen.substr(0, folder + 1)) != std::string::npos;
  });
}

/// Whether the text includes a header that Kiln has not read.
bool is_unseen(const Specialization& specialization, const std::string& header) {
  const auto& unseen = specialization.unseen_headers;
  return std::find(unseen.begin(), unseen.end(), header) != unseen.end();
}

/// <string>: a name of the standard library.
bool is_of_standard_library(const std::string& header) {
  return header.find_first_of("./") == std::string::npos;
}

/// A header of CUDA's samples of which Kiln has the functions.
bool has_stand_in(const Specialization& specialization, const std::string& header) {
  const std::string name = std::filesystem::path(header).filename().string();
  return (name == "helper_math.h" || name == "cutil_math.h") && specialization.target.backend != "hip" &&
         is_unseen(specialization, header);
}

Specialization with_stand_in(Specialization specialization, const std::string& header) {
  specialization = without_header(std::move(specialization), header);
  specialization.headers.back().text += "#include <kiln/helper_math.h>\n";
  for (const char* name : {"kiln/helper_math.h", "kiln/hip_vectors.h"})
    specialization.unseen_headers.emplace_back(name);
  std::sort(specialization.unseen_headers.begin(), specialization.unseen_headers.end());
  return specialization;
}

/// A header of the standard library that this compiler does not have: host code may be its only user. hipRTC
/// has none, and what a kernel uses of one is reported by its name.
bool is_left_out_of_std(const Specialization& specialization, const std::string& header) {
  if (specialization.target.backend == "hip") return is_of_standard_library(header);
  return !specialization.left_out.empty() && is_of_standard_library(header) &&
         is_unseen(specialization, header);
}

/// Leaves out Thrust's headers where one of them does not compile: they are for the host, but for the headers
/// of types and function objects.
bool leave_out_thrust(Specialization& specialization, const std::string& log,
                      std::vector<std::string>& left_out) {
  constexpr std::string_view kThrust = "thrust/";
  const std::string missing = missing_header_in(log).value_or("");
  const std::vector<TextLine> lines = error_lines_in(log);
  const bool fails = missing.starts_with(kThrust) ||
                     (!lines.empty() && lines.front().file.find("/thrust/") != std::string::npos);
  if (!fails) return false;
  static const std::set<std::string, std::less<>> of_devices = {
      "thrust/complex.h", "thrust/pair.h", "thrust/tuple.h", "thrust/functional.h", "thrust/random.h"};
  std::vector<std::string> headers;
  for (const std::string& header : specialization.unseen_headers) {
    if (header.starts_with(kThrust) && !of_devices.contains(header)) headers.push_back(header);
  }
  if (specialization.left_out.empty()) headers.clear();
  for (const std::string& header : headers) {
    specialization = without_header(std::move(specialization), header);
    left_out.push_back(header);
  }
  return !headers.empty();
}

/// The first identifier that begins with `beginning`, with its scope; empty if there is none.
std::string name_in(const std::string& text, std::string_view beginning) {
  const std::size_t at = text.find(beginning);
  if (at == std::string::npos) return "";
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at + beginning.size()),
                                    text.end(), belongs);
  return {text.begin() + static_cast<std::ptrdiff_t>(at), end};
}

/// Leaves out the entries of variables that an error names: the texts do not have them, which a launch with
/// such a variable reports.
bool leave_out_missing_variables(Specialization& specialization, const std::string& log,
                                 std::vector<std::string>& left_out) {
  std::string words;  // "Input name expression was: " & ns :: x"" has blanks
  for (const std::string& line : split(log, '\n')) {
    // A line of the program that a compiler shows may have "a && ns::x".
    const bool of_entries = line.find("name expression") != std::string::npos ||
                            line.find("(const void*)(&") != std::string::npos;  // lowered_names.cpp
    if (!of_entries) continue;
    std::copy_if(line.begin(), line.end(), std::back_inserter(words), [](char c) { return c != ' '; });
  }
  const auto is_missing = [&](const EntryPoint& entry) {
    const std::string& name = entry.name_expression;
    // Of an instance, "&mask<T>", the error may name an argument: it stays.
    if (!names_variable(name) || name.find('<') != std::string::npos) return false;
    for (std::size_t at = words.find(name); at != std::string::npos; at = words.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if (end == words.size() || !(continues_identifier(words[end]) || words[end] == ':')) return true;
    }
    return false;
  };
  const std::size_t before = left_out.size();
  for (const EntryPoint& entry : specialization.entries) {
    if (is_missing(entry)) left_out.push_back(entry.name_expression.substr(1));
  }
  std::erase_if(specialization.entries, is_missing);
  return left_out.size() > before;
}

void rename_includes(std::string& text, const std::string& header, const std::string& name) {
  std::vector<TextEdit> edits;
  for (const IncludeUse& use : find_include_uses(text)) {
    if (use.kind == IncludeUse::Kind::kInclude && use.header.name == header)
      edits.push_back({use.offset, use.length, "<" + name + ">"});
  }
  text = apply_edits(text, std::move(edits));
}

}  // namespace

std::optional<std::string> missing_header_in(const std::string& log) {
  if (auto name = between(log, "open source file \"", "\"")) return name;
  if (auto name = between(log, "fatal error: '", "' file not found")) return name;
  return between(log, "fatal error: ", ": No such file or directory");
}

bool may_be_left_out(const Specialization& specialization, const std::string& header) {
  // Only in a whole program, where host code may be the only user of the header. In other texts the header
  // may contain a macro that changes the code.
  if (specialization.left_out.empty()) return false;
  if (!is_unseen(specialization, header)) return false;
  if (is_of_standard_library(header)) return false;  // <Eigen/Dense> is not
  // CUDA's own headers in cuda/ have no suffix, or that of experimental/.
  if (header.starts_with("cuda/") && (header.ends_with(".h") || header.ends_with(".hpp"))) return true;
  static constexpr std::array<std::string_view, 14> kOfVendors = {
      "cuda.h", "cuda_",   "cuda/", "cub/",    "thrust/",  "nv/",   "cooperative_groups",
      "mma.h",  "curand_", "hip/",  "hipcub/", "rocprim/", "math_", "sm_"};
  // HIP has none of CUDA's, and what a kernel uses of one is reported by its name.
  if (specialization.target.backend == "hip" && !header.starts_with("hip") && !header.starts_with("rocprim/"))
    return true;
  return std::none_of(kOfVendors.begin(), kOfVendors.end(),
                      [&](std::string_view prefix) { return header.starts_with(prefix); });
}

Specialization without_header(Specialization specialization, const std::string& header) {
  std::erase(specialization.unseen_headers, header);
  std::string name = std::filesystem::path(header).lexically_normal().string();
  while (name.starts_with("../")) name.erase(0, 3);
  // A unit's headers stand in one folder, which no name may leave.
  if (name.size() < header.size()) {
    name.insert(0, "left_out/");
    rename_includes(specialization.source_text, header, name);
    for (IncludedHeader& other : specialization.headers) rename_includes(other.text, header, name);
  } else {
    name = header;
  }
  specialization.headers.push_back({name, "", "#pragma once\n"});
  return specialization;
}

namespace {

/// The places in front of the first of some words in each line of a log.
std::vector<TextLine> places_in(const std::string& log, const std::vector<std::string_view>& all_words) {
  std::vector<TextLine> lines;
  for (const std::string& line : split(log, '\n')) {
    std::size_t error = std::string::npos;
    for (const std::string_view words : all_words) {
      if (error == std::string::npos) error = line.find(words);
    }
    if (error == std::string::npos) continue;
    std::string place = line.substr(0, error);
    if (!place.empty() && place.back() == ')') place.back() = ':';  // file(12)
    const std::size_t open = place.rfind('(');
    if (open != std::string::npos && place.back() == ':') {
      const auto number = parse_integer(place.substr(open + 1, place.size() - open - 2));
      if (number) lines.push_back({place.substr(0, open), static_cast<int>(*number)});
      continue;
    }
    const std::size_t column = place.rfind(':');  // file:12:5
    if (column == std::string::npos || column == 0) continue;
    const std::size_t number_at = place.rfind(':', column - 1);
    if (number_at == std::string::npos) continue;
    const auto number = parse_integer(place.substr(number_at + 1, column - number_at - 1));
    if (number) lines.push_back({place.substr(0, number_at), static_cast<int>(*number)});
  }
  return lines;
}

}  // namespace

std::vector<TextLine> error_lines_in(const std::string& log) {
  return places_in(log, {": error: ", ": error #", ": fatal error: ", ": catastrophic error: "});
}

std::vector<UnknownName> unknown_names_in(const std::string& log) {
  struct Form {
    std::string_view before, after;
  };
  static constexpr std::array<Form, 4> kForms = {{{"identifier \"", "\" is undefined"},
                                                  {"\u2018", "\u2019 was not declared in this scope"},
                                                  {"'", "' was not declared in this scope"},
                                                  {"use of undeclared identifier '", "'"}}};
  std::vector<UnknownName> unknown;
  for (const std::string& line : split(log, '\n')) {
    const std::vector<TextLine> place = error_lines_in(line);
    if (place.empty()) continue;
    const std::string message = line.substr(line.find("error: "));
    for (const Form& form : kForms) {
      const auto name = between(message, form.before, form.after);
      if (!name) continue;
      unknown.push_back({*name, place.front()});
      break;
    }
  }
  return unknown;
}

std::vector<Redefinition> redefinitions_in(const std::string& log) {
  std::vector<Redefinition> redefined;
  std::optional<Redefinition> error;
  for (const std::string& line : split(log, '\n')) {
    if (const std::vector<TextLine> place = error_lines_in(line); !place.empty()) {
      const bool again = line.find("error: redefinition of ") != std::string::npos;
      error = again ? std::optional(Redefinition{line, place.front()}) : std::nullopt;
    } else if (error && line.starts_with("kiln/") &&
               line.find("previously defined here") != std::string::npos) {
      redefined.push_back(*error);
      error.reset();
    }
  }
  return redefined;
}

std::string left_out_redefinitions(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return "'" + join(names, "', '") + "' " + (names.size() == 1 ? "is" : "are") +
         " defined by CUDA, too, and left out";
}

std::string left_out_headers_of_std(const std::vector<std::string>& headers) {
  if (headers.empty()) return "";
  const bool one = headers.size() == 1;
  return "<" + join(headers, ">, <") + "> " + (one ? "is no header" : "are no headers") +
         " of this compiler and " + (one ? "is" : "are") + " left out as host code";
}

std::string left_out_variables(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return "'" + join(names, "', '") + "' " + (one ? "is no variable" : "are no variables") +
         " of the kernel text and its headers";
}

std::string left_out_declarations(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return "'" + join(names, "', '") + "' " + (one ? "does" : "do") + " not compile for a device and " +
         (one ? "is" : "are") + " left out as host code";
}

std::string left_out_unreached(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return "'" + join(names, "', '") + "' " + (one ? "does" : "do") + " not compile and " +
         (one ? "is" : "are") + " left out, because no kernel that is compiled here uses " +
         (one ? "it" : "them");
}

namespace {

/// Leaves out what fails to compile and no kernel names, directly or through other code. Nothing if macros
/// put names together.
std::vector<std::string> leave_out_unused(Specialization& specialization,
                                          const std::vector<TextLine>& lines) {
  std::deque<Outline> outlines;
  std::vector<const Outline*> texts;
  outlines.push_back(outline(specialization.source_text));
  for (const IncludedHeader& header : specialization.headers) outlines.push_back(outline(header.text));
  texts.reserve(outlines.size());
  for (const Outline& one : outlines) texts.push_back(&one);
  const ReachedNames names(texts);
  std::string entries;
  for (const EntryPoint& entry : specialization.entries) entries += entry.name_expression + " ";
  std::set<std::string> reached;
  const bool unknown = names.find(entries, [&](std::string_view name) {
    reached.emplace(name);
    return names.pastes(name);
  });
  if (unknown || entries.empty()) return {};
  return leave_out_unreached(specialization, lines,
                             [&](std::string_view name) { return reached.contains(std::string(name)); });
}

}  // namespace

bool reduce_program(Specialization& specialization, const std::string& log, LeftOut& left_out) {
  constexpr std::size_t kMostHeaders = 32;
  constexpr int kMostRounds = 8;
  const auto leave_out = [&](const std::string& header, std::vector<std::string>& headers) {
    if (headers.size() == kMostHeaders) return false;
    specialization = without_header(std::move(specialization), header);
    headers.push_back(header);
    return true;
  };
  if (auto header = missing_header_in(log)) {
    if (has_stand_in(specialization, *header)) {
      specialization = with_stand_in(std::move(specialization), *header);
      return true;
    }
    if (!may_be_left_out(specialization, *header))
      header = header_around(specialization, log).value_or(*header);
    if (may_be_left_out(specialization, *header)) return leave_out(*header, left_out.headers);
    if (is_left_out_of_std(specialization, *header)) {
      const bool hip = specialization.target.backend == "hip";
      return leave_out(*header, hip ? left_out.headers : left_out.of_std);
    }
    return leave_out_thrust(specialization, log, left_out.of_std);
  }
  if (leave_out_thrust(specialization, log, left_out.of_std)) return true;
  if (const auto header = header_around(specialization, log)) return leave_out(*header, left_out.headers);
  auto& options = specialization.options;
  const char* option = option_of_nvcc(log);
  if (option != nullptr && std::find(options.begin(), options.end(), option) == options.end()) {
    options.emplace_back(option);
    return true;
  }
  if (leave_out_missing_variables(specialization, log, left_out.variables)) return true;
  if (left_out.rounds++ == kMostRounds) return false;
  if (const auto names = leave_out_redefinitions(specialization, redefinitions_in(log)); !names.empty()) {
    left_out.redefined.insert(left_out.redefined.end(), names.begin(), names.end());
    return true;
  }
  if (!define_runtime_of_host(specialization, unknown_names_in(log)).empty()) return true;
  std::vector<TextLine> lines = error_lines_in(log);
  for (TextLine& use : places_in(log, {": note: in expansion of macro "})) lines.push_back(std::move(use));
  const auto add_new = [](const std::vector<std::string>& names, std::vector<std::string>& all) {
    for (const std::string& name : names) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    return !names.empty();
  };
  // Errors behind one in code for devices that nothing needs may follow from it: declarations around them
  // stay.
  Specialization trial = specialization;
  const std::vector<TextLine> first(lines.begin(), lines.begin() + (lines.empty() ? 0 : 1));
  const bool needless =
      leave_out_failed_host_code(trial, first).empty() && !leave_out_unused(trial, first).empty();
  if (needless && add_new(leave_out_unused(specialization, lines), left_out.unreached)) return true;
  return add_new(leave_out_failed_host_code(specialization, lines), left_out.declarations) ||
         add_new(leave_out_unused(specialization, lines), left_out.unreached);
}

std::string advice_on_amd_builtins(const Specialization& specialization, const std::string& log) {
  if (specialization.target.backend == "hip") return "";
  const std::string name = name_in(log, "__builtin_amdgcn_");
  if (name.empty()) return "";
  return "'" + name +
         "' is an instruction of AMD's GPUs, which only the hip back end has; docs/backends.md lists the "
         "instructions that Kiln translates";
}

std::string advice_on_device_algorithms(const std::string& log) {
  const std::string name = name_in(log, "cub::Device");
  if (name.empty()) return "";
  return "'" + name +
         "' is an algorithm of the whole device, which a host program starts; a kernel uses the classes "
         "cub::Block... and cub::Warp...";
}

std::string left_out_headers(const std::vector<std::string>& headers) {
  if (headers.empty()) return "";
  return "'" + join(headers, "', '") + "' " + (headers.size() == 1 ? "was" : "were") +
         " not found beside the kernel text or in a folder of its '-I' options, and left out";
}

}  // namespace kiln
