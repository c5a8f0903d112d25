#pragma once

#include "base/assert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace muster::targeting {

// A short text in as little memory as it can be: a pointer, and behind it its size and its bytes.
class packed_text {
public:
    packed_text() = default;
    explicit packed_text(std::string_view text) {
        MUSTER_ASSERT(text.size() <= size_max);
        if (text.empty()) return;
        bytes_ = std::make_unique<char[]>(text.size() + 2);  // NOLINT(modernize-avoid-c-arrays)
        bytes_[0] = static_cast<char>(text.size() >> 8U);
        bytes_[1] = static_cast<char>(text.size() & 0xffU);
        std::ranges::copy(text, bytes_.get() + 2);
    }

    std::string_view view() const {
        if (!bytes_) return {};
        const auto high = std::size_t{static_cast<unsigned char>(bytes_[0])} << 8U;
        return {bytes_.get() + 2, high | static_cast<unsigned char>(bytes_[1])};
    }
    bool empty() const { return !bytes_; }
    // Says that the bytes will be looked at soon.
    void fetch() const { __builtin_prefetch(bytes_.get()); }

    static constexpr std::size_t size_max = UINT16_MAX;

private:
    // One pointer is all that a million of them may cost.
    std::unique_ptr<char[]> bytes_;  // NOLINT(modernize-avoid-c-arrays)
};

}  // namespace muster::targeting
