#include "specialize/ptx_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln {
namespace {

using testing::HasSubstr;

TEST(PtxWords, SpecialRegistersAreWhatTheyHold) {
  EXPECT_EQ(without_simple_ptx("asm(\"mov.u32 %0, %%ctaid.y;\" : \"=r\"(b));"), "(void)((b) = blockIdx.y);");
  EXPECT_THAT(without_simple_ptx("asm volatile(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(m));"),
              HasSubstr("(void)((m) = ((1u << (("));
  EXPECT_EQ(without_simple_ptx("asm volatile (\"mov.u64 %0, %%clock64;\" : \"=l\"(t) :: \"memory\");"),
            "(void)((t) = clock64());");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));"),
            "(void)((t) = kiln_global_time());");
}

TEST(PtxWords, ForHipByItsFunctionsOrKilnsOwn) {
  const auto hip = [](const std::string& text) { return ptx_as_hip(text, "a/b.cuh"); };
  EXPECT_EQ(hip("asm(\"popc.b32 %0, %1;\" : \"=r\"(y) : \"r\"(x));"),
            "(void)((y) = __popc(static_cast<unsigned>((x))));");
  EXPECT_EQ(hip("asm(\"dp4a.u32.u32 %0, %1, %2, 0;\" : \"=r\"(y) : \"r\"(a), \"r\"(b));"),
            "(void)((y) = kiln_cuda::__dp4a(static_cast<unsigned>((a)), static_cast<unsigned>((b)), "
            "static_cast<unsigned>(0)));");
  EXPECT_EQ(hip("asm(\"add.rz.f32 %0, %1, %2;\" : \"=f\"(y) : \"f\"(a), \"f\"(b));"),
            "(void)((y) = kiln_cuda::__fadd_rz(static_cast<float>((a)), static_cast<float>((b))));");
  EXPECT_EQ(hip("asm(\"mov.u32 %0, %smid;\" : \"=r\"(y));"), "(void)((y) = __smid());");
  EXPECT_EQ(hip("asm volatile(\"fence.acq_rel.sys;\");"), "__threadfence_system();");
  EXPECT_EQ(hip("asm volatile(\"membar.gl;\");"), "__threadfence();");
  EXPECT_EQ(hip("asm volatile(\"bar.sync 1;\");"), "__syncthreads();");
  EXPECT_EQ(hip("asm volatile(\"red.global.add.s64 [%0], %1;\" :: \"l\"(p), \"l\"(v));"),
            "(void)atomicAdd(((unsigned long long*)(p)), static_cast<unsigned long long>((v)));");
  EXPECT_EQ(hip("asm(\"ld.shared.u32 %0, [%1];\" : \"=r\"(y) : \"r\"(at));"),
            "(void)((y) = reinterpret_cast<const unsigned*>(kiln_cuda::__cvta_shared_to_generic((at)))[0]);");
  EXPECT_THAT(hip("asm(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(y) : \"r\"(a), \"r\"(b));\n"
                  "asm(\"addc.u32 %0, %1, 0;\" : \"=r\"(z) : \"r\"(c));"),
              HasSubstr("kiln_cuda::carry() = kiln_carry;"));
}

TEST(PtxWords, ForHipAreRefusedWithTheirPlaceWhereHipHasNothingAlike) {
  const auto hip = [](const std::string& text) { return ptx_as_hip(text, "a/b.cuh"); };
  EXPECT_EQ(hip("\nasm volatile(\"wgmma.fence.sync.aligned {%0}, [%1];\" : \"=r\"(y) : "
                "\"r\"(at));"),
            "\nKILN_REFUSED_PTX(a_b_cuh_2, \"a/b.cuh:2: error: `asm` of PTX without a translation for HIP: "
            "wgmma.fence.sync.aligned {%0}, [%1]\");");
  for (const char* other :
       {"asm volatile(\"bar.sync 1, 64;\");", "asm(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));",
        "asm(\"add.rz.f64 %0, %1, %2;\" : \"=d\"(y) : \"d\"(a), \"d\"(b));",
        "asm(\"add.rn.f16 %0, %1, %2;\" : \"=h\"(y) : \"h\"(a), \"h\"(b));"})
    EXPECT_THAT(hip(other), HasSubstr("KILN_REFUSED_PTX(a_b_cuh_1, "));
  // Of AMD's GPUs, and of none.
  for (const char* other : {"asm volatile(\"s_waitcnt vmcnt(0)\");",
                            "asm(\"v_add_f32 %0, %1, %2\" : \"=v\"(y) : \"v\"(a), \"v\"(b));",
                            "asm volatile(\"\" ::: \"memory\");"})
    EXPECT_EQ(hip(other), other);
}

TEST(PtxWords, NumbersAndMemory) {
  EXPECT_EQ(without_simple_ptx("asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x + 1));"),
            "(void)((y) = exp2f(static_cast<float>((x+1))));");
  EXPECT_EQ(
      without_simple_ptx("asm(\"mad.lo.s32 %0, %1, %2, 7;\" : \"=r\"(y) : \"r\"(a), \"r\"(b));"),
      "(void)((y) = (static_cast<unsigned>((a)) * static_cast<unsigned>((b)) + static_cast<unsigned>(7)));");
  EXPECT_EQ(without_simple_ptx(
                "asm(\"ld.global.nc.v2.f32 {%0, %1}, [%2];\" : \"=f\"(v.x), \"=f\"(v.y) : \"l\"(p));"),
            "(void)((v.x) = reinterpret_cast<const float*>((p))[0], (v.y) = reinterpret_cast<const "
            "float*>((p))[1]);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v));"),
            "(void)(((unsigned*)(p))[0] = (v));");
  EXPECT_EQ(without_simple_ptx("asm(\"redux.sync.add.u32 %0, %1, 0xff;\" : \"=r\"(y) : \"r\"(x));"),
            "(void)((y) = __reduce_add_sync(static_cast<unsigned>(0xffu), static_cast<unsigned>((x))));");
  EXPECT_EQ(
      without_simple_ptx("asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"l\"(at + 1));"),
      "(void)((a) = reinterpret_cast<const unsigned*>((at+1))[0], (b) = reinterpret_cast<const "
      "unsigned*>((at+1))[1]);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"membar.gl;\");"), "__threadfence();");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"bar.sync 0;\" ::);"), "__syncthreads();");
}

TEST(PtxWords, DecimalFractions) {
  EXPECT_EQ(without_simple_ptx("asm(\"add.f32 %0, %1, -0.5;\" : \"=f\"(y) : \"f\"(x));"),
            "(void)((y) = (static_cast<float>((x)) + static_cast<float>(-0.5)));");
  EXPECT_EQ(without_simple_ptx("asm(\"mul.f64 %0, %1, 1.5e-3;\" : \"=d\"(y) : \"d\"(x));"),
            "(void)((y) = (static_cast<double>((x)) * static_cast<double>(1.5e-3)));");
  for (const char* other : {"asm(\"add.f32 %0, %1, 0.5e;\" : \"=f\"(y) : \"f\"(x));",
                            "asm(\"add.f32 %0, %1, .;\" : \"=f\"(y) : \"f\"(x));",
                            "asm(\"add.s32 %0, %1, 0.5;\" : \"=r\"(y) : \"r\"(x));"})
    EXPECT_EQ(without_simple_ptx(other), other);
}

TEST(PtxWords, BarriersByNumber) {
  EXPECT_EQ(without_simple_ptx("asm volatile(\"barrier.cta.sync.aligned 0;\");"), "__syncthreads();");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"r\"(n) : \"memory\");"),
            "kiln_named_barrier((id), (n), true);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"barrier.arrive 3, 64;\");"),
            "kiln_named_barrier(3, 64, false);");
  EXPECT_EQ(without_simple_ptx("asm(\"bar.warp.sync 0xffff;\");"), "__syncwarp(0xffffu);");
  for (const char* other :
       {"asm(\"bar.arrive 3;\");", "asm(\"bar.sync;\");", "asm(\"barrier.cluster.sync;\");"})
    EXPECT_EQ(without_simple_ptx(other), other);
}

TEST(PtxWords, Clusters) {
  EXPECT_EQ(without_simple_ptx("asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));"),
            "(void)((rank) = __clusterRelativeBlockRank());");
  EXPECT_EQ(without_simple_ptx("asm(\"mov.u32 %0, %%cluster_ctaid.y;\" : \"=r\"(y));"),
            "(void)((y) = __clusterRelativeBlockIdx().y);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"barrier.cluster.arrive.release.aligned;\");"),
            "__cluster_barrier_arrive();");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"barrier.cluster.wait.acquire;\" ::: \"memory\");"),
            "__cluster_barrier_wait();");
  EXPECT_EQ(without_simple_ptx(
                "asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(far) : \"r\"(near), \"r\"(rank));"),
            "(void)((far) = kiln_cluster_address((near), (rank)));");
  EXPECT_THAT(without_simple_ptx("asm(\"mapa.u64 %0, %1, %2;\" : \"=l\"(q) : \"l\"(p), \"r\"(rank));"),
              HasSubstr("__cluster_map_shared_rank(reinterpret_cast<const void*>((p)), (rank))"));
  EXPECT_THAT(without_simple_ptx("asm(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(x) : \"r\"(s));"),
              HasSubstr("__cvta_shared_to_generic((s))"));
}

TEST(PtxWords, VideoInstructions) {
  EXPECT_EQ(without_simple_ptx("asm(\"vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;\" : \"=r\"(y) : \"r\"(a), "
                               "\"r\"(b), \"r\"(c));"),
            "(void)((y) = (__vsadu4(static_cast<unsigned>((a)), static_cast<unsigned>((b))) + "
            "static_cast<unsigned>((c))));");
  EXPECT_EQ(without_simple_ptx("asm(\"vabsdiff4.u32.u32.u32 %0, %1, %2, %3;\" : \"=r\"(y) : \"r\"(a), "
                               "\"r\"(b), \"r\"(c));"),
            "(void)((y) = __vabsdiffu4(static_cast<unsigned>((a)), static_cast<unsigned>((b))));");
}

TEST(PtxWords, AddressesAndBits) {
  EXPECT_EQ(
      without_simple_ptx("asm(\"ld.global.nc.L1::no_allocate.b32 %0, [%1 + 0x8];\" : \"=f\"(x) : \"l\"(p));"),
      "(void)((x) = reinterpret_cast<const float*>((reinterpret_cast<const char*>((p)) + 0x8))[0]);");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"st.global.b32 [%0], %1;\" :: \"l\"(p), \"f\"(1.5f));"),
            "(void)(((float*)(p))[0] = (1.5f));");
  EXPECT_EQ(without_simple_ptx("asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(w) : \"r\"(a), \"r\"(b));"),
            "(void)((w) = static_cast<unsigned>((a)) | static_cast<unsigned long "
            "long>(static_cast<unsigned>((b))) << "
            "32);");
  EXPECT_EQ(without_simple_ptx("asm(\"mov.b32 %0, %1;\" : \"=r\"(u) : \"f\"(x));"),
            "(void)((u) = __float_as_uint((x)));");
  EXPECT_EQ(without_simple_ptx("asm(\"mov.b32 %0, 0;\" : \"=f\"(x));"), "(void)((x) = __uint_as_float(0));");
  EXPECT_EQ(
      without_simple_ptx("asm(\"lop3.b32 %0, %1, %2, %3, %4;\" : \"=r\"(y) : \"r\"(a), \"r\"(b), \"r\"(c), "
                         "\"n\"(table));"),
      "(void)((y) = kiln_lop3(static_cast<unsigned>((a)), static_cast<unsigned>((b)), "
      "static_cast<unsigned>((c)), static_cast<unsigned>((table))));");
  EXPECT_EQ(without_simple_ptx("asm(\"red.relaxed.gpu.global.add.f32 [%0], %1;\" :: \"l\"(p), \"f\"(x));"),
            "(void)atomicAdd(((float*)(p)), static_cast<float>((x)));");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(p));"), "(void)0;");
}

TEST(PtxWords, SharedMemoryByAddressesOf32Bits) {
  EXPECT_EQ(without_simple_ptx("asm(\"red.relaxed.gpu.global.add.f32 [%0], %1;\" :: \"l\"(p), \"r\"(bits));"),
            "(void)atomicAdd(((float*)(p)), __uint_as_float((bits)));");
  EXPECT_EQ(without_simple_ptx("asm(\"ld.shared.u32 %0, [%1];\" : \"=r\"(x) : \"r\"(s));"),
            "(void)((x) = reinterpret_cast<const unsigned*>(__cvta_shared_to_generic((s)))[0]);");
  EXPECT_EQ(
      without_simple_ptx("#define COPY(s, g) \\\n  asm(\"cp.async.ca.shared.global [%0], [%1], 16;\" \\\n   "
                         ":: \"r\"(s), \"l\"(g))\nint i;"),
      "#define COPY(s, g) \\\n  kiln_ptx_copy(((char*)__cvta_shared_to_generic((s))), "
      "(const char*)(g) + 0, static_cast<int>(16), static_cast<int>(16)) \\\n\nint i;");
}

/// A parameter x would change threadIdx.x.
TEST(PtxWords, MacrosKeepTheirParameters) {
  EXPECT_THAT(without_simple_ptx("#define LANE(r) asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(r))\n"),
              HasSubstr("#define LANE(r) (void)((r) = ((threadIdx.x"));
  const std::string taken = "#define LANE(x) asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x))\n";
  EXPECT_EQ(without_simple_ptx(taken), taken);
}

TEST(PtxWords, ConversionsRoundAndLimit) {
  EXPECT_EQ(without_simple_ptx("asm(\"cvt.rni.sat.s8.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x));"),
            "(void)((y) = min(max(__float2int_rn(static_cast<float>((x))), -128), 127));");
  EXPECT_EQ(without_simple_ptx("asm(\"cvt.rzi.u64.f64 %0, %1;\" : \"=l\"(y) : \"d\"(x));"),
            "(void)((y) = __double2ull_rz(static_cast<double>((x))));");
  EXPECT_EQ(without_simple_ptx("asm(\"cvt.rn.f32.s8 %0, %1;\" : \"=f\"(y) : \"r\"(x));"),
            "(void)((y) = static_cast<float>(static_cast<signed char>((x))));");
  EXPECT_EQ(without_simple_ptx("asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x));"),
            "(void)((y) = kiln_ptx_tf32(static_cast<float>((x)), 0));");
  for (const char* unknown : {"asm(\"cvt.rna.tf32.f16 %0, %1;\" : \"=r\"(y) : \"h\"(x));",
                              "asm(\"cvt.rz.f32.f64 %0, %1;\" : \"=f\"(y) : \"d\"(x));",
                              "asm(\"cvt.rp.f32.s32 %0, %1;\" : \"=f\"(y) : \"r\"(x));",
                              "asm(\"cvt.sat.s32.s8 %0, %1;\" : \"=r\"(y) : \"r\"(x));",
                              "asm(\"cvt.u32.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x));"})
    EXPECT_EQ(without_simple_ptx(unknown), unknown);
}

TEST(PtxWords, SeveralInstructionsAreABlock) {
  EXPECT_EQ(
      without_simple_ptx("asm volatile(\"{\\n .reg .pred p;\\n setp.ne.b32 p, %0, 0; // guard\\n\"\n"
                         "\" @p st.global.u32 [%1], %2;\\n }\" :: \"r\"(g), \"l\"(q), \"r\"(v));"),
      "do { const auto kiln_in0 = (g); const auto kiln_in1 = (q); const auto kiln_in2 = (v); "
      "bool kiln_ptx_p{}; (void)(kiln_ptx_p = static_cast<unsigned>(kiln_in0) != static_cast<unsigned>(0)); "
      "if (kiln_ptx_p) { (void)(((unsigned*)kiln_in1)[0] = kiln_in2); }; } while (false)\n;");
  EXPECT_THAT(
      without_simple_ptx("asm(\"add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;\" : \"=r\"(a), \"=r\"(b) : "
                         "\"r\"(c), \"r\"(d), \"r\"(e), \"r\"(f));"),
      HasSubstr("unsigned kiln_carry = 0; { const auto kiln_total = static_cast<unsigned long long>("));
}

/// A scope may reach over statements: it is a block of C++, so that labels may follow it.
TEST(PtxWords, RegistersOfAScopeOverSeveralStatements) {
  EXPECT_EQ(without_simple_ptx("{ asm(\"{ .reg .pred %top;\");\n"
                               "asm(\"setp.ne.u32 %top, %0, 0;\" :: \"r\"(carry));\n"
                               "asm(\"@%%top mov.b64 %0, %1;\" : \"+l\"(val) : \"l\"(tmp));\n"
                               "asm(\"}\"); }"),
            "{ { bool kiln_ptx_top; ;\n"
            "(void)(kiln_ptx_top = static_cast<unsigned>((carry)) != static_cast<unsigned>(0));\n"
            "do { const auto kiln_in1 = (tmp); if (kiln_ptx_top) { (void)((val) = kiln_in1); }; } while "
            "(false);\n}; }");
  EXPECT_EQ(
      without_simple_ptx(
          "asm(\"{ .reg.u32 t;\"); asm(\"mov.u32 t, %0; }\" :: \"r\"(a)); asm(\"{ .reg.u32 t;\"); "
          "asm(\"{ .reg .u64 t; mov.u64 t, %0; }\" :: \"l\"(b)); asm(\"}\");"),
      "{ unsigned kiln_ptx_t; ; (void)(kiln_ptx_t = (a)); }; { unsigned kiln_ptx_t; ; do { const auto "
      "kiln_in0 = (b); unsigned long long kiln_ptx_t{}; (void)(kiln_ptx_t = kiln_in0); } while (false); "
      "};");
  EXPECT_EQ(without_simple_ptx("asm(\"{ .reg .u32 t;\"); asm(\"{ .reg .u32 u;\"); "
                               "asm(\"mov.u32 t, u; }}\");"),
            "{ unsigned kiln_ptx_t; ; { unsigned kiln_ptx_u; ; (void)(kiln_ptx_t = kiln_ptx_u); }};");
  const std::string copy =
      "#define COPY(d, x) asm(\"{ .reg .u32 t;\"); asm(\"mov.u32 t, %0;\" :: \"r\"(x)); asm(\"}\")\n";
  EXPECT_EQ(without_simple_ptx(copy),
            "#define COPY(d, x) { unsigned kiln_ptx_t; ; (void)(kiln_ptx_t = (x)); }\n");
}

/// The branches of a conditional may each open a scope that is closed behind it.
TEST(PtxWords, ScopesThatEachBranchOpens) {
  const std::string head = "#if A\nasm(\"{ .reg .u32 t;\");\n";
  const std::string tail = "#endif\nasm(\"mov.u32 t, %0; }\" :: \"r\"(x));\n";
  EXPECT_EQ(without_simple_ptx(head + "#else\nasm(\"{ .reg .s32 t;\");\n" + tail),
            "#if A\n{ unsigned kiln_ptx_t; ;\n#else\n{ int kiln_ptx_t; ;\n#endif\n"
            "(void)(kiln_ptx_t = (x)); };\n");
  const std::vector<std::string> others = {head + tail, head + "#elif B\nasm(\"{ .reg .s32 t;\");\n" + tail,
                                           "asm(\"{ .reg .u32 t;\");\n#if A\nasm(\"}\");\n#endif\n"};
  for (const std::string& text : others) EXPECT_EQ(without_simple_ptx(text), text);
  const std::string braces = "#if A\nif (a) {\n#else\nif (b) {\n#endif\n";
  EXPECT_THAT(without_simple_ptx("{ " + braces + "asm(\"{ .reg .u32 t;\"); asm(\"}\"); } }"),
              HasSubstr("{ unsigned kiln_ptx_t; ; };"));
}

/// Both ends of a scope stand in one block, and have a translation.
TEST(PtxWords, ScopesWithoutAnEndStay) {
  for (const char* text :
       {"asm(\"}\");", "asm(\"mov.u32 %0, t; }\" : \"=r\"(x));", "asm(\"{ .reg .u32 t;\");",
        "asm(\"{ .reg .u32 t; mov.u32 t, 1;\"); asm(\"}\");", "asm(\"{ .reg .u32 t;\"); asm(\"}}\");",
        "{ asm(\"{ .reg .u32 t;\"); } { asm(\"mov.u32 t, 1;\"); } { asm(\"}\"); }",
        "asm(\"{ .reg .u32 t;\"); asm(\"none.u32 t, 1; }\");",
        "asm(\"{ .reg .u32 t;\"); asm(\"{ none t;\"); asm(\"mov.u32 t, 1; }}\");",
        "#define OPEN asm(\"{ .reg .u32 t;\")\n#define CLOSE asm(\"}\")\n"})
    EXPECT_EQ(without_simple_ptx(text), text);
}

/// The instructions see inputs as they were before the first one, and an expression is evaluated once.
TEST(PtxWords, InputsAreReadOnce) {
  EXPECT_THAT(without_simple_ptx("asm(\"mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;\" : \"=r\"(low), "
                                 "\"=r\"(high) : \"r\"(low), \"r\"(b));"),
              AllOf(HasSubstr("const auto kiln_in2 = (low); const auto kiln_in3 = (b); "),
                    HasSubstr("(high) = __umulhi(static_cast<unsigned>(kiln_in2), ")));
  EXPECT_EQ(without_simple_ptx("asm(\"shl.b32 %0, %1, %2;\" : \"=r\"(x) : \"r\"(1), \"r\"(i++));"),
            "do { const auto kiln_in1 = (1); const auto kiln_in2 = (i++); (void)((x) = "
            "(static_cast<unsigned>(kiln_in2) > 31u ? 0u : static_cast<unsigned>(kiln_in1) << "
            "static_cast<unsigned>(kiln_in2))); } while (false);");
  EXPECT_EQ(
      without_simple_ptx("asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"l\"(p++));"),
      "do { const auto kiln_in2 = (p++); (void)((a) = reinterpret_cast<const unsigned*>(kiln_in2)[0], "
      "(b) = reinterpret_cast<const unsigned*>(kiln_in2)[1]); } while (false);");
}

/// Loops that wait for another work-item's store read memory each time.
TEST(PtxWords, WhatOthersWriteIsVolatile) {
  EXPECT_EQ(
      without_simple_ptx("asm volatile(\"ld.acquire.gpu.global.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(p));"),
      "(void)((v) = reinterpret_cast<const volatile unsigned*>((p))[0], __threadfence());");
  EXPECT_EQ(
      without_simple_ptx("asm volatile(\"st.release.gpu.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(v));"),
      "(void)(__threadfence(), ((volatile unsigned*)(p))[0] = (v));");
  EXPECT_EQ(without_simple_ptx("asm volatile(\"nanosleep.u32 %0;\" :: \"r\"(n));"), "__nanosleep(0);");
}

TEST(PtxWords, ACarryGoesFromOneStatementToTheNext) {
  const std::string gives = "asm(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(x) : \"r\"(y), \"r\"(z));";
  const std::string takes = "asm volatile(\"addc.u32 %0, %1, 0;\" : \"=r\"(v) : \"r\"(w));";
  const std::string both = without_simple_ptx(gives + takes);
  EXPECT_THAT(
      both,
      HasSubstr("unsigned kiln_carry = kiln_ptx_carries[KILN_LINEAR_THREAD()]; { const auto kiln_total"));
  EXPECT_THAT(both, HasSubstr("kiln_ptx_carries[KILN_LINEAR_THREAD()] = kiln_carry; } while (false);do {"));
  EXPECT_THAT(without_simple_ptx("#define TAKE " + takes + "\n" + gives),
              HasSubstr("kiln_ptx_carries[KILN_LINEAR_THREAD()] = kiln_carry; } while (false);"));
}

TEST(PtxWords, TheRestStays) {
  for (const char* text :
       {"asm volatile(\"\" ::: \"memory\");", "asm(\"{ .reg .pred p; setp.ne.u32 q, %0, 0; }\" :: \"r\"(x));",
        "asm(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(x) : \"r\"(y), \"r\"(z));",  // nothing takes it
        "asm(\"{ L: bra L; }\");", "asm(\"@q st.global.u32 [%0], 1;\" :: \"l\"(p));",
        "asm(\"mov.u64 %0, %%globaltime;\" : \"=l\"(t));",
        "asm(\"mul.f32 %0, %1, %4;\" : \"=f\"(x) : \"f\"(y));",
        "asm volatile(\"cp.async.bulk.shared::cluster.global [%0], [%1], 16;\" :: \"r\"(s), \"l\"(g));",
        "asm(\"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%0};\" : \"+f\"(c) : "
        "\"r\"(a), \"r\"(b));",
        "asm(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0}, [%1];\" : \"=r\"(c) : \"r\"(a));",
        "asm(\"mov.u32 %1, %%laneid;\" : \"=r\"(x) : \"r\"(y));", "asm(TEXT : \"=r\"(x));",
        "asm(\"and.b32 %0, %1, 7;\" : \"=f\"(x) : \"f\"(y));",  // bits, not numbers
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(i), \"=r\"(b) : \"l\"(p + i));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(i), \"=r\"(b) : \"l\"(p-i));",
        "asm(\"ld.global.v2.u32 {%0, %1}, [%2];\" : \"=r\"(*q), \"=r\"(b) : \"l\"(p+s**q));",
        // Numbers in registers of another kind keep their bits.
        "asm(\"add.f32 %0, %1, %2;\" : \"=r\"(x) : \"r\"(y), \"r\"(z));",
        "asm(\"{ .reg .b32 t; add.f32 t, %1, %2; mov.b32 %0, t; }\" : \"=r\"(x) : \"f\"(y), \"f\"(z));",
        "asm(\"st.global.f32 [%0], %1;\" :: \"l\"(p), \"r\"(x));",
        "asm(\"atom.global.exch.b32 %0, [%1], %2;\" : \"=f\"(x) : \"l\"(p), \"r\"(y));",
        "asm(\"setp.lo.f32 %0, %1, %2;\" : \"=r\"(x) : \"f\"(y), \"f\"(z));",
        "asm(\"add.u32 %0, %0, %2;\" : \"=r\"(x) : \"0\"(y), \"r\"(z));",
        "asm(\"{ .reg .u32 p; .reg .pred %p; mov.u32 %0, p; }\" : \"=r\"(x));"})
    EXPECT_EQ(without_simple_ptx(text), text);
}

}  // namespace
}  // namespace kiln
