#pragma once

#include "core/model/slot.h"
#include "core/model/system.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::fleet {

using slot_population = std::array<std::uint32_t, slot::count>;

// How many systems there are: by stage, and the accepted ones by zone and by slot of a zone.
class system_counts {
public:
    void add(enrolment stage, const std::string& zone, slot where);
    void remove(enrolment stage, const std::string& zone, slot where);

    std::size_t count(enrolment stage) const;
    std::size_t accepted_in(std::string_view zone) const;
    std::map<std::string, std::size_t, std::less<>> accepted_by_zone() const;
    slot_population population(std::string_view zone) const;

private:
    // Inhabited slots in order. There may be thousands of zones with few systems each, so empty
    // slots take no room.
    struct zone_count {
        std::size_t systems = 0;
        std::vector<std::pair<std::uint16_t, std::uint32_t>> slots;
    };

    std::array<std::size_t, 5> stages_{};
    std::map<std::string, zone_count, std::less<>> zones_;
};

}  // namespace muster::fleet
