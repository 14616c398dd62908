#pragma once

namespace kiln {

/// One function of a vendor's library, with the name that messages have for it.
template <class Member>
struct DriverCall {
  Member function;  ///< a pointer to the member of the vendor's `Functions`
  const char* name;
};
template <class Member>
DriverCall(Member, const char*) -> DriverCall<Member>;  // clang 14 deduces none for an aggregate

}  // namespace kiln
