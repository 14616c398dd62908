#include "record/record_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/process.h"
#include "record/sample_records.h"

namespace kiln {
namespace {

using Json = nlohmann::json;

TEST(RecordJson, HoldsEverythingInOneLine) {
  const std::string text = record_to_json(test::ok_record("block_x=128", 0.002));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["format"], kRecordFormat);
  EXPECT_EQ(json["kiln"]["revision"], "1d2331e0c5a2");
  EXPECT_EQ(json["device"]["id"], "cpu");
  EXPECT_EQ(json["compiler"]["version"], "12.2.0");
  EXPECT_EQ(json["parameters"]["nx"]["value"], 64);
  EXPECT_EQ(json["parameters"]["nx"]["bind"], "run");
  EXPECT_EQ(json["parameters"]["T"]["value"], "double");
  EXPECT_EQ(json["parameters"]["scale"]["value"], 0.5);
  EXPECT_EQ(json["units"][0]["origin"], "compiled");
  EXPECT_EQ(json["units"][0]["key"].get<std::string>().size(), 64U);
  EXPECT_EQ(json["launches"][0]["block"], Json::array({64, 1, 1}));
  EXPECT_EQ(json["step_seconds"]["median"], 0.002);
  EXPECT_EQ(json["checks"][0]["worst"]["index"], "[3, 17, 2]");
  EXPECT_EQ(json["metrics"]["effective_bandwidth"]["unit"], "GB/s");
  EXPECT_EQ(json["seed"], 42);
}

TEST(RecordJson, WhatIsNotKnownIsNull) {
  const Json json = Json::parse(record_to_json(test::uncompiled_record("")));
  EXPECT_TRUE(json["step_seconds"].is_null());
  EXPECT_TRUE(json["stop_reason"].is_null());
  EXPECT_TRUE(json["device"]["driver"].is_null());
  EXPECT_TRUE(json["units"].is_array());
}

TEST(RecordJson, NumbersThatJsonLacksAreWords) {
  Record record = test::wrong_record("");
  record.checks.back().worst_value = std::numeric_limits<double>::quiet_NaN();
  record.checks.back().max_relative_error = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(record_to_json(record));
  EXPECT_EQ(json["checks"][1]["worst"]["value"], "nan");
  EXPECT_EQ(json["checks"][1]["max_relative_error"], "inf");
}

TEST(RecordJson, BytesThatAreNotUtf8DoNotStopIt) {
  Record record = test::uncompiled_record("");
  record.log = "bad \xff byte";
  EXPECT_EQ(Json::parse(record_to_json(record))["log"], "bad \xef\xbf\xbd byte");
}

/// The schema is checked by a validator of its own making, where there is one.
TEST(RecordJson, AgreesWithTheSchema) {
  const auto processes = make_process_runner();
  if (!processes->run({"python3", {"-c", "import jsonschema"}, "", ""}).ok()) {
    GTEST_SKIP() << "python3-jsonschema is not installed";
  }
  Record strange = test::wrong_record("strange");
  strange.checks.back().worst_value = std::numeric_limits<double>::quiet_NaN();
  std::string lines;
  for (const Record& record :
       {test::ok_record("a", 0.001), test::wrong_record("b"), test::uncompiled_record("c"), strange}) {
    lines += record_to_json(record) + "\n";
  }
  const std::string script =
      "import json, sys, jsonschema\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft7Validator.check_schema(schema)\n"
      "for line in sys.stdin: jsonschema.Draft7Validator(schema).validate(json.loads(line))\n"
      "broken = json.loads(line); broken['status'] = 'fine'\n"
      "assert not jsonschema.Draft7Validator(schema).is_valid(broken)\n";
  const auto schema = std::filesystem::path(KILN_SOURCE_DIR) / "schemas" / "record.schema.json";
  const ProcessResult result = processes->run({"python3", {"-c", script, schema.string()}, lines, ""});
  EXPECT_TRUE(result.ok()) << result.error;
}

}  // namespace
}  // namespace kiln
