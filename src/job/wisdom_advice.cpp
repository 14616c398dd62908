#include "job/wisdom_advice.h"

#include <memory>

#include "base/text.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "trial/needs.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

WisdomUse use_of(const WisdomChoice& choice, const std::string& sentence) {
  WisdomUse use;
  use.file = choice.record.where.file;
  use.sentence = sentence;
  use.device = choice.record.key.device.name;
  use.date = choice.record.made.date;
  use.distance = choice.distance;
  use.stale = choice.stale;
  return use;
}

/// Absent where the device refuses it before anything is compiled.
std::optional<Configuration> configuration_of(const WisdomChoice& choice, const WisdomQuestion& question,
                                              FileSystem& files) {
  auto assignments = question.set;
  assignments.insert(assignments.end(), choice.values.begin(), choice.values.end());
  Configuration configuration =
      configure(question.workload, assignments, question.device, files).configuration;
  if (find_launch_problem(configuration, question.device)) return std::nullopt;
  return configuration;
}

}  // namespace

std::string take_advice(const WisdomAdvice& advice, const std::vector<std::pair<std::string, RawValue>>& set,
                        const DeviceInfo& device, FileSystem& files, Variant& variant) {
  WisdomQuestion question{variant.configuration.shared_workload(), set, device, advice.now};
  question.now.compiler = advice.compiler(device.target.backend);
  question.now.driver = device.driver;
  for (const WisdomChoice& choice : choose_wisdom(advice.book, question, files, kRanks)) {
    std::optional<Configuration> configuration = configuration_of(choice, question, files);
    if (!configuration) continue;
    const std::string sentence = choice.sentence(advice.today);
    if (advice.strict && !choice.stale.empty())
      throw bad_input("--strict-wisdom: " + sentence + "; kiln wisdom check measures it again",
                      choice.record.where);
    variant.otherwise = std::make_shared<const Configuration>(std::move(variant.configuration));
    variant.configuration = *std::move(configuration);
    variant.wisdom = use_of(choice, sentence);
    return sentence;
  }
  const std::string none = "wisdom: none for " + question.workload->name + " on " + device.name;
  if (advice.strict) throw bad_input("--strict-wisdom: " + none);
  return none + "; the defaults run";
}

std::optional<Error> find_launch_problem(const Configuration& configuration, const DeviceInfo& device) {
  const TrialNeeds needs(configuration);
  for (const auto& [launch, kernel, own] : needs.launches()) {
    if (!shape_changes(own->workload(), *kernel)) {
      if (const auto problem = check_shape(shape_of(*own, *kernel), device, {}, kernel->name))
        return bad_input(*problem + " (" + explain_shape(*own, *kernel) + ")", kernel->where);
    }
    require_layouts(*own, *kernel);
  }
  return std::nullopt;
}

}  // namespace kiln
