#include "job/host_fill.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "compile/portable/portable.h"
#include "workload/scalar_dispatch.h"
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
    const T value = static_cast<T>(value_at(first + i));
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
}

void poison(const BufferLayout& layout, std::span<std::byte> out) {
  if (!layout.scalar) {
    std::memset(out.data(), 0xff, out.size());
    return;
  }
  visit_scalar(*layout.scalar, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
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

void copy_binary(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                 const std::string& path, const std::string& content, std::span<std::byte> out) {
  const Variables extra{{"file_bytes", static_cast<double>(content.size())}};
  const auto whole = [&](const std::optional<ExpressionText>& text, std::uint64_t otherwise) {
    return text ? static_cast<std::uint64_t>(
                      configuration.evaluate_integer(*text, 0, std::int64_t{1} << 50, extra))
                : otherwise;
  };
  const std::uint64_t offset = whole(source.offset, 0);
  const std::uint64_t rows = source.row_pitch ? layout.shape.front() : 1;
  const std::uint64_t row_bytes = layout.bytes / rows;
  const std::uint64_t pitch = whole(source.row_pitch, row_bytes);
  const std::uint64_t needed = offset + (rows - 1) * pitch + row_bytes;
  const bool exact = !source.partial && !source.row_pitch;
  if (content.size() < needed || (exact && content.size() != needed)) {
    throw bad_input("holds " + std::to_string(content.size()) + " bytes; buffer '" + layout.spec->name +
                        "' needs " + (exact ? "exactly " : "at least ") + std::to_string(needed),
                    {path, 0, 0});
  }
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::memcpy(out.data() + row * row_bytes, content.data() + offset + row * pitch, row_bytes);
  }
}

void read_numbers(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                  const std::string& path, const std::string& content, std::span<std::byte> out) {
  NumberReader reader(content, path);
  const auto missing = [&](std::uint64_t found) {
    return bad_input("ends after " + std::to_string(found) + " of the " + std::to_string(layout.count) +
                         " numbers that buffer '" + layout.spec->name + "' needs",
                     reader.where());
  };
  const std::int64_t skip =
      source.skip ? configuration.evaluate_integer(*source.skip, 0, std::int64_t{1} << 40) : 0;
  for (std::int64_t i = 0; i < skip; ++i) {
    if (!reader.next()) throw missing(0);
  }
  visit_scalar(layout.scalar.value(), [&]<class T>() {
    generate<T>(out, 0, [&](std::uint64_t i) {
      const auto number = reader.next();
      if (!number) throw missing(i);
      return *number;
    });
  });
  if (!source.partial && !reader.at_end()) {
    throw bad_input("holds more than the " + std::to_string(layout.count) + " numbers of buffer '" +
                        layout.spec->name + "'",
                    reader.where());
  }
}

template <class T>
void check_finite(const BufferLayout& layout, const std::string& path, std::span<const std::byte> data) {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::uint64_t i = 0; i < layout.count; ++i) {
      T value;
      std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
      if (!std::isfinite(value)) {
        throw bad_input("element " + layout.index_text(i) + " of buffer '" + layout.spec->name + "' is " +
                            format_number(static_cast<double>(value)) + "; inputs must be finite",
                        {path, 0, 0});
      }
    }
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
  std::size_t offset = 0;
  for (const RecordMember& member : record.members) {
    const double infinity = std::numeric_limits<double>::infinity();
    limits.push_back({member.name, member.type, offset,
                      member.min ? configuration.evaluate(*member.min) : -infinity,
                      member.max ? configuration.evaluate(*member.max) : infinity});
    offset += size_of(member.type);
  }
  return limits;
}

void check_records(const Configuration& configuration, const BufferLayout& layout, const std::string& path,
                   std::span<const std::byte> data) {
  const auto limits = limits_of(configuration, *layout.record);
  for (std::uint64_t i = 0; i < layout.count; ++i) {
    for (const MemberLimits& member : limits) {
      const std::byte* place = data.data() + i * layout.element_bytes + member.offset;
      const double value = visit_scalar(member.type, [&]<class T>() {
        T raw;
        std::memcpy(&raw, place, sizeof(T));
        return static_cast<double>(raw);
      });
      if (std::isfinite(value) && value >= member.low && value <= member.high) continue;
      const std::string limit = std::isfinite(value) ? "; expected " + format_number(member.low) + " to " +
                                                           format_number(member.high)
                                                     : "; inputs must be finite";
      throw bad_input("'" + member.name + "' of record " + layout.index_text(i) + " of buffer '" +
                          layout.spec->name + "' is " + format_number(value) + limit,
                      {path, 0, 0});
    }
  }
}

}  // namespace

void fill_generated(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init,
                    std::uint64_t first, std::span<std::byte> out) {
  if (init.kind == InitSpec::Kind::kPoison) return poison(layout, out);
  std::vector<double> numbers;
  for (const ExpressionText& text : init.numbers) numbers.push_back(configuration.evaluate(text));
  if (!layout.scalar) {
    if (init.kind != InitSpec::Kind::kConstant || numbers[0] != 0) {
      throw bad_input(
          "buffers." + layout.spec->name + ".init: records can be 0, poison, or come from a kernel or a file",
          init.where);
    }
    std::memset(out.data(), 0, out.size());
    return;
  }
  const auto seed = static_cast<std::uint64_t>(configuration.seed());
  const std::uint64_t stream = stream_of(layout.spec->name);
  visit_scalar(*layout.scalar, [&]<class T>() {
    switch (init.kind) {
      case InitSpec::Kind::kConstant:
        return generate<T>(out, first, [&](std::uint64_t) { return numbers[0]; });
      case InitSpec::Kind::kUniform:
        return generate<T>(out, first, [&](std::uint64_t i) {
          return numbers[0] + (numbers[1] - numbers[0]) * uniform01(seed, i, stream);
        });
      case InitSpec::Kind::kNormal:
        return generate<T>(
            out, first, [&](std::uint64_t i) { return numbers[0] + numbers[1] * normal01(seed, i, stream); });
      case InitSpec::Kind::kIota:
        return generate<T>(out, first,
                           [&](std::uint64_t i) { return numbers[0] + numbers[1] * static_cast<double>(i); });
      default:
        throw internal_error("not a generated buffer");
    }
  });
}

void fill_from_file(const Configuration& configuration, const BufferLayout& layout, const FileSource& source,
                    FileSystem& files, std::span<std::byte> out) {
  const std::string path = path_of(configuration, source);
  const std::string content = read_input(files, path);
  if (source.binary) {
    copy_binary(configuration, layout, source, path, content, out);
  } else if (layout.scalar) {
    read_numbers(configuration, layout, source, path, content, out);
  } else {
    throw bad_input("buffer '" + layout.spec->name + "' holds records; only binary files do",
                    source.path.where);
  }
  if (layout.record != nullptr) return check_records(configuration, layout, path, out);
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
  const std::string content = read_input(files, path);
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
