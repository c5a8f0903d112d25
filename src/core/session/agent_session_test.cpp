#include "core/session/agent_session.h"

#include "core/session/agent_facts.h"

#include <doctest/doctest.h>

namespace muster::session {
namespace {

using namespace std::chrono_literals;

constexpr instant opened{};
constexpr channel_terms usual{.heartbeat = 10s, .silence = 25s};

agent_session attached() {
    agent_session channel({}, opened);
    CHECK(channel.open() == agent_session_effects{send_hello{}});
    CHECK(channel.welcomed(usual, opened).empty());
    return channel;
}

TEST_CASE("an agent beats as often as the node asked for, with growing numbers") {
    auto channel = attached();
    CHECK(channel.deadline() == opened + 10s);

    CHECK(channel.expire(opened + 9s).empty());
    CHECK(channel.expire(opened + 10s) == agent_session_effects{send_heartbeat{1}});
    CHECK(channel.beat(false, opened + 11s).empty());
    CHECK(channel.expire(opened + 20s) == agent_session_effects{send_heartbeat{2}});
}

TEST_CASE("a node that falls silent is given up, and so is one that never answers a hello") {
    auto channel = attached();
    CHECK(channel.expire(opened + 10s).size() == 1);
    CHECK(channel.expire(opened + 20s).size() == 1);
    CHECK(channel.deadline() == opened + 25s);
    CHECK(
        channel.expire(opened + 25s) == agent_session_effects{channel_over{.why = reason::silent}});
    CHECK(channel.expire(opened + 30s).empty());

    agent_session unheard({}, opened);
    CHECK(unheard.open().size() == 1);
    CHECK(
        unheard.expire(unheard.deadline())
        == agent_session_effects{channel_over{.why = reason::silent}});
}

TEST_CASE("any frame keeps the channel, and a fenced one says so") {
    auto channel = attached();
    CHECK(channel.other_frame(opened + 24s).empty());
    CHECK(channel.expire(opened + 26s).size() == 1);

    CHECK(channel.beat(true, opened + 30s) == agent_session_effects{node_fenced{}});
    CHECK_FALSE(channel.ended());
}

TEST_CASE("a frame that takes longer than the silence keeps the channel; a welcome may not") {
    auto channel = attached();
    auto now = opened;
    for (std::uint64_t beats = 1; beats < 6; ++beats) {
        channel.bytes_moved(now);
        now += 20s;
        CHECK(channel.expire(now) == agent_session_effects{send_heartbeat{beats}});
    }

    agent_session unheard({}, opened);
    const auto before = unheard.deadline();
    unheard.bytes_moved(opened + 1s);
    CHECK(unheard.deadline() == before);
}

TEST_CASE("a refusal and a goodbye end the channel with what the node said") {
    const channel_over moved{.why = reason::moved, .address = "node2:1", .retry_after = 1s};
    agent_session refused({}, opened);
    CHECK(refused.dismissed(moved) == agent_session_effects{moved});

    auto standing = attached();
    CHECK(standing.dismissed(moved) == agent_session_effects{moved});
    CHECK(standing.lost(reason::broken).empty());
    CHECK(standing.deadline() == instant::max());
}

TEST_CASE("a frame out of turn ends the channel") {
    agent_session early({}, opened);
    CHECK(
        early.beat(false, opened) == agent_session_effects{channel_over{.why = reason::malformed}});

    auto twice = attached();
    CHECK(
        twice.welcomed(usual, opened)
        == agent_session_effects{channel_over{.why = reason::malformed}});
}

TEST_CASE("how long beats take to be answered is measured; a beat nobody asked for is not") {
    agent_session channel({}, opened);
    CHECK(channel.welcomed(usual, opened).empty());
    CHECK(channel.beat(false, opened + 1s).empty());
    CHECK(channel.quality().count == 0);
    CHECK(channel.expire(opened + 10s).size() == 1);
    CHECK(channel.beat(false, opened + 10s + 3ms).empty());
    CHECK(channel.expire(opened + 20s).size() == 1);
    CHECK(channel.beat(false, opened + 20s + 1ms).empty());
    CHECK(channel.quality().count == 2);
    CHECK(channel.quality().least == 1ms);
    CHECK(channel.quality().most == 3ms);
    CHECK(channel.quality().last == 1ms);
}

TEST_CASE("a server cannot make an agent beat without rest, or never") {
    agent_session hasty({}, opened);
    CHECK(hasty.welcomed({}, opened).empty());
    CHECK(hasty.deadline() == opened + 100ms);

    agent_session lazy({}, opened);
    CHECK(lazy.welcomed({.heartbeat = 24h, .silence = 1s}, opened).empty());
    CHECK(lazy.deadline() == opened + 5min);
    CHECK(lazy.expire(opened + 5min) == agent_session_effects{send_heartbeat{1}});
}

const digested_facts before{.all = {{"os", "1"}, {"ram", "2"}}, .digest = "before"};
const digested_facts after{.all = {{"os", "2"}, {"cpu", "4"}}, .digest = "after"};

TEST_CASE("facts are sent whole the first time and as differences afterwards") {
    agent_facts sent({});
    CHECK_FALSE(sent.surveyed(before).has_value());
    CHECK(
        sent.attached(true)
        == facts_message{.whole = true, .digest = "before", .change = {.set = before.all}});
    const auto reserved = sent.answered("before", false);
    CHECK(reserved.newly_taken);
    CHECK_FALSE(reserved.next.has_value());

    CHECK_FALSE(sent.surveyed(before).has_value());
    CHECK(
        sent.surveyed(after)
        == facts_message{
            .base = "before", .digest = "after", .change = {.set = after.all, .removed = {"ram"}}});
}

TEST_CASE("a node without the base gets everything") {
    agent_facts sent(before);
    CHECK_FALSE(sent.attached(false).has_value());
    CHECK(sent.surveyed(after).has_value());

    const auto refused = sent.answered("after", true);

    CHECK_FALSE(refused.newly_taken);
    CHECK(
        refused.next == facts_message{.whole = true, .digest = "after", .change = {after.all, {}}});
    CHECK(sent.taken() == before);
    CHECK(sent.answered("after", false).newly_taken);
    CHECK(sent.taken() == after);

    const auto asked_later = sent.answered("", true);
    CHECK(asked_later.next->whole);
}

TEST_CASE("what changes while facts are under way goes with the next message") {
    agent_facts sent({});
    CHECK_FALSE(sent.attached(true).has_value());
    CHECK(sent.surveyed(before).has_value());
    CHECK_FALSE(sent.surveyed(after).has_value());

    const auto reserved = sent.answered("before", false);

    CHECK(reserved.newly_taken);
    REQUIRE(reserved.next.has_value());
    CHECK(reserved.next->base == "before");
    sent.channel_lost();
    CHECK_FALSE(sent.answered("after", false).newly_taken);
    CHECK(sent.attached(false)->digest == "after");
}

}  // namespace
}  // namespace muster::session
