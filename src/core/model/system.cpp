#include "core/model/system.h"

#include "base/assert.h"

#include <array>
#include <cstddef>

namespace muster {
namespace {

constexpr std::array<std::string_view, 5> enrolment_names{
    "pooled", "rejected", "accepted", "deleted", "evicted"};
constexpr std::array<std::string_view, 4> state_names{"new", "onboarded", "orphan", "deleted"};

}  // namespace

std::string_view to_string(enrolment stage) {
    return enrolment_names.at(static_cast<std::size_t>(stage));
}

std::optional<enrolment> parse_enrolment(std::string_view text) {
    for (std::size_t index = 0; index < enrolment_names.size(); ++index)
        if (enrolment_names.at(index) == text) return static_cast<enrolment>(index);
    return std::nullopt;
}

std::string_view to_string(system_state state) {
    return state_names.at(static_cast<std::size_t>(state));
}

char digit_of(system_state state) {
    return static_cast<char>('0' + static_cast<int>(state));
}

std::optional<system_state> state_of_digit(char digit) {
    if (digit < '0' || digit > '3') return std::nullopt;
    return static_cast<system_state>(digit - '0');
}

system_state state_of(const system_record* record, bool attached) {
    if (record == nullptr) return system_state::fresh;
    switch (record->stage) {
        case enrolment::pooled:
        case enrolment::rejected:
        case enrolment::evicted:
            return system_state::fresh;
        case enrolment::accepted:
            return attached ? system_state::onboarded : system_state::orphan;
        case enrolment::deleted:
            return system_state::deleted;
    }
    MUSTER_ASSERT(false);
    return system_state::fresh;
}

}  // namespace muster
