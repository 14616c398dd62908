#include "cli/run_cli.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "config/setting_rows.h"
#include "record/record_json.h"
#include "record/sample_records.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RunCli : public test::CliTest {};

const std::vector<std::string> kCommands = {"run",      "validate",   "devices", "workloads",
                                            "compile",  "cache",      "report",  "roofline",
                                            "settings", "completion", "man"};

TEST_F(RunCli, WithoutACommandShowsTheHelpAndIsAMistake) {
  const CliResult result = kiln({});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("Usage: kiln COMMAND"));
}

TEST_F(RunCli, HelpNamesEveryCommandAndSetting) {
  const CliResult result = kiln({"--help"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.err, IsEmpty());
  for (const std::string& command : kCommands) EXPECT_THAT(result.out, HasSubstr("\n  " + command + " "));
  for (const SettingRow& row : setting_rows()) {
    EXPECT_THAT(result.out, HasSubstr(row.option));
  }
}

TEST_F(RunCli, EveryCommandsHelpTeachesByTwoToFourExamples) {
  for (const std::string& command : kCommands) {
    const CliResult result = kiln({command, "--help"});
    EXPECT_EQ(result.code, kExitDone);
    const std::size_t foot = result.out.find("Examples:\n");
    ASSERT_NE(foot, std::string::npos) << command;
    std::size_t examples = 0;
    for (const std::string& line : split(result.out.substr(foot), '\n')) {
      if (line.starts_with("  ") && line.find("kiln") != std::string::npos) ++examples;
    }
    EXPECT_GE(examples, 2U) << command;
    EXPECT_LE(examples, 4U) << command;
  }
}

TEST_F(RunCli, VersionSaysWhatWasBuiltAndNoDate) {
  const CliResult result = kiln({"--version"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.out, StartsWith("kiln "));
  for (const char* fact : {"revision", "compiler", "build type"}) EXPECT_THAT(result.out, HasSubstr(fact));
}

TEST_F(RunCli, UnknownWordsSuggestTheNearest) {
  EXPECT_EQ(kiln({"rnu"}).err, "kiln: error: 'rnu' is not a command; did you mean 'run'?\n");
  EXPECT_EQ(kiln({"rnu"}).code, kExitBadInput);
  EXPECT_EQ(kiln({"cache", "lst"}).err,
            "kiln: error: 'lst' is not a command of 'kiln cache'; did you mean 'list'?\n");
  const CliResult option = kiln({"run", "--devcie", "cpu", "job.yaml"});
  EXPECT_EQ(option.code, kExitBadInput);
  EXPECT_EQ(option.err, "kiln: error: '--devcie' is not an option of 'kiln run'; did you mean '--device'?\n");
  EXPECT_THAT(kiln({"cache", "gc", "--json"}).err, HasSubstr("'--json' is not an option of 'kiln cache gc'"));
  EXPECT_THAT(kiln({"frobnicate"}).err, HasSubstr("expected one of run, new, validate"));
}

TEST_F(RunCli, WordsTooManyOrMissing) {
  EXPECT_THAT(kiln({"devices", "cpu"}).err, HasSubstr("'cpu' is one argument too many of 'kiln devices'"));
  EXPECT_THAT(kiln({"run"}).err, HasSubstr("a job file is missing"));
  EXPECT_THAT(kiln({"run", "a.yaml", "b.yaml"}).err,
              HasSubstr("each of several jobs must be a file; found 'a.yaml'"));
  const std::string job = write("a.yaml", "workload: stencil7\n");
  EXPECT_THAT(kiln({"run", job, job, "--ranks", "mpi"}).err,
              HasSubstr("ranks of MPI cannot share several jobs or a batch; start them for each job"));
  EXPECT_THAT(kiln({"study", "a.yaml", "--ranks", "mpj"}).err, HasSubstr("did you mean 'mpi'?"));
  EXPECT_THAT(kiln({"run", "a.yaml", "nx=3"}).err, HasSubstr("did you mean --set nx=3?"));
  EXPECT_THAT(kiln({"cache"}).err, HasSubstr("list, explain, stats, verify, gc, pack, unpack, clear"));
  EXPECT_THAT(kiln({"validate"}).err, HasSubstr("a file is missing"));
  EXPECT_THAT(kiln({"completion"}).err, HasSubstr("name the shell: bash, zsh, fish"));
  EXPECT_EQ(kiln({"run", "--output"}).code, kExitBadInput);
}

TEST_F(RunCli, SettingsShowWhereEachValueCameFrom) {
  const std::string file = write("my.yaml", "cpu_threads: 3\n");
  const CliResult result = kiln({"settings", "--settings", file, "--log-level", "info"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.out, HasSubstr("command line --log-level"));
  EXPECT_THAT(result.out, HasSubstr("my.yaml:1:14"));
  EXPECT_THAT(result.out, HasSubstr("command line --cache-dir"));
  EXPECT_EQ(kiln({"settings", "--format", "markdown"}).out, settings_page());
}

TEST_F(RunCli, ABadSettingIsBadInput) {
  const CliResult result = kiln({"settings", "--cpu-threads", "many"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_EQ(result.err, "kiln: error: --cpu-threads: 'many' is not a whole number of at least 0\n");
  EXPECT_EQ(kiln({"devices", "--settings", path("none.yaml")}).code, kExitBadInput);
}

TEST_F(RunCli, AnEmptyCacheIsListedCheckedAndCleared) {
  for (const char* action : {"list", "stats", "verify", "gc", "clear"}) {
    const CliResult result = kiln({"cache", action});
    EXPECT_EQ(result.code, kExitDone) << action << result.err;
    EXPECT_THAT(result.out, HasSubstr("0")) << action;
  }
  EXPECT_THAT(kiln({"cache", "stats", "--cache", "off"}).out, HasSubstr("no: the setting 'cache' is off"));
}

TEST_F(RunCli, CompletionScriptsParseAndKnowEveryCommand) {
  const auto processes = make_process_runner();
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CliResult result = kiln({"completion", shell});
    EXPECT_EQ(result.code, kExitDone);
    for (const std::string& command : kCommands) EXPECT_THAT(result.out, HasSubstr(command)) << shell;
    if (!processes->find_program(shell)) continue;
    const ProcessResult parsed = processes->run({shell, {"-n", write("script", result.out)}, "", ""});
    EXPECT_TRUE(parsed.ok()) << shell << ": " << parsed.error;
  }
  EXPECT_THAT(kiln({"completion", "bsh"}).err, HasSubstr("did you mean 'bash'?"));
}

TEST_F(RunCli, ManualPagesHaveWhatTheHelpHas) {
  const std::string page = kiln({"man"}).out;
  EXPECT_THAT(page, StartsWith(".TH \"KILN\" \"1\""));
  for (const std::string& command : kCommands)
    EXPECT_THAT(page, HasSubstr("\\fBkiln\\-" + command + "\\fR(1)"));
  for (const SettingRow& row : setting_rows()) {
    std::string option = row.option;
    for (std::size_t at = 0; (at = option.find('-', at)) != std::string::npos; at += 2)
      option.insert(at, "\\");
    EXPECT_THAT(page, HasSubstr(option));
  }
  const std::string cache = kiln({"man", "cache"}).out;
  EXPECT_THAT(cache, HasSubstr(".SS \"kiln cache gc\"\n"));
  EXPECT_THAT(cache, HasSubstr("\n\\fB\\-\\-max\\-size\\fR"));
  EXPECT_THAT(cache, HasSubstr(".SH \"EXIT STATUS\"\n"));
  EXPECT_THAT(kiln({"man", "rum"}).err, HasSubstr("did you mean 'run'?"));
  EXPECT_EQ(kiln({"man", "run", "--output", path("man")}).code, kExitBadInput);
}

TEST_F(RunCli, ManualPagesAreWrittenIntoAFolderAndReadWithoutAWarning) {
  const CliResult result = kiln({"man", "--output", path("man")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  const auto processes = make_process_runner();
  for (const std::string& command : kCommands) {
    const std::string file = path("man/kiln-" + command + ".1");
    ASSERT_TRUE(std::filesystem::exists(file)) << file;
    if (!processes->find_program("groff")) continue;
    const ProcessResult read = processes->run({"groff", {"-man", "-Tutf8", "-P-cbou", "-ww", file}, "", ""});
    EXPECT_TRUE(read.ok()) << read.error;
    EXPECT_EQ(read.error, "") << file;
    EXPECT_THAT(read.output, HasSubstr("EXIT STATUS"));
  }
}

TEST_F(RunCli, BashCompletesCommandsOptionsAndTheirWords) {
  const auto processes = make_process_runner();
  if (!processes->find_program("bash")) GTEST_SKIP() << "bash is not installed";
  const std::string script = write("script", kiln({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words) {
    const std::string commands = "source " + script + "; COMP_WORDS=(" + words +
                                 "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _kiln; echo \"${COMPREPLY[@]}\"";
    return std::string(trim(processes->run({"bash", {"-c", commands}, "", ""}).output));
  };
  EXPECT_EQ(complete("kiln ru"), "run");
  EXPECT_EQ(complete("kiln cache cl"), "clear");
  EXPECT_EQ(complete("kiln cache gc --max-s"), "--max-size");
  EXPECT_EQ(complete("kiln run --dry"), "--dry-run");
  EXPECT_EQ(complete("kiln run x.yaml --format ma"), "markdown");
  EXPECT_EQ(complete("kiln settings --log-level de"), "debug");
}

/// Bytes that a terminal would obey; except line ends and tabs.
std::string control_bytes(const std::string& text) {
  std::string found;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7f) found += c;
  }
  return found;
}

TEST_F(RunCli, WhatFilesHoldDoesNotControlTheTerminal) {
  write("evil/evil.yaml",
        "workload: evil\nsummary: \"s\\e[2J\\e]0;own\\a\"\ndescription: \"two\\nlines \\e[31mred\"\n"
        "parameters:\n  n: {type: int, default: 8, help: \"h\\e[1m\"}\n"
        "  w: {type: choice, default: \"a\", values: [\"a\"], help: \"\\x9b\"}\n"
        "buffers:\n  x: {type: float, shape: [n]}\n"
        "kernels:\n  k: {source: k.cu, grid: [1], block: [8], args: [x, params]}\nrun: [k]\n");
  write("evil/k.cu", "");
  const std::string job = write("job.yaml", "workload: \"\\e]0;own\\a\"\n");
  const std::string key = write("key.yaml", "workload: evil\n\"se\\e[1mt\\nkiln: error: forged\": {}\n");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"workloads"},
                                             {"workloads", path("evil")},
                                             {"workloads", path("evil"), "--color", "always"},
                                             {"run", job},
                                             {"run", key},
                                             {"validate", job, key},
                                             {"run", path("no\033[2Jfile")},
                                             {"run", job, "--set", "\033[31mx=1"},
                                             {"run", "--form\033at=x"},
                                             {"\033]0;own\a"}}) {
    const CliResult result = kiln(command);
    std::string out = result.out;
    for (const std::string& own : {std::string("\033[1m"), std::string("\033[2m"), std::string("\033[0m")}) {
      const bool coloured = command.back() == "always";
      for (std::size_t at = out.find(own); coloured && at != std::string::npos; at = out.find(own))
        out.erase(at, own.size());
    }
    EXPECT_EQ(control_bytes(out), "") << join(command, " ") << out;
    EXPECT_EQ(control_bytes(result.err), "") << join(command, " ");
    EXPECT_NE(result.code, kExitInternal);
  }
  EXPECT_THAT(kiln({"run", job}).err, HasSubstr("'\\x1b]0;own\\x07'"));
  EXPECT_THAT(kiln({"validate", key}).err, HasSubstr("unknown key 'se\\x1b[1mt\\nkiln: error: forged'"));
  EXPECT_THAT(kiln({"workloads", path("evil")}).out, HasSubstr("two\nlines \\x1b[31mred"));
}

TEST_F(RunCli, RecordsFromElsewhereDoNotControlTheTerminalOrThePage) {
  Record record = test::ok_record("=cmd()\033[2J<b>|`x`", 0.001);
  record.workload = "w\033]0;own\a";
  record.device.name = "\xff\xc2\x9b";
  const std::string file = write("r/records.jsonl", record_to_json(record) + "\n");
  for (const std::string format : {"table", "markdown", "csv", "json", "html"}) {
    for (const bool to_file : {false, true}) {
      std::vector<std::string> command = {"report", file, "--format", format};
      if (to_file) command.insert(command.end(), {"-o", path("out")});
      const CliResult result = kiln(command);
      std::string text = to_file ? *files_->read_file(path("out")) : result.out;
      if (format == "csv") std::erase(text, '\r');
      EXPECT_EQ(result.code, kExitDone) << result.err;
      EXPECT_EQ(control_bytes(text), "") << format;
      EXPECT_EQ(text.find('\xff'), std::string::npos);
      EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
      const bool for_browsers = format == "html" || format == "markdown";
      EXPECT_TRUE(!for_browsers || text.find("J<b>") == text.npos) << text;
    }
  }
}

}  // namespace
}  // namespace kiln
