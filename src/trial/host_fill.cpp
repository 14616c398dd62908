#include "trial/host_fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/checked_size.h"
#include "base/gzip.h"
#include "base/input_file.h"
#include "base/text.h"
#include "compile/portable/portable.h"
#include "config/scalar_dispatch.h"
#include "service/task_threads.h"
#include "trial/file_formats.h"
#include "trial/init_values.h"
#include "workload/text_numbers.h"

namespace kiln {
namespace {

/// A stream number for the generator: FNV-1a of the buffer's name, so that two buffers differ.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

template <class T, class Function>
void generate(std::span<std::byte> out, std::uint64_t first, Function value_at) {
  const std::size_t count = out.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    const T value = value_at(first + i);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

void poison(const BufferLayout& layout, std::span<std::byte> out) {
  if (!layout.scalar) {
    std::memset(out.data(), 0xff, out.size());
    return;
  }
  visit_scalar(*layout.scalar, [&]<class T>() {
    if constexpr (kIsRealType<T>) {
      generate<T>(out, 0, [](std::uint64_t) { return std::numeric_limits<T>::quiet_NaN(); });
    } else {
      std::memset(out.data(), 0xa5, out.size());
    }
  });
}

std::string path_of(const Configuration& configuration, const FileSource& source) {
  const auto path = configuration.expand_path(source.path.text, source.path.where);
  if (!path)
    throw bad_input(source.path.key + ": '" + source.path.text + "' needs a path that is not set",
                    source.path.where);
  return *path;
}

/// The bytes of a buffer in its file: rows of `row_bytes`, one each `pitch`.
struct FilePart {
  std::uint64_t offset, rows, row_bytes, pitch;
};

FilePart part_of(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                 const std::string& path, std::uint64_t file_bytes) {
  const Variables extra{{"file_bytes", static_cast<double>(file_bytes)}};
  const auto whole = [&](const std::optional<ExpressionText>& text, std::uint64_t otherwise) {
    return text ? static_cast<std::uint64_t>(
                      configuration.evaluate_integer(*text, 0, std::int64_t{1} << 50, extra))
                : otherwise;
  };
  FilePart part{whole(source.offset, 0), source.row_pitch ? layout.shape.front() : 1, 0, 0};
  part.row_bytes = layout.bytes / part.rows;
  part.pitch = whole(source.row_pitch, part.row_bytes);
  const auto needed = (CheckedSize(part.rows - 1) * part.pitch + part.offset + part.row_bytes).value();
  const bool exact = !source.partial && !source.row_pitch;
  if (needed && (exact ? file_bytes == *needed : file_bytes >= *needed)) return part;
  throw bad_input(
      "holds " + std::to_string(file_bytes) + " bytes; buffer '" + layout.spec->name + "' needs " +
          (needed ? (exact ? "exactly " : "at least ") + std::to_string(*needed) : "more than 2^64"),
      {path, 0, 0});
}

std::string read_part(FileSystem& files, const std::string& path, std::uint64_t offset, std::uint64_t bytes) {
  std::string part = files.read(path, {offset, bytes}).value_or("");
  if (part.size() == bytes) return part;
  throw bad_input("became shorter while it was read", {path, 0, 0});
}

void copy_binary(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                 const std::string& path, FileSystem& files, std::span<std::byte> out) {
  constexpr std::uint64_t kChunk = std::uint64_t{16} << 20;
  constexpr std::uint64_t kBeginning = 4096;
  const std::uint64_t file_bytes = input_status(files, path).size;
  if (!source.offset) {
    const std::string beginning = files.read(path, {0, kBeginning}).value_or("");
    if (numpy_data_offset(beginning)) throw bad_input(numpy_advice(beginning), {path, 0, 0});
  }
  const FilePart part = part_of(configuration, layout, source, path, file_bytes);
  if (part.rows == 1 || part.pitch == part.row_bytes) {
    for (std::uint64_t done = 0; done < layout.bytes;) {
      const std::string chunk =
          read_part(files, path, part.offset + done, std::min(kChunk, layout.bytes - done));
      std::memcpy(out.data() + done, chunk.data(), chunk.size());
      done += chunk.size();
    }
    return;
  }
  // Rows that lie close together are read at once, with what lies between them.
  const std::uint64_t together = std::max<std::uint64_t>(1, kChunk / std::max(part.pitch, part.row_bytes));
  for (std::uint64_t row = 0; row < part.rows; row += together) {
    const std::uint64_t count = std::min(together, part.rows - row);
    const std::string chunk =
        read_part(files, path, part.offset + row * part.pitch, (count - 1) * part.pitch + part.row_bytes);
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(out.data() + (row + i) * part.row_bytes, chunk.data() + i * part.pitch, part.row_bytes);
  }
}

/// Before a large file is read that cannot be what the workload says.
void require_text(const std::string& path, FileSystem& files, const std::string& for_binary) {
  constexpr std::uint64_t kBeginning = 4096;
  if (input_status(files, path).size <= kBeginning) return;
  const std::string beginning = files.read(path, {0, kBeginning}).value_or("");
  if (is_gzip(beginning)) return;
  if (numpy_data_offset(beginning)) throw bad_input(numpy_advice(beginning), {path, 0, 0});
  if (beginning.find('\0') != std::string::npos)
    static_cast<void>(NumberReader(beginning.substr(beginning.find('\0')), path, for_binary).next());
}

void read_numbers(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                  const std::string& path, FileSystem& files, std::span<std::byte> out) {
  const std::string for_binary = "; for elements in binary say `format: binary`";
  require_text(path, files, for_binary);
  const std::string content = read_input(files, path, kDataInput);
  NumberReader reader(content, path, for_binary);
  const auto missing = [&](std::uint64_t found) {
    return bad_input("ends after " + std::to_string(found) + " of the " + std::to_string(layout.count) +
                         " numbers that buffer '" + layout.spec->name + "' needs",
                     reader.where());
  };
  const std::int64_t skip =
      source.skip ? configuration.evaluate_integer(*source.skip, 0, std::int64_t{1} << 40) : 0;
  for (std::int64_t i = 0; i < skip; ++i) {
    if (!reader.next_word()) throw missing(0);
  }
  visit_element(layout.scalar.value(), [&]<class T>() {
    generate<T>(out, 0, [&](std::uint64_t i) {
      const auto word = reader.next_word();
      if (!word) throw missing(i);
      if (const auto element = to_element<T>(*word)) return *element;
      throw bad_input("'" + std::string(*word) + "' is no element of buffer '" + layout.spec->name +
                          "'; expected " + expected_element(*layout.scalar) + " (" +
                          to_string(*layout.scalar) + ")",
                      reader.where_word());
    });
  });
  if (!source.partial && !reader.at_end()) {
    throw bad_input("holds more than the " + std::to_string(layout.count) + " numbers of buffer '" +
                        layout.spec->name + "'",
                    reader.where());
  }
}

constexpr const char* kInfinite =
    "; inputs must be finite, or the file's `finite: false` says that they need not";

template <class T>
void check_finite(const BufferLayout& layout, const std::string& path, std::span<const std::byte> data) {
  if constexpr (kIsRealType<T>) {
    constexpr std::uint64_t kTask = std::uint64_t{1} << 16;  // elements
    for_each_task(static_cast<std::size_t>((layout.count + kTask - 1) / kTask), [&](std::size_t task) {
      for (std::uint64_t i = task * kTask; i < std::min((task + 1) * kTask, layout.count); ++i) {
        T value;
        std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
        if (std::isfinite(value)) continue;
        throw bad_input("element " + layout.index_text(i) + " of buffer '" + layout.spec->name + "' is " +
                            format_number(static_cast<double>(value)) + kInfinite,
                        {path, 0, 0});
      }
    });
  }
}

/// A member's limits in one configuration.
struct MemberLimits {
  std::string name;
  ScalarType type;
  std::size_t offset;
  double low, high;
};

std::vector<MemberLimits> limits_of(const Configuration& configuration, const RecordType& record) {
  std::vector<MemberLimits> limits;
  for (const RecordMember& member : record.members) {
    const double infinity = std::numeric_limits<double>::infinity();
    limits.push_back({member.name, member.type, member.offset,
                      member.min ? configuration.evaluate(*member.min) : -infinity,
                      member.max ? configuration.evaluate(*member.max) : infinity});
  }
  return limits;
}

void check_records(const Configuration& configuration, const BufferLayout& layout, const std::string& path,
                   bool finite, std::span<const std::byte> data) {
  const auto limits = limits_of(configuration, *layout.record);
  for (std::uint64_t i = 0; i < layout.count; ++i) {
    for (const MemberLimits& member : limits) {
      const std::byte* place = data.data() + i * layout.element_bytes + member.offset;
      const double value = visit_scalar(member.type, [&]<class T>() {
        T raw;
        std::memcpy(&raw, place, sizeof(T));
        return static_cast<double>(raw);
      });
      const bool limited = value >= member.low && value <= member.high;
      if (std::isfinite(value) ? limited : !finite && (limited || std::isnan(value))) continue;
      const std::string limit = std::isfinite(value) || !finite ? "; expected " + format_number(member.low) +
                                                                      " to " + format_number(member.high)
                                                                : kInfinite;
      throw bad_input("'" + member.name + "' of record " + layout.index_text(i) + " of buffer '" +
                          layout.spec->name + "' is " + format_number(value) + limit,
                      {path, 0, 0});
    }
  }
}

}  // namespace

void fill_generated(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init,
                    std::uint64_t first, std::span<std::byte> out, const AddressOf& address_of) {
  if (init.kind == InitSpec::Kind::kPoison) return poison(layout, out);
  if (init.kind == InitSpec::Kind::kMembers) {
    const std::vector<std::byte> element = record_element(configuration, layout, init, address_of);
    for (auto place = out.begin(); place != out.end(); place += static_cast<std::ptrdiff_t>(element.size()))
      std::copy(element.begin(), element.end(), place);
    return;
  }
  if (!layout.scalar) {
    if (init.kind != InitSpec::Kind::kConstant || configuration.evaluate(init.numbers[0]) != 0) {
      throw bad_input("buffers." + layout.spec->name +
                          ".init: records can be 0, poison, `members`, or come from a kernel or a file",
                      init.where);
    }
    std::memset(out.data(), 0, out.size());
    return;
  }
  const auto seed = static_cast<std::uint64_t>(configuration.seed());
  const std::uint64_t stream = stream_of(starting_buffer(configuration, *layout.spec).name);
  require_init_fits(configuration, layout, init);
  if (init.kind == InitSpec::Kind::kAddresses) {
    return generate<const void*>(out, first, [&](std::uint64_t i) -> const void* {
      const std::string& name = init.addresses.at(static_cast<std::size_t>(i)).text;
      return name.empty() ? nullptr : address_of(name);
    });
  }
  if (init.kind == InitSpec::Kind::kConstant) {
    visit_element(*layout.scalar, [&]<class T>() {
      const T value = constant_element<T>(configuration, *layout.scalar, init.numbers.front());
      generate<T>(out, first, [&](std::uint64_t) { return value; });
    });
    return;
  }
  const double a = configuration.evaluate(init.numbers.at(0));
  const double b = configuration.evaluate(init.numbers.at(1));
  visit_element(*layout.scalar, [&]<class T>() {
    switch (init.kind) {
      case InitSpec::Kind::kUniform:
        return generate<T>(out, first, [&](std::uint64_t i) {
          return cut_to_element<T>(a + (b - a) * uniform01(seed, i, stream));
        });
      case InitSpec::Kind::kNormal:
        return generate<T>(out, first, [&](std::uint64_t i) {
          return cut_to_element<T>(a + b * normal01(seed, i, stream));
        });
      case InitSpec::Kind::kIota:
        return generate<T>(
            out, first, [&](std::uint64_t i) { return cut_to_element<T>(a + b * static_cast<double>(i)); });
      default:
        throw internal_error("not a generated buffer");
    }
  });
}

void fill_from_file(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                    FileSystem& files, std::span<std::byte> out) {
  const std::string path = path_of(configuration, source);
  if (!layout.scalar && source.format != FileFormat::kBinary) {
    throw bad_input("buffer '" + layout.spec->name +
                        "' holds records, which only a binary file can hold: say `format: binary`",
                    source.path.where);
  }
  switch (source.format) {
    case FileFormat::kBinary:
      copy_binary(configuration, layout, source, path, files, out);
      break;
    case FileFormat::kText:
      read_numbers(configuration, layout, source, path, files, out);
      break;
    case FileFormat::kNpy:
      fill_from_npy(layout, path, files, out);
      break;
    case FileFormat::kCsv:
      fill_from_csv(layout, source.column, source.partial, path, files, out);
      break;
    case FileFormat::kKeys:
      fill_from_keys(layout, source, key_words_of(configuration.workload(), source.path.text), path, files,
                     out);
      break;
    case FileFormat::kMatrixMarket:
      fill_from_matrix(layout, *configuration.workload().inputs->matrix(files, path), source.part, out);
      break;
  }
  if (layout.record != nullptr) return check_records(configuration, layout, path, source.finite, out);
  if (!source.finite) return;
  visit_scalar(*layout.scalar, [&]<class T>() { check_finite<T>(layout, path, out); });
}

bool file_is_there(const Configuration& configuration, const FileSource& source, FileSystem& files) {
  const auto path = configuration.expand_path(source.path.text, source.path.where);
  if (path && files.status(*path)) return true;
  if (source.optional) return false;
  throw bad_input("no such file", {path.value_or(source.path.text), 0, 0});
}

std::optional<double> number_from_file(const Configuration& configuration, const FileSource& source,
                                       FileSystem& files) {
  if (!file_is_there(configuration, source, files)) return std::nullopt;
  const std::string path = path_of(configuration, source);
  const std::string content = read_input(files, path, kDataInput);
  std::size_t begin = 0;
  if (!source.after.empty()) {
    begin = content.find(source.after);
    if (begin == std::string::npos) {
      if (source.optional) return std::nullopt;
      throw bad_input("does not contain '" + source.after + "'", {path, 0, 0});
    }
    begin += source.after.size();
  }
  NumberReader reader(std::string_view(content).substr(begin), path);
  const std::int64_t skip =
      source.skip ? configuration.evaluate_integer(*source.skip, 0, std::int64_t{1} << 40) : 0;
  for (std::int64_t i = 0; i < skip; ++i) {
    if (!reader.next()) break;
  }
  const auto number = reader.next();
  if (!number && !source.optional) throw bad_input("has no number where one is expected", reader.where());
  return number;
}

}  // namespace kiln
