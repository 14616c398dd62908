#pragma once

#include <string>

#include "record/sample_records.h"

namespace kiln::test {

/// `record` on another device, its metric's value given.
inline Record on_device(Record record, const std::string& name, const std::string& backend, double value) {
  record.device.id = backend == "cpu" ? "cpu" : backend + ":0";
  record.device.name = name;
  record.device.target.backend = backend;
  if (!record.metrics.empty()) record.metrics.front().value = value;
  return record;
}

/// An ok record of the variant `label` whose effective_bandwidth is `value`.
inline Record result(const std::string& label, const std::string& device, double value,
                     const std::string& backend = "cuda") {
  return on_device(ok_record(label, 0.001), device, backend, value);
}

/// `record` with a parameter's value.
inline Record with(Record record, const std::string& name, const std::string& value) {
  for (BoundParameter& parameter : record.parameters) {
    if (parameter.name == name) parameter.value = value;
  }
  return record;
}

}  // namespace kiln::test
