namespace std {
using ::memcpy;
using ::memset;
using ::size_t;
}  // namespace std
