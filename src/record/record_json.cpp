#include "record/record_json.h"

#include "record/record_fields.h"

namespace kiln {

std::string record_to_json(const Record& record) {
  JsonWriter writer;
  writer("format", kRecordFormat);
  fields(writer, record);
  return json_line(std::move(writer));
}

Record record_from_json(const std::string& line, const std::string& file, int line_number) {
  Record record;
  read_json(line, file, line_number, [&](const JsonNode& node) {
    if (const JsonNode format = node.at("format"); format.integer() != kRecordFormat)
      throw format.expected("format " + std::to_string(kRecordFormat) + " of Kiln's records");
    JsonReader reader(node);
    fields(reader, record);
  });
  return record;
}

std::string variant_identity(const Record& record) {
  JsonWriter writer(true);
  fields(writer, record);
  return json_line(std::move(writer));
}

}  // namespace kiln
