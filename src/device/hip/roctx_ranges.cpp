#include "device/hip/roctx_ranges.h"

#include <dlfcn.h>

namespace kiln {
namespace {

using Push = int (*)(const char* message);
using Pop = int (*)();

class RoctxSink final : public RangeSink {
 public:
  RoctxSink(Push range_push, Pop range_pop) : push_(range_push), pop_(range_pop) {}
  void push(const char* name) noexcept override { push_(name); }
  void pop() noexcept override { pop_(); }

 private:
  Push push_;
  Pop pop_;
};

}  // namespace

std::unique_ptr<RangeSink> find_roctx_ranges() {
  const auto push = reinterpret_cast<Push>(::dlsym(RTLD_DEFAULT, "roctxRangePushA"));
  const auto pop = reinterpret_cast<Pop>(::dlsym(RTLD_DEFAULT, "roctxRangePop"));
  if (push == nullptr || pop == nullptr) return nullptr;
  return std::make_unique<RoctxSink>(push, pop);
}

}  // namespace kiln
