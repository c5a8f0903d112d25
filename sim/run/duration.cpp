#include "sim/run/duration.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

namespace muster::sim {

namespace {

struct unit {
    std::string_view name;
    monotonic::duration span;
};

constexpr auto units = std::to_array<unit>({
    {"h", std::chrono::hours(1)},
    {"m", std::chrono::minutes(1)},
    {"s", std::chrono::seconds(1)},
    {"ms", std::chrono::milliseconds(1)},
    {"us", std::chrono::microseconds(1)},
});

// A year: beyond it a run would not end in a lifetime.
constexpr std::int64_t count_max = std::int64_t{366} * 24 * 3600;

}  // namespace

result<monotonic::duration> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const auto& unit : units) {
        if (failure != std::errc() || name != unit.name || count < 0 || count > count_max) continue;
        return count * unit.span;
    }
    return fail(
        errc::invalid,
        "\"" + std::string(text) + "\" is not a duration such as 500ms, 90s, 10m, 1h");
}

std::string to_string(monotonic::duration span) {
    for (const auto& unit : units) {
        if (span.count() > 0 && span % unit.span == monotonic::duration::zero()) {
            return std::to_string(span / unit.span) + std::string(unit.name);
        }
    }
    return std::to_string(span.count() / 1000) + "us";
}

}  // namespace muster::sim
