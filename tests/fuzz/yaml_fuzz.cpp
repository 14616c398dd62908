// The readers of YAML: a job, a workload, a study, a batch, and every accessor on every node.
#include <string>

#include "config/batch_spec.h"
#include "config/job_spec.h"
#include "config/yaml_node.h"
#include "fuzz/fuzz_target.h"
#include "kiln/error.h"
#include "study/study_spec.h"
#include "workload/workload.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

void visit(const YamlNode& node) {
  attempt([&] { static_cast<void>(node.text()); });
  attempt([&] { static_cast<void>(node.integer()); });
  attempt([&] { static_cast<void>(node.real()); });
  attempt([&] { static_cast<void>(node.boolean()); });
  attempt([&] { static_cast<void>(node.duration()); });
  attempt([&] { node.require_keys({"workload", "sweep", "set"}); });
  if (node.is_map()) {
    for (const auto& [key, value] : node.entries()) {
      require(node.find(key).has_value());
      visit(value);
    }
  } else if (node.is_sequence()) {
    for (const YamlNode& item : node.items()) visit(item);
  }
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string text(reinterpret_cast<const char*>(data), size);
  test::attempt([&] { visit(YamlNode::parse(text, "fuzz.yaml")); });
  test::attempt([&] { static_cast<void>(parse_job(text, "fuzz.yaml")); });
  test::attempt(
      [&] { static_cast<void>(parse_workload(YamlNode::parse(text, "fuzz.yaml"), text, "/folder")); });
  test::attempt([&] { static_cast<void>(parse_study(text, "fuzz.yaml")); });
  test::attempt([&] { static_cast<void>(parse_batch(text, "fuzz.yaml")); });
  return 0;
}
