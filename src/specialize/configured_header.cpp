#include "specialize/configured_header.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "base/text.h"
#include "specialize/build_flags.h"

namespace kiln {
namespace {

class Configurer {
 public:
  explicit Configurer(const std::map<std::string, std::string>& variables) : variables_(variables) {}

  ConfiguredHeader run(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      unknown_ = false;
      header_.text += configured(line);
      if (unknown_) header_.text += "  // FILL IN";
      header_.text += '\n';
    }
    return std::move(header_);
  }

 private:
  std::string configured(const std::string& line) {
    const std::size_t sign = line.find_first_not_of(" \t");
    if (sign == std::string::npos || line[sign] != '#') return with_values(line);
    std::istringstream words(line.substr(sign + 1));
    std::string directive, name;
    words >> directive >> name;
    if (directive != "cmakedefine" && directive != "cmakedefine01") return with_values(line);
    const bool on = is_on(name);
    if (directive == "cmakedefine01") return "#define " + name + (on ? " 1" : " 0");
    std::string rest;
    std::getline(words, rest);
    return on ? "#define " + name + with_values(rest) : "/* #undef " + name + " */";
  }

  bool is_on(const std::string& name) {
    const auto known = variables_.find(name);
    if (known == variables_.end()) {
      if (names_the_gpu(name)) return true;
      note_unknown(name);
      return false;
    }
    const std::string& value = known->second;
    if (value == "IGNORE" || value == "NOTFOUND" || value.ends_with("-NOTFOUND")) return false;
    return switch_value(value).value_or(true);  // any other text is true
  }

  std::string with_values(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool at = text[i] == '@', braces = text.compare(i, 2, "${") == 0;
      const std::size_t begin = i + (braces ? 2 : 1);
      const std::size_t end = at || braces ? text.find(braces ? '}' : '@', begin) : std::string::npos;
      const std::string name = end == std::string::npos ? "" : text.substr(begin, end - begin);
      if (!is_identifier(name)) {
        result += text[i];
        continue;
      }
      if (const auto known = variables_.find(name); known != variables_.end()) {
        result += known->second;
      } else {
        note_unknown(name);
      }
      i = end;
    }
    return result;
  }

  void note_unknown(const std::string& name) {
    unknown_ = true;
    if (noted_.insert(name).second) header_.unknown.push_back(name);
  }

  const std::map<std::string, std::string>& variables_;
  ConfiguredHeader header_;
  std::set<std::string> noted_;
  bool unknown_ = false;  // of the line
};

}  // namespace

ConfiguredHeader configured_header(const std::string& text,
                                   const std::map<std::string, std::string>& variables) {
  return Configurer(variables).run(text);
}

}  // namespace kiln
