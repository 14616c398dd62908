#include "cli/output_lock.h"

#include "base/text.h"
#include "cli/job_guard.h"

namespace kiln {

std::string output_lock_name(const std::string& ending) {
  return ".lock" + ending;
}

std::unique_ptr<FolderLock> lock_output(World& world, const std::filesystem::path& folder, const Shard& shard,
                                        bool resume, FolderLock::Kind kind) {
  if (folder.empty()) return nullptr;
  // A run whose batch was killed ends within its grace.
  constexpr double kMore = 3;
  return std::make_unique<FolderLock>(folder, output_lock_name(shard.ending()),
                                      "kiln " + join(world.arguments(), " "), kind,
                                      resume ? JobGuard::kGraceSeconds + kMore : 0);
}

}  // namespace kiln
