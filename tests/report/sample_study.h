#pragma once

#include "record/study_results.h"

namespace kiln::test {

/// Of one constant, n, on a device whose name is markup; with every part that a study can have.
inline StudyReport study_report() {
  StudyReport report;
  report.run_id = "0123456789abcdef";
  report.time = "2026-11-21T09:35:00.123Z";
  report.kiln_version = "0.1.0";
  report.kiln_revision = "1d2331e0c5a2";
  report.section = report.workload = "poly";
  report.seed = 7;
  report.samples = 3;
  report.device = "cuda:0";
  report.device_name = "Example <GPU>";
  const auto add = [&](const char* name, double step) {
    CaseResult which;
    which.name = name;
    which.step = {{step, step * 0.99, step * 1.01}, 20, step * 0.9, step * 1.1};
    which.code_bytes = 1536;
    which.instructions = 96;
    which.resources = {32, 0, 1024, 0.5};
    which.error = 1.5e-6;
    report.cases.push_back(which);
    report.costs[name] =
        CaseCosts{{0.2, 0.25, 0.3}, {0.001, 0.001, 0.002}, {0.002, 0.002, 0.003}, 2048, {"key"}, {}, {}};
  };
  add("aot_generic", 0.0011);
  add("jit_generic", 0.0011);
  add("jit_specialised", 0.001);
  add("only.n", 0.001);
  CaseResult wrong;
  wrong.name = "aot_instantiated.block=32";
  wrong.status = RunStatus::kWrong;
  wrong.message = "power: 3 of 1000 differ";
  report.cases.push_back(wrong);
  report.unread = {"idle"};
  report.left_out = {"block=2048: block <= 1024"};
  report.constants = {{"only.n",
                       "jit_generic",
                       {1.1, 1.05, 1.15},
                       Effect::kFaster,
                       false,
                       3,
                       96,
                       100,
                       "n at compile time: 1.10x [1.05, 1.15] as fast"}};
  report.no_ahead = "nvcc is not there";
  report.controls = {{"jit_generic",
                      "aot_generic",
                      {1, 0.99, 1.01},
                      Effect::kNone,
                      true,
                      0,
                      96,
                      96,
                      "control: no measurable effect"}};
  report.break_even = {{"jit_specialised",
                        "aot_generic",
                        {0.25, 0.2, 0.3},
                        {1e-4, 0.9e-4, 1.1e-4},
                        {BreakEven::Kind::kAfter, 2500, 1819, 3334},
                        "jit_specialised against aot_generic: after 2500 launches [1819, 3334]"}};
  report.first_results = {{"jit_specialised",
                           FirstWay::kCold,
                           {0.26, 0.21, 0.31},
                           {},
                           "jit_specialised, cold: 260 ms [210 ms, 310 ms]"}};
  report.amortisation = {
      {false,
       true,
       {1, 10, 100, 1000, 10000},
       {{"aot_generic", FirstWay::kAhead, 0.0021, 0.0011, {}, {0.0021, 0.012, 0.111, 1.101, 11.001}},
        {"jit_specialised", FirstWay::kCold, 0.252, 0.001, {}, {0.252, 0.261, 0.351, 1.251, 10.251}}}}};
  return report;
}

}  // namespace kiln::test
