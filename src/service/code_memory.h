#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "compile/compiler.h"
#include "load/loaded_kernel.h"

namespace kiln {

/// The code of this process, by digest. Code that is not loaded is kept as long as it has another owner; code
/// on a device stays. Thread-safe.
class CodeMemory {
 public:
  /// Null: not on this device ("": on none).
  [[nodiscard]] std::shared_ptr<LoadedCode> loaded(const std::string& digest,
                                                   const std::string& device_id) const;
  /// Null: not here.
  [[nodiscard]] std::shared_ptr<const CodeObject> code(const std::string& digest) const;

  [[nodiscard]] std::shared_ptr<const CodeObject> add(const std::string& digest, CodeObject code);
  void add_loaded(const std::string& digest, const std::string& device_id, std::shared_ptr<LoadedCode> code);

 private:
  /// `code` lives until the first device has loaded it; from then on `loaded` has it.
  struct Entry {
    std::weak_ptr<const CodeObject> code;
    std::map<std::string, std::shared_ptr<LoadedCode>> loaded;  ///< by device
  };

  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace kiln
