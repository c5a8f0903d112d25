#include "core/session/node_session.h"

#include "base/prng.h"
#include "core/session/attach_rate_limiter.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace muster;
using namespace muster::session;
using namespace std::chrono_literals;

namespace {

const instant start = instant(1h);
const node_session_options terms{};
const retry_delays waits{};

attach_context ours() {
    return {
        .lease_holds = true,
        .stage = enrolment::accepted,
        .number = system_number(7),
        .owner = attach_context::slot_owner{
            .is_self = true, .address = {}, .since = placement::epoch(3)}};
}

attach_context elsewhere() {
    auto existing = ours();
    existing.owner = attach_context::slot_owner{
        .is_self = false, .address = "b:8443", .since = placement::epoch(4)};
    return existing;
}

reason why_not(const attach_context& attach_context) {
    const auto judged = decide_attach(attach_context, waits);
    const auto* refused = std::get_if<refusal>(&judged);
    return refused == nullptr ? reason::unknown : refused->why;
}

node_session attached_session() {
    node_session channel(terms, start);
    REQUIRE(channel.on_hello(decide_attach(ours(), waits), start).size() == 1);
    return channel;
}

}  // namespace

TEST_CASE("a frame that takes longer than the silence to pass keeps a channel; a hello may not") {
    node_session channel(terms, start);
    const auto before = channel.deadline();
    channel.on_bytes(start + 1s);
    CHECK(channel.deadline() == before);

    CHECK(channel.on_hello(decide_attach(ours(), waits), start).size() == 1);
    channel.on_bytes(start + 20s);
    CHECK(channel.expire(start + terms.heartbeat_timeout).empty());
    CHECK(channel.deadline() == start + 20s + terms.heartbeat_timeout);
}

TEST_CASE("an accepted system of our slot is welcome while our lease is sure") {
    CHECK(
        decide_attach(ours(), waits)
        == attach_decision(welcome{.system = system_number(7), .since = placement::epoch(3)}));

    auto fenced = ours();
    fenced.lease_holds = false;
    CHECK(why_not(fenced) == reason::busy);
}

TEST_CASE("a system of another node's slot is told where, whether our lease is sure or not") {
    auto existing = elsewhere();
    existing.lease_holds = false;

    const auto judged = std::get<refusal>(decide_attach(existing, waits));

    CHECK(judged == refusal{.why = reason::moved, .address = "b:8443", .retry_after = 0s});
}

TEST_CASE("each reason to refuse has its own word") {
    auto existing = ours();
    existing.owner.reset();
    CHECK(why_not(existing) == reason::orphan);

    existing = elsewhere();
    existing.owner->address.clear();
    CHECK(why_not(existing) == reason::orphan);

    existing = ours();
    existing.stage.reset();
    CHECK(why_not(existing) == reason::fresh);
    for (const auto stage : {enrolment::pooled, enrolment::rejected, enrolment::evicted}) {
        existing.stage = stage;
        CHECK(why_not(existing) == reason::fresh);
    }
    existing.stage = enrolment::deleted;
    CHECK(why_not(existing) == reason::deleted);
    existing.records_loaded = false;
    CHECK(why_not(existing) == reason::busy);
    existing.stopping = true;
    CHECK(why_not(existing) == reason::stopping);
}

TEST_CASE("every refusal but deleted, denied and moved names a pause") {
    prng random(11);
    for (int round = 0; round < 2000; ++round) {
        auto existing = random.chance(500) ? ours() : elsewhere();
        existing.stopping = random.chance(100);
        existing.lease_holds = random.chance(700);
        existing.records_loaded = random.chance(800);
        if (random.chance(300)) existing.owner.reset();
        if (random.chance(500)) existing.stage = static_cast<enrolment>(random.below(5));

        const auto judged = decide_attach(existing, waits);

        const auto* refused = std::get_if<refusal>(&judged);
        if (refused == nullptr) continue;
        const bool final = refused->why == reason::deleted || refused->why == reason::moved;
        CHECK((refused->retry_after > 0s) != final);
        CHECK((refused->why == reason::moved) == !refused->address.empty());
    }
}

TEST_CASE("a node that loses its lease or has not read the records keeps its channels") {
    auto existing = ours();
    existing.lease_holds = false;
    CHECK_FALSE(reconsider(existing, waits).has_value());

    existing.records_loaded = false;
    existing.stage.reset();
    CHECK_FALSE(reconsider(existing, waits).has_value());
}

TEST_CASE("an attached system goes when it is deleted, moved, released, or the node stops") {
    auto existing = ours();
    existing.stage = enrolment::deleted;
    CHECK(reconsider(existing, waits)->why == reason::deleted);
    CHECK(reconsider(elsewhere(), waits)->why == reason::moved);
    existing = ours();
    existing.released = true;
    CHECK(reconsider(existing, waits)->why == reason::orphan);
    existing = ours();
    existing.stopping = true;
    CHECK(reconsider(existing, waits)->why == reason::stopping);
}

TEST_CASE("a beat is answered with its number, and tells when the node is fenced") {
    auto channel = attached_session();

    CHECK(
        channel.on_heartbeat(5, false, start + 10s)
        == node_effects{send_heartbeat_reply{5, false}});
    CHECK(
        channel.on_heartbeat(6, true, start + 20s) == node_effects{send_heartbeat_reply{6, true}});
}

TEST_CASE("silence ends a channel, and every frame begins it anew") {
    auto channel = attached_session();
    CHECK(channel.expire(start + terms.heartbeat_timeout - 1ns).empty());
    static_cast<void>(channel.on_heartbeat(1, false, start + 20s));
    CHECK(channel.expire(start + terms.heartbeat_timeout).empty());

    CHECK(
        channel.expire(start + 20s + terms.heartbeat_timeout)
        == node_effects{close_connection{reason::silent}});
    CHECK(channel.deadline() == instant::max());
}

TEST_CASE("whoever does not say hello in time is hung up on without a word") {
    node_session channel(terms, start);

    CHECK(channel.deadline() == start + terms.hello_timeout);
    CHECK(
        channel.expire(start + terms.hello_timeout)
        == node_effects{close_connection{reason::silent}});
}

TEST_CASE("a proof that does not hold is denied") {
    node_session channel(terms, start);

    CHECK(
        channel.on_unproven_hello()
        == node_effects{send_refusal{{.why = reason::denied}}, close_connection{reason::denied}});
}

TEST_CASE("no channel says anything after it has hung up, and none attaches twice") {
    prng random(12);
    for (int round = 0; round < 500; ++round) {
        node_session channel(terms, start);
        instant now = start;
        bool ended = false;
        int welcomes = 0;
        for (int step = 0; step < 40; ++step) {
            now += std::chrono::seconds(random.below(8));
            node_effects node_effects;
            switch (random.below(8)) {
                case 0:
                    node_effects = channel.on_hello(
                        decide_attach(random.chance(700) ? ours() : elsewhere(), waits), now);
                    break;
                case 1:
                    node_effects = channel.on_heartbeat(random.next(), false, now);
                    break;
                case 2:
                    node_effects = channel.on_frame(now);
                    break;
                case 3:
                    node_effects = channel.expire(now);
                    break;
                case 4:
                    if (random.chance(100))
                        node_effects = channel.detach({.why = reason::replaced});
                    break;
                case 5:
                    if (random.chance(50))
                        node_effects = channel.on_connection_lost(reason::closed);
                    break;
                case 6:
                    if (random.chance(50)) node_effects = channel.on_unproven_hello();
                    break;
                default:
                    node_effects = channel.on_heartbeat(1, false, now);
                    break;
            }
            if (ended) CHECK(node_effects.empty());
            for (std::size_t at = 0; at < node_effects.size(); ++at) {
                welcomes += std::holds_alternative<send_welcome>(node_effects[at]) ? 1 : 0;
                if (std::holds_alternative<close_connection>(node_effects[at]))
                    CHECK(at + 1 == node_effects.size());
            }
            ended = ended || std::ranges::any_of(node_effects, [](const node_effect& node_effect) {
                        return std::holds_alternative<close_connection>(node_effect);
                    });
            CHECK(ended == channel.is_ended());
        }
        CHECK(welcomes <= 1);
    }
}

TEST_CASE("a storm at the gate comes back in a queue at the gate's own rate") {
    attach_rate_limiter gate({.rate = 100, .burst = 10, .wait_max = 60s});
    int let_in = 0;
    std::vector<monotonic::duration> responses;
    for (int n = 0; n < 1000; ++n) {
        const auto wait = gate.try_acquire(start);
        if (wait) {
            responses.push_back(*wait);
        } else {
            ++let_in;
        }
    }

    CHECK(let_in == 10);
    CHECK(std::ranges::is_sorted(responses));
    CHECK(responses.back() == 9900ms);
    CHECK(std::ranges::adjacent_find(responses) == responses.end());
}

TEST_CASE("over any span the gate lets in no more than burst and rate allow") {
    prng random(13);
    attach_rate_limiter gate({.rate = 50, .burst = 5, .wait_max = 10s});
    instant now = start;
    int let_in = 0;
    for (int n = 0; n < 20000; ++n) {
        now += std::chrono::milliseconds(random.below(10));
        const auto wait = gate.try_acquire(now);
        if (!wait) ++let_in;
        if (wait) CHECK(*wait <= 10s);
    }

    const auto span = std::chrono::duration<double>(now - start).count();
    CHECK(let_in <= span * 50 + 5);
    CHECK(let_in >= span * 50 * 0.9);
}
