#pragma once

namespace kiln {

/// One function of a vendor's library, with the name that messages have for it.
template <class Member>
struct DriverCall {
  Member function;  ///< a pointer to the member of the vendor's `Functions`
  const char* name;
};

}  // namespace kiln
