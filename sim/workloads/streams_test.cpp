#include "sim/workloads/streams.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

constexpr network_options bad_network{
    .loss_per_mille = 200, .duplicate_per_mille = 200, .reorder_per_mille = 300};

// Two processes, and what each of them hears.
struct pair_of_peers {
    struct peer {
        std::unique_ptr<streams> links;
        std::string heard;
        int opened = 0;
        int ended = 0;
        streams::id last = 0;
    };

    cluster stage;
    peer caller;
    peer called;

    pair_of_peers(std::uint64_t seed, network_options options) : stage(seed, options) {
        add("caller", caller);
        add("called", called);
    }
    ~pair_of_peers() {
        caller.links.reset();
        called.links.reset();
    }

    void add(const std::string& name, peer& peer) {
        process& host =
            stage.add({.name = name, .clock = {}, .disk = {}}, [this, &peer](auto& self) {
                peer.links = std::make_unique<streams>(
                    stage,
                    self,
                    streams::callbacks{
                        .opened =
                            [&peer](streams::id id) {
                                ++peer.opened;
                                peer.last = id;
                            },
                        .received =
                            [&peer](streams::id, std::string_view bytes) { peer.heard += bytes; },
                        .ended =
                            [&peer](streams::id) {
                                ++peer.ended;
                            }},
                    streams::options{});
            });
        host.start();
    }
    streams::id connect() {
        const auto result = caller.links->open(stage.address_of("called"));
        run(2s);
        return result;
    }
    void run(monotonic::duration span) { stage.world.run_until(stage.world.now() + span); }
};

TEST_CASE("bytes arrive in order and whole, whatever becomes of packets") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        pair_of_peers both(seed, bad_network);
        const auto link = both.caller.links->open(both.stage.address_of("called"));
        std::string sent;
        for (int n = 0; n < 50; ++n) {
            sent += std::to_string(n) + " ";
            both.caller.links->send(link, std::to_string(n) + " ");
            both.run(20ms);
        }
        both.run(1min);
        CHECK(both.called.heard == sent);
        CHECK(both.called.opened == 1);
        CHECK(both.caller.ended + both.called.ended == 0);
    }
}

TEST_CASE("what was sent before a close arrives, and then the other end hears of it") {
    pair_of_peers both(1, bad_network);
    const auto link = both.connect();
    both.caller.links->send(link, "last words");
    both.caller.links->close(link);
    both.run(1min);
    CHECK(both.called.heard == "last words");
    CHECK(both.called.ended == 1);
    CHECK_FALSE(both.caller.links->stands(link));
}

TEST_CASE("who speaks on a connection that the other end has dropped is told that it is gone") {
    pair_of_peers both(1, {});
    const auto link = both.connect();
    both.called.links->drop(both.called.last);
    both.run(1min);
    CHECK(both.caller.ended == 0);
    both.caller.links->send(link, "anybody there?");
    both.run(1s);
    CHECK(both.caller.ended == 1);
}

TEST_CASE(
    "a connection to a peer that died ends, at the latest when nothing was confirmed for long") {
    pair_of_peers both(1, {});
    const auto link = both.connect();
    both.called.links.reset();
    both.stage.at("called").crash();
    both.caller.links->send(link, "anybody there?");
    both.run(7s);
    CHECK(both.caller.ended == 0);
    both.run(2s);
    CHECK(both.caller.ended == 1);
}

TEST_CASE("a peer's next life knows nothing of the connections of the last one") {
    pair_of_peers both(1, {});
    const auto link = both.connect();
    both.called.links.reset();
    both.stage.at("called").crash();
    both.stage.at("called").start();
    both.caller.links->send(link, "go on");
    both.run(1s);
    CHECK(both.caller.ended == 1);
    CHECK(both.called.heard.empty());
}

}  // namespace
}  // namespace muster::sim
