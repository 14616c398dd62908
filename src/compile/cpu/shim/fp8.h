// cuda_fp8.h for a host compiler: the types, which only convert.
#pragma once

#include "kiln/small_float.h"

using __nv_fp8_e4m3 = kiln::Fp8E4m3;
using __nv_fp8_e5m2 = kiln::Fp8E5m2;
