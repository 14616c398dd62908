extern "C" __global__ void make_dna(signed char* dna, int length) {
  unsigned state = 7;
  for (int i = 0; i < length; ++i) {
    state = state * 1664525u + 1013904223u;
    dna[i] = i % 97 == 50 ? 'N' : "ACGT"[state >> 30];
  }
}
__device__ int letter(int word, int k) { return "ACTG"[word >> (6 - 2 * k) & 3]; }
__device__ int complement(int c) { return c == 'A' ? 'T' : c == 'T' ? 'A' : c == 'C' ? 'G' : c == 'G' ? 'C' : 'N'; }
// A word counts where it stands, or its complement read backwards, if no smaller word stands for both.
extern "C" __global__ void by_words(const signed char* dna, int length, unsigned long long* counts) {
  int word = threadIdx.x, reverse = 0;
  for (int k = 3; k >= 0; --k)
    for (int v = 0; v < 4; ++v)
      if ("ACTG"[v] == complement(letter(word, k))) reverse = reverse * 4 + v;
  unsigned long long n = 0;
  for (int i = 0; i + 4 <= length && word <= reverse; ++i) {
    bool forwards = true, backwards = true;
    for (int k = 0; k < 4; ++k) {
      forwards = forwards && dna[i + k] == letter(word, k);
      backwards = backwards && complement(dna[i + 3 - k]) == letter(word, k);
    }
    n += forwards || backwards;
  }
  counts[word] = n;
}
