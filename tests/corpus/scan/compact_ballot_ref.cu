// Numbers that fail the predicate, or are there twice.
extern "C" __global__ void count_wrong(const int* odd, const int* greater, int n, int limit, int* wrong) {
  wrong[0] = wrong[1] = 0;
  for (int i = 0; i < n; ++i) {
    int seen_odd = 0, seen_greater = 0;
    for (int k = 0; k < n; ++k) {
      seen_odd += i > 0 && odd[k] == i;
      seen_greater += i > 0 && greater[k] == i;
    }
    wrong[0] += seen_odd != i % 2;
    wrong[1] += seen_greater != (i > limit);
  }
}
