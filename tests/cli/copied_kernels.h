#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace kiln::test {

/// Writes a file of the test, of a name and a text; returns its path.
using WriteFile = std::function<std::string(const std::string&, const std::string&)>;

/// By a file's name, texts in it and what replaces them.
using Replacements = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

/// Copies a workload of kernels_src and the parts of its kernels (`tiles`) under another name, with changes.
inline void copy_kernels(const WriteFile& write, FileSystem& files, const std::string& from,
                         const std::string& to, Replacements changes) {
  const std::filesystem::path sources = std::filesystem::path(KILN_SOURCE_DIR) / "kernels_src";
  changes[from + ".yaml"].emplace_back("workload: " + from + "\n", "workload: " + to + "\n");
  for (const std::string& folder : {std::string("tiles"), from}) {
    for (const auto& entry : std::filesystem::directory_iterator(sources / folder)) {
      std::string text = files.read_file(entry.path()).value_or("");
      std::string name = entry.path().filename().string();
      if (folder == from) {
        for (const auto& [old, by] : changes[name]) {
          const std::size_t at = text.find(old);
          if (at == std::string::npos) throw std::runtime_error(name + " has no '" + old + "'");
          text.replace(at, old.size(), by);
        }
        if (name == from + ".yaml") name = to + ".yaml";
      }
      static_cast<void>(write((folder == from ? to : folder) + "/" + name, text));
    }
  }
}

}  // namespace kiln::test
