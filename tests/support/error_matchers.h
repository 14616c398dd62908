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

/// The complete message of the bad_input that `action` throws.
inline std::string bad_input_of(const std::function<void()>& action) {
  const Error error = error_of(action);
  EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
  return error.what();
}

}  // namespace kiln::test
