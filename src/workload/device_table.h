#pragma once

#include <filesystem>

#include "config/yaml_node.h"
#include "workload/workload.h"

// A table of defaults for devices that were measured, beside a workload's file: `stencil7.devices.yaml`
// beside `stencil7.yaml`. The workload's own defaults hold on every other device.
namespace kiln {

/// Where the table of a workload file is, if it has one.
[[nodiscard]] std::filesystem::path device_table_of(const std::filesystem::path& workload);
/// The workload file of a table; empty for a path that names no table.
[[nodiscard]] std::filesystem::path workload_of_device_table(const std::filesystem::path& table);

/// Adds the table's defaults to the workload's parameters. Throws bad_input for an unknown parameter (with
/// the nearest), one without a default, and a condition over anything but the device.
void add_device_table(const YamlNode& table, Workload& workload);

}  // namespace kiln
