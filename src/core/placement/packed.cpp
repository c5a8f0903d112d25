#include "core/placement/packed.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace muster::placement {
namespace {

constexpr unsigned varint_bits_max = 63;  // every value fits an int64

unsigned bits_for(std::size_t kinds) {
    return static_cast<unsigned>(std::bit_width(kinds - 1));
}

std::vector<std::int64_t> kinds_of(std::vector<std::int64_t> values) {
    std::ranges::sort(values);
    const auto repeated = std::ranges::unique(values);
    values.erase(repeated.begin(), repeated.end());
    return values;
}

class bit_writer {
public:
    explicit bit_writer(std::string& out) : out_(out) {}

    void put(std::uint64_t value, unsigned bits) {
        for (unsigned bit = 0; bit < bits; ++bit) {
            if (used_ == 0) out_ += '\0';
            if (((value >> bit) & 1U) != 0)
                out_.back() =
                    static_cast<char>(static_cast<unsigned char>(out_.back()) | 1U << used_);
            used_ = (used_ + 1) % 8;
        }
    }

private:
    std::string& out_;
    unsigned used_ = 0;
};

std::uint64_t bits_at(std::string_view input, std::size_t first, unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
        const std::size_t position = first + bit;
        const auto byte = static_cast<unsigned char>(input[position / 8]);
        value |= std::uint64_t{(byte >> (position % 8)) & 1U} << bit;
    }
    return value;
}

result<std::vector<std::int64_t>> read_kinds(std::string_view& input, std::size_t kinds_max) {
    TRY(const std::uint64_t count, read_varint(input));
    if (count == 0 || count > kinds_max) return fail(errc::corrupt, "impossible number of kinds");
    std::vector<std::int64_t> kinds;
    std::uint64_t last = 0;
    for (std::uint64_t index = 0; index < count; ++index) {
        TRY(const std::uint64_t difference, read_varint(input));
        if (index > 0 && difference == 0) return fail(errc::corrupt, "kinds are not ascending");
        if (difference > std::numeric_limits<std::int64_t>::max() - last)
            return fail(errc::corrupt, "kind out of range");
        last += difference;
        kinds.push_back(static_cast<std::int64_t>(last));
    }
    return kinds;
}

}  // namespace

void write_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>((value & 0x7fU) | 0x80U);
        value >>= 7U;
    }
    out += static_cast<char>(value);
}

result<std::uint64_t> read_varint(std::string_view& input) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < varint_bits_max; shift += 7) {
        if (input.empty()) return fail(errc::corrupt, "truncated");
        const auto byte = static_cast<unsigned char>(input.front());
        input.remove_prefix(1);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if ((byte & 0x80U) == 0) return value;
    }
    return fail(errc::corrupt, "number too long");
}

void pack(std::string& out, const std::vector<std::int64_t>& values) {
    const auto kinds = kinds_of(values);
    write_varint(out, kinds.size());
    std::int64_t last = 0;
    for (const std::int64_t kind : kinds) {
        write_varint(out, static_cast<std::uint64_t>(kind - last));
        last = kind;
    }
    const unsigned bits = bits_for(kinds.size());
    bit_writer indices(out);
    for (const std::int64_t value : values) {
        const auto index = std::ranges::lower_bound(kinds, value) - kinds.begin();
        indices.put(static_cast<std::uint64_t>(index), bits);
    }
}

result<std::vector<std::int64_t>> unpack(std::string_view& input, std::size_t count) {
    TRY(const auto kinds, read_kinds(input, count));
    const unsigned bits = bits_for(kinds.size());
    const std::size_t bytes = (count * bits + 7) / 8;
    if (input.size() < bytes) return fail(errc::corrupt, "truncated");
    std::vector<std::int64_t> values;
    values.reserve(count);
    for (std::size_t position = 0; position < count; ++position) {
        const std::uint64_t kind_index = bits_at(input, position * bits, bits);
        if (kind_index >= kinds.size()) return fail(errc::corrupt, "unknown kind");
        values.push_back(kinds[kind_index]);
    }
    input.remove_prefix(bytes);
    return values;
}

void pack_span(std::string& out, const std::vector<std::int64_t>& values) {
    const auto [least, largest] = std::ranges::minmax(values);
    const auto bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(largest - least)));
    write_varint(out, static_cast<std::uint64_t>(least));
    write_varint(out, bits);
    bit_writer distances(out);
    for (const std::int64_t value : values)
        distances.put(static_cast<std::uint64_t>(value - least), bits);
}

result<std::vector<std::int64_t>> unpack_span(std::string_view& input, std::size_t count) {
    TRY(const std::uint64_t least, read_varint(input));
    TRY(const std::uint64_t width, read_varint(input));
    if (width > varint_bits_max) return fail(errc::corrupt, "impossible width");
    const auto bits = static_cast<unsigned>(width);
    const std::size_t bytes = (count * bits + 7) / 8;
    if (input.size() < bytes) return fail(errc::corrupt, "truncated");
    std::vector<std::int64_t> values;
    values.reserve(count);
    std::uint64_t nearest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t farthest = 0;
    for (std::size_t position = 0; position < count; ++position) {
        const std::uint64_t distance = bits_at(input, position * bits, bits);
        if (distance > std::numeric_limits<std::int64_t>::max() - least)
            return fail(errc::corrupt, "value out of range");
        nearest = std::min(nearest, distance);
        farthest = std::max(farthest, distance);
        values.push_back(static_cast<std::int64_t>(least + distance));
    }
    if (nearest != 0 || static_cast<unsigned>(std::bit_width(farthest)) != bits)
        return fail(errc::corrupt, "not the narrowest encoding");
    input.remove_prefix(bytes);
    return values;
}

}  // namespace muster::placement
