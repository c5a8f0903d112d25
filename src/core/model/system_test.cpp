#include "core/model/system.h"

#include <doctest/doctest.h>

#include <array>

namespace muster {
namespace {

system_record record_in(enrolment stage) {
    return {.print = fingerprint({}), .stage = stage};
}

TEST_CASE("a system is told its state as the digit that agents of every version know") {
    CHECK(digit_of(system_state::fresh) == '0');
    CHECK(digit_of(system_state::onboarded) == '1');
    CHECK(digit_of(system_state::orphan) == '2');
    CHECK(digit_of(system_state::deleted) == '3');
    for (const auto digit : {'0', '1', '2', '3'}) CHECK(digit_of(*state_of_digit(digit)) == digit);
    CHECK_FALSE(state_of_digit('4'));
    CHECK_FALSE(state_of_digit('/'));
}

TEST_CASE("an accepted system is onboarded while it is attached and an orphan otherwise") {
    const auto accepted = record_in(enrolment::accepted);
    CHECK(state_of(&accepted, true) == system_state::onboarded);
    CHECK(state_of(&accepted, false) == system_state::orphan);
}

TEST_CASE("who is not accepted is new, however it came to be so") {
    CHECK(state_of(nullptr, false) == system_state::fresh);
    for (const auto stage : {enrolment::pooled, enrolment::rejected, enrolment::evicted}) {
        const auto waiting = record_in(stage);
        CHECK(state_of(&waiting, true) == system_state::fresh);
    }
}

TEST_CASE("a deleted system is deleted, also while it is still attached") {
    const auto banned = record_in(enrolment::deleted);
    CHECK(state_of(&banned, true) == system_state::deleted);
}

TEST_CASE("the stages of enrolment are written as words") {
    for (const auto stage :
         {enrolment::pooled,
          enrolment::rejected,
          enrolment::accepted,
          enrolment::deleted,
          enrolment::evicted})
        CHECK(parse_enrolment(to_string(stage)) == stage);
    CHECK_FALSE(parse_enrolment("Accepted"));
}

}  // namespace
}  // namespace muster
