#include "report/paper_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/device_records.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

Record of(const std::string& workload, std::vector<BoundParameter> parameters,
          std::vector<MetricValue> metrics) {
  Record record = test::on_device(test::ok_record("", 0.002), "GPU X", "cuda", 0);
  record.workload = workload;
  record.parameters = std::move(parameters);
  record.metrics = std::move(metrics);
  return record;
}

TEST(PaperCsv, StencilHasTheBlockThatWasLaunched) {
  Record record = of("stencil7", {{"T", "float", true, true}, {"nx", "512", true, false}},
                     {{"effective_bandwidth", "GB/s", 2191.5, true}});
  record.fast_math = true;
  EXPECT_EQ(records_to_paper_csv({record}),
            "backend,GPU,precision,L,blk_x,blk_y,blk_z,BW_GBs\n"
            "Kiln-cuda-fastmath,GPU X,float32,512,64,1,1,2191.5\n");
}

TEST(PaperCsv, StreamHasALineForEachRoutine) {
  const Record record = of("babelstream", {{"T", "double", true, true}, {"n", "33554432", true, false}},
                           {{"copy", "GB/s", 1, true},
                            {"mul", "GB/s", 2, true},
                            {"add", "GB/s", 3, true},
                            {"triad", "GB/s", 4, true},
                            {"dot", "GB/s", 5, true}});
  EXPECT_EQ(records_to_paper_csv({record}),
            "backend,GPU,precision,vec_size,routine,BW_GBs\n"
            "Kiln-cuda,GPU X,float64,33554432,Copy,1\n"
            "Kiln-cuda,GPU X,float64,33554432,Mul,2\n"
            "Kiln-cuda,GPU X,float64,33554432,Add,3\n"
            "Kiln-cuda,GPU X,float64,33554432,Triad,4\n"
            "Kiln-cuda,GPU X,float64,33554432,Dot,5\n");
}

TEST(PaperCsv, DockingHasItsTimesInMilliseconds) {
  Record record = of("minibude", {{"ppwi", "4", true, false}, {"wg", "64", false, false}},
                     {{"arithmetic", "GFLOP/s", 8546, true}});
  record.step = Summary{10, 0.005, 0.0061, 0.006, 0.007, 0.00025, 0.006, 0.0062};
  EXPECT_EQ(records_to_paper_csv({record}),
            "backend,GPU,ppwi,wgsize,sum_ms,avg_ms,min_ms,max_ms,stddev_ms,gflops/s\n"
            "Kiln-cuda,GPU X,4,64,60,6,5,7,0.25,8546\n");
}

TEST(PaperCsv, FockHasAtomsAndPrimitives) {
  const Record record = of("hartree_fock", {{"natoms", "256", true, false}, {"ngauss", "3", true, false}},
                           {{"duration", "ms", 187.5, false}});
  EXPECT_EQ(records_to_paper_csv({record}),
            "backend,GPU,natoms,ngauss,exec_time_ms\nKiln-cuda,GPU X,256,3,187.5\n");
}

TEST(PaperCsv, OnlyWhatIsOkIsWritten) {
  EXPECT_EQ(records_to_paper_csv({test::wrong_record("")}),
            "backend,GPU,precision,L,blk_x,blk_y,blk_z,BW_GBs\n");
}

TEST(PaperCsv, SeveralWorkloadsAndStrangersAreRefused) {
  const Record stencil = test::ok_record("", 1);
  EXPECT_THAT(test::bad_input_of([&] {
                static_cast<void>(records_to_paper_csv({stencil, of("minibude", {}, {})}));
              }),
              HasSubstr("of stencil7 and minibude; choose with --workload"));
  EXPECT_THAT(
      test::bad_input_of([] { static_cast<void>(records_to_paper_csv({of("saxpy", {}, {})})); }),
      HasSubstr(
          "'saxpy' is not in the paper; expected one of babelstream, hartree_fock, minibude, stencil7"));
}

}  // namespace
}  // namespace kiln
