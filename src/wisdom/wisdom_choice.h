#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "config/job_fields.h"
#include "device/device_info.h"
#include "wisdom/wisdom_book.h"
#include "wisdom/wisdom_record.h"
#include "workload/workload.h"

namespace kiln {

/// How near a record's device is to another one.
enum class DeviceNearness {
  kSame,    ///< the name, and compute units within 10 %
  kAlike,   ///< the architecture, and compute units within 10 %; or another name of the same device
  kFamily,  ///< the family of architectures: sm_80 and sm_86
  kOther,   ///< good for the first points of a search only
};
[[nodiscard]] DeviceNearness device_nearness(const WisdomDevice& record, const DeviceInfo& device);

/// A question for wisdom. `set`: the job's values, which are never replaced.
struct WisdomQuestion {
  std::shared_ptr<const Workload> workload;
  std::vector<std::pair<std::string, RawValue>> set;
  DeviceInfo device;
  WisdomOrigin now;  ///< origin of code that would be made now; empty members are not compared
  std::string objective = "time";
};

/// A record that fits a question.
struct WisdomChoice {
  WisdomRecord record;
  DeviceNearness nearness = DeviceNearness::kSame;
  double distance = 0;             ///< distance of the sizes: sqrt(sum ln^2(asked / known))
  std::vector<std::string> stale;  ///< fields of `made` that differ: "driver"
  NamedSizes asked;
  std::vector<std::pair<std::string, RawValue>> values;  ///< those that the job leaves free

  /// "wisdom: NVIDIA H200, nposes 65536 -> 100000 (d 0.42), measured 12 days ago, driver differs". `today` as
  /// in WisdomOrigin::date.
  [[nodiscard]] std::string sentence(const std::string& today) const;
};

/// "measured 12 days ago". Both as in WisdomOrigin::date.
[[nodiscard]] std::string age_text(const std::string& date, const std::string& today);

/// The `most` best choices, best first: records of the same types whose values are allowed for the asked size
/// and device and leave the size as it is, by device, then by distance of the sizes, then by time. A record
/// of the same device with sizes a factor of 4 away comes after one of a device alike with sizes within 10 %.
/// With `far`, also records of other devices. Throws bad_input for a question that is wrong itself.
[[nodiscard]] std::vector<WisdomChoice> choose_wisdom(const WisdomBook& book, const WisdomQuestion& question,
                                                      FileSystem& files, std::size_t most = 1,
                                                      bool far = false);

/// The key that a point measured for this question has.
[[nodiscard]] WisdomKey wisdom_key(const WisdomQuestion& question, const std::vector<std::string>& tuned,
                                   FileSystem& files);

}  // namespace kiln
