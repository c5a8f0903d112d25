#pragma once

#include "base/assert.h"
#include "core/model/fingerprint.h"

#include <compare>
#include <cstddef>
#include <cstdint>

namespace muster {

// One of the buckets into which a zone's systems are divided; the unit of placement. A system's
// slot never changes.
class slot {
public:
    static constexpr std::size_t count = 16384;

    explicit slot(std::size_t number) : number_(static_cast<std::uint16_t>(number)) {
        MUSTER_ASSERT(number < count);
    }

    static slot of(const fingerprint& system);

    std::size_t number() const { return number_; }

    friend bool operator==(const slot&, const slot&) = default;
    friend std::strong_ordering operator<=>(const slot&, const slot&) = default;

private:
    std::uint16_t number_;
};

}  // namespace muster
