#include "service/code_memory.h"

#include <utility>

namespace kiln {

std::shared_ptr<LoadedCode> CodeMemory::loaded(const std::string& digest,
                                               const std::string& device_id) const {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(digest);
  if (known == entries_.end()) return nullptr;
  const auto found = known->second.loaded.find(device_id);
  return found == known->second.loaded.end() ? nullptr : found->second;
}

std::shared_ptr<const CodeObject> CodeMemory::code(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(digest);
  if (known == entries_.end()) return nullptr;
  if (auto code = known->second.code.lock()) return code;
  if (known->second.loaded.empty()) return nullptr;
  const std::shared_ptr<LoadedCode>& loaded = known->second.loaded.begin()->second;
  return {loaded, &loaded->code()};
}

std::shared_ptr<const CodeObject> CodeMemory::add(const std::string& digest, CodeObject code) {
  auto kept = std::make_shared<const CodeObject>(std::move(code));
  const std::lock_guard lock(mutex_);
  entries_[digest].code = kept;
  return kept;
}

void CodeMemory::add_loaded(const std::string& digest, const std::string& device_id,
                            std::shared_ptr<LoadedCode> code) {
  const std::lock_guard lock(mutex_);
  entries_[digest].loaded[device_id] = std::move(code);
}

}  // namespace kiln
