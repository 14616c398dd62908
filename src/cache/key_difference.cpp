#include "cache/key_difference.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "record/code_origin.h"

namespace kiln {
namespace {

using Named = KeyParts::Named;

/// The function of "ns::f<float, 4>" with its scope.
std::string_view function_of(std::string_view entry) {
  return trim(entry.substr(0, entry.find('<')));
}

std::string first_changed_line(const std::string& from, const std::string& to) {
  const auto [a, b] = std::mismatch(from.begin(), from.end(), to.begin(), to.end());
  return " (line " + std::to_string(1 + std::count(to.begin(), b, '\n')) + ")";
}

/// "T double", "n int = 4", "m int": what params.h gives each name, by name.
std::map<std::string, std::string> declarations(const std::string& params) {
  constexpr std::string_view kConstant = "static constexpr ";
  std::map<std::string, std::string> found;
  for (const std::string& line : split(params, '\n')) {
    std::string_view text = trim(line);
    if (!text.ends_with(';')) continue;
    text.remove_suffix(1);
    const std::size_t equals = text.find(" = ");
    const bool constant = text.starts_with(kConstant);
    if (text.starts_with("using ") && equals != std::string_view::npos) {
      found[std::string(text.substr(6, equals - 6))] = std::string(text.substr(equals + 3));
      continue;
    }
    if (constant) text.remove_prefix(kConstant.size());
    const std::string_view declared = text.substr(0, text.find(" = "));
    const std::size_t blank = declared.rfind(' ');
    if (blank == std::string_view::npos) continue;
    found[std::string(declared.substr(blank + 1))] =
        constant ? std::string(text.substr(declared.size() + 3))
                 : "at run time (" + std::string(declared.substr(0, blank)) + ")";
  }
  return found;
}

/// How much a difference of a kind says that the keys are of different things.
enum Weight : int {
  kDetail = 1,
  kValue = 2,
  kSetting = 3,
  kText = 6,
  kFile = 8,
  kMachine = 10,
  kKernel = 20,
  kKind = 40
};

class KeyComparison {
 public:
  KeyComparison(const KeyParts& from, const KeyParts& to) : from_(from), to_(to) {}

  std::vector<KeyDifference> run() {
    if (from_.format != to_.format) change("key format", "", from_.format, to_.format, kMachine);
    compare_target();
    compare_compiler();
    compare_texts();
    compare_params();
    compare_entries();
    compare_named("macro", from_.defines, to_.defines);
    compare_options();
    if (from_.fast_math != to_.fast_math)
      change("fast_math", "", on_off(from_.fast_math), on_off(to_.fast_math), kSetting);
    if (from_.lineinfo != to_.lineinfo) compare_lineinfo();
    if (from_.surroundings != to_.surroundings)
      change("surroundings", "", or_none(from_.surroundings), or_none(to_.surroundings), kMachine);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const KeyDifference& a, const KeyDifference& b) { return a.weight > b.weight; });
    return std::move(found_);
  }

 private:
  void compare_target() {
    if (from_.backend != to_.backend) {
      change("target", "", from_.backend + ":" + from_.arch, to_.backend + ":" + to_.arch, kKind);
    } else if (from_.arch != to_.arch) {
      change("target", "", from_.arch, to_.arch, kMachine);
    } else if (from_.warp_size != to_.warp_size) {
      change("warp size", "", from_.warp_size, to_.warp_size, kMachine);
    }
  }

  void compare_compiler() {
    const bool other = from_.compiler != to_.compiler || from_.compiler_version != to_.compiler_version;
    if (other && from_.compiler == to_.compiler && !to_.compiler_version.starts_with(to_.compiler)) {
      add("compiler", "", from_.compiler_version, to_.compiler_version,
          to_.compiler + " " + from_.compiler_version + " -> " + to_.compiler_version, kMachine);
    } else if (other) {
      change("compiler", "", compiler_text({from_.compiler, from_.compiler_version, ""}),
             compiler_text({to_.compiler, to_.compiler_version, ""}), kMachine);
    } else if (from_.fingerprint != to_.fingerprint) {
      add("compiler", "", from_.fingerprint, to_.fingerprint,
          "another build of " + to_.compiler + ", or of what Kiln adds to each text", kMachine);
    }
  }

  void compare_texts() {
    if (from_.source_name != to_.source_name)
      change("source", "", or_none(from_.source_name), or_none(to_.source_name), kKernel);
    if (from_.source != to_.source) {
      add("source", to_.source_name, "", "",
          to_.source_name + " changed" + first_changed_line(from_.source, to_.source), kText);
    }
    for (const auto& [name, text] : to_.headers) {
      const std::string* before = find(from_.headers, name);
      if (before == nullptr) add("header", name, "", "", "header " + name + " added", kFile);
      if (before != nullptr && *before != text)
        add("header", name, "", "", "header " + name + " changed" + first_changed_line(*before, text), kText);
    }
    for (const auto& [name, text] : from_.headers) {
      if (find(to_.headers, name) == nullptr)
        add("header", name, "", "", "header " + name + " removed", kFile);
    }
    if (names_of(from_.headers) != names_of(to_.headers) &&
        sorted_names(from_.headers) == sorted_names(to_.headers))
      add("header", "", "", "", "headers are included in another order", kValue);
  }

  void compare_params() {
    const auto from = declarations(from_.params);
    const auto to = declarations(to_.params);
    const std::size_t before = found_.size();
    for (const auto& [name, value] : to) {
      const auto old = from.find(name);
      const std::string old_value = old == from.end() ? "none" : old->second;
      if (old_value != value) params_change(name, old_value, value);
    }
    for (const auto& [name, value] : from) {
      if (!to.contains(name)) params_change(name, value, "none");
    }
    if (from_.params != to_.params && found_.size() == before)
      add("params.h", "", "", "", "kiln/params.h changed" + first_changed_line(from_.params, to_.params),
          kValue);
  }

  void params_change(const std::string& name, const std::string& from, const std::string& to) {
    add("params.h", name, from, to, "kiln/params.h: " + name + " " + from + " -> " + to, kValue);
  }

  void compare_entries() {
    for (const KeyParts::Entry& entry : to_.entries) {
      const KeyParts::Entry* before = find_entry(from_, entry.name);
      if (before == nullptr) {
        add("entry", entry.name, "", "", "entry " + entry.name + " added", kFile);
        continue;
      }
      if (before->fixed_block != entry.fixed_block) {
        add("block", entry.name, or_none(before->fixed_block), or_none(entry.fixed_block),
            "block of " + entry.name + " " + or_none(before->fixed_block) + " -> " +
                or_none(entry.fixed_block),
            kDetail);
      }
      if (before->launch_bounds != entry.launch_bounds) {
        add("launch bounds", entry.name, or_none(before->launch_bounds), or_none(entry.launch_bounds),
            "launch bounds of " + entry.name + " " + or_none(before->launch_bounds) + " -> " +
                or_none(entry.launch_bounds),
            kDetail);
      }
    }
    for (const KeyParts::Entry& entry : from_.entries) {
      if (find_entry(to_, entry.name) == nullptr)
        add("entry", entry.name, "", "", "entry " + entry.name + " removed", kFile);
    }
  }

  void compare_named(const std::string& what, const Named& from, const Named& to) {
    const auto named = [&](const std::string& name, const std::string& change) {
      return join({what, name, change}, " ");
    };
    for (const auto& [name, value] : to) {
      const std::string* before = find(from, name);
      if (before == nullptr) add(what, name, "", value, named(name, "added"), kSetting);
      if (before != nullptr && *before != value)
        add(what, name, *before, value, named(name, or_none(*before) + " -> " + or_none(value)), kValue);
    }
    for (const auto& [name, value] : from) {
      if (find(to, name) == nullptr) add(what, name, value, "", named(name, "removed"), kSetting);
    }
    if (names_of(from) != names_of(to) && sorted_names(from) == sorted_names(to))
      add(what, "", "", "", what + "s are in another order", kDetail);
  }

  void compare_options() {
    std::vector<std::string> removed = from_.options;
    std::vector<std::string> added;
    for (const std::string& option : to_.options) {
      const auto there = std::find(removed.begin(), removed.end(), option);
      if (there == removed.end())
        added.push_back(option);
      else
        removed.erase(there);
    }
    for (const std::string& option : added)
      add("option", option, "", option, "option " + option + " added", kSetting);
    for (const std::string& option : removed)
      add("option", option, option, "", "option " + option + " removed", kSetting);
    if (from_.options != to_.options && added.empty() && removed.empty())
      add("option", "", join(from_.options, " "), join(to_.options, " "), "options are in another order",
          kDetail);
  }

  void compare_lineinfo() {
    const bool both = !from_.lineinfo.empty() && !to_.lineinfo.empty();
    if (both) {
      add("lineinfo", "", from_.lineinfo, to_.lineinfo, "lineinfo: the files are in another folder",
          kSetting);
    } else {
      change("lineinfo", "", from_.lineinfo.empty() ? "off" : "on", to_.lineinfo.empty() ? "off" : "on",
             kSetting);
    }
  }

  static const std::string* find(const Named& list, const std::string& name) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == name; });
    return found == list.end() ? nullptr : &found->second;
  }

  static const KeyParts::Entry* find_entry(const KeyParts& parts, const std::string& name) {
    const auto found = std::find_if(parts.entries.begin(), parts.entries.end(),
                                    [&](const KeyParts::Entry& entry) { return entry.name == name; });
    return found == parts.entries.end() ? nullptr : &*found;
  }

  static std::vector<std::string> names_of(const Named& list) {
    std::vector<std::string> names;
    for (const auto& [name, value] : list) names.push_back(name);
    return names;
  }

  static std::vector<std::string> sorted_names(const Named& list) {
    std::vector<std::string> names = names_of(list);
    std::sort(names.begin(), names.end());
    return names;
  }

  static std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }
  static std::string on_off(const std::string& flag) { return flag == "0" ? "off" : "on"; }

  void change(const std::string& ingredient, const std::string& name, const std::string& from,
              const std::string& to, Weight weight) {
    add(ingredient, name, from, to, ingredient + " " + from + " -> " + to, weight);
  }

  void add(std::string ingredient, std::string name, std::string from, std::string to, std::string text,
           Weight weight) {
    found_.push_back(
        {std::move(ingredient), std::move(name), std::move(from), std::move(to), std::move(text), weight});
  }

  const KeyParts& from_;
  const KeyParts& to_;
  std::vector<KeyDifference> found_;
};

}  // namespace

std::vector<KeyDifference> find_differences(const KeyParts& from, const KeyParts& to) {
  return KeyComparison(from, to).run();
}

bool are_related(const KeyParts& one, const KeyParts& other) {
  if (!one.source_name.empty() && one.source_name == other.source_name) return true;
  return std::any_of(one.entries.begin(), one.entries.end(), [&](const KeyParts::Entry& entry) {
    return std::any_of(other.entries.begin(), other.entries.end(), [&](const KeyParts::Entry& candidate) {
      return function_of(candidate.name) == function_of(entry.name);
    });
  });
}

}  // namespace kiln
