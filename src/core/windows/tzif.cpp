#include "core/windows/tzif.h"

#include "core/windows/posix_rule.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace muster::windows {
namespace {

using std::chrono::year;

constexpr std::size_t header_bytes = 44;
constexpr std::size_t name_bytes_max = 64;
constexpr seconds offset_max = std::chrono::hours(26);

// Reads big-endian numbers. Past the end it returns zeros and reports is_truncated().
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

    std::string_view consume(std::size_t count) {
        if (count > rest_.size()) {
            truncated_ = true;
            rest_ = {};
            return {};
        }
        const auto bytes = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return bytes;
    }
    std::int64_t read_number(std::size_t width) {
        std::uint64_t value = 0;
        const auto bytes = consume(width);
        for (const char byte : bytes) value = (value << 8) | static_cast<std::uint8_t>(byte);
        if (width == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
        return static_cast<std::int64_t>(value);
    }
    bool is_truncated() const { return truncated_; }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    bool truncated_ = false;
};

struct header_counts {
    char version = 0;
    std::size_t is_utc = 0;
    std::size_t is_standard = 0;
    std::size_t leaps = 0;
    std::size_t times = 0;
    std::size_t types = 0;
    std::size_t letters = 0;
};

result<header_counts> read_header(byte_reader& reader) {
    const auto bytes = reader.consume(header_bytes);
    if (bytes.size() != header_bytes || !bytes.starts_with("TZif"))
        return fail(errc::corrupt, "not a compiled time zone file");
    byte_reader numbers(bytes.substr(20));
    const auto next = [&numbers] {
        return static_cast<std::size_t>(static_cast<std::uint32_t>(numbers.read_number(4)));
    };
    header_counts counts{.version = bytes[4]};
    counts.is_utc = next();
    counts.is_standard = next();
    counts.leaps = next();
    counts.times = next();
    counts.types = next();
    counts.letters = next();
    for (const auto count :
         {counts.is_utc, counts.is_standard, counts.leaps, counts.times, counts.letters})
        if (count > tzif_bytes_max) return fail(errc::corrupt, "time zone file has invalid counts");
    if (counts.types == 0 || counts.types > 256)
        return fail(errc::corrupt, "time zone file has no types");
    return counts;
}

std::size_t body_bytes(const header_counts& counts, std::size_t width) {
    return counts.times * (width + 1) + counts.types * 6 + counts.letters
           + counts.leaps * (width + 4) + counts.is_standard + counts.is_utc;
}

struct body {
    seconds before;
    std::vector<time_zone::change> changes;
};

result<body> read_body(byte_reader& reader, const header_counts& counts, std::size_t width) {
    std::vector<std::int64_t> times;
    for (std::size_t index = 0; index < counts.times; ++index)
        times.push_back(reader.read_number(width));
    const auto types = reader.consume(counts.times);
    std::vector<seconds> offsets;
    for (std::size_t index = 0; index < counts.types; ++index) {
        offsets.emplace_back(reader.read_number(4));
        reader.consume(2);  // daylight flag and abbreviation index
        if (offsets.back() > offset_max || offsets.back() < -offset_max)
            return fail(errc::corrupt, "time zone file has an invalid offset");
    }
    reader.consume(
        counts.letters + counts.leaps * (width + 4) + counts.is_standard + counts.is_utc);
    if (reader.is_truncated()) return fail(errc::corrupt, "time zone file is truncated");
    body result{.before = offsets.front(), .changes = {}};
    for (std::size_t index = 0; index < counts.times; ++index) {
        const auto type = static_cast<std::size_t>(static_cast<std::uint8_t>(types[index]));
        if (type >= offsets.size())
            return fail(errc::corrupt, "time zone file refers to a missing type");
        if (times[index] < -(std::int64_t{1} << 40) || times[index] > (std::int64_t{1} << 40))
            continue;  // placeholders such as the Big Bang
        result.changes.push_back({sys_seconds(seconds(times[index])), offsets[type]});
    }
    if (!std::ranges::is_sorted(result.changes, {}, &time_zone::change::at))
        return fail(errc::corrupt, "time zone file has unordered transitions");
    return result;
}

year first_open_year(const std::vector<time_zone::change>& changes) {
    if (changes.empty()) return year(1970);
    const auto day = std::chrono::floor<std::chrono::days>(changes.back().at);
    return std::chrono::year_month_day(day).year();
}

result<void> append_footer(body& body, std::string_view footer) {
    if (!footer.starts_with('\n')) return {};
    footer.remove_prefix(1);
    const auto end = footer.find('\n');
    if (end == std::string_view::npos) return fail(errc::corrupt, "time zone file is truncated");
    if (end == 0) return {};
    TRY(const auto rule_changes,
        expand_posix_rule(footer.substr(0, end), first_open_year(body.changes)));
    for (const auto& change : rule_changes)
        if (body.changes.empty() || change.at > body.changes.back().at)
            body.changes.push_back(change);
    return {};
}

}  // namespace

bool is_zone_name(std::string_view name) {
    const auto allowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
               || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-'
               || letter == '+' || letter == '/';
    };
    return !name.empty() && name.size() <= name_bytes_max && std::ranges::all_of(name, allowed)
           && name.front() != '/' && name.back() != '/';
}

result<time_zone_pointer> parse_tzif(std::string name, std::string_view bytes) {
    if (bytes.size() > tzif_bytes_max) return fail(errc::corrupt, "time zone file is too large");
    byte_reader reader(bytes);
    TRY(auto header, read_header(reader));
    const bool has_wide_times = header.version >= '2';
    if (has_wide_times) {
        reader.consume(body_bytes(header, 4));
        TRY(header, read_header(reader));
    }
    TRY(auto body, read_body(reader, header, has_wide_times ? 8 : 4));
    if (has_wide_times) {
        CHECK_OK(append_footer(body, reader.rest()));
    }
    return std::make_shared<const time_zone>(std::move(name), body.before, std::move(body.changes));
}

}  // namespace muster::windows
