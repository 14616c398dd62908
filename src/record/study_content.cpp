#include "record/study_content.h"

#include <algorithm>

#include "record/json_node.h"
#include "record/record_json.h"
#include "record/study_fields.h"

namespace kiln {
namespace {

/// A line of that kind with the rows of its own.
template <class Write>
std::string line_of(const char* kind, Write write) {
  JsonWriter writer;
  writer("kind", kind);
  write(writer);
  return json_line(std::move(writer));
}

void require_values(const JsonNode& node, const char* key, const std::vector<double>& values) {
  if (values.empty()) throw node.at(key).expected("at least one number");
}

template <class Line>
Line read(const JsonNode& node) {
  Line line;
  JsonReader reader(node);
  fields(reader, line);
  return line;
}

class ContentReader {
 public:
  explicit ContentReader(StudyContent& content) : content_(content) {}

  void read_line(const JsonNode& node) {
    const std::string kind = node.at("kind").text();
    if (kind == "study") {
      read_header(node);
    } else if (!begun_) {
      throw node.at("kind").expected("study, as the first line's");
    } else if (kind == "case") {
      read_case(node);
    } else if (kind == "visit") {
      read_visit(node);
    } else if (kind == "result") {
      read_result(node);
    } else {
      throw node.at("kind").expected("study, case, visit or result");
    }
  }

 private:
  void read_header(const JsonNode& node) {
    if (const JsonNode format = node.at("format"); format.integer() != kStudyFormat)
      throw format.expected("format " + std::to_string(kStudyFormat) + " of Kiln's studies");
    begun_ = true;
    content_.header = read<StudyHeader>(node);
  }

  void read_case(const JsonNode& node) {
    CaseLine line = read<CaseLine>(node);
    if (line.costs) {
      const JsonNode costs = node.at("costs");
      require_values(costs, "compile_seconds", line.costs->compile_seconds);
      require_values(costs, "load_seconds", line.costs->load_seconds);
      require_values(costs, "disk_seconds", line.costs->disk_seconds);
      for (const auto& [way, times] : line.costs->first)
        require_values(costs.at("first_results").at(to_string(way)), "seconds", times.seconds);
    }
    StudyContent::Block& block = content_.blocks[{line.section, line.device}];
    block.device_name = node.at("record").at("device").at("name").text();
    block.cases[line.which.name] = std::move(line.costs);
  }

  void read_visit(const JsonNode& node) {
    VisitLine line = read<VisitLine>(node);
    require_values(node, "seconds", line.visit.seconds);
    content_.blocks[{line.section, line.device}].visits[line.name][line.round] = std::move(line.visit);
  }

  void read_result(const JsonNode& node) {
    StudyResult result = read<StudyResult>(node);
    const auto& sections = content_.header.sections;
    if (std::none_of(sections.begin(), sections.end(),
                     [&](const auto& known) { return known.name == result.section; }))
      throw node.at("section").expected("a section that the first line names");
    StudyContent::Block& block = content_.blocks[{result.section, result.device}];
    for (std::size_t i = 0; i < result.cases.size(); ++i) {
      if (!block.cases.contains(result.cases[i].name))
        throw node.at("cases").items()[i].at("case").expected("a case that a line above describes");
    }
    for (std::size_t i = 0; i < result.amortisation.size(); ++i) {
      const Amortisation& flavour = result.amortisation[i];
      for (std::size_t k = 0; k < flavour.curves.size(); ++k) {
        if (flavour.curves[k].seconds.size() == flavour.launches.size()) continue;
        throw node.at("amortisation")
            .items()[i]
            .at("curves")
            .items()[k]
            .at("seconds")
            .expected("a number for each of `launches`");
      }
    }
    block.result = std::move(result);
  }

  bool begun_ = false;
  StudyContent& content_;
};

}  // namespace

std::string study_line(const StudyHeader& header) {
  return line_of("study", [&](JsonWriter& writer) {
    writer("format", kStudyFormat);
    fields(writer, header);
  });
}

std::string study_line(const CaseLine& line, const Record& record) {
  return line_of("case", [&](JsonWriter& writer) {
    fields(writer, line);
    writer.group("record", [&](JsonWriter& inner) {
      inner("format", kRecordFormat);
      fields(inner, record);
    });
  });
}

std::string study_line(const VisitLine& line) {
  return line_of("visit", [&](JsonWriter& writer) { fields(writer, line); });
}

std::string study_line(const StudyResult& result) {
  return line_of("result", [&](JsonWriter& writer) { fields(writer, result); });
}

StudyContent study_content(JsonLines lines, const std::string& file) {
  StudyContent content;
  ContentReader reader(content);
  for (const JsonLines::Line& line : lines.lines)
    read_json(line.text, file, line.number, [&](const JsonNode& node) { reader.read_line(node); });
  content.notes = std::move(lines.notes);
  return content;
}

}  // namespace kiln
