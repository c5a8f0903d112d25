#include "core/session/agent_session.h"

#include "core/session/agent_facts.h"

#include <doctest/doctest.h>

namespace muster::session {
namespace {

using namespace std::chrono_literals;

constexpr instant opened{};
constexpr heartbeat_options usual{.interval = 10s, .timeout = 25s};

agent_session attached() {
    agent_session channel({}, opened);
    CHECK(channel.open() == agent_session_effects{send_hello{}});
    CHECK(channel.on_welcome(usual, opened).empty());
    return channel;
}

TEST_CASE("an agent beats as often as the node asked for, with growing numbers") {
    auto channel = attached();
    CHECK(channel.deadline() == opened + 10s);

    CHECK(channel.expire(opened + 9s).empty());
    CHECK(channel.expire(opened + 10s) == agent_session_effects{send_heartbeat{1}});
    CHECK(channel.on_heartbeat(false, opened + 11s).empty());
    CHECK(channel.expire(opened + 20s) == agent_session_effects{send_heartbeat{2}});
}

TEST_CASE("a node that falls silent is given up, and so is one that never answers a hello") {
    auto channel = attached();
    CHECK(channel.expire(opened + 10s).size() == 1);
    CHECK(channel.expire(opened + 20s).size() == 1);
    CHECK(channel.deadline() == opened + 25s);
    CHECK(channel.expire(opened + 25s) == agent_session_effects{disconnect{.why = reason::silent}});
    CHECK(channel.expire(opened + 30s).empty());

    agent_session unheard({}, opened);
    CHECK(unheard.open().size() == 1);
    CHECK(
        unheard.expire(unheard.deadline())
        == agent_session_effects{disconnect{.why = reason::silent}});
}

TEST_CASE("any frame keeps the channel, and a fenced one says so") {
    auto channel = attached();
    CHECK(channel.on_frame(opened + 24s).empty());
    CHECK(channel.expire(opened + 26s).size() == 1);

    CHECK(channel.on_heartbeat(true, opened + 30s) == agent_session_effects{node_fenced{}});
    CHECK_FALSE(channel.is_ended());
}

TEST_CASE("a frame that takes longer than the silence keeps the channel; a welcome may not") {
    auto channel = attached();
    auto now = opened;
    for (std::uint64_t beats = 1; beats < 6; ++beats) {
        channel.on_bytes(now);
        now += 20s;
        CHECK(channel.expire(now) == agent_session_effects{send_heartbeat{beats}});
    }

    agent_session unheard({}, opened);
    const auto before = unheard.deadline();
    unheard.on_bytes(opened + 1s);
    CHECK(unheard.deadline() == before);
}

TEST_CASE("a refusal and a goodbye end the channel with what the node said") {
    const disconnect moved{.why = reason::moved, .address = "node2:1", .retry_after = 1s};
    agent_session refused({}, opened);
    CHECK(refused.on_dismissed(moved) == agent_session_effects{moved});

    auto session = attached();
    CHECK(session.on_dismissed(moved) == agent_session_effects{moved});
    CHECK(session.on_connection_lost(reason::broken).empty());
    CHECK(session.deadline() == instant::max());
}

TEST_CASE("a frame out of turn ends the channel") {
    agent_session early({}, opened);
    CHECK(
        early.on_heartbeat(false, opened)
        == agent_session_effects{disconnect{.why = reason::malformed}});

    auto twice = attached();
    CHECK(
        twice.on_welcome(usual, opened)
        == agent_session_effects{disconnect{.why = reason::malformed}});
}

TEST_CASE("how long beats take to be answered is measured; a beat nobody asked for is not") {
    agent_session channel({}, opened);
    CHECK(channel.on_welcome(usual, opened).empty());
    CHECK(channel.on_heartbeat(false, opened + 1s).empty());
    CHECK(channel.quality().count == 0);
    CHECK(channel.expire(opened + 10s).size() == 1);
    CHECK(channel.on_heartbeat(false, opened + 10s + 3ms).empty());
    CHECK(channel.expire(opened + 20s).size() == 1);
    CHECK(channel.on_heartbeat(false, opened + 20s + 1ms).empty());
    CHECK(channel.quality().count == 2);
    CHECK(channel.quality().shortest == 1ms);
    CHECK(channel.quality().longest == 3ms);
    CHECK(channel.quality().last == 1ms);
}

TEST_CASE("a server cannot make an agent beat without rest, or never") {
    agent_session hasty({}, opened);
    CHECK(hasty.on_welcome({}, opened).empty());
    CHECK(hasty.deadline() == opened + 100ms);

    agent_session lazy({}, opened);
    CHECK(lazy.on_welcome({.interval = 24h, .timeout = 1s}, opened).empty());
    CHECK(lazy.deadline() == opened + 5min);
    CHECK(lazy.expire(opened + 5min) == agent_session_effects{send_heartbeat{1}});
}

const digested_facts before{.all = {{"os", "1"}, {"ram", "2"}}, .digest = "before"};
const digested_facts after{.all = {{"os", "2"}, {"cpu", "4"}}, .digest = "after"};

TEST_CASE("facts are sent whole the first time and as differences afterwards") {
    agent_facts sent({});
    CHECK_FALSE(sent.on_collected(before).has_value());
    CHECK(
        sent.on_attached(true)
        == facts_message{.complete = true, .digest = "before", .change = {.set = before.all}});
    const auto reserved = sent.on_response("before", false);
    CHECK(reserved.newly_acknowledged);
    CHECK_FALSE(reserved.next.has_value());

    CHECK_FALSE(sent.on_collected(before).has_value());
    CHECK(
        sent.on_collected(after)
        == facts_message{
            .base = "before", .digest = "after", .change = {.set = after.all, .removed = {"ram"}}});
}

TEST_CASE("a node without the base gets everything") {
    agent_facts sent(before);
    CHECK_FALSE(sent.on_attached(false).has_value());
    CHECK(sent.on_collected(after).has_value());

    const auto refused = sent.on_response("after", true);

    CHECK_FALSE(refused.newly_acknowledged);
    CHECK(
        refused.next
        == facts_message{.complete = true, .digest = "after", .change = {after.all, {}}});
    CHECK(sent.acknowledged() == before);
    CHECK(sent.on_response("after", false).newly_acknowledged);
    CHECK(sent.acknowledged() == after);

    const auto asked_later = sent.on_response("", true);
    CHECK(asked_later.next->complete);
}

TEST_CASE("what changes while facts are under way goes with the next message") {
    agent_facts sent({});
    CHECK_FALSE(sent.on_attached(true).has_value());
    CHECK(sent.on_collected(before).has_value());
    CHECK_FALSE(sent.on_collected(after).has_value());

    const auto reserved = sent.on_response("before", false);

    CHECK(reserved.newly_acknowledged);
    REQUIRE(reserved.next.has_value());
    CHECK(reserved.next->base == "before");
    sent.on_detached();
    CHECK_FALSE(sent.on_response("after", false).newly_acknowledged);
    CHECK(sent.on_attached(false)->digest == "after");
}

}  // namespace
}  // namespace muster::session
