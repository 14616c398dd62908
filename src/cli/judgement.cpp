#include "cli/judgement.h"

#include <algorithm>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "report/run_summary.h"

namespace kiln {

void add_require_checks(CLI::App& command, bool& required) {
  command.add_flag("--require-checks", required,
                   "Exit with 1 if a result is unchecked: if no check has compared it with anything");
}

int judge(const std::vector<const Record*>& records, bool checks_required, World& world) {
  const bool sound = std::all_of(records.begin(), records.end(),
                                 [](const Record* record) { return may_be_measured(record->status); });
  const std::string remark = unchecked_remark(records);
  if (!remark.empty()) {
    world.status_line().write(remark + (checks_required ? "; checks are required: exit code 1"
                                                        : "; --require-checks makes this an error"));
  }
  return sound && (remark.empty() || !checks_required) ? kExitDone : kExitFailed;
}

}  // namespace kiln
