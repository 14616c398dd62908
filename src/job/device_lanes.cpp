#include "job/device_lanes.h"

#include <string>
#include <utility>

#include "device/host_affinity.h"

namespace kiln {
namespace {

/// Runs variants on this device in place of their own.
class DeviceRunner final : public TrialRunner {
 public:
  DeviceRunner(const DeviceInfo& device, JobContext context, const MakeTrialRunner& make_runner)
      : id_(device.id),
        pci_address_(device.pci_address),
        context_(std::move(context)),
        runner_(make_runner(context_)) {}

  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    bind_thread_near(context_.files, pci_address_);
    Variant here = variant;
    here.device = id_;
    return runner_->run(here, request);
  }
  bool has_lost(const std::string& /*device*/) const override { return runner_->has_lost(id_); }

 private:
  std::string id_, pci_address_;
  JobContext context_;  // the runner's
  std::unique_ptr<TrialRunner> runner_;
};

}  // namespace

DeviceLanes::DeviceLanes(std::vector<std::shared_ptr<Device>> devices, MakeTrialRunner make_runner)
    : devices_(std::move(devices)), make_runner_(std::move(make_runner)) {}

std::vector<TrialLane> DeviceLanes::lanes(const JobContext& context) {
  JobContext unwatched = context;
  unwatched.watch = nullptr;
  std::vector<TrialLane> lanes;
  for (const auto& device : devices_)
    lanes.push_back(
        {std::make_unique<DeviceRunner>(device->info(), unwatched, make_runner_), device->info().id});
  return lanes;
}

}  // namespace kiln
