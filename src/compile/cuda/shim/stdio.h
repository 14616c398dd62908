namespace std {
using ::printf;
}  // namespace std
