#include "record/failure_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace kiln {

std::string log_beside(const std::string& message, const std::string& log) {
  std::vector<std::string> lines = split(log, '\n');
  const auto repeated = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::string_view said = trim(line);
    return !said.empty() && message.starts_with(said);
  });
  if (repeated == lines.end()) return log;
  lines.erase(repeated);
  return join(lines, "\n");
}

}  // namespace kiln
