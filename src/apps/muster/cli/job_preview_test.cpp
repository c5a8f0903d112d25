#include "apps/muster/cli/job_preview.h"

#include "apps/muster/cli/terminal_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <future>
#include <unistd.h>

namespace muster::cli {
namespace {

using test::terminal_fixture;

constexpr std::int64_t usual = 1'000;

job_preview on(std::int64_t targets, std::int64_t fleet) {
    return {.targets = targets, .fleet = fleet, .opens = {}, .skipped = {}};
}

TEST_CASE("however all systems are spelled, or most of them, it is a wide change") {
    CHECK(scope_of(on(3, 3), "*", usual) == target_scope::everything);
    CHECK(scope_of(on(500, 500), "name:*", usual) == target_scope::everything);
    CHECK(scope_of(on(500, 500), "not tag:none", usual) == target_scope::everything);
    CHECK(scope_of(on(251, 500), "web*", usual) == target_scope::wide);
    CHECK(scope_of(on(250, 500), "web*", usual) == target_scope::some);
    CHECK(scope_of(on(1'001, 50'000), "web*", usual) == target_scope::wide);
    CHECK(scope_of(on(1'000, 50'000), "web*", usual) == target_scope::some);
    CHECK(scope_of(on(10, 10), "name:local-*", usual) == target_scope::some);
    CHECK(scope_of(on(1, 1), "*", usual) == target_scope::some);
}

TEST_CASE("what changes nothing is not asked about") {
    auto ahead = on(500, 500);
    ahead.changes = false;

    CHECK(scope_of(ahead, "*", usual) == target_scope::some);
}

TEST_CASE("before a wide change whoever sits at the terminal is asked") {
    terminal_fixture person;
    auto ahead = on(300, 500);
    ahead.offline = 7;
    const auto ask = [at = person.at(), ahead] {
        return confirm_scope("run", ahead, target_scope::wide, at);
    };
    const std::string question = "muster run: run on 300 of 500 systems, 7 of them offline? [y/N] ";

    auto agreed = std::async(std::launch::async, ask);
    person.answer(question, "y\n");
    CHECK(agreed.get().has_value());
    for (const auto* const answer : {"n\n", "\n", "\x04"}) {
        auto refused = std::async(std::launch::async, ask);
        person.answer(question, answer);
        CHECK(refused.get().error().code() == errc::cancelled);
    }
    CHECK(confirm_scope("run", ahead, target_scope::some, person.at()).has_value());
}

TEST_CASE("where nobody can be asked, what changes all systems needs --yes") {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const terminal no_terminal{.in = ends[0], .out = ends[1]};

    const auto refused = confirm_scope("run", on(500, 500), target_scope::everything, no_terminal);

    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("all 500 systems"));
    CHECK(refused.error().detail().contains("--yes"));
    CHECK(confirm_scope("run", on(300, 500), target_scope::wide, no_terminal).has_value());
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("who has to wait for a window is told before it starts, and who would wait in vain") {
    const auto ahead = read_preview(boost::json::parse(
        R"({"targets":5,"away":1,"fleet":9,"changes":true,"forecast":{"waiting":3,
            "opens":"2026-11-17T20:00:00Z","rest":[{"schedule":"frozen","systems":2,
            "why":"its schedule has no windows"}]}})"));

    CHECK(ahead.targets == 5);
    CHECK(ahead.fleet == 9);
    CHECK(
        waiting_text(ahead)
        == "3 of 5 systems wait for their maintenance window; the first window opens at "
           "2026-11-17T20:00:00Z; --window override starts immediately (requires the right "
           "windows.override)\n"
           "no suitable window: 2 systems with schedule \"frozen\": its schedule has no windows\n");
    const auto nobody =
        read_preview(boost::json::parse(R"({"targets":5,"changes":false,"forecast":null})"));
    CHECK(waiting_text(nobody).empty());
    CHECK_FALSE(nobody.changes);
}

}  // namespace
}  // namespace muster::cli
