#include "trial/array_compare.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/statistics.h"
#include "base/text.h"
#include "config/scalar_dispatch.h"
#include "service/task_threads.h"

namespace kiln {
namespace {

/// Arrays are read part by part, and on all cores: neither memory nor time are to limit what is checked. What
/// is summed depends on the parts, so their size does not depend on the machine.
constexpr std::uint64_t kPartElements = std::uint64_t{1} << 20;

/// Calls `visit(part, range, ranges)` for each part that the region meets, on several threads at a time, with
/// the linear indices of the part and those in it that belong to the region.
template <class Visit>
void for_each_part(const Runs& runs, const Visit& visit) {
  if (runs.count() == 0) return;
  const std::uint64_t begin = runs.run(0).begin;
  const std::uint64_t end = runs.run(runs.count() - 1).end;
  const auto parts = static_cast<std::size_t>((end - begin + kPartElements - 1) / kPartElements);
  for_each_task(parts, [&](std::size_t part) {
    const std::uint64_t first = begin + part * kPartElements;
    const Range range{first, std::min(end, first + kPartElements)};
    std::vector<Range> ranges;
    for (std::uint64_t n = runs.first_beyond(range.begin); n < runs.count(); ++n) {
      const Range run = runs.run(n);
      if (run.begin >= range.end) break;
      ranges.push_back({std::max(run.begin, range.begin), std::min(run.end, range.end)});
    }
    if (!ranges.empty()) visit(part, range, ranges);
  });
}

std::size_t parts_of(const BufferLayout& layout) {
  return static_cast<std::size_t>((layout.count + kPartElements - 1) / kPartElements);
}

/// Elements of one part of an array. Its view may be of its own room.
class Part {
 public:
  Part(const Part&) = delete;
  Part(Part&&) = default;
  Part& operator=(const Part&) = delete;
  Part& operator=(Part&&) = delete;
  ~Part() = default;
  Part(const ArrayContent& array, ScalarType type, Range range)
      : type_(type),
        begin_(range.begin),
        bytes_(array.part(range.begin * size_of(type),
                          static_cast<std::size_t>((range.end - range.begin) * size_of(type)), room_)) {}

  template <class T>
  [[nodiscard]] T at(std::uint64_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + (index - begin_) * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] double rounded_at(std::uint64_t index) const {
    return visit_scalar(type_, [&]<class T>() { return static_cast<double>(at<T>(index)); });
  }

 private:
  std::vector<std::byte> room_;
  ScalarType type_;
  std::uint64_t begin_;
  std::span<const std::byte> bytes_;
};

}  // namespace

Region full_region(const BufferLayout& layout) {
  Region region;
  for (const std::uint64_t extent : layout.shape) region.emplace_back(0, extent);
  return region;
}

double sum_of(const BufferLayout& layout, const Region& region, const ArrayContent& values) {
  std::vector<double> sums(parts_of(layout));
  const ScalarType type = layout.scalar.value();
  for_each_part(Runs(layout, region), [&](std::size_t index, Range range, const std::vector<Range>& ranges) {
    const Part part(values, type, range);
    CompensatedSum sum;
    visit_scalar(type, [&]<class T>() {
      for (const Range& run : ranges) {
        for (std::uint64_t i = run.begin; i < run.end; ++i) sum.add(static_cast<double>(part.at<T>(i)));
      }
    });
    sums[index] = sum.value();
  });
  CompensatedSum sum;
  for (const double of_part : sums) sum.add(of_part);
  return sum.value();
}

double element_of(const ArrayContent& array, ScalarType type, std::uint64_t index) {
  return Part(array, type, {index, index + 1}).rounded_at(index);
}

std::string element_text(const ArrayContent& array, ScalarType type, std::uint64_t index) {
  const Part part(array, type, {index, index + 1});
  return visit_scalar(type, [&]<class T>() {
    if constexpr (kIsRealType<T>) {
      return format_number(part.rounded_at(index));
    } else {
      return std::to_string(part.at<T>(index));
    }
  });
}

Comparison compare_records(const BufferLayout& layout, const Region& region, const Tolerance& tolerance,
                           const ArrayContent& values, const Expected& expected) {
  const RecordType& record = *layout.record;
  const std::size_t numbers = record.members.size();
  std::vector<Comparison> found(parts_of(layout));
  for_each_part(Runs(layout, region), [&](std::size_t index, Range range, const std::vector<Range>& ranges) {
    std::vector<std::byte> room, other_room;
    const auto bytes_of = [&](const ArrayContent& array, std::vector<std::byte>& own) {
      return array.part(range.begin * record.bytes,
                        static_cast<std::size_t>(range.end - range.begin) * record.bytes, own);
    };
    const std::span<const std::byte> bytes = bytes_of(values, room);
    const std::span<const std::byte> others =
        expected.number ? std::span<const std::byte>() : bytes_of(expected.array, other_room);
    Comparison of_part;
    const auto compare_number = [&](std::uint64_t i, std::size_t number) {
      const RecordMember& member = record.members[number];
      const std::size_t at = static_cast<std::size_t>(i - range.begin) * record.bytes + member.offset;
      visit_scalar(member.type, [&]<class T>() {
        T value, other;
        std::memcpy(&value, bytes.data() + at, sizeof(T));
        if (expected.number)
          return compare_one(of_part, tolerance, i * numbers + number, value, *expected.number);
        std::memcpy(&other, others.data() + at, sizeof(T));
        compare_one(of_part, tolerance, i * numbers + number, value, other);
      });
    };
    for (const Range& run : ranges) {
      for (std::uint64_t i = run.begin; i < run.end; ++i) {
        for (std::size_t number = 0; number < numbers; ++number) compare_number(i, number);
      }
    }
    found[index] = of_part;
  });
  Comparison result;
  for (const Comparison& part : found) merge(result, part);
  return result;
}

std::string record_number_text(const ArrayContent& array, const RecordType& record, std::uint64_t place) {
  const RecordMember& member = record.members[place % record.members.size()];
  std::vector<std::byte> room;
  const std::span<const std::byte> bytes =
      array.part(place / record.members.size() * record.bytes + member.offset, size_of(member.type), room);
  return element_text(ArrayContent(std::vector<std::byte>(bytes.begin(), bytes.end())), member.type, 0);
}

Comparison compare_on_host(const BufferLayout& layout, const Region& region, const Tolerance& tolerance,
                           const ArrayContent& values, const Expected& expected) {
  Comparison result;
  std::vector<Comparison> found(parts_of(layout));
  const ScalarType type = layout.scalar.value();
  for_each_part(Runs(layout, region), [&](std::size_t index, Range range, const std::vector<Range>& ranges) {
    const Part part(values, type, range);
    const std::optional<Part> other =
        expected.number ? std::nullopt
                        : std::optional<Part>(std::in_place, expected.array, expected.type, range);
    Comparison of_part;
    visit_scalar(type, [&]<class T>() {
      const auto compare_run = [&](const Range& run, auto wanted) {
        for (std::uint64_t i = run.begin; i < run.end; ++i)
          compare_one(of_part, tolerance, i, part.at<T>(i), wanted(i));
      };
      for (const Range& run : ranges) {
        if (expected.number) {
          compare_run(run, [&](std::uint64_t) { return *expected.number; });
        } else if (expected.type == type) {
          compare_run(run, [&](std::uint64_t i) { return other->at<T>(i); });
        } else if (is_held_as<double>(expected.type)) {
          compare_run(run, [&](std::uint64_t i) { return other->at<double>(i); });
        } else if (is_held_as<std::int64_t>(expected.type)) {
          compare_run(run, [&](std::uint64_t i) { return other->at<std::int64_t>(i); });
        } else if (is_held_as<std::uint64_t>(expected.type)) {
          compare_run(run, [&](std::uint64_t i) { return other->at<std::uint64_t>(i); });
        } else {
          compare_run(run, [&](std::uint64_t i) { return other->rounded_at(i); });
        }
      }
    });
    found[index] = of_part;
  });
  for (const Comparison& of_part : found) merge(result, of_part);
  return result;
}

}  // namespace kiln
