#pragma once

#include <cstdint>
#include <utility>

#include "kiln/error.h"
#include "workload/scalar_type.h"

namespace kiln {

/// Calls `visitor.template operator()<T>()` with the C++ type that `type` stands for on the host.
template <class Visitor>
decltype(auto) visit_scalar(ScalarType type, Visitor&& visitor) {
  switch (type) {
    case ScalarType::kBool:
    case ScalarType::kUint8:
      return visitor.template operator()<std::uint8_t>();
    case ScalarType::kInt8:
      return visitor.template operator()<std::int8_t>();
    case ScalarType::kInt16:
      return visitor.template operator()<std::int16_t>();
    case ScalarType::kUint16:
      return visitor.template operator()<std::uint16_t>();
    case ScalarType::kInt:
      return visitor.template operator()<std::int32_t>();
    case ScalarType::kUnsigned:
      return visitor.template operator()<std::uint32_t>();
    case ScalarType::kLong:
      return visitor.template operator()<std::int64_t>();
    case ScalarType::kUnsignedLong:
      return visitor.template operator()<std::uint64_t>();
    case ScalarType::kFloat:
      return visitor.template operator()<float>();
    case ScalarType::kDouble:
      return visitor.template operator()<double>();
  }
  throw internal_error("not a scalar type");
}

}  // namespace kiln
