#include "record/known_records.h"

#include <map>
#include <string>

#include "record/record_json.h"

namespace kiln {

std::vector<std::optional<Record>> find_known_records(const std::vector<Record>& kept,
                                                      const std::vector<Record>& wanted) {
  std::map<std::string, const Record*> newest;
  for (const Record& record : kept) {
    if (record.status == RunStatus::kNotRun) continue;
    const Record*& known = newest[variant_identity(record)];
    if (known == nullptr || known->time <= record.time) known = &record;
  }
  std::vector<std::optional<Record>> known;
  for (const Record& record : wanted) {
    // As read back from a file: numbers may be written differently.
    const Record read_back = record_from_json(record_to_json(record), "", 1);
    const auto found = newest.find(variant_identity(read_back));
    known.push_back(found == newest.end() ? std::nullopt : std::optional(*found->second));
  }
  return known;
}

}  // namespace kiln
