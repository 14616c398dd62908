#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "job/job_runner.h"
#include "job/variant_record.h"
#include "trial/trial_fixture.h"

namespace kiln::test {

/// Keeps all records.
class RecordingSink : public RecordSink {
 public:
  void begin(const JobPlan& /*plan*/) override { ++begun; }
  void variant_started(std::size_t /*index*/, std::size_t /*count*/, const std::string& label) override {
    labels.push_back(label);
  }
  void record(const Record& record) override { records.push_back(record); }
  void known(const Record& record) override { told.push_back(record); }

  int begun = 0;
  std::vector<std::string> labels;
  std::vector<Record> records;
  std::vector<Record> told;  ///< that were known
};

/// Whole jobs with the small workload.
class JobTest : public TrialTest {
 protected:
  JobPlan plan(const std::string& job_text) {
    const WorkloadLibrary library(disk_.files, {"/kernels"});
    return make_plan(parse_job(job_text, "/job.yaml"), library, disk_.files, {device_->info()});
  }

  std::vector<Record> run(const std::string& job_text) {
    sink_ = {};
    run_job(plan(job_text), context(), sink_);
    return sink_.records;
  }

  RecordingSink sink_;
};

}  // namespace kiln::test
