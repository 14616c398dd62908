#include "workload/element_value.h"

namespace kiln {

std::string expected_element(ScalarType type) {
  return visit_element(type, [&]<class T>() -> std::string {
    if constexpr (std::is_same_v<T, bool>) {
      return "0 or 1";
    } else if constexpr (kIsRealType<T>) {
      return "a number of at most " + format_number(static_cast<double>(std::numeric_limits<T>::max())) +
             " in magnitude";
    } else {
      constexpr bool kWide = sizeof(T) == sizeof(std::int64_t);
      return "a whole number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max()) +
             (kWide ? ", written in digits from 2^53 on" : "");
    }
  });
}

}  // namespace kiln
