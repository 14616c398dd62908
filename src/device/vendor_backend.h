#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {

/// A back end whose devices come from a vendor's library, which is opened once, when it is first needed.
///
/// `Vendor` is an object with
///   - `Library`: the class of its functions;
///   - `name()`: of the back end;
///   - `open_library()`: an `OpenedLibrary<Library>`;
///   - `count(library)`: number of devices, 0 if it is unknown;
///   - `no_device(library)`: a sentence for a library that shows none;
///   - `describe(library, ordinal)`: a `DeviceInfo`;
///   - `open_device(shared library, ordinal)`: a shared `Device`.
template <class Vendor>
class VendorBackend final : public Backend {
 public:
  explicit VendorBackend(Vendor vendor) : vendor_(std::move(vendor)), name_(vendor_.name()) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] std::string problem() const override {
    const auto& found = opened();
    if (!found.library) return found.problem;
    return vendor_.count(*found.library) > 0 ? "" : vendor_.no_device(*found.library);
  }

  [[nodiscard]] std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> list;
    const auto& found = opened();
    const int count = found.library ? vendor_.count(*found.library) : 0;
    list.reserve(static_cast<std::size_t>(count));
    for (int ordinal = 0; ordinal < count; ++ordinal)
      list.push_back(vendor_.describe(*found.library, ordinal));
    return list;
  }

  [[nodiscard]] std::shared_ptr<Device> open(int ordinal) override {
    const auto& found = opened();
    if (!found.library) throw environment_error(found.problem);
    return vendor_.open_device(found.library, ordinal);
  }

 private:
  [[nodiscard]] const OpenedLibrary<typename Vendor::Library>& opened() const {
    const std::lock_guard lock(mutex_);
    if (!opened_) opened_ = vendor_.open_library();
    return *opened_;
  }

  Vendor vendor_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::optional<OpenedLibrary<typename Vendor::Library>> opened_;
};

}  // namespace kiln
