#include "trial/init_values.h"

#include <cstring>

namespace kiln {
namespace {

/// `normal01` lies within: its radius is at most sqrt(2 * 53 * ln 2), 8.6.
constexpr double kMostDeviations = 9;

[[noreturn]] void refuse(const BufferLayout& layout, const InitSpec& init, const std::string& what) {
  throw bad_input("buffers." + layout.spec->name + ".init: " + what + "; an element is " +
                      expected_element(*layout.scalar) + " (" + to_string(*layout.scalar) + ")",
                  init.where);
}

/// "1000 elements of float".
std::string describe(const BufferLayout& layout) {
  return std::to_string(layout.count) + (layout.count == 1 ? " element of " : " elements of ") +
         (layout.scalar ? to_string(*layout.scalar) : layout.record->name);
}

std::string interval(double low, double high) {
  return "[" + format_number(low) + ", " + format_number(high) + "]";
}

/// For random numbers, which are truncated to integers: `end` itself may stand for "below it".
template <class T>
bool holds(double low, double high) {
  if constexpr (kIsRealType<T>) {
    return to_element<T>(low) && to_element<T>(high) && std::isfinite(low) && std::isfinite(high - low);
  } else {
    const double least = static_cast<double>(std::numeric_limits<T>::min());
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    return low > least - 1 && high > least - 1 && low <= end && high <= end;
  }
}

/// Exact at both ends, and so in between.
template <class T>
bool holds_progression(double first, double increment, double last) {
  if constexpr (kIsRealType<T>) {
    return to_element<T>(first) && to_element<T>(last) && std::isfinite(last);
  } else {
    return to_element<T>(first) && to_element<T>(last) && increment == std::floor(increment);
  }
}

template <class T>
void require_fits(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init) {
  if (init.kind == InitSpec::Kind::kConstant) {
    static_cast<void>(constant_element<T>(configuration, *layout.scalar, init.numbers.front()));
    return;
  }
  const double first = configuration.evaluate(init.numbers.at(0));
  const double second = configuration.evaluate(init.numbers.at(1));
  if (init.kind == InitSpec::Kind::kUniform) {
    if (!holds<T>(first, second)) refuse(layout, init, "the range is " + interval(first, second));
  } else if (init.kind == InitSpec::Kind::kNormal) {
    const double reach = kMostDeviations * std::abs(second);
    if (!holds<T>(first - reach, first + reach))
      refuse(layout, init, "the numbers may reach " + interval(first - reach, first + reach));
  } else {
    const double last = first + second * static_cast<double>(layout.count - 1);
    if (!holds_progression<T>(first, second, last))
      refuse(layout, init,
             "it goes from " + format_number(first) + " to " + format_number(last) + " by increments of " +
                 format_number(second));
  }
}

void require_within(const Configuration& configuration, const RecordMember& member, double value,
                    const ExpressionText& text) {
  const double low = member.min ? configuration.evaluate(*member.min) : value;
  const double high = member.max ? configuration.evaluate(*member.max) : value;
  if (value >= low && value <= high) return;
  throw bad_input(text.key + ": '" + text.text + "' is " + format_number(value) + "; '" + member.name +
                      "' is " + (member.min ? "at least " + format_number(low) : "") +
                      (member.min && member.max ? " and " : "") +
                      (member.max ? "at most " + format_number(high) : ""),
                  text.where);
}

}  // namespace

std::vector<std::byte> record_element(const Configuration& configuration, const BufferLayout& layout,
                                      const InitSpec& init, const AddressOf& address_of) {
  std::vector<std::byte> element(layout.element_bytes);
  const auto put = [&](const RecordMember& member, const auto& value) {
    std::memcpy(element.data() + member.offset, &value, sizeof value);
  };
  for (const MemberInit& member : init.members) {
    const std::vector<const RecordMember*> numbers = layout.record->numbers_of(member.name);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const RecordMember& number = *numbers[i];
      const ExpressionText& text = member.values.at(member.values.size() == 1 ? 0 : i);
      if (member.addresses) {
        if (!text.text.empty() && address_of) put(number, address_of(text.text));
        continue;
      }
      visit_element(number.type, [&]<class T>() {
        const T value = constant_element<T>(configuration, number.type, text);
        require_within(configuration, number, static_cast<double>(value), text);
        put(number, value);
      });
    }
  }
  return element;
}

void require_init_fits(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init) {
  if (init.kind == InitSpec::Kind::kMembers)
    return static_cast<void>(record_element(configuration, layout, init, {}));
  if (init.kind == InitSpec::Kind::kAddresses && init.addresses.size() != layout.count) {
    throw bad_input("buffers." + layout.spec->name + ".init: it has " + describe(layout) + ", and " +
                        std::to_string(init.addresses.size()) + " addresses are given",
                    init.where);
  }
  if (!layout.scalar || init.numbers.empty()) return;
  visit_element(*layout.scalar, [&]<class T>() { require_fits<T>(configuration, layout, init); });
}

void require_start_fits(const Configuration& configuration, const BufferLayout& layout) {
  const BufferSpec& start = starting_buffer(configuration, *layout.spec);
  if (&start != layout.spec) {
    const BufferLayout other = layout_of(configuration, start);
    if (other.count != layout.count || other.scalar != layout.scalar || other.record != layout.record) {
      throw bad_input("buffers." + layout.spec->name + ".init: it has " + describe(layout) +
                          " and is to start like '" + start.name + "', which has " + describe(other),
                      layout.spec->init.where);
    }
  }
  require_init_fits(configuration, layout, effective_init(configuration, start.init));
}

}  // namespace kiln
