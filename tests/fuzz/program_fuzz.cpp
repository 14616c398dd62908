// What reads a whole CUDA or HIP program: host code left out, words of HIP, a first workload, kernels split
// at their barriers. An input is the text and its headers, each after a line "==NAME\n".
#include <algorithm>
#include <string>
#include <vector>

#include "compile/cpu/split/kernel_split.h"
#include "compile/outline.h"
#include "config/job_spec.h"
#include "fuzz/fuzz_target.h"
#include "specialize/hip_words.h"
#include "specialize/host_code.h"
#include "specialize/specialization.h"
#include "specialize/workload_draft.h"

namespace kiln {
namespace {

using test::require;
using Texts = std::map<std::string, std::string>;

std::ptrdiff_t lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

std::vector<std::string> kernel_names(const Outline& found) {
  std::vector<std::string> names;
  for (const DefinitionOutline& definition : found.definitions) {
    if (definition.kernel) names.emplace_back(definition.name);
  }
  return names;
}

/// Lines stay where they are, and what was cut once is not cut again.
void cut(const Texts& texts, const std::string& backend) {
  Specialization program;
  program.source_name = "k.cu";
  program.target.backend = backend;
  for (const auto& [name, text] : texts) {
    if (name == "k.cu")
      program.source_text = text;
    else
      program.headers.push_back({name, "", text});
  }
  for (const std::string& kernel : kernel_names(outline(program.source_text)))
    program.entries.push_back({kernel, std::nullopt, ""});
  translate_hip_words(program);
  const Specialization before = program;
  leave_out_host_code(program);
  require(lines(program.source_text) == lines(before.source_text));
  for (std::size_t i = 0; i < program.headers.size(); ++i)
    require(lines(program.headers[i].text) == lines(before.headers[i].text));
  require(program.left_out.size() <= 2 * texts.size());
  static_cast<void>(left_out_note(program));
}

/// A draft is a job.
void draft(const std::string& text) {
  WorkloadDraft drafted;
  test::attempt([&] { drafted = draft_workload({text, {}, "k.cu", "k.cu", "k", {}}); });
  if (!drafted.yaml.empty()) static_cast<void>(parse_job(drafted.yaml, "k.yaml"));
}

void split(const std::string& text) {
  const Outline found = outline(text);
  fission::KernelSplitter splitter(found, text);
  for (const std::string& kernel : kernel_names(found)) {
    for (const std::optional<Dim3>& block : {std::optional<Dim3>(), std::optional<Dim3>(Dim3{64, 2, 1})}) {
      const fission::SplitKernel result = splitter.split(kernel, {block});
      require(result.function.empty() != result.reason.empty());
    }
  }
  for (const TextEdit& edit : splitter.edits())
    require(edit.offset <= text.size() && edit.length <= text.size() - edit.offset);
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const Texts texts = test::split_files(test::text_of(data, size), "k.cu");
  for (const char* backend : {"cpu", "cuda", "hip"}) cut(texts, backend);
  draft(texts.at("k.cu"));
  split(texts.at("k.cu"));
  return 0;
}
