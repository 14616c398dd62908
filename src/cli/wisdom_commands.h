#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "wisdom/wisdom_record.h"

// The actions of `kiln wisdom`, and what they share.
namespace kiln {

[[nodiscard]] Subcommand add_wisdom_check_command(CLI::App& wisdom);
[[nodiscard]] Subcommand add_wisdom_import_command(CLI::App& wisdom);
[[nodiscard]] Subcommand add_wisdom_export_command(CLI::App& wisdom);

/// By the old name, of "block_size_x=block_x" for each; an empty new name: left out. Throws bad_input.
[[nodiscard]] std::map<std::string, std::string> name_map(const std::vector<std::string>& assignments);

/// With other names, where the map has them.
[[nodiscard]] NamedTexts renamed(const NamedTexts& values, const std::map<std::string, std::string>& names);

/// The user's file of a workload. Throws bad_input where the settings have no folder.
[[nodiscard]] std::string own_wisdom_file(World& world, const std::string& workload);

}  // namespace kiln
