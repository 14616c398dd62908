#include "wisdom/wisdom_choice.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/text.h"
#include "config/job_spec.h"
#include "workload/configuration.h"

namespace kiln {
namespace {

/// "NVIDIA H100 80GB HBM3" is "h100": without the vendor and the memory.
std::string product_of(const std::string& name) {
  std::string product;
  for (std::string word : split(name, ' ')) {
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool memory = word.ends_with("gb") || word.starts_with("hbm");
    if (word.empty() || memory || word == "nvidia" || word == "amd" || word == "tesla") continue;
    product += (product.empty() ? "" : " ") + word;
  }
  return product;
}

/// "9" of "sm_90a", "gfx9" of "gfx90a:sramecc+:xnack-", "x86-64" of a CPU.
std::string family_of(const std::string& backend, const std::string& arch) {
  const int capability = Target{backend, arch}.compute_capability();
  if (capability > 0) return std::to_string(capability / 10);
  if (arch.starts_with("gfx")) {
    constexpr std::size_t kMinorDigits = 2;  // the last two name minor version and stepping
    const std::string name = arch.substr(0, arch.find(':'));
    return name.size() > kMinorDigits ? name.substr(0, name.size() - kMinorDigits) : name;
  }
  return arch.substr(0, arch.find(' '));
}

bool similar_units(int a, int b) {
  constexpr double kMost = 0.1;
  if (a <= 0 || b <= 0) return a == b;
  return std::abs(a - b) <= kMost * std::max(a, b);
}

using Assignments = std::vector<std::pair<std::string, RawValue>>;

/// The configuration of the question alone, where constraints may be violated.
Configuration asked_configuration(const WisdomQuestion& question, FileSystem& files) {
  return configure(question.workload, question.set, question.device, files).configuration;
}

/// The types and, where the job chooses other kernels than the default ones, the `implementation`.
NamedTexts types_of(const Configuration& configuration, const Assignments& set) {
  constexpr const char* kImplementation = "implementation";
  NamedTexts types;
  const ParameterSpec* parameter = configuration.workload().find_parameter(kImplementation);
  if (parameter != nullptr && has_name(set, kImplementation)) {
    const std::string word = configuration.value(kImplementation).to_string();
    if (word != parameter->default_on(configuration.backend()).text)
      types.emplace_back(kImplementation, word);
  }
  for (const auto& [name, value] : configuration.values()) {
    if (value.kind == ParameterKind::kType) types.emplace_back(name, value.to_string());
  }
  std::sort(types.begin(), types.end());
  return types;
}

template <class Entries>
NamedSizes sizes_of(const Configuration& configuration, const Entries& tuned) {
  NamedSizes sizes;
  for (const std::string& name : size_parameters(configuration.workload())) {
    if (has_name(tuned, name)) continue;
    const double size = std::max(1.0, configuration.value(name).number());
    sizes.emplace_back(name, static_cast<std::int64_t>(size));
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// Absent where the sizes have other names.
std::optional<double> distance_of(const NamedSizes& a, const NamedSizes& b) {
  if (a.size() != b.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first) return std::nullopt;
    const double ratio = std::log(static_cast<double>(a[i].second) / static_cast<double>(b[i].second));
    sum += ratio * ratio;
  }
  return std::sqrt(sum);
}

std::vector<std::string> differences(const WisdomOrigin& then, const WisdomOrigin& now) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, const std::string& a, const std::string& b) {
    if (!a.empty() && !b.empty() && a != b) names.emplace_back(name);
  };
  compare("source", then.source, now.source);
  compare("compiler", then.compiler, now.compiler);
  compare("driver", then.driver, now.driver);
  compare("kiln", then.kiln, now.kiln);
  return names;
}

/// Whether the job has chosen another word than the record: its other values were measured with that one.
bool contradicts(const ParameterSpec& parameter, const std::string& text, const Assignments& set) {
  return parameter.kind == ParameterKind::kChoice &&
         std::any_of(set.begin(), set.end(),
                     [&](const auto& one) { return one.first == parameter.name && one.second.text != text; });
}

/// The values that the job leaves free, if they fit its own, the workload takes them all and its size stays
/// as it is: each parameter of the size is one of the key or is tuned.
std::optional<Assignments> free_values(const WisdomChoice& choice, const Configuration& asked,
                                       const WisdomQuestion& question, FileSystem& files) {
  Assignments free;
  for (const auto& [name, text] : choice.record.values) {
    const ParameterSpec* parameter = question.workload->find_parameter(name);
    if (parameter != nullptr &&
        (parameter->kind == ParameterKind::kPath || parameter->kind == ParameterKind::kType ||
         contradicts(*parameter, text, question.set)))
      return std::nullopt;
    const bool bound = name.starts_with("bind.") && has_name(question.set, "bind.all");
    if (!bound && !has_name(question.set, name))
      free.emplace_back(name, RawValue{text, false, choice.record.where});
  }
  Assignments all = question.set;
  all.insert(all.end(), free.begin(), free.end());
  try {
    const ConfigurationResult result = configure(question.workload, all, question.device, files);
    if (result.violated) return std::nullopt;
    const NamedSizes before = sizes_of(asked, choice.record.values);
    if (before != choice.asked || sizes_of(result.configuration, choice.record.values) != before)
      return std::nullopt;
    return free;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return std::nullopt;
  }
}

/// A key that may answer a question.
struct NearKey {
  std::size_t place = 0;
  DeviceNearness nearness = DeviceNearness::kSame;
  double distance = 0;
};

/// A key of the same device and far sizes yields to one of a device alike and near sizes.
void sort_keys(std::vector<NearKey>& keys) {
  const bool yield = std::any_of(keys.begin(), keys.end(), [](const NearKey& key) {
    return key.nearness == DeviceNearness::kAlike && key.distance < 0.1;
  });
  const auto order = [yield](const NearKey& key) {
    constexpr double kBehindAlike = 1.5;
    const bool far = key.nearness == DeviceNearness::kSame && key.distance > std::log(4.0);
    return std::make_pair(yield && far ? kBehindAlike : static_cast<double>(key.nearness), key.distance);
  };
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
}

/// The configuration's values of the key's sizes.
NamedSizes asked_sizes(const Configuration& configuration, const WisdomKey& key) {
  NamedSizes sizes = sizes_of(configuration, NamedTexts());
  std::erase_if(sizes, [&](const auto& size) { return !has_name(key.size, size.first); });
  return sizes;
}

std::optional<std::chrono::sys_days> day_of(const std::string& date) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(date.c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3) return std::nullopt;
  const std::chrono::year_month_day read{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return read.ok() ? std::optional<std::chrono::sys_days>(read) : std::nullopt;
}

}  // namespace

DeviceNearness device_nearness(const WisdomDevice& record, const DeviceInfo& device) {
  if (record.backend != device.target.backend) return DeviceNearness::kOther;
  const bool units = similar_units(record.units, device.compute_units);
  if (record.name == device.name && units) return DeviceNearness::kSame;
  const bool alias = product_of(record.name) == product_of(device.name);
  if ((alias || record.arch == device.target.arch) && units) return DeviceNearness::kAlike;
  const bool family = family_of(record.backend, record.arch) == family_of(record.backend, device.target.arch);
  return alias || family ? DeviceNearness::kFamily : DeviceNearness::kOther;
}

std::string age_text(const std::string& date, const std::string& today) {
  const auto then = day_of(date), now = day_of(today);
  if (!then || !now) return "of unknown age";
  const auto days = (*now - *then).count();
  if (days <= 0) return "measured today";
  return "measured " + std::to_string(days) + (days == 1 ? " day ago" : " days ago");
}

std::string WisdomChoice::sentence(const std::string& today) const {
  std::string text = "wisdom: " + record.key.device.name;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& [name, known] = record.key.size[i];
    if (known != asked[i].second)
      text += ", " + name + " " + std::to_string(known) + " -> " + std::to_string(asked[i].second);
  }
  if (distance > 0) {
    constexpr double kHundred = 100;
    text += " (d " + format_number(std::round(distance * kHundred) / kHundred) + ")";
  }
  text += ", " + age_text(record.made.date, today);
  if (!stale.empty()) text += ", " + join(stale, " and ") + (stale.size() == 1 ? " differs" : " differ");
  return text;
}

std::vector<WisdomChoice> choose_wisdom(const WisdomBook& book, const WisdomQuestion& question,
                                        FileSystem& files, std::size_t most, bool far) {
  const Configuration configuration = asked_configuration(question, files);
  const NamedTexts types = types_of(configuration, question.set);
  std::vector<NearKey> keys;
  for (std::size_t i = 0; i < book.keys().size(); ++i) {
    const WisdomKey& key = book.keys()[i];
    if (key.workload != question.workload->name || key.objective != question.objective || key.types != types)
      continue;
    const DeviceNearness nearness = device_nearness(key.device, question.device);
    const auto distance = distance_of(asked_sizes(configuration, key), key.size);
    if (distance && (far || nearness != DeviceNearness::kOther)) keys.push_back({i, nearness, *distance});
  }
  sort_keys(keys);
  std::vector<WisdomChoice> fitting;
  for (const NearKey& key : keys) {
    const std::size_t wanted = most - fitting.size();
    std::vector<WisdomRecord> records = book.records(key.place, wanted);
    for (std::size_t i = 0;; ++i) {
      if (fitting.size() >= most) return fitting;
      if (i == wanted) records = book.records(key.place);  // one of the first does not fit
      if (i >= records.size()) break;
      WisdomRecord& record = records[i];
      WisdomChoice choice;
      choice.nearness = key.nearness;
      choice.distance = key.distance;
      choice.asked = asked_sizes(configuration, record.key);
      choice.stale = differences(record.made, question.now);
      choice.record = std::move(record);
      auto values = free_values(choice, configuration, question, files);
      if (!values) continue;
      choice.values = std::move(*values);
      fitting.push_back(std::move(choice));
    }
  }
  return fitting;
}

WisdomKey wisdom_key(const WisdomQuestion& question, const std::vector<std::string>& tuned,
                     FileSystem& files) {
  const Configuration configuration = asked_configuration(question, files);
  NamedTexts names;
  for (const std::string& name : tuned) names.emplace_back(name, "");
  return {question.workload->name, question.objective, wisdom_device(question.device),
          types_of(configuration, question.set), sizes_of(configuration, names)};
}

}  // namespace kiln
