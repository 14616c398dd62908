// Replaces libcu++'s, whose offsetof is not a constant.
#undef offsetof
#define offsetof(type, member) ((size_t)__INTADDR__(&(((type*)0)->member)))

namespace std {
using ::ptrdiff_t;
using ::size_t;
using nullptr_t = decltype(nullptr);
}  // namespace std
