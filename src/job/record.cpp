#include "job/record.h"

namespace kiln {

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::kOk:
      return "ok";
    case RunStatus::kWrong:
      return "wrong";
    case RunStatus::kCompileFailed:
      return "compile failed";
    case RunStatus::kUnfit:
      return "does not fit";
    case RunStatus::kFaulted:
      return "faulted";
  }
  return "";
}

}  // namespace kiln
