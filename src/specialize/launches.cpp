#include "specialize/launches.h"

#include <algorithm>
#include <utility>

namespace kiln {
namespace {

class LaunchReader {
 public:
  LaunchReader(const std::vector<Token>& tokens, const ScopeAt& scope_at)
      : tokens_(tokens), scope_at_(scope_at) {}

  std::vector<TextLaunch> launches() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (at(i, "<") && at(i + 1, "<") && at(i + 2, "<")) add_launch(i);
      if (at(i, "hipLaunchKernelGGL") && at(i + 1, "(")) add_hip_launch(i + 1);
      if (at(i, "auto")) add_alias(i);
      const bool cooperative = at(i, "cudaLaunchCooperativeKernel") || at(i, "hipLaunchCooperativeKernel");
      if (cooperative && at(i + 1, "(")) add_cooperative_launch(i + 1);
    }
    // A function gets the kernel, and launches it with what else it gets.
    for (const Alias& alias : aliases_) {
      if (!alias.launched && !alias.kernel.template_arguments.empty()) launches_.push_back(alias.kernel);
    }
    return std::move(launches_);
  }

  std::vector<TextCall> calls(const std::set<std::string>& templates) {
    std::vector<TextCall> calls;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (!tokens_[i].identifier() || !templates.contains(std::string(tokens_[i].text))) continue;
      const std::size_t head = statement_of(i);
      if (at(head, "template") && at(head + 1, "<") && is_kernel(head, i)) continue;  // its definition
      if (at(i + 1, "<") && at(i + 2, "<") && at(i + 3, "<")) continue;
      TextCall call;
      call.name = std::string(tokens_[i].text);
      call.scope = scope_at(i);
      call.token = i;
      call.instantiates = at(head, "template") && !at(head + 1, "<");
      const std::size_t called = behind_called(tokens_, i);
      std::size_t behind = called == 0 ? i + 1 : called;
      const bool angles = at(behind, "<");
      if (angles) {
        const std::size_t open = behind;
        behind = behind_angles(tokens_, open, tokens_.size());
        if (behind >= tokens_.size()) continue;
        for (const TokenSpan& part : parts_of(tokens_, {open + 1, behind - 1}, true))
          call.template_arguments.push_back(text_of(tokens_, part));
      }
      if (at(behind, "(") && tokens_[behind].close < tokens_.size()) {
        const TokenSpan inside = {behind + 1, tokens_[behind].close};
        for (const TokenSpan& part :
             call.instantiates ? parts_of(tokens_, inside, true) : parts_of_call(tokens_, inside))
          call.arguments.push_back(text_of(tokens_, part));
      }
      const bool of_defaults = angles && at(behind - 2, "<");  // Table<>
      if (!call.template_arguments.empty() || of_defaults || at(behind, "("))
        calls.push_back(std::move(call));
    }
    return calls;
  }

 private:
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  [[nodiscard]] std::size_t scope_at(std::size_t i) const { return scope_at_(i); }

  /// The first token of the statement or declaration around a token.
  [[nodiscard]] std::size_t statement_of(std::size_t i) const {
    while (i > 0 && !at(i - 1, ";") && !at(i - 1, "{") && !at(i - 1, "}")) --i;
    return i;
  }

  [[nodiscard]] bool is_kernel(std::size_t begin, std::size_t end) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Token& token) { return token.is("__global__"); });
  }

  /// A variable by which a kernel is launched or passed on.
  struct Alias {
    std::string name;
    TextLaunch kernel;  ///< with its template arguments
    bool launched = false;
  };

  /// `auto* name = &scope::kernel<T, 4>;`.
  void add_alias(std::size_t i) {
    ++i;
    while (at(i, "*") || at(i, "&")) ++i;
    const std::size_t name = i;
    if (!at(name + 1, "=") || !tokens_[name].identifier()) return;
    i = name + 2;
    if (at(i, "&")) ++i;
    while (i + 2 < tokens_.size() && tokens_[i].identifier() && at(i + 1, "::")) i += 2;
    if (i >= tokens_.size() || !tokens_[i].identifier()) return;
    const std::size_t end = at(i + 1, "<") ? behind_angles(tokens_, i + 1, tokens_.size()) : i + 1;
    if (!at(end, ";")) return;
    Alias& alias = aliases_.emplace_back();
    alias.name = std::string(tokens_[name].text);
    set_kernel(alias.kernel, {i, end});
    alias.kernel.line = tokens_[i].line;
    alias.kernel.token = i;
    alias.kernel.scope = scope_at(i);
  }

  /// Gives the launch by a variable the kernel that the variable stands for.
  void follow_alias(TextLaunch& launch) {
    for (auto alias = aliases_.rbegin(); alias != aliases_.rend(); ++alias) {
      if (alias->name != launch.kernel || alias->kernel.scope != launch.scope) continue;
      launch.kernel = alias->kernel.kernel;
      launch.template_arguments = alias->kernel.template_arguments;
      alias->launched = true;
      return;
    }
  }

  void add_launch(std::size_t at_angles) {
    TextLaunch launch;
    std::size_t name = at_angles;  // behind it
    if (name > 0 && at(name - 1, ">")) {
      int depth = 0;
      std::size_t open = name - 1;
      for (;; --open) {
        if (at(open, ">")) ++depth;
        if (at(open, "<") && --depth == 0) break;
        if (open == 0 || at(open, ";")) return;
      }
      for (const TokenSpan& part : parts_of(tokens_, {open + 1, name - 1}, true))
        launch.template_arguments.push_back(text_of(tokens_, part));
      name = open;
    }
    if (name == 0 || !tokens_[name - 1].identifier()) return;
    launch.kernel = std::string(tokens_[name - 1].text);
    launch.line = tokens_[name - 1].line;
    launch.token = name - 1;
    launch.scope = scope_at(name - 1);
    std::size_t close = at_angles + 3;
    while (close + 2 < tokens_.size() && !(at(close, ">") && at(close + 1, ">") && at(close + 2, ">"))) {
      if (at(close, ";")) return;
      if ((at(close, "(") || at(close, "{")) && tokens_[close].close < tokens_.size())
        close = tokens_[close].close;
      ++close;
    }
    set_shape(launch, parts_of(tokens_, {at_angles + 3, close}, false));
    if (at(close + 3, "(") && tokens_[close + 3].close < tokens_.size())
      set_arguments(launch, parts_of_call(tokens_, {close + 4, tokens_[close + 3].close}), 0);
    if (launch.template_arguments.empty()) follow_alias(launch);
    launches_.push_back(std::move(launch));
  }

  /// cudaLaunchCooperativeKernel((void*)kernel<4>, grid, block, arguments, shared, stream).
  void add_cooperative_launch(std::size_t open) {
    if (tokens_[open].close >= tokens_.size()) return;
    const std::vector<TokenSpan> parts = parts_of(tokens_, {open + 1, tokens_[open].close}, true);
    if (parts.size() < 3) return;
    TextLaunch launch;
    launch.cooperative = true;
    launch.line = tokens_[open].line;
    launch.token = open;
    launch.scope = scope_at(open);
    TokenSpan kernel = parts[0];
    while (!kernel.empty() && (at(kernel.begin, "(") || at(kernel.begin, "&")))  // a cast, an address
      kernel.begin =
          at(kernel.begin, "(") ? std::min(tokens_[kernel.begin].close, kernel.end) + 1 : kernel.begin + 1;
    set_kernel(launch, kernel);
    set_shape(launch, {parts[1], parts[2]});
    constexpr std::size_t kShared = 4;
    if (parts.size() > kShared) launch.shared = text_of(tokens_, parts[kShared]);
    launches_.push_back(std::move(launch));
  }

  /// hipLaunchKernelGGL(kernel, grid, block, shared, stream, arguments...).
  void add_hip_launch(std::size_t open) {
    if (tokens_[open].close >= tokens_.size()) return;
    const std::vector<TokenSpan> parts = parts_of(tokens_, {open + 1, tokens_[open].close}, true);
    constexpr std::size_t kFirstArgument = 5;
    if (parts.size() < kFirstArgument) return;
    TextLaunch launch;
    TokenSpan kernel = parts[0];
    while (!kernel.empty() && (at(kernel.begin, "(") || at(kernel.begin, "HIP_KERNEL_NAME"))) {
      if (at(kernel.begin, "(")) {
        kernel = {kernel.begin + 1, std::min(tokens_[kernel.begin].close, kernel.end)};
      } else {
        ++kernel.begin;
      }
    }
    launch.line = tokens_[open].line;
    launch.token = open;
    launch.scope = scope_at(open);
    set_kernel(launch, kernel);
    set_shape(launch, {parts[1], parts[2], parts[3]});
    set_arguments(launch, parts, kFirstArgument);
    launches_.push_back(std::move(launch));
  }

  /// From "kernel<T, 4>".
  void set_kernel(TextLaunch& launch, TokenSpan kernel) const {
    for (std::size_t i = kernel.begin; i < kernel.end; ++i) {
      if (tokens_[i].identifier()) launch.kernel = std::string(tokens_[i].text);
      if (!at(i, "<")) continue;
      for (const TokenSpan& part : parts_of(tokens_, {i + 1, kernel.end - 1}, true))
        launch.template_arguments.push_back(text_of(tokens_, part));
      break;
    }
  }

  void set_shape(TextLaunch& launch, const std::vector<TokenSpan>& parts) const {
    if (!parts.empty()) launch.grid = text_of(tokens_, parts[0]);
    if (parts.size() > 1) launch.block = text_of(tokens_, parts[1]);
    if (parts.size() > 2) launch.shared = text_of(tokens_, parts[2]);
  }

  /// "n" of "::n".
  [[nodiscard]] std::string argument_of(TokenSpan span) const {
    while (at(span.begin, "::") && span.end > span.begin + 1) ++span.begin;
    return text_of(tokens_, span);
  }

  void set_arguments(TextLaunch& launch, const std::vector<TokenSpan>& parts, std::size_t first) const {
    for (std::size_t i = first; i < parts.size(); ++i) launch.arguments.push_back(argument_of(parts[i]));
  }

  const std::vector<Token>& tokens_;
  const ScopeAt& scope_at_;
  std::vector<TextLaunch> launches_;
  std::vector<Alias> aliases_;
};

}  // namespace

std::vector<TextLaunch> find_launches(const std::vector<Token>& tokens, const ScopeAt& scope_at) {
  return LaunchReader(tokens, scope_at).launches();
}

std::size_t behind_called(const std::vector<Token>& tokens, std::size_t i) {
  const auto at = [&](std::size_t place, std::string_view text) {
    return place < tokens.size() && tokens[place].is(text);
  };
  if (at(i + 1, "(")) return i + 1;
  if (at(i + 1, ")") && at(i + 2, "(") && i > 1 && at(i - 1, "(") && at(i - 2, ">")) return i + 2;
  std::size_t member = i + 1;
  if (!at(member, ".") && !at(member, "->")) return 0;
  if (at(++member, "template")) ++member;
  return at(member, "operator") && at(member + 1, "(") && at(member + 2, ")") ? member + 3 : 0;
}

std::vector<TextCall> find_calls(const std::vector<Token>& tokens, const std::set<std::string>& templates,
                                 const ScopeAt& scope_at) {
  return LaunchReader(tokens, scope_at).calls(templates);
}

}  // namespace kiln
