/* Loads a shared library and prints, in a line, what that took in ns and how many threads the process has
 * then. In C, and linked with nothing: what the library needs, the C++ library among it, is loaded with it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static int count_threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == NULL) return -1;
  int count = 0;
  for (const struct dirent* task = readdir(tasks); task != NULL; task = readdir(tasks))
    count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: kiln_bench_load_library LIBRARY\n");
    return 2;
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  printf("%lld %d\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec),
         count_threads());
  return 0;
}
