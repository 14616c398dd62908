#include "compile/cpu/split/pipelines.h"

#include <optional>
#include <string_view>
#include <vector>

#include "compile/cpu/split/token_lists.h"

namespace kiln::fission {
namespace {

/// "auto pipe = cuda::make_pipeline(block, &state);" of a function.
class BlockPipeline {
 public:
  BlockPipeline(const std::vector<Token>& tokens, TokenRange body) : tokens_(tokens), body_(body) {}

  /// The edits for the pipeline that the name at `make` makes; nullopt if it stays.
  [[nodiscard]] std::optional<std::vector<TextEdit>> edits(std::size_t make) const {
    std::size_t first = make;
    while (first >= body_.begin + 2 && is(first - 1, "::")) first -= 2;
    if (first < body_.begin + 3 || !is(first - 1, "=") || !tokens_[first - 2].identifier() ||
        !is(make + 1, "("))
      return std::nullopt;
    const std::string_view name = tokens_[first - 2].text;
    const std::size_t close = tokens_[make + 1].close;
    const std::vector<TokenRange> arguments = split_commas(tokens_, {make + 2, close}, false);
    if (arguments.size() != 2 || !of_block(arguments[0]) || arguments[1].end != arguments[1].begin + 2 ||
        !is(arguments[1].begin, "&"))
      return std::nullopt;
    std::vector<TextEdit> result;
    replace(result, first, close, "cuda::pipeline<cuda::thread_scope_block>()");
    if (!remove_state(tokens_[arguments[1].begin + 1].text, arguments[1].begin + 1, result) ||
        !replace_waits(name, first - 2, result))
      return std::nullopt;
    return result;
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < body_.end && tokens_[i].is(text);
  }

  void replace(std::vector<TextEdit>& edits, std::size_t first, std::size_t last, const char* by) const {
    edits.push_back({tokens_[first].offset, tokens_[last].end() - tokens_[first].offset, by});
  }

  /// Whether an argument is the group of the block: a call, or a variable that holds it.
  [[nodiscard]] bool of_block(TokenRange argument) const {
    for (std::size_t i = argument.begin; i < argument.end; ++i) {
      if (is(i, "this_thread_block")) return true;
    }
    if (argument.end != argument.begin + 1) return false;
    for (std::size_t i = body_.begin; i < argument.begin; ++i) {
      if (!is(i, tokens_[argument.begin].text) || !is(i + 1, "=")) continue;
      for (std::size_t t = i; t < argument.begin && !is(t, ";"); ++t) {
        if (is(t, "this_thread_block")) return true;
      }
    }
    return false;
  }

  /// Removes "__shared__ cuda::pipeline_shared_state<...> state;" if nothing else names it.
  bool remove_state(std::string_view state, std::size_t use, std::vector<TextEdit>& edits) const {
    bool removed = false;
    for (std::size_t i = body_.begin; i < body_.end; ++i) {
      if (!is(i, state) || i == use) continue;
      std::size_t first = i;
      bool declares = false;
      for (; first > body_.begin && !is(first - 1, ";") && !is(first - 1, "{") && !is(first - 1, "}");
           --first)
        declares = declares || is(first - 1, "pipeline_shared_state");
      if (removed || !declares || !is(i + 1, ";")) return false;
      replace(edits, first, i + 1, ";");
      removed = true;
    }
    return removed;
  }

  bool replace_waits(std::string_view name, std::size_t declared, std::vector<TextEdit>& edits) const {
    for (std::size_t i = declared + 1; i < body_.end; ++i) {
      if (!is(i, name)) continue;
      const bool call = is(i + 1, ".") && is(i + 3, "(") && is(i + 4, ")");
      if (call && (is(i + 2, "producer_acquire") || is(i + 2, "consumer_wait")))
        replace(edits, i, i + 4, "__syncthreads()");
      else if (!(call && (is(i + 2, "producer_commit") || is(i + 2, "consumer_release"))) &&
               !(is(i - 1, ",") && is(i + 1, ")") && ends_copy(i + 1)))
        return false;
    }
    return true;
  }

  /// Whether the arguments of a memcpy_async end at `close`.
  [[nodiscard]] bool ends_copy(std::size_t close) const {
    for (std::size_t open = close; open-- > body_.begin + 1;) {
      if (is(open, "(") && tokens_[open].close == close) return is(open - 1, "memcpy_async");
    }
    return false;
  }

  const std::vector<Token>& tokens_;
  TokenRange body_;
};

}  // namespace

std::string place_pipelines(std::string text, const std::function<std::string(const std::string&)>& seen) {
  if (text.find("pipeline_shared_state") == std::string::npos) return text;
  const std::string visible = seen(text);
  const Outline outlined = outline(visible);
  std::vector<TextEdit> edits;
  for (const DefinitionOutline& definition : outlined.definitions) {
    if (definition.is_class || definition.body.begin <= definition.head.end) continue;
    const BlockPipeline pipeline(outlined.source.tokens, {definition.body.begin, definition.body.end});
    for (std::size_t i = definition.body.begin; i < definition.body.end; ++i) {
      if (!outlined.source.tokens[i].is("make_pipeline")) continue;
      if (const auto found = pipeline.edits(i)) edits.insert(edits.end(), found->begin(), found->end());
    }
  }
  return edits.empty() ? text : apply_edits(text, std::move(edits));
}

}  // namespace kiln::fission
