#include "core/access/lockout.h"

#include <doctest/doctest.h>

namespace muster::access {
namespace {

using namespace std::chrono_literals;

constexpr wall_time noon{std::chrono::sys_days{std::chrono::year{2027} / 3 / 1} + 12h};
constexpr lockout_limits three{.failures_max = 3, .first = 60s, .longest = 3600s};

failed_logins row_of(std::uint32_t failures) {
    failed_logins row;
    for (std::uint32_t each = 0; each < failures; ++each) row = after_failure(row, noon, three);
    return row;
}

TEST_CASE("nobody is locked before the row of failures is full") {
    CHECK_FALSE(locked_for({}, noon, three).has_value());
    CHECK_FALSE(locked_for(row_of(2), noon, three).has_value());
    CHECK(locked_for(row_of(3), noon, three) == 60s);
}

TEST_CASE("each further failure doubles the lock, up to the longest one") {
    CHECK(locked_for(row_of(4), noon, three) == 120s);
    CHECK(locked_for(row_of(5), noon, three) == 240s);
    CHECK(locked_for(row_of(9), noon, three) == 3600s);
    CHECK(locked_for({.count = 4'000'000'000, .last = noon}, noon, three) == 3600s);
}

TEST_CASE("a lock ends by itself") {
    CHECK(locked_for(row_of(3), noon + 59s, three) == 1s);
    CHECK_FALSE(locked_for(row_of(3), noon + 60s, three).has_value());
}

TEST_CASE("a clock that was set back keeps nobody out longer than the lock is") {
    CHECK(locked_for(row_of(3), noon - 24h, three) == 60s);
}

TEST_CASE("a row is forgotten after a day without a failure") {
    CHECK(after_failure(row_of(9), noon + 24h, three).count == 10);
    CHECK(after_failure(row_of(9), noon + 25h, three).count == 1);
}

TEST_CASE("names that are nobody's are locked as users are") {
    unknown_user_lockouts unknown_user_lockouts(three);
    for (int each = 0; each < 3; ++each) unknown_user_lockouts.failed("mallory", noon);

    CHECK(unknown_user_lockouts.locked_for("mallory", noon) == 60s);
    CHECK_FALSE(unknown_user_lockouts.locked_for("trudy", noon).has_value());
}

TEST_CASE("of names that are nobody's only the latest are remembered") {
    unknown_user_lockouts existing(three);
    for (int each = 0; each < 3; ++each) existing.failed("first", noon);
    for (std::size_t each = 0; each < unknown_user_lockouts::remembered_max; ++each)
        existing.failed("name" + std::to_string(each), noon + 1s);

    CHECK(existing.remembered() == unknown_user_lockouts::remembered_max);
    CHECK_FALSE(existing.locked_for("first", noon + 1s).has_value());
}

}  // namespace
}  // namespace muster::access
