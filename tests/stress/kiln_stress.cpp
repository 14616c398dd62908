// Puts the cache and the service under load and faults, and prints a Markdown table of what happened. Bounded
// in count and time. Exits with 1 if a row fails.
#include <filesystem>
#include <functional>
#include <iostream>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "kiln/error.h"
#include "stress.h"

namespace kiln::stress {
namespace {

struct Part {
  std::string name;
  std::function<Rows(const Options&)> run;
};

const std::vector<Part>& all_parts() {
  static const std::vector<Part> parts = {
      {"kill", kill_writers}, {"herd", herd},           {"damage", damage},        {"faults", faults},
      {"bundles", bundles},   {"compilers", compilers}, {"throughput", throughput}};
  return parts;
}

std::string word(Row::Verdict verdict) {
  switch (verdict) {
    case Row::Verdict::kHolds:
      return "holds";
    case Row::Verdict::kFails:
      return "**fails**";
    case Row::Verdict::kSkipped:
      return "skipped";
    case Row::Verdict::kFigure:
      return "figure";
  }
  return "";
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Part& part : all_parts()) names.push_back(part.name);
  return names;
}

int run(const Options& options, std::vector<std::string> wanted) {
  if (wanted.empty()) wanted = part_names();
  bool failed = false;
  std::cout << "| what | outcome | |\n| --- | --- | --- |" << std::endl;
  for (const std::string& name : wanted) {
    for (const Part& part : all_parts()) {
      if (part.name != name) continue;
      for (const Row& row : part.run(options)) {
        std::cout << "| " << row.what << " | " << row.outcome << " | " << word(row.verdict) << " |"
                  << std::endl;
        failed = failed || row.verdict == Row::Verdict::kFails;
      }
    }
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace kiln::stress

int main(int argc, char** argv) {
  using namespace kiln;
  CLI::App app{"The cache and the service of Kiln under load and faults"};
  stress::Options options;
  std::string folder =
      std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  std::vector<std::string> parts;
  app.add_flag("--quick", options.quick, "A short version of each part");
  app.add_option("--folder", folder, "Where caches are made, default /dev/shm");
  app.add_option("PART", parts, "Parts to run; default all")->check(CLI::IsMember(stress::part_names()));
  CLI11_PARSE(app, argc, argv);
  options.folder = folder;
  try {
    return stress::run(options, parts);
  } catch (const std::exception& error) {
    std::cerr << "kiln_stress: " << error.what() << "\n";
    return 1;
  }
}
