#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kiln.h"
#include "kiln/error.h"

// The common frame of every function of kiln.h: no exception leaves it, NULL and structures of another size
// are refused.
namespace kiln::capi {

/// Keeps the exception that is being handled as this thread's last error.
kiln_status keep_error() noexcept;
/// How many calls of this thread have failed.
[[nodiscard]] std::uint64_t failures() noexcept;
/// This thread's last error again, as an exception.
[[noreturn]] void throw_last_error();

template <class Action>
kiln_status guarded(const Action& action) noexcept {
  try {
    action();
    return KILN_OK;
  } catch (...) {
    return keep_error();
  }
}

/// guard() for a function that makes `*made`, which is NULL after a failure. `name` is that parameter's.
template <class Handle, class Action>
kiln_status making(Handle** made, const char* name, const Action& action) noexcept {
  if (made != nullptr) *made = nullptr;
  return guarded([&] {
    if (made == nullptr) throw bad_input(std::string(name) + " is NULL");
    *made = action();
  });
}

/// Throws bad_input, "device is NULL".
template <class T>
T& deref(T* pointer, const char* name) {
  if (pointer == nullptr) throw bad_input(std::string(name) + " is NULL");
  return *pointer;
}
inline const char* text(const char* pointer, const char* name) {
  return &deref(pointer, name);
}
/// An array of `count` elements; NULL where there are none.
template <class T>
T* array(T* pointer, std::size_t count, const char* name) {
  if (count > 0) static_cast<void>(deref(pointer, name));
  return pointer;
}
/// The given number of texts, none of them NULL.
inline std::vector<std::string> texts(const char* const* given, std::size_t count, const char* name) {
  std::vector<std::string> result;
  result.reserve(count);
  static_cast<void>(array(given, count, name));
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(text(given[i], name));
  return result;
}

/// A caller's structure, of the version that it was compiled with, as this library's. Throws bad_input for a
/// size that no version had, and where a newer version says what this library does not know.
template <class Struct>
Struct read_struct(const Struct* given, const char* name, const Struct& defaults = {}) {
  std::size_t size = 0;
  std::memcpy(&size, &deref(given, name), sizeof size);
  if (size <= sizeof size || size > 4096)
    throw bad_input(std::string(name) + ": size is " + std::to_string(size) + "; expected sizeof *" + name +
                    ", " + std::to_string(sizeof(Struct)));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) &&
      std::any_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte != 0; }))
    throw bad_input(std::string(name) + ": holds what only a newer libkiln knows");
  Struct own = defaults;
  std::memcpy(&own, given, std::min(size, sizeof(Struct)));
  return own;
}

/// Fills in as much of a caller's structure as that has. Throws as read_struct.
template <class Struct>
void write_struct(Struct own, Struct* to, const char* name) {
  std::size_t size = 0;
  std::memcpy(&size, &deref(to, name), sizeof size);
  if (size <= sizeof size || size > 4096)
    throw bad_input(std::string(name) + ": size is " + std::to_string(size) + "; expected sizeof *" + name +
                    ", " + std::to_string(sizeof(Struct)));
  own.size = size;
  std::memcpy(to, &own, std::min(size, sizeof(Struct)));
}

}  // namespace kiln::capi
