#pragma once

#include <string>

#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// One member of `types`.
[[nodiscard]] RecordType read_type(const std::string& name, const YamlNode& node,
                                   const std::vector<RecordType>& earlier);

/// The value of `file:` in a buffer's init and in a check.
[[nodiscard]] FileSource read_file_source(const YamlNode& node);

/// Throws bad_input where `column` stands beside another format than CSV, or is missing there.
void require_column(const YamlNode& node, FileFormat format);

/// One member of `buffers`.
[[nodiscard]] BufferSpec read_buffer(const std::string& name, const YamlNode& node);

}  // namespace kiln
