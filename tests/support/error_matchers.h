#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "kiln/error.h"

namespace kiln::test {

/// Runs `action` and gives the Error that it throws; fails the test if it throws none.
inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return internal_error("no error was thrown");
}

/// The complete message of the Error of this kind that `action` throws.
inline std::string message_of(ErrorKind kind, const std::function<void()>& action) {
  const Error error = error_of(action);
  EXPECT_EQ(error.kind(), kind) << error.what();
  return error.what();
}

inline std::string bad_input_of(const std::function<void()>& action) {
  return message_of(ErrorKind::kBadInput, action);
}

}  // namespace kiln::test
