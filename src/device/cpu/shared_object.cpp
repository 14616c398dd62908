#include "device/cpu/shared_object.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/unique_fd.h"
#include "device/fault.h"
#include "kiln/error.h"

namespace kiln {
namespace {

bool write_all(int file, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

/// The loader identifies an object by its path, and file numbers are reused. So each load spells its path in
/// another way: the bits of a counter as "/" and "/./".
std::string fresh_spelling(int file) {
  static std::atomic<std::uint64_t> loads{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t bits = loads.fetch_add(1) + 1; bits != 0; bits /= 2) path += bits % 2 != 0 ? "/." : "/";
  return path + "/" + std::to_string(file);
}

std::string loader_reason() {
  const char* reason = ::dlerror();
  return reason != nullptr ? reason : "no reason given";
}

/// The reason why code is refused, from the loader's message: "PATH: undefined symbol: _Z1ff" and its like.
std::string refusal(const std::string& reason) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t found = reason.find(kUndefined);
  if (found == std::string::npos) return "the kernel's code cannot be loaded: " + reason;
  const std::string symbol = reason.substr(found + kUndefined.size());
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return "the kernel's code cannot be loaded: it uses '" + (name ? std::string(name.get()) : symbol) +
         "', which neither the kernel's text nor a library of its options defines";
}

SharedObject from_memory(const std::string& binary) {
  const UniqueFd file(::memfd_create("kiln-kernel", MFD_CLOEXEC));
  if (!file || !write_all(file.get(), binary)) return SharedObject();
  return SharedObject(::dlopen(fresh_spelling(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL));
}

SharedObject from_file(const std::string& binary, const std::string& scratch) {
  std::string path = scratch + "/kiln-kernel-XXXXXX";
  const UniqueFd file(::mkstemp(path.data()));
  if (!file)
    throw environment_error("no file for a kernel can be made in '" + scratch +
                            "' (TMPDIR names that folder): " + std::strerror(errno));
  const bool written = write_all(file.get(), binary);
  SharedObject object(written ? ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr);
  const std::string reason = written && !object ? loader_reason() : "";
  ::unlink(path.c_str());
  if (!written) throw environment_error("a kernel's code cannot be written to '" + scratch + "'");
  if (!object) throw unfit_kernel(refusal(reason));
  return object;
}

}  // namespace

SharedObject load_shared_object(const std::string& binary, const std::string& scratch) {
  SharedObject object = from_memory(binary);
  return object ? std::move(object) : from_file(binary, scratch);
}

}  // namespace kiln
