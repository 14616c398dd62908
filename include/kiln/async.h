#pragma once

#include <future>
#include <memory>
#include <utility>

#include "kiln/function.h"
#include "kiln/kernel.h"

// get_async() of requests, in a separate header because <future> takes half as long to compile as all others.
namespace kiln {

inline auto KernelRequest::get_async() const {
  if (Kernel found = find(); found.impl_) {
    std::promise<Kernel> ready;
    ready.set_value(std::move(found));
    return ready.get_future();
  }
  return std::async(std::launch::async, [request = *this, expected = announce()]() mutable {
    const std::shared_ptr<void> until_here = std::move(expected);  // the future may live long
    return request.get();
  });
}

template <class Signature>
auto FunctionRequest::get_async() const {
  return std::async(std::launch::async, [request = *this, expected = announce()]() mutable {
    const std::shared_ptr<void> until_here = std::move(expected);
    return request.template get<Signature>();
  });
}

}  // namespace kiln
