#include "cli/progress_keeper.h"

#include <system_error>

#include "base/exit_code.h"
#include "base/text.h"

namespace kiln {

ProgressKeeper::ProgressKeeper(World& world, const std::filesystem::path& folder, const std::string& name,
                               const std::string& unit)
    : world_(world) {
  if (!folder.empty()) file_.emplace(world.files(), folder, name);
  state_.command = "kiln " + join(world.arguments(), " ");
  state_.unit = unit;
  restart_clock();
}

ProgressKeeper::~ProgressKeeper() {
  if (!state_.exit_code && has_done_nothing()) remove();
}

void ProgressKeeper::remove() noexcept {
  if (!file_) return;
  std::error_code ignored;
  std::filesystem::remove(file_->path(), ignored);
  file_.reset();
}

void ProgressKeeper::restart_clock() {
  state_.begin_ns = world_.clock().system_ns();
}

void ProgressKeeper::add_message(const std::string& line) {
  constexpr std::size_t kKept = 5;
  state_.messages.push_back(line);
  if (state_.messages.size() > kKept) state_.messages.erase(state_.messages.begin());
}

bool ProgressKeeper::is_due() const {
  constexpr double kPause = 0.5;
  return written_ns_ == 0 || seconds_between(written_ns_, world_.clock().steady_ns()) >= kPause;
}

void ProgressKeeper::write() {
  if (!file_) return;
  state_.updated_ns = world_.clock().system_ns();
  written_ns_ = world_.clock().steady_ns();
  try {
    file_->write(state_);
  } catch (const std::filesystem::filesystem_error&) {
    file_.reset();
  }
}

void ProgressKeeper::end(int exit_code) {
  state_.exit_code = exit_code;
  if (exit_code != kExitDone && has_done_nothing())
    remove();
  else
    write();
}

}  // namespace kiln
