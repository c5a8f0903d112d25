#include "core/membership/failure_detector.h"

#include "base/prng.h"

#include <doctest/doctest.h>

#include <rapidcheck.h>
#include <set>

namespace muster::membership {
namespace {

using namespace std::chrono_literals;

constexpr instant start{};

node_number node(std::int64_t number) {
    return node_number(number);
}

failure_detector zone_of(std::int64_t nodes) {
    failure_detector zone({.disaster_timeout = 300s, .probe_interval = 5s, .probing_peers = 2});
    for (std::int64_t number = 1; number <= nodes; ++number)
        zone.add_member(node(number), node_state::serving, start);
    return zone;
}

bool declares_faulty(const effects& effects) {
    return std::ranges::any_of(effects, [](const effect& effect) {
        const auto* change = std::get_if<set_state>(&effect);
        return change != nullptr && change->state == node_state::faulty;
    });
}

TEST_CASE("a node that loses its lease without a word is suspect, and its neighbours are asked") {
    failure_detector zone = zone_of(5);

    CHECK(
        zone.on_lease_lost(node(4), start)
        == effects{
            set_state{node(4), node_state::suspect, "lease expired without a shutdown notice"},
            ask_peers{node(4), {node(5), node(1)}}});
    CHECK(zone.next_deadline() == start + 5s);
}

TEST_CASE("a suspect that nobody reaches for the disaster timeout is faulty, and stays so") {
    failure_detector zone = zone_of(5);
    REQUIRE_FALSE(zone.on_lease_lost(node(1), start).empty());

    CHECK_FALSE(declares_faulty(zone.expire(start + 299s)));
    CHECK(declares_faulty(zone.expire(start + 300s)));
    CHECK(zone.on_lease_held(node(1), start + 301s).empty());
    CHECK(zone.state_of(node(1)) == node_state::faulty);
}

TEST_CASE("a suspect that a peer still reaches is not declared faulty") {
    failure_detector zone = zone_of(5);
    REQUIRE_FALSE(zone.on_lease_lost(node(1), start).empty());

    CHECK(zone.on_probe_result(node(1), true, start + 200s).empty());
    CHECK_FALSE(declares_faulty(zone.expire(start + 499s)));
    CHECK(declares_faulty(zone.expire(start + 500s)));
}

TEST_CASE("a node that said it goes down is never suspected, and serves when it is back") {
    failure_detector zone = zone_of(3);

    CHECK(
        zone.on_shutdown(node(2), start)
        == effects{set_state{node(2), node_state::offline, "clean shutdown"}});
    CHECK(zone.on_lease_lost(node(2), start + 1s).empty());
    CHECK(zone.expire(start + 24h).empty());
    CHECK(
        zone.on_lease_held(node(2), start + 25h)
        == effects{set_state{node(2), node_state::serving, "lease held"}});
}

TEST_CASE("more than half of a zone gone at once moves nothing until they are back") {
    failure_detector zone = zone_of(4);
    for (const std::int64_t number : {1, 2, 3})
        REQUIRE_FALSE(zone.on_lease_lost(node(number), start).empty());

    CHECK(zone.is_frozen());
    CHECK_FALSE(declares_faulty(zone.expire(start + 24h)));

    CHECK_FALSE(zone.on_lease_held(node(1), start + 25h).empty());
    CHECK_FALSE(zone.is_frozen());
    CHECK_FALSE(declares_faulty(zone.expire(start + 25h + 299s)));
    CHECK(declares_faulty(zone.expire(start + 25h + 300s)));
}

TEST_CASE("a faulty node comes back through onboarding only") {
    CHECK(can_transition(node_state::faulty, node_state::pooled));
    CHECK_FALSE(can_transition(node_state::faulty, node_state::serving));
    CHECK_FALSE(can_transition(node_state::pooled, node_state::serving));
}

TEST_CASE("nobody who was seen within the disaster timeout is ever declared faulty") {
    CHECK(rc::check([](std::uint64_t seed) {
        prng random(seed);
        failure_detector zone = zone_of(7);
        std::map<node_number, instant> observed;
        instant now = start;
        for (int step = 0; step < 300; ++step) {
            now += std::chrono::seconds(random.below(60));
            const node_number suspect = node(static_cast<std::int64_t>(1 + random.below(7)));
            effects out;
            switch (random.below(5)) {
                case 0:
                    out = zone.on_lease_lost(suspect, now);
                    break;
                case 1:
                    out = zone.on_lease_held(suspect, now);
                    break;
                case 2:
                    out = zone.on_probe_result(suspect, true, now);
                    break;
                case 3:
                    out = zone.on_shutdown(suspect, now);
                    break;
                default:
                    out = zone.expire(now);
                    break;
            }
            if (zone.state_of(suspect) == node_state::serving) observed[suspect] = now;
            for (const effect& effect : out) {
                const auto* change = std::get_if<set_state>(&effect);
                if (change == nullptr || change->state != node_state::faulty) continue;
                RC_ASSERT(now - observed[change->node] >= 300s);
            }
        }
    }));
}

}  // namespace
}  // namespace muster::membership
