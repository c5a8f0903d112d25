#include "core/model/facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {
namespace {

void append_sized(std::string& bytes, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    for (const unsigned shift : {24U, 16U, 8U, 0U})
        bytes += static_cast<char>(static_cast<unsigned char>(size >> shift));
    bytes += text;
}

std::optional<std::string_view> consume_sized(std::string_view& bytes) {
    constexpr std::size_t size_bytes = 4;
    if (bytes.size() < size_bytes) return std::nullopt;
    std::size_t size = 0;
    for (const char byte : bytes.substr(0, size_bytes))
        size = size << 8U | static_cast<unsigned char>(byte);
    bytes.remove_prefix(size_bytes);
    if (bytes.size() < size) return std::nullopt;
    const auto text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return text;
}

}  // namespace

std::string canonical_form(const muster::facts& facts) {
    std::string bytes;
    for (const auto& [path, value] : facts) {
        append_sized(bytes, path);
        append_sized(bytes, value);
    }
    return bytes;
}

result<facts> parse_canonical_form(std::string_view bytes) {
    facts parsed;
    while (!bytes.empty()) {
        const auto path = consume_sized(bytes);
        const auto value = path ? consume_sized(bytes) : std::nullopt;
        const bool in_order = value && (parsed.empty() || parsed.rbegin()->first < *path);
        if (!in_order) return fail(errc::corrupt, "facts are not in canonical form");
        parsed.emplace_hint(parsed.end(), *path, *value);
    }
    return parsed;
}

facts_difference difference(const facts& before, const facts& after) {
    facts_difference result;
    for (const auto& [path, value] : after) {
        const auto it = before.find(path);
        if (it == before.end() || it->second != value) result.set.emplace(path, value);
    }
    for (const auto& [path, value] : before) {
        if (!after.contains(path)) result.removed.push_back(path);
    }
    return result;
}

void apply(const facts_difference& change, facts& target) {
    for (const auto& [path, value] : change.set) target.insert_or_assign(path, value);
    for (const auto& path : change.removed) target.erase(path);
}

}  // namespace muster
