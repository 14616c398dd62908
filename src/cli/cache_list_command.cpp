#include <algorithm>
#include <functional>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/cache_commands.h"
#include "cli/help.h"
#include "report/text_table.h"

namespace kiln {
namespace {

struct ListArguments {
  std::string sort = "age";
  bool json = false;
};

using Order = std::function<bool(const CacheEntryInfo&, const CacheEntryInfo&)>;

struct NamedOrder {
  std::string name;
  Order before;
};

/// Words from A to Z, numbers from the largest, ages from the youngest.
const std::vector<NamedOrder>& orders() {
  using Info = CacheEntryInfo;
  static const std::vector<NamedOrder> all = {
      {"age", [](const Info& a, const Info& b) { return a.created_ns > b.created_ns; }},
      {"used", [](const Info& a, const Info& b) { return a.used_ns > b.used_ns; }},
      {"size", [](const Info& a, const Info& b) { return a.bytes > b.bytes; }},
      {"hits", [](const Info& a, const Info& b) { return a.hits > b.hits; }},
      {"registers",
       [](const Info& a, const Info& b) { return a.registers.value_or(-1) > b.registers.value_or(-1); }},
      {"compiled", [](const Info& a, const Info& b) { return a.compile_seconds > b.compile_seconds; }},
      {"kernel", [](const Info& a, const Info& b) { return a.label < b.label; }},
      {"target", [](const Info& a, const Info& b) { return a.target < b.target; }},
      {"key", [](const Info& a, const Info& b) { return a.digest < b.digest; }}};
  return all;
}

std::vector<std::string> order_names() {
  std::vector<std::string> names;
  for (const NamedOrder& order : orders()) names.push_back(order.name);
  return names;
}

void sort_entries(std::vector<CacheEntryInfo>& entries, const std::string& name) {
  require_word("--sort", name, order_names());
  for (const NamedOrder& order : orders()) {
    if (order.name == name) std::stable_sort(entries.begin(), entries.end(), order.before);
  }
}

/// "3 d", "5 h", "12 min", "40 s"; "-" for a time that never was.
std::string age_text(std::int64_t then_ns, std::int64_t now_ns) {
  if (then_ns == 0) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, now_ns - then_ns) / 1'000'000'000;
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  for (const Unit unit : {Unit{86400, " d"}, Unit{3600, " h"}, Unit{60, " min"}}) {
    if (seconds >= unit.seconds) return std::to_string(seconds / unit.seconds) + unit.name;
  }
  return std::to_string(seconds) + " s";
}

std::string render_json(const std::vector<CacheEntryInfo>& entries) {
  nlohmann::json all = nlohmann::json::array();
  for (const CacheEntryInfo& entry : entries) {
    nlohmann::json one = {{"key", entry.digest},    {"kernel", entry.label},
                          {"target", entry.target}, {"compiler", entry.compiler},
                          {"bytes", entry.bytes},   {"created", to_iso8601(entry.created_ns)},
                          {"used", nullptr},        {"hits", entry.hits},
                          {"registers", nullptr},   {"compile_seconds", entry.compile_seconds}};
    if (entry.used_ns != 0) one["used"] = to_iso8601(entry.used_ns);
    if (entry.registers) one["registers"] = *entry.registers;
    all.push_back(std::move(one));
  }
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string render_table(const std::vector<CacheEntryInfo>& entries, std::int64_t now_ns,
                         const TextStyle& style) {
  constexpr std::size_t kDigestShown = 12;
  TextTable table{{{"key"},
                   {"kernel"},
                   {"target"},
                   {"compiler"},
                   {"size", true},
                   {"registers", true},
                   {"compiled in", true},
                   {"age", true},
                   {"hits", true},
                   {"last hit", true}},
                  {}};
  for (const CacheEntryInfo& entry : entries) {
    table.rows.push_back({{entry.digest.substr(0, kDigestShown), Tone::kStrong},
                          {entry.label},
                          {entry.target},
                          {entry.compiler},
                          {format_bytes(entry.bytes)},
                          {entry.registers ? std::to_string(*entry.registers) : "-"},
                          {format_seconds(entry.compile_seconds)},
                          {age_text(entry.created_ns, now_ns)},
                          {std::to_string(entry.hits)},
                          {age_text(entry.used_ns, now_ns)}});
  }
  return table.rows.empty() ? "" : render_terminal(table, style) + "\n";
}

int run(World& world, const ListArguments& arguments) {
  std::vector<CacheEntryInfo> entries = ask_cache(world, [](DiskCache& cache) { return cache.list(); });
  sort_entries(entries, arguments.sort);
  if (arguments.json) {
    world.out() << render_json(entries);
    return kExitDone;
  }
  world.out() << render_table(entries, world.clock().system_ns(), world.style())
              << entries_text(entries.size()) << ", " << format_bytes(total_bytes(entries)) << " in "
              << world.engine().cache().root().string() << "\n";
  return kExitDone;
}

}  // namespace

Subcommand add_cache_list_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand(
      "list", "Each entry: kernel, target, compiler, size, registers, age, and how often it was used");
  const auto arguments = std::make_shared<ListArguments>();
  command->add_option("--sort", arguments->sort, "One of " + join(order_names(), ", "))->type_name("COLUMN");
  command->add_flag("--json", arguments->json, "As a JSON array");
  command->footer(
      examples({"kiln cache list --sort size", "kiln cache list --json | jq '.[] | select(.hits == 0)'"}) +
      "\nHits are loads from this folder; those within a minute of a recorded one are not counted.");
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
