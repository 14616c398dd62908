/* kiln.h alone, as C99: -std=c99 -pedantic. */
#include "kiln.h"

int main(void) {
  kiln_shape shape = {sizeof(kiln_shape), {1, 1, 1}, {0, 0, 0}, UINT64_MAX};
  return kiln_abi() == KILN_ABI && shape.size == sizeof shape ? 0 : 1;
}
