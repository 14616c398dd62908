#include "study/cases.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "service/kernel_service.h"
#include "trial/needs.h"
#include "trial/tolerance.h"

namespace kiln {
namespace {

using Assignments = std::vector<std::pair<std::string, RawValue>>;

constexpr std::size_t kMaxCases = 2000;
constexpr std::size_t kMaxFactors = 10;

RawValue word(const std::string& text) {
  return {text, false, {"study", 0, 0}};
}

struct Flavour {
  bool fast_math = false, launch_bounds = true;
  [[nodiscard]] std::string suffix() const {
    return std::string(fast_math ? " fast_math" : "") + (launch_bounds ? "" : " no_launch_bounds");
  }
};

/// One device's expansion.
class Expansion {
 public:
  Expansion(const StudySpec& study, const std::shared_ptr<const Workload>& workload, const DeviceInfo& device,
            FileSystem& files, const AheadCompiler& ahead)
      : study_(study), workload_(workload), files_(files) {
    compilers_ = {""};
    if (ahead.compiler != nullptr) compilers_.push_back(ahead.name);
    result_.no_ahead = ahead.problem;
    result_.section = study.section;
    result_.device = device;
    result_.workload = workload;
  }

  DeviceCases run() {
    choose_constants();
    for (const bool launch_bounds : study_.launch_bounds.of(backend())) {
      for (const bool fast_math : study_.fast_math.of(backend())) add_flavour({fast_math, launch_bounds});
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& backend() const { return result_.device.target.backend; }

  [[nodiscard]] Assignments assignments(const Assignments& more, Flavour flavour) const {
    Assignments all;
    for (const auto& [name, value] : study_.set) all.emplace_back(name, value.of(backend()));
    all.emplace_back("fast_math", word(flavour.fast_math ? "true" : "false"));
    all.emplace_back("launch_bounds", word(flavour.launch_bounds ? "true" : "false"));
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// All at run time that may be, but for `constants`.
  static Assignments generic_but(const std::vector<std::string>& constants) {
    Assignments binding = {{"bind.all", word("run")}};
    for (const std::string& name : constants) binding.emplace_back("bind." + name, word("compile"));
    return binding;
  }

  [[nodiscard]] Configuration configured(const Assignments& more, Flavour flavour) const {
    ConfigurationResult result = configure(workload_, assignments(more, flavour), result_.device, files_);
    if (result.violated) {
      throw bad_input("constraint violated: " + result.explanation, result.violated->where);
    }
    return std::move(result.configuration);
  }

  /// The compiler's input for a step, as digests.
  [[nodiscard]] std::vector<std::string> digests(const Assignments& more) const {
    const Configuration configuration = configured(more, {});
    std::vector<std::string> all;
    for (const Unit& unit : TrialNeeds(configuration).step_units(result_.device.target, files_))
      all.push_back(make_cache_key(unit.specialization, CompilerIdentity{}, "").digest);
    return all;
  }

  [[nodiscard]] std::vector<std::string> bindable() const {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : workload_->parameters) {
      if (parameter.kind == ParameterKind::kScalar && !parameter.fixed_binding)
        names.push_back(parameter.name);
    }
    return names;
  }

  void require_bindable(const RawValue& constant, const std::vector<std::string>& names) const {
    if (std::find(names.begin(), names.end(), constant.text) != names.end()) return;
    const auto& parameters = workload_->parameters;
    const auto known =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const ParameterSpec& parameter) { return parameter.name == constant.text; });
    if (known != parameters.end() && known->kind != ParameterKind::kScalar) {
      throw bad_input("constants: '" + constant.text + "' is no number; expected one of " + join(names, ", "),
                      constant.where);
    }
    if (known != parameters.end() && known->fixed_binding) {
      throw bad_input("constants: '" + constant.text + "' is always bound at " +
                          (*known->fixed_binding == Binding::kCompile ? "compile" : "run") +
                          " time; expected one of " + join(names, ", "),
                      constant.where);
    }
    throw bad_input("constants: workload '" + workload_->name + "' has no parameter '" + constant.text + "'" +
                        suggestion(constant.text, names),
                    constant.where);
  }

  void choose_constants() {
    std::vector<std::string> wanted = bindable();
    if (!study_.constants.empty()) {
      for (const RawValue& constant : study_.constants) require_bindable(constant, wanted);
      wanted.clear();
      for (const RawValue& constant : study_.constants) {
        if (std::find(wanted.begin(), wanted.end(), constant.text) != wanted.end())
          throw bad_input("constants: '" + constant.text + "' is there already", constant.where);
        wanted.push_back(constant.text);
      }
    }
    const auto generic = digests(generic_but({}));
    for (const std::string& name : wanted)
      (digests(generic_but({name})) == generic ? result_.unread : result_.constants).push_back(name);
    if (study_.factorial && result_.constants.size() > kMaxFactors) {
      throw bad_input("factorial: " + std::to_string(result_.constants.size()) +
                          " constants make more than " + std::to_string(1U << kMaxFactors) +
                          " cases; name at most " + std::to_string(kMaxFactors) + " in `constants`",
                      {study_.file, 0, 0});
    }
  }

  void add(CaseGroup group, const std::string& name, const std::vector<std::string>& constants,
           Flavour flavour, Configuration configuration, const std::string& compiler = "") {
    if (result_.cases.size() >= kMaxCases) {
      throw bad_input("the study has more than " + std::to_string(kMaxCases) + " cases", {study_.file, 0, 0});
    }
    require_tolerances(configuration);
    const std::string full = name + (compiler.empty() ? "" : "." + compiler) + flavour.suffix();
    result_.cases.push_back({full, group, constants, flavour.fast_math, flavour.launch_bounds, compiler});
    result_.variants.push_back({std::move(configuration), full, result_.device.id});
  }

  void add(CaseGroup group, const std::string& name, const std::vector<std::string>& constants,
           Flavour flavour) {
    add(group, name, constants, flavour, configured(generic_but(constants), flavour));
  }

  /// By each compiler that a program could be built with.
  void add_ahead(CaseGroup group, const std::string& name, const std::vector<std::string>& constants,
                 Flavour flavour, const Configuration& configuration) {
    for (const std::string& compiler : compilers_)
      add(group, name, constants, flavour, configuration, compiler);
  }

  /// An instance as the file wrote it, and the name of its case; by its values, evaluated.
  using Instances = std::map<std::vector<std::string>, std::pair<Assignments, std::string>>;

  /// Refuses an instance with the values of an earlier one, in whatever spelling.
  void require_new(const Configuration& configuration, const Assignments& written, const std::string& name,
                   Instances& earlier) const {
    std::vector<std::string> worth;
    for (const auto& [parameter, lists] : study_.instantiate)
      worth.push_back(configuration.value(parameter).to_string());
    const auto [known, is_new] = earlier.emplace(std::move(worth), std::pair(written, name));
    if (is_new) return;
    const auto& [other, other_name] = known->second;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const auto& [parameter, value] = written[i];
      if (value.text != other[i].second.text)
        throw bad_input("instantiate." + parameter + ": " + value.text + " is there already: " + other_name +
                            " has the same values",
                        value.where);
    }
  }

  void add_instances(Flavour flavour) {
    std::size_t count = study_.instantiate.empty() ? 0 : 1;
    for (const auto& [name, lists] : study_.instantiate) {
      count *= lists.of(backend()).size();
      if (count > kMaxCases) {
        throw bad_input("instantiate: more than " + std::to_string(kMaxCases) + " instances",
                        lists.of(backend()).front().where);
      }
    }
    Instances earlier;
    for (std::size_t index = 0; index < count; ++index) {
      std::size_t rest = index;
      std::string name = "aot_instantiated";
      std::vector<std::string> bound;
      Assignments values;
      for (const auto& [parameter, lists] : study_.instantiate) {
        const auto& list = lists.of(backend());
        const RawValue& value = list[rest % list.size()];
        rest /= list.size();
        values.emplace_back(parameter, value);
        name += "." + assignment(parameter, value.text);
        if (const std::vector<std::string> all = bindable();
            std::find(all.begin(), all.end(), parameter) != all.end())
          bound.push_back(parameter);
      }
      Assignments all = generic_but(bound);
      all.insert(all.end(), values.begin(), values.end());
      ConfigurationResult result = configure(workload_, assignments(all, flavour), result_.device, files_);
      require_new(result.configuration, values, name, earlier);
      if (result.violated) {
        result_.excluded.push_back(name + flavour.suffix() + ": violates " + result.explanation);
        continue;
      }
      add_ahead(CaseGroup::kAotInstantiated, name, bound, flavour, result.configuration);
    }
  }

  void add_factorial(Flavour flavour) {
    const std::vector<std::string>& factors = result_.constants;
    const std::size_t all = (std::size_t{1} << factors.size()) - 1;
    for (std::size_t subset = 1; subset < all; ++subset) {
      std::vector<std::string> bound;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if ((subset >> i & 1U) != 0) bound.push_back(factors[i]);
      }
      if (bound.size() > 1) add(CaseGroup::kFactorial, "factorial." + join(bound, "+"), bound, flavour);
    }
  }

  void add_flavour(Flavour flavour) {
    add_ahead(CaseGroup::kAotGeneric, "aot_generic", {}, flavour, configured(generic_but({}), flavour));
    add_instances(flavour);
    add(CaseGroup::kJitGeneric, "jit_generic", {}, flavour);
    add(CaseGroup::kJitSpecialised, "jit_specialised", result_.constants, flavour,
        configured({{"bind.all", word("compile")}}, flavour));
    for (const std::string& name : result_.constants) add(CaseGroup::kOnly, "only." + name, {name}, flavour);
    if (study_.leave_one_out) add_leave_one_out(flavour);
    if (study_.factorial) add_factorial(flavour);
  }

  /// With one constant there is nothing else to be bound.
  void add_leave_one_out(Flavour flavour) {
    if (result_.constants.size() < 2) return;
    for (const std::string& name : result_.constants) {
      std::vector<std::string> bound = result_.constants;
      std::erase(bound, name);
      add(CaseGroup::kAllBut, "all_but." + name, bound, flavour,
          configured({{"bind.all", word("compile")}, {"bind." + name, word("run")}}, flavour));
    }
  }

  const StudySpec& study_;
  const std::shared_ptr<const Workload>& workload_;
  FileSystem& files_;
  std::vector<std::string> compilers_;
  DeviceCases result_;
};

}  // namespace

DeviceCases expand_study(const StudySpec& study, const std::shared_ptr<const Workload>& workload,
                         const DeviceInfo& device, FileSystem& files, const AheadCompiler& ahead) {
  return Expansion(study, workload, device, files, ahead).run();
}

}  // namespace kiln
