#include "core/model/facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {
namespace {

void append_sized(std::string& out, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        out += static_cast<char>(static_cast<unsigned char>(size >> shift));
    out += text;
}

std::optional<std::string_view> take_sized(std::string_view& from) {
    constexpr std::size_t size_bytes = 4;
    if (from.size() < size_bytes) return std::nullopt;
    std::size_t size = 0;
    for (const char byte : from.substr(0, size_bytes))
        size = size << 8U | static_cast<unsigned char>(byte);
    from.remove_prefix(size_bytes);
    if (from.size() < size) return std::nullopt;
    const auto reserved = from.substr(0, size);
    from.remove_prefix(size);
    return reserved;
}

}  // namespace

std::string canonical_form(const facts& all) {
    std::string out;
    for (const auto& [path, value] : all) {
        append_sized(out, path);
        append_sized(out, value);
    }
    return out;
}

result<facts> parse_canonical_form(std::string_view bytes) {
    facts read;
    while (!bytes.empty()) {
        const auto path = take_sized(bytes);
        const auto value = path ? take_sized(bytes) : std::nullopt;
        const bool in_order = value && (read.empty() || read.rbegin()->first < *path);
        if (!in_order) return fail(errc::corrupt, "not the canonical form of facts");
        read.emplace_hint(read.end(), *path, *value);
    }
    return read;
}

facts_difference difference(const facts& from, const facts& to) {
    facts_difference result;
    for (const auto& [path, value] : to) {
        const auto before = from.find(path);
        if (before == from.end() || before->second != value) result.set.emplace(path, value);
    }
    for (const auto& [path, value] : from) {
        if (!to.contains(path)) result.removed.push_back(path);
    }
    return result;
}

void apply(const facts_difference& facts_difference, facts& to) {
    for (const auto& [path, value] : facts_difference.set) to.insert_or_assign(path, value);
    for (const auto& path : facts_difference.removed) to.erase(path);
}

}  // namespace muster
