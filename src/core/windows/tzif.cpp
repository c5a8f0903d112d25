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

// Reads big-endian numbers; past the end it gives zeros and remembers that.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

    std::string_view take(std::size_t count) {
        if (count > rest_.size()) {
            short_ = true;
            rest_ = {};
            return {};
        }
        const auto reserved = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return reserved;
    }
    std::int64_t number(std::size_t width) {
        std::uint64_t value = 0;
        const auto bytes = take(width);
        for (const char byte : bytes) value = (value << 8) | static_cast<std::uint8_t>(byte);
        if (width == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
        return static_cast<std::int64_t>(value);
    }
    bool too_short() const { return short_; }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    bool short_ = false;
};

struct counts {
    char version = 0;
    std::size_t is_utc = 0;
    std::size_t is_standard = 0;
    std::size_t leaps = 0;
    std::size_t times = 0;
    std::size_t types = 0;
    std::size_t letters = 0;
};

result<counts> read_header(byte_reader& reader) {
    const auto header = reader.take(header_bytes);
    if (header.size() != header_bytes || !header.starts_with("TZif"))
        return fail(errc::corrupt, "not a compiled time zone");
    byte_reader numbers(header.substr(20));
    const auto next = [&numbers] {
        return static_cast<std::size_t>(static_cast<std::uint32_t>(numbers.number(4)));
    };
    counts read{.version = header[4]};
    read.is_utc = next();
    read.is_standard = next();
    read.leaps = next();
    read.times = next();
    read.types = next();
    read.letters = next();
    for (const auto letter : {read.is_utc, read.is_standard, read.leaps, read.times, read.letters})
        if (letter > tzif_bytes_max) return fail(errc::corrupt, "a time zone with absurd counts");
    if (read.types == 0 || read.types > 256) return fail(errc::corrupt, "a time zone of no type");
    return read;
}

std::size_t body_bytes(const counts& of, std::size_t width) {
    return of.times * (width + 1) + of.types * 6 + of.letters + of.leaps * (width + 4)
           + of.is_standard + of.is_utc;
}

struct body {
    seconds before;
    std::vector<time_zone::change> changes;
};

result<body> read_body(byte_reader& reader, const counts& of, std::size_t width) {
    std::vector<std::int64_t> times;
    for (std::size_t each = 0; each < of.times; ++each) times.push_back(reader.number(width));
    const auto kinds = reader.take(of.times);
    std::vector<seconds> offsets;
    for (std::size_t each = 0; each < of.types; ++each) {
        offsets.emplace_back(reader.number(4));
        reader.take(2);  // whether it is summer time, and its letters
        if (offsets.back() > offset_max || offsets.back() < -offset_max)
            return fail(errc::corrupt, "a time zone with an absurd offset");
    }
    reader.take(of.letters + of.leaps * (width + 4) + of.is_standard + of.is_utc);
    if (reader.too_short()) return fail(errc::corrupt, "the time zone is cut short");
    body read{.before = offsets.front(), .changes = {}};
    for (std::size_t each = 0; each < of.times; ++each) {
        const auto kind = static_cast<std::size_t>(static_cast<std::uint8_t>(kinds[each]));
        if (kind >= offsets.size()) return fail(errc::corrupt, "a time zone with a missing type");
        if (times[each] < -(std::int64_t{1} << 40) || times[each] > (std::int64_t{1} << 40))
            continue;  // the Big Bang, and other ends of time
        read.changes.push_back({sys_seconds(seconds(times[each])), offsets[kind]});
    }
    if (!std::ranges::is_sorted(read.changes, {}, &time_zone::change::at))
        return fail(errc::corrupt, "a time zone whose changes do not ascend");
    return read;
}

year first_open_year(const std::vector<time_zone::change>& changes) {
    if (changes.empty()) return year(1970);
    const auto day = std::chrono::floor<std::chrono::days>(changes.back().at);
    return std::chrono::year_month_day(day).year();
}

result<void> append_footer(body& to, std::string_view footer) {
    if (!footer.starts_with('\n')) return {};
    footer.remove_prefix(1);
    const auto end = footer.find('\n');
    if (end == std::string_view::npos) return fail(errc::corrupt, "the time zone is cut short");
    if (end == 0) return {};
    TRY(const auto later,
        changes_of_posix_rule(footer.substr(0, end), first_open_year(to.changes)));
    for (const auto& each : later)
        if (to.changes.empty() || each.at > to.changes.back().at) to.changes.push_back(each);
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

result<zone_pointer> parse_tzif(std::string name, std::string_view bytes) {
    if (bytes.size() > tzif_bytes_max) return fail(errc::corrupt, "a time zone of absurd size");
    byte_reader reader(bytes);
    TRY(auto header, read_header(reader));
    const bool wide = header.version >= '2';
    if (wide) {
        reader.take(body_bytes(header, 4));
        TRY(header, read_header(reader));
    }
    TRY(auto read, read_body(reader, header, wide ? 8 : 4));
    if (wide) {
        CHECK_OK(append_footer(read, reader.rest()));
    }
    return std::make_shared<const time_zone>(std::move(name), read.before, std::move(read.changes));
}

}  // namespace muster::windows
