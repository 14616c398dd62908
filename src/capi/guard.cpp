#include "capi/guard.h"

#include <exception>
#include <new>

#include "base/version.h"

namespace kiln::capi {
namespace {

struct LastError {
  ErrorKind kind = ErrorKind::kInternal;
  std::uint64_t failures = 0;  ///< failures of this thread; 0: no error yet
  std::string message, log;
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

void keep(ErrorKind kind, const char* message, const std::string& log = "") noexcept {
  LastError& error = last_error();
  error.kind = kind;
  ++error.failures;
  try {
    error.message = message;
    error.log = log;
  } catch (const std::bad_alloc&) {
    error.message.clear();
    error.log.clear();
  }
}

kiln_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
    case ErrorKind::kCompile:
    case ErrorKind::kUnfit:
      return KILN_BAD_INPUT;
    case ErrorKind::kEnvironment:
    case ErrorKind::kDeviceFault:
    case ErrorKind::kDeviceLost:
      return KILN_ENVIRONMENT;
    case ErrorKind::kCancelled:
      return KILN_CANCELLED;
    case ErrorKind::kInternal:
      break;
  }
  return KILN_INTERNAL;
}

kiln_error_kind c_kind(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return KILN_ERROR_BAD_INPUT;
    case ErrorKind::kCompile:
      return KILN_ERROR_COMPILE;
    case ErrorKind::kUnfit:
      return KILN_ERROR_UNFIT;
    case ErrorKind::kEnvironment:
      return KILN_ERROR_ENVIRONMENT;
    case ErrorKind::kDeviceFault:
      return KILN_ERROR_DEVICE_FAULT;
    case ErrorKind::kDeviceLost:
      return KILN_ERROR_DEVICE_LOST;
    case ErrorKind::kCancelled:
      return KILN_ERROR_CANCELLED;
    case ErrorKind::kInternal:
      break;
  }
  return KILN_ERROR_INTERNAL;
}

}  // namespace

kiln_status keep_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    keep(error.kind(), error.what(), error.log());
  } catch (const std::bad_alloc&) {
    keep(ErrorKind::kEnvironment, "the host has no memory left");
  } catch (const std::exception& error) {
    keep(ErrorKind::kInternal, error.what());
  } catch (...) {
    keep(ErrorKind::kInternal, "an exception of another kind");
  }
  return status_of(last_error().kind);
}

std::uint64_t failures() noexcept {
  return last_error().failures;
}

void throw_last_error() {
  const LastError& error = last_error();
  throw Error(error.kind, error.message, {}, error.log);
}

}  // namespace kiln::capi

kiln_error_kind kiln_last_error_kind(void) {
  const auto& error = kiln::capi::last_error();
  return error.failures > 0 ? kiln::capi::c_kind(error.kind) : KILN_ERROR_NONE;
}
const char* kiln_last_error_message(void) {
  return kiln::capi::last_error().message.c_str();
}
const char* kiln_last_error_log(void) {
  return kiln::capi::last_error().log.c_str();
}
uint32_t kiln_abi(void) {
  return KILN_ABI;
}
const char* kiln_version(void) {
  static const std::string text = kiln::build_info().version;
  return text.c_str();
}
