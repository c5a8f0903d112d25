#include "base/units.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace muster {
namespace {

using namespace std::chrono_literals;

struct unit {
    std::string_view name;
    std::int64_t factor;
};

// Largest first: formatting uses the first unit that divides the value.
constexpr std::array time_units{
    unit{"d", std::chrono::nanoseconds(24h).count()},
    unit{"h", std::chrono::nanoseconds(1h).count()},
    unit{"m", std::chrono::nanoseconds(1min).count()},
    unit{"s", std::chrono::nanoseconds(1s).count()},
    unit{"ms", std::chrono::nanoseconds(1ms).count()},
    unit{"us", std::chrono::nanoseconds(1us).count()},
};
constexpr std::int64_t kibi = 1024;
constexpr std::array size_units{
    unit{"TiB", kibi* kibi* kibi* kibi},
    unit{"GiB", kibi* kibi* kibi},
    unit{"MiB", kibi* kibi},
    unit{"KiB", kibi},
    unit{"B", 1},
};

std::optional<std::int64_t> find_factor(std::span<const unit> units, std::string_view name) {
    for (const auto& unit : units) {
        if (unit.name == name) return unit.factor;
    }
    return std::nullopt;
}

// Removes the leading digits from `text`.
std::optional<std::int64_t> parse_number(std::string_view& text) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || value < 0 || text.front() == '-') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string_view parse_unit_name(std::string_view& text) {
    const auto end = text.find_first_of("0123456789");
    const auto word = text.substr(0, end);
    text.remove_prefix(word.size());
    return word;
}

bool add_product(std::int64_t& sum, std::int64_t count, std::int64_t factor) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(count, factor, &product)
           && !__builtin_add_overflow(sum, product, &sum);
}

// A sum of numbers with units, such as "1h30m".
result<std::int64_t> parse_sum(
    std::string_view text, std::span<const unit> units, std::string_view expected) {
    const auto refuse = [&] {
        return fail(errc::invalid, "\"" + std::string(text) + "\" is not " + std::string(expected));
    };
    if (text.empty()) return refuse();
    std::int64_t sum = 0;
    for (auto rest = text; !rest.empty();) {
        const auto count = parse_number(rest);
        if (!count) return refuse();
        const auto factor = find_factor(units, parse_unit_name(rest));
        if (!factor) return refuse();
        if (!add_product(sum, *count, *factor))
            return fail(errc::invalid, "\"" + std::string(text) + "\" is too large");
    }
    return sum;
}

std::string format_whole(std::int64_t value, std::span<const unit> units, std::string_view zero) {
    if (value == 0) return std::string(zero);
    for (const auto& unit : units) {
        if (value % unit.factor == 0)
            return std::to_string(value / unit.factor) + std::string(unit.name);
    }
    return std::to_string(value) + "ns";
}

}  // namespace

result<monotonic::duration> parse_duration(std::string_view text) {
    TRY(const auto count,
        parse_sum(text, time_units, "a duration such as 250ms, 30s, 5m, 1h30m or 7d"));
    return monotonic::duration(count);
}

std::string format_duration(monotonic::duration span) {
    return format_whole(span.count(), time_units, "0s");
}

result<std::int64_t> parse_size(std::string_view text) {
    return parse_sum(text, size_units, "a size such as 512KiB, 64MiB or 1GiB");
}

std::string format_size(std::int64_t bytes) {
    return format_whole(bytes, size_units, "0B");
}

}  // namespace muster
