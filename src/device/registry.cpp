#include "device/registry.h"

#include <algorithm>

#include "base/text.h"
#include "device/backend_kind.h"
#include "device/traced_device.h"
#include "kiln/error.h"

namespace kiln {
namespace {

struct DeviceName {
  std::string backend;
  int ordinal = 0;
};

std::vector<std::string> known_ids(const std::vector<std::unique_ptr<Backend>>& backends) {
  std::vector<std::string> ids{"auto"};
  for (const auto& backend : backends) {
    for (const DeviceInfo& device : backend->devices()) ids.push_back(device.id);
  }
  return ids;
}

DeviceName parse_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return {name, 0};
  const auto ordinal = parse_integer(name.substr(colon + 1));
  if (!ordinal || *ordinal < 0 || *ordinal > 1'000'000) {
    throw bad_input("device '" + name + "': expected a number after ':', as in cuda:0, or all");
  }
  return {name.substr(0, colon), static_cast<int>(*ordinal)};
}

}  // namespace

DeviceRegistry::DeviceRegistry(std::vector<std::unique_ptr<Backend>> backends, Trace* trace)
    : backends_(std::move(backends)), trace_(trace) {}

std::string DeviceRegistry::automatic() const {
  for (const BackendKind& kind : backend_kinds()) {
    for (const auto& backend : backends_) {
      if (backend->name() != kind.name || !backend->problem().empty()) continue;
      if (!backend->devices().empty()) return backend->devices().front().id;
    }
  }
  return host_kind().name;
}

std::shared_ptr<Device> DeviceRegistry::open(const std::string& name) {
  const std::string wanted = name == "auto" ? automatic() : name;
  if (const auto all = backend_of_all(wanted))
    throw bad_input("device '" + name + "' names several; expected one, as in " + *all +
                    (*all == host_kind().name ? "" : ":0"));
  const DeviceName parsed = parse_name(wanted);
  const auto backend = std::find_if(backends_.begin(), backends_.end(), [&](const auto& candidate) {
    return candidate->name() == parsed.backend;
  });
  if (backend == backends_.end()) {
    if (is_backend(parsed.backend)) {
      throw environment_error("device '" + name + "': this build of kiln has no back end '" + parsed.backend +
                              "'");
    }
    throw bad_input("unknown device '" + name + "'" + suggestion(name, known_ids(backends_)));
  }
  if (const std::string problem = (*backend)->problem(); !problem.empty()) {
    throw environment_error("device '" + name + "': " + problem);
  }
  const auto devices = (*backend)->devices();
  if (static_cast<std::size_t>(parsed.ordinal) >= devices.size()) {
    throw bad_input("unknown device '" + name + "'; there are " + join(known_ids(backends_), ", "));
  }
  const std::string& id = devices[static_cast<std::size_t>(parsed.ordinal)].id;
  const std::lock_guard lock(mutex_);
  for (auto& [known, weak] : open_) {
    if (known != id) continue;
    if (auto device = weak.lock()) return device;
  }
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  auto device = (*backend)->open(parsed.ordinal);
  if (trace_ != nullptr) device = make_traced_device(std::move(device), *trace_);
  open_.emplace_back(id, device);
  return device;
}

std::vector<std::shared_ptr<Device>> DeviceRegistry::open_all(const std::string& name) {
  const auto backend = backend_of_all(name);
  if (!backend) return {open(name)};
  std::vector<std::shared_ptr<Device>> devices = {open(*backend)};  // throws if there is no device
  for (const auto& one : backends_) {
    if (one->name() != *backend) continue;
    const auto known = one->devices();
    for (std::size_t i = 1; i < known.size(); ++i) devices.push_back(open(known[i].id));
  }
  return devices;
}

}  // namespace kiln
