#include "job/variant_description.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "config/expression.h"
#include "trial/units.h"

namespace kiln {
namespace {

std::string source_digest(const Workload& workload, const std::vector<Unit>& units) {
  FieldHasher hasher;
  hasher.field("workload", workload.text);
  for (const Unit& unit : units) {
    hasher.field("source", unit.specialization.source_text);
    for (const IncludedHeader& header : unit.specialization.headers)
      hasher.field("header:" + header.name, header.text);
  }
  return hasher.hex();
}

void add_names(const Workload& workload, const std::vector<ExpressionText>& expressions,
               std::set<std::string>& names) {
  for (const ExpressionText& text : expressions) {
    for (std::string& name : workload.names_in(text)) names.insert(std::move(name));
  }
}

/// Parameters that the step's machine code has as constants: in `struct Params`, as template arguments or
/// macros, in block shapes that the code was made for, and by the choice of kernels.
std::set<std::string> constants_of(const Configuration& configuration, const std::vector<Unit>& units) {
  std::set<std::string> names;
  for (const LaunchSpec& launch : configuration.workload().run) {
    if (launch.when) add_names(configuration.workload(), {*launch.when}, names);
  }
  for (const Unit& unit : units) {
    if (unit.role != Role::kRun) continue;
    names.insert(unit.params.constants.begin(), unit.params.constants.end());
    for (const auto& [kernel_name, expression] : unit.name_expressions) {
      const KernelSpec& kernel = *configuration.workload().find_kernel(kernel_name);
      for (const ExpressionText& text : kernel.template_args) names.insert(text.text);
      for (const DefineSpec& define : kernel.defines) names.insert(define.value.text);
      for (const EntryPoint& entry : unit.specialization.entries) {
        if (entry.name_expression == expression && entry.fixed_block)
          add_names(configuration.workload(), kernel.block, names);
      }
    }
  }
  return names;
}

}  // namespace

Compiler& compiler_for(const JobContext& context, const std::string& backend) {
  const auto found = context.compilers.find(backend);
  if (found == context.compilers.end()) throw environment_error("no compiler for '" + backend + "' devices");
  return *found->second;
}

bool is_apart(const CheckSpec& check, const Device& device) {
  return check.reference_on_cpu && device.info().target.backend != "cpu";
}

KernelNames kernels_of(const VariantNeeds& needs, const Device& device) {
  KernelNames names{needs.run, needs.init_kernels, {}};
  names.data.insert(names.data.end(), needs.verify_run.begin(), needs.verify_run.end());
  for (const CheckSpec* check : needs.checks) {
    if (check->reference_kernel.empty()) continue;
    (is_apart(*check, device) ? names.cpu : names.data).push_back(check->reference_kernel);
  }
  std::erase_if(names.data, [&](const std::string& name) {
    return std::find(names.step.begin(), names.step.end(), name) != names.step.end();
  });
  return names;
}

std::vector<Unit> own_units(const Configuration& configuration, const KernelNames& names,
                            const Target& target, FileSystem& files) {
  return make_variant_units(configuration, names.step, names.data, target, files);
}

void describe_code(const Configuration& configuration, const std::vector<Unit>& units, Record& record) {
  record.source_digest = source_digest(configuration.workload(), units);
  const auto constants = constants_of(configuration, units);
  for (BoundParameter& parameter : record.parameters)
    parameter.compile_time = constants.contains(parameter.name);
}

Record start_record(const Variant& variant, const JobPlan& plan, const JobContext& context) {
  Record record;
  record.run_id = context.run_id;
  record.time = to_iso8601(context.clock.system_ns());
  record.kiln_version = context.kiln_version;
  record.kiln_revision = context.kiln_revision;
  record.job_file = plan.job.file;
  record.workload = plan.workload->name;
  record.label = variant.label;
  record.device = context.devices.open(variant.device)->info();
  for (const auto& [name, value] : variant.configuration.values()) {
    if (name == "seed") continue;
    record.parameters.push_back(
        {name, value.to_string(), value.binding == Binding::kCompile, value.kind != ParameterKind::kScalar});
  }
  record.fast_math = variant.configuration.fast_math();
  record.launch_bounds = variant.configuration.launch_bounds();
  record.lineinfo = variant.configuration.lineinfo();
  record.seed = variant.configuration.seed();
  record.cache_mode = plan.job.measure.cold ? "cold" : "warm";
  return record;
}

Record describe_variant(const Variant& variant, const JobPlan& plan, const JobContext& context) {
  Record record = start_record(variant, plan, context);
  const auto device = context.devices.open(variant.device);
  const Target& target = device->info().target;
  record.compiler = compiler_for(context, target.backend).identity();
  const VariantNeeds needs = needs_of(variant.configuration, target.backend != "cpu");
  const auto units = own_units(variant.configuration, kernels_of(needs, *device), target, context.files);
  describe_code(variant.configuration, units, record);
  return record;
}

}  // namespace kiln
