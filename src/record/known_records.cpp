#include "record/known_records.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/hash.h"
#include "record/record_json.h"
#include "record/record_reader.h"

namespace kiln {
namespace {

/// Equal for records of the same variant.
std::string identity_of(const Record& record) {
  FieldHasher hasher;
  hasher.field("kiln", record.kiln_version + " " + record.kiln_revision);
  hasher.field("workload", record.workload);
  hasher.field("source", record.source_digest);
  hasher.field("device", record.device.id + "\n" + record.device.name + "\n" + record.device.driver);
  hasher.field("target", record.device.target.to_string());
  hasher.field("compiler",
               record.compiler.name + "\n" + record.compiler.version + "\n" + record.compiler.fingerprint);
  for (const BoundParameter& parameter : record.parameters) {
    hasher.field("parameter", parameter.name);
    hasher.field(parameter.compile_time ? "constant" : "variable", parameter.value);
  }
  hasher.field("fast_math", static_cast<std::int64_t>(record.fast_math));
  hasher.field("launch_bounds", static_cast<std::int64_t>(record.launch_bounds));
  hasher.field("lineinfo", static_cast<std::int64_t>(record.lineinfo));
  hasher.field("seed", record.seed);
  hasher.field("cache", record.cache_mode);
  return hasher.hex();
}

/// As it reads when it has been in a file: numbers may be written otherwise.
Record read_back(const Record& record) {
  return record_from_json(record_to_json(record), "", 1);
}

}  // namespace

std::vector<std::optional<Record>> find_known_records(const std::vector<Record>& kept,
                                                      const std::vector<Record>& wanted) {
  std::map<std::string, std::size_t> places;  // in `wanted`, by identity
  for (std::size_t i = 0; i < wanted.size(); ++i) places.emplace(identity_of(read_back(wanted[i])), i);
  std::vector<std::optional<Record>> known(wanted.size());
  std::string run;
  for (auto record = kept.rbegin(); record != kept.rend(); ++record) {
    if (record->status == RunStatus::kNotRun || (!run.empty() && record->run_id != run)) continue;
    const auto place = places.find(identity_of(*record));
    if (place == places.end()) continue;
    run = record->run_id;
    if (!known[place->second]) known[place->second] = *record;
  }
  return known;
}

}  // namespace kiln
