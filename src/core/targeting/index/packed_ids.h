#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::targeting {

// Numbers in order as their differences, each in as few bytes of seven bits as it needs.
inline std::string packed_ids(std::span<const std::uint32_t> ids) {
    std::string bytes;
    std::uint32_t before = 0;
    for (const auto each : ids) {
        auto step = each - before;
        before = each;
        for (; step >= 0x80U; step >>= 7U) bytes += static_cast<char>((step & 0x7fU) | 0x80U);
        bytes += static_cast<char>(step);
    }
    return bytes;
}

// Calls `visit` with each, in order, until it says false; whether it never did.
template <class Visit>
bool for_each_id(std::string_view bytes, Visit visit) {
    std::uint32_t id = 0;
    std::uint32_t step = 0;
    unsigned shift = 0;
    for (const char byte : bytes) {
        const auto seven = static_cast<unsigned char>(byte);
        step |= (seven & 0x7fU) << shift;
        shift += 7;
        if ((seven & 0x80U) != 0) continue;
        id += step;
        if (!visit(id)) return false;
        step = 0;
        shift = 0;
    }
    return true;
}

}  // namespace muster::targeting
