#include "specialize/compiled_parts.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "specialize/include_scan.h"
#include "specialize/inputs.h"
#include "specialize/known_macros.h"

namespace kiln {
namespace {

constexpr std::string_view kKernelMark = "__global__";
constexpr std::size_t kNoBranch = static_cast<std::size_t>(-1);
constexpr std::size_t kMostDirectives = 1000000;  // that are read; headers may include each other
constexpr int kDeepestInclude = 150;

/// A branch of a conditional, from the directive that begins it to the one that ends it.
struct TextBranch {
  std::size_t directive = 0;
  std::size_t end = 0;            ///< a directive, or as many as there are
  std::size_t outer = kNoBranch;  ///< a branch
  std::size_t conditional = 0;    ///< the number of its first branch
  bool taken = false;             ///< in some compilation
  bool read = false;              ///< its condition was reached
  std::optional<std::string> why;
  std::string remedy;
};

/// A text with its conditionals, and what was found when it was read.
struct TextPart {
  std::string_view text;
  TokenizedText source;
  std::vector<TextBranch> branches;        // in the text's order
  std::vector<std::size_t> branch_of;      // by directive; kNoBranch: it begins none
  std::vector<std::size_t> outer_of;       // by directive: the branch around it
  std::vector<std::size_t> ends;           // by directive, of #endif: the conditional
  std::map<std::size_t, IncludeUse> uses;  // by directive
  std::set<std::size_t> unclear;           // conditionals with a condition that is not known
  bool once = false, visited = false;
};

bool begins_conditional(const Directive& directive) {
  const std::vector<Token>& words = directive.tokens;
  return !words.empty() && (words[0].is("if") || words[0].is("ifdef") || words[0].is("ifndef"));
}

bool continues_conditional(const Directive& directive) {
  const std::vector<Token>& words = directive.tokens;
  return !words.empty() && (words[0].is("else") || words[0].text.starts_with("elif"));
}

bool is_directive(const Directive& directive, std::string_view name) {
  return !directive.tokens.empty() && directive.tokens[0].is(name);
}

std::size_t end_of(const Directive& directive) {
  return directive.tokens.empty() ? directive.offset + 1 : directive.tokens.back().end();
}

/// "#if defined(A) || B", as written.
std::string written(const TextPart& part, const Directive& directive) {
  std::string line(part.text.substr(directive.offset, end_of(directive) - directive.offset));
  std::string result;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  return result;
}

class PartsReader {
 public:
  PartsReader(const Includes& includes, const std::vector<std::pair<std::string, std::string>>& defines,
              ReadFor compilers)
      : includes_(includes), macros_(defines, compilers) {
    add_part(includes.text);
    for (const IncludedHeader& header : includes.headers) {
      by_name_[header.name] = parts_.size();
      add_part(header.text);
    }
  }

  void assume_current_cuda() { macros_.assume_current_cuda(); }

  CompiledParts run(const std::vector<std::string>& in_front = {}) {
    for (const std::string& name : in_front) {
      if (const auto header = by_name_.find(name); header != by_name_.end())
        visit(header->second, Truth::kAlways, 0);
    }
    visit(0, Truth::kAlways, 0);
    if (unclear_include_) {
      for (std::size_t i = 1; i < parts_.size(); ++i) {
        if (!parts_[i].visited) visit(i, Truth::kSometimes, 0);
      }
    }
    CompiledParts result;
    result.includes = includes_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].visited || gave_up_) add_names(parts_[i], result.names);
    }
    if (gave_up_) return result;
    result.includes.text = compiled(parts_[0]);
    result.includes.headers.clear();
    for (std::size_t i = 0; i < includes_.headers.size(); ++i) {
      if (!parts_[i + 1].visited) continue;
      result.includes.headers.push_back(includes_.headers[i]);
      result.includes.headers.back().text = compiled(parts_[i + 1]);
    }
    std::set<std::string> asked;
    add_headers(result.includes.text, asked);
    for (const IncludedHeader& header : result.includes.headers) add_headers(header.text, asked);
    std::erase_if(result.includes.unseen, [&](const std::string& name) { return !asked.contains(name); });
    for (std::size_t i = 0; i < parts_.size(); ++i) add_left_out(i, result.left_out);
    return result;
  }

 private:
  static void add_headers(const std::string& text, std::set<std::string>& names) {
    for (const IncludeUse& use : find_include_uses(text)) names.insert(use.header.name);
  }

  /// What stands in no branch that is left out.
  void add_names(const TextPart& part, std::set<std::string>& names) const {
    const std::vector<Directive>& directives = part.source.directives;
    const auto is_left_out = [&](std::size_t branch) {
      return !gave_up_ && branch != kNoBranch && !part.branches[branch].taken;
    };
    const auto add = [&](const Token& token) {
      if (token.identifier()) names.emplace(token.text);
    };
    std::size_t next = 0, around = kNoBranch;  // the branch around a token
    for (const Token& token : part.source.tokens) {
      for (; next < directives.size() && directives[next].offset < token.offset; ++next)
        around = part.branch_of[next] != kNoBranch ? part.branch_of[next] : part.outer_of[next];
      if (!is_left_out(around)) add(token);
    }
    for (std::size_t i = 0; i < directives.size(); ++i) {
      if (is_left_out(part.outer_of[i])) continue;
      for (const Token& token : directives[i].tokens) add(token);
    }
  }

  void add_part(const std::string& text) {
    TextPart& part = parts_.emplace_back();
    part.text = text;
    part.source = tokenize(text);
    const std::vector<Directive>& directives = part.source.directives;
    part.branch_of.assign(directives.size(), kNoBranch);
    part.outer_of.assign(directives.size(), kNoBranch);
    part.ends.assign(directives.size(), kNoBranch);
    std::vector<std::size_t> open;  // branches
    for (std::size_t i = 0; i < directives.size(); ++i) {
      const bool begins = begins_conditional(directives[i]);
      const bool goes_on = !begins && !open.empty() && continues_conditional(directives[i]);
      std::size_t conditional = part.branches.size();
      if (!open.empty() && (goes_on || is_directive(directives[i], "endif"))) {
        TextBranch& last = part.branches[open.back()];
        last.end = i;
        conditional = last.conditional;
        if (!goes_on) part.ends[i] = conditional;
        open.pop_back();
      }
      if (!open.empty()) part.outer_of[i] = open.back();
      if (!begins && !goes_on) continue;
      part.branch_of[i] = part.branches.size();
      open.push_back(part.branches.size());
      part.branches.push_back({i, directives.size(), part.outer_of[i], conditional, false, false, {}, {}});
    }
    auto directive = directives.begin();
    for (IncludeUse& use : find_include_uses(text)) {
      while (directive != directives.end() && directive + 1 != directives.end() &&
             (directive + 1)->offset < use.offset)
        ++directive;
      const bool includes = directive != directives.end() && directive->offset < use.offset &&
                            (is_directive(*directive, "include") || is_directive(*directive, "import"));
      if (includes)
        part.uses.emplace(static_cast<std::size_t>(directive - directives.begin()), std::move(use));
    }
  }

  /// The state of a conditional while its text is read.
  struct Open {
    std::size_t conditional;
    Truth outer, before, now;  ///< around it; an earlier branch is compiled; this one
  };

  void visit(std::size_t index, Truth outer, int depth) {
    TextPart& part = parts_[index];
    if (part.once && part.visited) return;
    if (depth > kDeepestInclude) gave_up_ = true;
    part.visited = true;
    std::vector<Open> open;
    for (std::size_t i = 0; i < part.source.directives.size() && !gave_up_; ++i) {
      if (++read_ > kMostDirectives) gave_up_ = true;
      const Directive& directive = part.source.directives[i];
      const Truth around = open.empty() ? outer : open.back().now;
      if (begins_conditional(directive)) {
        const std::size_t conditional = part.branches[part.branch_of[i]].conditional;
        open.push_back({conditional, around, Truth::kNever, Truth::kNever});
        begin_branch(part, i, open.back());
      } else if (part.branch_of[i] != kNoBranch) {
        begin_branch(part, i, open.back());
      } else if (part.ends[i] != kNoBranch) {
        open.pop_back();
      } else if (around != Truth::kNever) {
        follow(part, i, around, depth);
      }
    }
  }

  void begin_branch(TextPart& part, std::size_t i, Open& open) {
    TextBranch& branch = part.branches[part.branch_of[i]];
    open.now = Truth::kNever;
    if (open.outer == Truth::kNever) return;
    branch.read = true;
    const Directive& directive = part.source.directives[i];
    if (open.before == Truth::kAlways) {
      if (!branch.why) branch.why = why_not_reached(part, branch);
      return;
    }
    Truth holds = is_directive(directive, "else") ? Truth::kAlways : macros_.holds(directive);
    if (holds == Truth::kSometimes && guards_text(part, i)) holds = Truth::kAlways;
    if (holds == Truth::kSometimes) part.unclear.insert(open.conditional);
    if (holds == Truth::kNever && !branch.why) add_why_not(part, branch);
    if (holds != Truth::kNever) branch.taken = true;
    open.now =
        std::min({open.outer, holds, open.before == Truth::kSometimes ? Truth::kSometimes : Truth::kAlways});
    open.before = std::max(open.before, holds);
  }

  /// `#ifndef __NAME_H__` with `#define __NAME_H__` behind it. Such names look like names of compilers.
  [[nodiscard]] static bool guards_text(const TextPart& part, std::size_t i) {
    const std::vector<Directive>& directives = part.source.directives;
    if (i + 1 >= directives.size() || !is_directive(directives[i], "ifndef")) return false;
    const std::vector<Token>&asked = directives[i].tokens, &next = directives[i + 1].tokens;
    return asked.size() == 2 && next.size() == 2 && next[0].is("define") && next[1].is(asked[1].text) &&
           !asked[1].is("__CUDA_ARCH__") && !asked[1].is("__HIP_DEVICE_COMPILE__");
  }

  /// From behind its directive.
  [[nodiscard]] static std::string_view text_of(const TextPart& part, const TextBranch& branch) {
    const std::vector<Directive>& directives = part.source.directives;
    const std::size_t begin = end_of(directives[branch.directive]);
    const std::size_t end = branch.end < directives.size() ? directives[branch.end].offset : part.text.size();
    return part.text.substr(begin, end - begin);
  }

  [[nodiscard]] static bool has_kernels(const TextPart& part, const TextBranch& branch) {
    return text_of(part, branch).find(kKernelMark) != std::string_view::npos;
  }

  void add_why_not(const TextPart& part, TextBranch& branch) const {
    branch.why = "";
    const Directive& directive = part.source.directives[branch.directive];
    const bool never = directive.tokens.size() == 2 && directive.tokens[1].kind == Token::Kind::kNumber;
    if (never || !has_kernels(part, branch)) return;
    const std::vector<std::string> remedies = macros_.remedies(directive);
    const bool one_macro = directive.tokens.size() == 2 || is_defined_only(directive);
    const std::string why = one_macro && remedies.size() == 1
                                ? "nothing defines " + remedies.front()
                                : "'" + written(part, directive) + "' of line " +
                                      std::to_string(directive.tokens[0].line) + " does not hold";
    branch.why = remedies.empty() ? why : why + " (-D " + join(remedies, " or -D ") + ")";
    if (remedies.size() == 1) branch.remedy = remedies.front();
  }

  /// `#if defined(X)` and `#if defined X`
  [[nodiscard]] static bool is_defined_only(const Directive& directive) {
    const std::vector<Token>& words = directive.tokens;
    const std::size_t size = words.size();
    return size > 2 && words[1].is("defined") && (size == 3 || (size == 5 && words[2].is("(")));
  }

  [[nodiscard]] static std::string why_not_reached(const TextPart& part, const TextBranch& branch) {
    if (!has_kernels(part, branch)) return "";
    for (std::size_t i = branch.conditional; i < part.branches.size(); ++i) {
      const TextBranch& other = part.branches[i];
      if (other.conditional != branch.conditional || !other.taken) continue;
      const Directive& directive = part.source.directives[other.directive];
      return "'" + written(part, directive) + "' of line " + std::to_string(directive.tokens[0].line) +
             " holds";
    }
    return "";
  }

  void follow(TextPart& part, std::size_t i, Truth around, int depth) {
    const Directive& directive = part.source.directives[i];
    if (is_directive(directive, "define") || is_directive(directive, "undef")) {
      macros_.learn(directive, around);
    } else if (is_directive(directive, "pragma")) {
      part.once = part.once ||
                  (directive.tokens.size() > 1 && directive.tokens[1].is("once") && around == Truth::kAlways);
    } else if (const auto use = part.uses.find(i); use != part.uses.end()) {
      const bool computed = use->second.kind == IncludeUse::Kind::kComputed;
      const auto name = computed ? macros_.header(directive) : use->second.header;
      const auto header = name ? by_name_.find(name->name) : by_name_.end();
      if (header == by_name_.end()) {
        unclear_include_ = unclear_include_ || computed;
        return;
      }
      if (is_directive(directive, "import")) parts_[header->second].once = true;
      visit(header->second, around, depth + 1);
    }
  }

  /// Whether the branch is compiled in no case, and the branches around it may be.
  [[nodiscard]] static bool is_outermost_left_out(const TextPart& part, const TextBranch& branch) {
    return branch.read && !branch.taken && (branch.outer == kNoBranch || part.branches[branch.outer].taken);
  }

  static std::string compiled(const TextPart& part) {
    const std::vector<Directive>& directives = part.source.directives;
    std::vector<TextEdit> edits;
    std::map<std::size_t, std::size_t> taken;  // by conditional: how many branches
    for (const TextBranch& branch : part.branches) taken[branch.conditional] += branch.taken ? 1 : 0;
    for (const TextBranch& branch : part.branches) {
      if (!is_outermost_left_out(part, branch)) continue;
      edits.push_back({end_of(directives[branch.directive]), text_of(part, branch).size(), ""});
    }
    const auto blank = [&](std::size_t i) {
      edits.push_back({directives[i].offset, end_of(directives[i]) - directives[i].offset, ""});
    };
    const auto is_clear = [&](std::size_t conditional) {
      return part.branches[conditional].read && !part.unclear.contains(conditional) &&
             taken[conditional] <= 1;
    };
    for (std::size_t i = 0; i < directives.size(); ++i) {
      const std::size_t branch = part.branch_of[i];
      if (branch != kNoBranch && is_clear(part.branches[branch].conditional)) blank(i);
      if (part.ends[i] != kNoBranch && is_clear(part.ends[i])) blank(i);
    }
    return edits.empty() ? std::string(part.text) : apply_edits(part.text, std::move(edits));
  }

  void add_left_out(std::size_t index, std::vector<LeftOutPart>& found) const {
    const TextPart& part = parts_[index];
    if (!part.visited) {
      if (part.text.find(kKernelMark) == std::string_view::npos) return;
      const std::string& name = includes_.headers[index - 1].name;
      found.push_back({std::string(part.text), "no line that is compiled includes '" + name + "'", true, ""});
    }
    for (const TextBranch& branch : part.branches) {
      if (is_outermost_left_out(part, branch) && has_kernels(part, branch))
        found.push_back(
            {std::string(text_of(part, branch)), branch.why.value_or(""), index > 0, branch.remedy});
    }
  }

  const Includes& includes_;
  KnownMacros macros_;
  std::deque<TextPart> parts_;  // the text, then the headers
  std::map<std::string, std::size_t> by_name_;
  std::size_t read_ = 0;
  bool gave_up_ = false, unclear_include_ = false;
};

/// Whether one of the compiler's headers that the program includes, in any branch, has a name that begins so.
bool includes_any(const Includes& includes, std::string_view start) {
  return std::any_of(includes.unseen.begin(), includes.unseen.end(),
                     [&](const std::string& name) { return name.starts_with(start); });
}

}  // namespace

CompiledParts compiled_parts(const Includes& includes,
                             const std::vector<std::pair<std::string, std::string>>& defines,
                             const std::vector<std::string>& in_front) {
  const bool both = includes_any(includes, "cu");  // a program of two branches
  const ReadFor compilers = !includes_any(includes, "hip/") ? ReadFor::kAny
                            : both                          ? ReadFor::kCuda
                                                            : ReadFor::kHip;
  PartsReader reader(includes, defines, compilers);
  reader.assume_current_cuda();
  return reader.run(in_front);
}

CompiledParts compiled_parts(const Specialization& specialization) {
  Includes includes;
  includes.text = specialization.source_text;
  includes.headers = specialization.headers;
  includes.headers.push_back({"kiln/params.h", "", specialization.params_header});
  includes.unseen = specialization.unseen_headers;
  std::vector<std::pair<std::string, std::string>> defines = specialization.defines;
  for (auto& macro : macros_of_options(specialization.options)) defines.push_back(std::move(macro));
  return PartsReader(includes, defines, includes_any(includes, "hip/") ? ReadFor::kHip : ReadFor::kAny).run();
}

}  // namespace kiln
