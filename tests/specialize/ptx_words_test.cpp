#include "specialize/ptx_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::HasSubstr;

TEST(PtxWords, SpecialRegistersAreWhatTheyHold) {
  EXPECT_EQ(without_simple_ptx("asm(\"mov.u32 %0, %%ctaid.y;\" : \"=r\"(b));"), "(void)((b) = blockIdx.y);");
  EXPECT_THAT(without_simple_ptx("asm volatile(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(m));"),
              HasSubstr("(void)((m) = ((1u << (("));
  EXPECT_EQ(without_simple_ptx("asm volatile (\"mov.u64 %0, %%clock64;\" : \"=l\"(t) :: \"memory\");"),
            "(void)((t) = clock64());");
}

TEST(PtxWords, NumbersAndMemory) {
  EXPECT_EQ(without_simple_ptx("asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x + 1));"),
            "(void)((y) = exp2f(static_cast<float>((x+1))));");
  EXPECT_EQ(without_simple_ptx("asm(\"mad.lo.s32 %0, %1, %2, 7;\" : \"=r\"(y) : \"r\"(a), \"r\"(b));"),
            "(void)((y) = (static_cast<int>((a)) * static_cast<int>((b)) + static_cast<int>(7)));");
  EXPECT_EQ(without_simple_ptx(
                "asm(\"ld.global.nc.v2.f32 {%0, %1}, [%2];\" : \"=f\"(v.x), \"=f\"(v.y) : \"l\"(p));"),
            "(void)((v.x) = reinterpret_cast<const float*>((p))[0], (v.y) = reinterpret_cast<const "
            "float*>((p))[1]);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v));"),
            "(void)(reinterpret_cast<unsigned*>((p))[0] = (v));");
  EXPECT_EQ(without_simple_ptx("asm(\"redux.sync.add.u32 %0, %1, 0xff;\" : \"=r\"(y) : \"r\"(x));"),
            "(void)((y) = __reduce_add_sync(static_cast<unsigned>(0xffu), static_cast<unsigned>((x))));");
  EXPECT_EQ(
      without_simple_ptx("asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"l\"(at + 1));"),
      "(void)((a) = reinterpret_cast<const unsigned*>((at+1))[0], (b) = reinterpret_cast<const "
      "unsigned*>((at+1))[1]);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"membar.gl;\");"), "__threadfence();");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"bar.sync 0;\" ::);"), "__syncthreads();");
}

TEST(PtxWords, TheRestStays) {
  for (const char* text :
       {"asm volatile(\"\" ::: \"memory\");", "asm(\"{ .reg .pred p; setp.ne.u32 p, %0, 0; }\" :: \"r\"(x));",
        "asm(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));",
        "asm(\"mul.f32 %0, %1, %4;\" : \"=f\"(x) : \"f\"(y));",
        "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\" :: \"r\"(s), \"l\"(g));",
        "asm(\"mov.u32 %1, %%laneid;\" : \"=r\"(x) : \"r\"(y));", "asm(TEXT : \"=r\"(x));",
        "asm(\"bar.sync 1, 64;\");",
        "asm(\"ld.global.nc.b32 %0, [%1];\" : \"=f\"(x) : \"l\"(p));",  // bits, not a number
        "asm volatile(\"st.global.b32 [%0], %1;\" :: \"l\"(p), \"f\"(1.5f));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(i), \"=r\"(b) : \"l\"(p + i));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(i), \"=r\"(b) : \"l\"(p-i));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(*q), \"=r\"(b) : \"l\"(p+s**q));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"l\"(p++));"})
    EXPECT_EQ(without_simple_ptx(text), text);
}

}  // namespace
}  // namespace kiln
