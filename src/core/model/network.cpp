#include "core/model/network.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster {
namespace {

constexpr std::size_t v4_offset = 12;
constexpr std::size_t v4_bits_before = 96;
constexpr std::size_t bits_all = 128;

std::optional<unsigned> parse_number(std::string_view text, int base, unsigned max) {
    unsigned value = 0;
    const auto* const end = text.data() + text.size();
    const auto [parsed_end, failure] = std::from_chars(text.data(), end, value, base);
    if (failure != std::errc() || parsed_end != end || value > max) return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<address_bytes> parse_v4(std::string_view text) {
    address_bytes bytes{};
    bytes[10] = bytes[11] = 0xff;
    for (std::size_t part = 0; part < 4; ++part) {
        const auto end = part == 3 ? text.size() : text.find('.');
        if (end == std::string_view::npos) return std::nullopt;
        const auto digits = text.substr(0, end);
        const bool leading_zero = digits.size() > 1 && digits.front() == '0';
        const auto value = parse_number(digits, 10, 255);
        if (!value || leading_zero) return std::nullopt;
        bytes.at(v4_offset + part) = static_cast<unsigned char>(*value);
        if (part < 3) text.remove_prefix(end + 1);
    }
    return bytes;
}

// The groups of one side of "::", two bytes each.
std::optional<std::vector<unsigned char>> parse_groups(std::string_view text) {
    std::vector<unsigned char> bytes;
    if (text.empty()) return bytes;
    for (const auto part : split(text, ':')) {
        if (part.find('.') != std::string_view::npos) {
            const auto v4 = parse_v4(part);
            const bool last = part.data() + part.size() == text.data() + text.size();
            if (!v4 || !last) return std::nullopt;
            bytes.insert(bytes.end(), v4->begin() + v4_offset, v4->end());
            continue;
        }
        const auto value = part.size() <= 4 ? parse_number(part, 16, 0xffff) : std::nullopt;
        if (!value) return std::nullopt;
        bytes.push_back(static_cast<unsigned char>(*value >> 8U));
        bytes.push_back(static_cast<unsigned char>(*value & 0xffU));
    }
    return bytes;
}

std::optional<address_bytes> parse_v6(std::string_view text) {
    const auto gap = text.find("::");
    const auto head = parse_groups(text.substr(0, gap));
    const auto tail = gap == std::string_view::npos ? std::optional(std::vector<unsigned char>())
                                                    : parse_groups(text.substr(gap + 2));
    if (!head || !tail) return std::nullopt;
    const auto size = head->size() + tail->size();
    address_bytes bytes{};
    const bool valid_size =
        gap == std::string_view::npos ? size == bytes.size() : size < bytes.size();
    if (!valid_size) return std::nullopt;
    std::copy(head->begin(), head->end(), bytes.begin());
    std::copy(tail->rbegin(), tail->rend(), bytes.rbegin());
    return bytes;
}

bool bit_at(const address_bytes& address, std::size_t bit) {
    return ((address.at(bit / 8) >> (7 - bit % 8)) & 1U) != 0;
}

}  // namespace

result<address_bytes> parse_address(std::string_view text) {
    const auto parsed = text.find(':') == std::string_view::npos ? parse_v4(text) : parse_v6(text);
    if (!parsed)
        return fail(
            errc::invalid, "\"" + std::string(text.substr(0, 64)) + "\" is not an IP address");
    return *parsed;
}

result<network> network::parse(std::string_view text) {
    const auto slash = text.find('/');
    TRY(const auto base, parse_address(text.substr(0, slash)));
    if (slash == std::string_view::npos) return network(base, bits_all);
    const bool v4 = text.substr(0, slash).find(':') == std::string_view::npos;
    const std::size_t prefix_bits = v4 ? v4_bits_before : 0;
    const auto bits =
        parse_number(text.substr(slash + 1), 10, static_cast<unsigned>(bits_all - prefix_bits));
    if (!bits)
        return fail(errc::invalid, "\"" + std::string(text) + "\" has an invalid prefix length");
    const auto total = prefix_bits + *bits;
    for (std::size_t bit = total; bit < bits_all; ++bit) {
        if (bit_at(base, bit))
            return fail(
                errc::invalid,
                "\"" + std::string(text)
                    + "\" has bits set after the prefix; set the host bits to 0");
    }
    return network(base, total);
}

bool network::contains(const address_bytes& address) const {
    const auto whole_bytes = static_cast<std::ptrdiff_t>(bits_ / 8);
    if (!std::equal(base_.begin(), base_.begin() + whole_bytes, address.begin())) return false;
    for (std::size_t bit = bits_ / 8 * 8; bit < bits_; ++bit)
        if (bit_at(address, bit) != bit_at(base_, bit)) return false;
    return true;
}

}  // namespace muster
