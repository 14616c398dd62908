#include "report/csv.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "record/record_fields.h"

namespace kiln {
namespace {

/// Column names in order of first appearance, and each record's fields by name.
class Sheet {
 public:
  void begin_row() { rows_.emplace_back(); }

  void field(const std::string& column, const std::string& value) {
    if (std::find(columns_.begin(), columns_.end(), column) == columns_.end()) columns_.push_back(column);
    rows_.back()[column] = value;
  }
  void field(const std::string& column, double value) { field(column, format_number(value)); }

  [[nodiscard]] std::string text() const {
    std::string text = line([](const std::string& column) { return column; });
    for (const auto& row : rows_) {
      text += line([&](const std::string& column) {
        const auto found = row.find(column);
        return found == row.end() ? std::string() : found->second;
      });
    }
    return text;
  }

 private:
  template <class FieldOf>
  [[nodiscard]] std::string line(FieldOf field_of) const {
    std::vector<std::string> fields;
    for (const std::string& column : columns_) fields.push_back(field_of(column));
    return csv_line(fields);
  }

  std::vector<std::string> columns_;
  std::vector<std::map<std::string, std::string>> rows_;
};

/// Writes the columns that the rows of record/record_fields.h name.
class ColumnWriter {
 public:
  explicit ColumnWriter(Sheet& sheet) : sheet_(sheet) {}

  template <class Value>
  void operator()(const char* /*key*/, const Value& value, FieldUse use = {}) {
    if constexpr (requires(ColumnWriter & io) { fields(io, value); }) {
      fields(*this, value);
    } else if constexpr (requires { text_of(value); }) {
      if (use.column != nullptr) sheet_.field(use.column, text_of(value));
    }
  }
  template <class Value>
  void need(const char* key, const Value& value, FieldUse use = {}) {
    (*this)(key, value, use);
  }
  void known(const char* key, const std::string& text, FieldUse use = {}) { (*this)(key, text, use); }
  template <class Write>
  void group(const char* /*key*/, Write write) {
    write(*this);
  }
  template <class Items>
  void named(const char* /*key*/, const Items& /*items*/, FieldUse /*use*/ = {}) {}

 private:
  static std::string text_of(const std::string& value) { return value; }
  static std::string text_of(bool value) { return value ? "true" : "false"; }
  static std::string text_of(double value) { return format_number(value); }
  template <std::integral Value>
  static std::string text_of(Value value) {
    return std::to_string(value);
  }
  template <HasWords Value>
  static std::string text_of(Value value) {
    return to_string(value);
  }
  template <class Value>
  static auto text_of(const std::optional<Value>& value) -> decltype(text_of(*value)) {
    return value ? text_of(*value) : std::string();
  }

  Sheet& sheet_;
};

void add_code(Sheet& sheet, const Record& record) {
  const auto units_from = [&](Origin origin) {
    const auto count = std::count_if(record.units.begin(), record.units.end(),
                                     [&](const UnitUse& unit) { return unit.origin == origin; });
    return std::to_string(count);
  };
  double compile_seconds = 0;
  double load_seconds = 0;
  for (const UnitUse& unit : record.units) {
    compile_seconds += unit.compile_seconds;
    load_seconds += unit.load_seconds;
  }
  sheet.field("compiled", units_from(Origin::kCompiled));
  sheet.field("from_disk", units_from(Origin::kDisk));
  sheet.field("from_memory", units_from(Origin::kMemory));
  sheet.field("compile_seconds", compile_seconds);
  sheet.field("load_seconds", load_seconds);
}

void add_result(Sheet& sheet, const Record& record) {
  double error = 0;
  for (const CheckResult& check : record.checks) error = std::max(error, check.max_relative_error);
  const std::optional<Summary>& step = record.step;
  sheet.field("max_relative_error", record.checks.empty() ? "" : format_number(error));
  sheet.field("samples", step ? std::to_string(step->count) : "");
  sheet.field("median_seconds", step ? format_number(step->median) : "");
  sheet.field("low_seconds", step ? format_number(step->ci_low) : "");
  sheet.field("high_seconds", step ? format_number(step->ci_high) : "");
  sheet.field("min_seconds", step ? format_number(step->min) : "");
  sheet.field("mean_seconds", step ? format_number(step->mean) : "");
  sheet.field("max_seconds", step ? format_number(step->max) : "");
  const bool clocked = record.clocks_after && record.clocks_after->compute_mhz;
  sheet.field("compute_mhz", clocked ? std::to_string(*record.clocks_after->compute_mhz) : "");
}

/// The resources that the machine code uses, as far as the back end reports them.
void add_resources(Sheet& sheet, const LaunchUse& launch) {
  const auto add = [&](const char* name, const auto& value) {
    if (value) sheet.field(launch.step + "." + name, static_cast<double>(*value));
  };
  add("registers", launch.attributes.registers);
  add("local_bytes", launch.attributes.local_bytes);
  add("static_shared_bytes", launch.attributes.static_shared_bytes);
  add("max_threads_per_block", launch.attributes.max_threads_per_block);
  add("binary_bytes", launch.attributes.binary_bytes);
  add("occupancy", launch.occupancy);
}

void add_varying(Sheet& sheet, const Record& record) {
  for (const BoundParameter& parameter : record.parameters) {
    sheet.field("param." + parameter.name, parameter.value);
    sheet.field("bind." + parameter.name, parameter.compile_time ? "compile" : "run");
  }
  for (const MetricValue& metric : record.metrics) sheet.field("metric." + metric.name, metric.value);
  for (const LaunchUse& launch : record.launches) {
    if (launch.seconds) sheet.field(launch.kernel + ".median_seconds", launch.seconds->median);
    add_resources(sheet, launch);
  }
}

}  // namespace

std::string csv_field(const std::string& value) {
  const bool formula =
      !value.empty() && std::string_view("=+-@\t\r").find(value[0]) != std::string_view::npos;
  const std::string text = (formula && !parse_real(value) ? "'" : "") + printable(value);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields, const char* end) {
  std::vector<std::string> written;
  written.reserve(fields.size());
  for (const std::string& field : fields) written.push_back(csv_field(field));
  return join(written, ",") + end;
}

std::string records_to_csv(const std::vector<Record>& records) {
  Sheet sheet;
  for (const Record& record : records) {
    sheet.begin_row();
    ColumnWriter columns(sheet);
    fields(columns, record);
    sheet.field("target", record.device.target.to_string());
    add_code(sheet, record);
    add_result(sheet, record);
    add_varying(sheet, record);
  }
  return sheet.text();
}

}  // namespace kiln
