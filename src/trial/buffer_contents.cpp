#include "trial/buffer_contents.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "service/task_threads.h"
#include "trial/content_key.h"

namespace kiln {
namespace {

constexpr std::size_t kPartBytes = std::size_t{8} << 20;
constexpr std::size_t kMostBesideOthers = std::size_t{64} << 20;  // each core has as much host memory

/// Reads both pieces part by part, on all cores: memory that the host sees, or parts that are copied to it.
bool same_on_host(Workspace& workspace, bool visible, const void* a, const void* b, std::size_t bytes) {
  workspace.stream().synchronize();
  const std::size_t parts = (bytes + kPartBytes - 1) / kPartBytes;
  std::vector<char> same(parts, 0);
  for_each_task(parts, [&](std::size_t part) {
    const std::size_t first = part * kPartBytes;
    const std::size_t count = std::min(kPartBytes, bytes - first);
    const auto* left = static_cast<const std::byte*>(a) + first;
    const auto* right = static_cast<const std::byte*>(b) + first;
    if (visible) {
      same[part] = static_cast<char>(std::memcmp(left, right, count) == 0);
      return;
    }
    std::vector<std::byte> left_copy(count);
    std::vector<std::byte> right_copy(count);
    Device& device = workspace.device();
    device.copy_to_host(workspace.stream(), left_copy.data(), left, count);
    device.copy_to_host(workspace.stream(), right_copy.data(), right, count);
    same[part] = static_cast<char>(left_copy == right_copy);
  });
  return std::find(same.begin(), same.end(), 0) == same.end();
}

bool sets_symbols(const Workload& workload) {
  return std::any_of(workload.kernels.begin(), workload.kernels.end(),
                     [](const KernelSpec& kernel) { return !kernel.symbols.empty(); });
}

}  // namespace

BufferContents::BufferContents(const Configuration& configuration, FileSystem& files, Workspace& workspace,
                               KeptBuffers& kept)
    : configuration_(configuration), files_(files), workspace_(workspace), kept_(kept) {}

void BufferContents::copy_in(const std::string& name, const DeviceBuffer& content) {
  const DeviceBuffer& buffer = workspace_.buffer(name);
  workspace_.device().copy_on_device(workspace_.stream(), buffer.data(), content.data(), content.bytes());
}

/// A buffer whose elements are all alike is filled faster than copied.
void BufferContents::fill(const std::string& name) {
  if (!workspace_.has_content(name)) return;
  const std::string key =
      kept_.enabled() ? fill_key(configuration_, workspace_.layout(name), files_) : std::string();
  states_[name] = {key, false};
  if (workspace_.fills_alike(name)) return workspace_.fill(name);
  if (const auto copy = kept_.find(key)) {
    ++kept_.counts().copied;
    return copy_in(name, *copy);
  }
  ++kept_.counts().filled;
  workspace_.fill(name);
  static_cast<void>(kept_.keep(key, workspace_.device(), workspace_.stream(), workspace_.buffer(name)));
}

void BufferContents::fill_all(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const bool beside_others = !kept_.enabled() && workspace_.fills_from_file(name) &&
                               workspace_.layout(name).bytes <= kMostBesideOthers;
    if (!beside_others) {
      fill(name);
      continue;
    }
    states_[name] = {};
    ++kept_.counts().filled;
    files.push_back(name);
  }
  for_each_task(files.size(), [&](std::size_t i) { workspace_.fill(files[i]); });
}

void BufferContents::copy(const std::string& name, const std::string& from) {
  states_[name] = {kept_.enabled() ? key_of(from) : std::string(), false};
  copy_in(name, workspace_.buffer(from));
}

std::string BufferContents::key_of(const std::string& name) {
  State& state = states_[name];
  if (state.written && !state.key.empty() && !still_holds(name, state.key)) state.key.clear();
  state.written = false;
  return state.key;
}

/// Whether the buffer still equals the content with this key.
bool BufferContents::still_holds(const std::string& name, const std::string& key) {
  const DeviceBuffer& buffer = workspace_.buffer(name);
  const auto* data = static_cast<const std::byte*>(buffer.data());
  const bool visible = buffer.host_view() != nullptr;
  const auto same = [&](const void* a, const void* b, std::size_t bytes) {
    const std::optional<bool> found = same_bits_ ? same_bits_(a, b, bytes) : std::nullopt;
    return found ? *found : same_on_host(workspace_, visible, a, b, bytes);
  };
  if (const auto copy = kept_.find(key)) return same(data, copy->data(), buffer.bytes());
  const BufferLayout& layout = workspace_.layout(name);
  if (!workspace_.fills_alike(name) || key != fill_key(configuration_, layout, files_)) return false;
  // Whole elements and whole words, and then each byte equals the one so far before it.
  const std::size_t period =
      std::min<std::size_t>(buffer.bytes(), std::lcm(layout.element_bytes, sizeof(std::uint64_t)));
  const std::vector<std::byte> wanted = workspace_.beginning(name, period);
  std::vector<std::byte> room;
  workspace_.stream().synchronize();
  const auto found = workspace_.part(name, 0, period, room);
  if (!std::equal(found.begin(), found.end(), wanted.begin())) return false;
  return period == buffer.bytes() || same(data + period, data, buffer.bytes() - period);
}

std::string BufferContents::output_key(const std::string& launch_key, std::size_t index) {
  return FieldHasher().field("launch", launch_key).field("buffer", static_cast<std::int64_t>(index)).hex();
}

std::string BufferContents::launch_key(const PreparedKernel& kernel,
                                       const std::function<std::string(const std::string&)>& key_of_buffer) {
  if (!kept_.enabled() || kernel.code().empty()) return "";
  auto [stateful, is_new] = kept_.stateful_code().try_emplace(kernel.code());
  if (is_new)
    stateful->second = may_keep_state(kernel.specialization(), sets_symbols(configuration_.workload()));
  if (stateful->second) return "";
  FieldHasher hasher;
  if (!kernel.add_to_key(hasher)) return "";
  for (const std::string& name : kernel.buffers()) {
    const std::string key = key_of_buffer(name);
    if (key.empty()) return "";
    hasher.field("content", key);
  }
  return hasher.hex();
}

void BufferContents::run(PreparedKernel& kernel, const std::function<void()>& enqueue) {
  const std::string key = launch_key(kernel, [this](const std::string& name) { return key_of(name); });
  if (!key.empty() && restore(kernel, key)) {
    ++kept_.counts().spared;
    return;
  }
  ++kept_.counts().run;
  enqueue();
  if (!key.empty()) return keep_outcome(kernel, key);
  for (const std::string& name : kernel.buffers()) states_[name] = {};
}

bool BufferContents::restore(const PreparedKernel& kernel, const std::string& key) {
  const std::vector<std::string>* outcome = kept_.outcome(key);
  if (outcome == nullptr) return false;
  std::vector<std::shared_ptr<const DeviceBuffer>> copies;
  for (std::size_t i = 0; i < outcome->size(); ++i) {
    const bool unchanged = outcome->at(i) == states_[kernel.buffers()[i]].key;
    copies.push_back(unchanged ? nullptr : kept_.find(outcome->at(i)));
    if (!unchanged && copies.back() == nullptr) return false;
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] == nullptr) continue;
    copy_in(kernel.buffers()[i], *copies[i]);
    states_[kernel.buffers()[i]] = {outcome->at(i), false};
  }
  return true;
}

/// Waits: what a kernel that fails leaves is no outcome.
void BufferContents::keep_outcome(const PreparedKernel& kernel, const std::string& key) {
  workspace_.stream().synchronize();
  std::vector<std::string> outcome;
  for (std::size_t i = 0; i < kernel.buffers().size(); ++i) {
    const std::string& name = kernel.buffers()[i];
    State& state = states_[name];
    if (!still_holds(name, state.key)) {
      state.key = output_key(key, i);
      static_cast<void>(
          kept_.keep(state.key, workspace_.device(), workspace_.stream(), workspace_.buffer(name)));
    }
    outcome.push_back(state.key);
  }
  kept_.note_outcome(key, std::move(outcome));
}

}  // namespace kiln
