#include "specialize/launches.h"

#include <algorithm>
#include <array>
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
      const bool plain = at(i, "cudaLaunchKernel") || at(i, "hipLaunchKernel");
      if ((cooperative || plain) && at(i + 1, "(")) add_runtime_launch(i + 1, cooperative);
      const bool listed = at(i, "cudaLaunchKernelExC") || at(i, "hipLaunchKernelExC");
      if ((listed || at(i, "cudaLaunchKernelEx")) && at(i + 1, "(")) add_configured_launch(i + 1, listed);
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

  [[nodiscard]] TextLaunch launch_at(std::size_t token) const {
    TextLaunch launch;
    launch.line = tokens_[token].line;
    launch.token = token;
    launch.scope = scope_at(token);
    return launch;
  }

  /// Without the casts and the sign of an address in front: "(const void*)&kernel".
  [[nodiscard]] TokenSpan without_casts(TokenSpan span) const {
    for (;;) {
      const std::size_t i = span.begin;
      if (span.empty()) return span;
      if (at(i, "&")) {
        ++span.begin;
      } else if (at(i, "(") && tokens_[i].close + 1 < span.end) {
        span.begin = tokens_[i].close + 1;
      } else if (at(i, "(") && tokens_[i].close + 1 == span.end) {
        span = {i + 1, tokens_[i].close};
      } else if (tokens_[i].text.ends_with("_cast") && at(i + 1, "<")) {
        span.begin = behind_angles(tokens_, i + 1, span.end);
      } else {
        return span;
      }
    }
  }

  /// cudaLaunchKernel((void*)kernel<4>, grid, block, arguments, shared, stream), and the cooperative one.
  void add_runtime_launch(std::size_t open, bool cooperative) {
    if (tokens_[open].close >= tokens_.size()) return;
    const std::vector<TokenSpan> parts = parts_of(tokens_, {open + 1, tokens_[open].close}, true);
    constexpr std::size_t kArguments = 3, kShared = 4;
    if (parts.size() < kArguments) return;
    TextLaunch launch = launch_at(open);
    launch.cooperative = cooperative;
    set_kernel(launch, without_casts(parts[0]));
    set_shape(launch, {parts[1], parts[2]});
    if (parts.size() > kArguments) set_listed_arguments(launch, parts[kArguments]);
    if (parts.size() > kShared) launch.shared = text_of(tokens_, parts[kShared]);
    launches_.push_back(std::move(launch));
  }

  /// cudaLaunchKernelEx(&configuration, kernel<4>, arguments...); `listed`:
  /// cudaLaunchKernelExC(&configuration, (void*)kernel<4>, arguments).
  void add_configured_launch(std::size_t open, bool listed) {
    if (tokens_[open].close >= tokens_.size()) return;
    const std::vector<TokenSpan> parts = parts_of(tokens_, {open + 1, tokens_[open].close}, true);
    if (parts.size() < 2) return;
    TextLaunch launch = launch_at(open);
    set_kernel(launch, without_casts(parts[1]));
    const TokenSpan configuration = without_casts(parts[0]);
    if (configuration.end == configuration.begin + 1)
      set_configuration(launch, tokens_[configuration.begin].text);
    if (listed && parts.size() > 2)
      set_listed_arguments(launch, parts[2]);
    else
      set_arguments(launch, parts, 2);
    launches_.push_back(std::move(launch));
  }

  /// Of `void* name[] = {&n, (void*)&x};`.
  void set_listed_arguments(TextLaunch& launch, TokenSpan list) const {
    list = without_casts(list);
    if (list.end != list.begin + 1) return;
    const std::string_view name = tokens_[list.begin].text;
    for (std::size_t i = list.begin; i-- > 0;) {
      if (!at(i, name) || !at(i + 1, "[") || scope_at(i) != launch.scope) continue;
      const std::size_t behind = tokens_[i + 1].close + 1;
      const std::size_t open = at(behind, "=") ? behind + 1 : behind;
      if (!at(open, "{")) continue;
      const TokenSpan inside = {open + 1, std::min(tokens_[open].close, tokens_.size())};
      for (const TokenSpan& part : parts_of_call(tokens_, inside))
        launch.arguments.push_back(argument_of(without_casts(part)));
      return;
    }
  }

  /// What a member of a structure is set to behind the "=", in a statement or in a list of initialisers.
  [[nodiscard]] std::string assigned(std::size_t sign) const {
    std::size_t end = sign + 1;
    while (end < tokens_.size() && !at(end, ";") && !at(end, ",") && !at(end, "}")) {
      const bool bracket = (at(end, "(") || at(end, "{")) && tokens_[end].close < tokens_.size();
      end = bracket ? tokens_[end].close + 1 : end + 1;
    }
    return text_of(tokens_, {sign + 1, end});
  }

  /// Of `cudaLaunchConfig_t name = {grid, block, shared};`, `name.gridDim = grid;`, and attributes that are
  /// set in the same function: `attributes[0].val.clusterDim.x = 2;`.
  void set_configuration(TextLaunch& launch, std::string_view name) const {
    constexpr std::size_t kAttributes = 4;
    std::string_view attributes;
    const std::array<std::pair<std::string_view, std::string*>, 3> members = {
        {{"gridDim", &launch.grid}, {"blockDim", &launch.block}, {"dynamicSmemBytes", &launch.shared}}};
    for (std::size_t i = 0; i < launch.token; ++i) {
      if (scope_at(i) != launch.scope) continue;
      if (at(i, name) && (at(i + 1, "{") || (at(i + 1, "=") && at(i + 2, "{")))) {
        const std::size_t open = at(i + 1, "{") ? i + 1 : i + 2;
        const std::vector<TokenSpan> parts =
            parts_of(tokens_, {open + 1, std::min(tokens_[open].close, launch.token)}, true);
        for (std::size_t part = 0; part < parts.size(); ++part) {
          const std::size_t first = parts[part].begin;
          for (const auto& [member, text] : members) {
            if (at(first, ".") && at(first + 1, member) && at(first + 2, "=")) *text = assigned(first + 2);
          }
          if (at(first, ".") && at(first + 1, "attrs")) attributes = name_in({first + 3, parts[part].end});
          if (at(first, ".") || text_of(tokens_, parts[part]) == "0") continue;
          if (part < members.size()) *members[part].second = text_of(tokens_, parts[part]);
          if (part == kAttributes) attributes = name_in(parts[part]);
        }
      }
      if (!at(i, ".") && !at(i, "->")) continue;
      const bool own = i > 0 && at(i - 1, name);
      for (const auto& [member, text] : members) {
        if (own && at(i + 1, member) && at(i + 2, "=")) *text = assigned(i + 2);
      }
      if (own && at(i + 1, "attrs") && at(i + 2, "=")) attributes = name_in({i + 3, i + 5});
    }
    set_attributes(launch, attributes);
  }

  /// The first name in a span, "attribute" of "&attribute[0]"; empty: there is none.
  [[nodiscard]] std::string_view name_in(TokenSpan span) const {
    for (std::size_t i = span.begin; i < std::min(span.end, tokens_.size()); ++i) {
      if (tokens_[i].identifier()) return tokens_[i].text;
    }
    return {};
  }

  /// Of launch attributes by the name of their array, or variable, in the launch's function.
  void set_attributes(TextLaunch& launch, std::string_view attributes) const {
    static constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
    for (std::size_t i = 0; i < launch.token && !attributes.empty(); ++i) {
      if (scope_at(i) != launch.scope || !at(i, ".") || !at(i - 1, "val")) continue;
      std::size_t owner = i - 2;  // "." of "attributes[0].val"
      while (owner > 0 && !tokens_[owner].identifier()) --owner;
      while (owner > 1 && at(owner - 1, "[")) --owner;  // "attributes[count]"
      while (owner > 0 && !tokens_[owner].identifier()) --owner;
      if (!at(owner, attributes)) continue;
      if (at(i + 1, "cooperative") && at(i + 2, "=")) launch.cooperative = !at(i + 3, "0");
      if (!at(i + 1, "clusterDim")) continue;
      if (at(i + 2, "=") && at(i + 3, "{")) {
        launch.cluster.clear();
        for (const TokenSpan& part : parts_of(tokens_, {i + 4, tokens_[i + 3].close}, true))
          launch.cluster.push_back(text_of(tokens_, part));
      }
      for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
        if (!at(i + 2, ".") || !at(i + 3, kAxes[axis]) || !at(i + 4, "=")) continue;
        launch.cluster.resize(std::max(launch.cluster.size(), axis + 1), "1");
        launch.cluster[axis] = assigned(i + 4);
      }
    }
    while (!launch.cluster.empty() && launch.cluster.back() == "1") launch.cluster.pop_back();
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
