#pragma once

#include <compare>
#include <cstdint>

namespace muster {

// A count or position as a type of its own, so that two kinds cannot be mixed up. Zero means "none
// yet".
template <class Tag>
class number {
public:
    constexpr number() = default;
    constexpr explicit number(std::int64_t value) : value_(value) {}

    constexpr std::int64_t value() const { return value_; }
    constexpr number next() const { return number(value_ + 1); }
    constexpr explicit operator bool() const { return value_ != 0; }

    friend constexpr bool operator==(const number&, const number&) = default;
    friend constexpr std::strong_ordering operator<=>(const number&, const number&) = default;

private:
    std::int64_t value_ = 0;
};

}  // namespace muster
