// The settings: as a file, as an environment variable's value and as a value of the command line.
#include <string>

#include "config/setting_rows.h"
#include "config/settings.h"
#include "fuzz/fuzz_target.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string text = test::text_of(data, size);
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/home/me", false);
  files.write_file("/home/me/kiln.yaml", text, false);
  std::string variable;
  SettingsWorld world{files,
                      [&](const std::string& name) -> std::optional<std::string> {
                        if (name == "HOME") return "/home/me";
                        return name == variable ? std::optional(text) : std::nullopt;
                      },
                      "/home/me", "/usr/bin/kiln"};
  test::attempt([&] { static_cast<void>(resolve_settings(world, {})); });
  files.remove_all("/home/me/kiln.yaml");
  if (size == 0 || size > 100) return 0;
  for (const SettingRow& row : setting_rows()) {
    variable = row.variable;
    test::attempt([&] { static_cast<void>(resolve_settings(world, {})); });
    variable.clear();
    test::attempt([&] { static_cast<void>(resolve_settings(world, {"", {{row.name, text}}})); });
  }
  return 0;
}
