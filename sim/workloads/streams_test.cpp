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
        std::string received;
        int opened = 0;
        int ended = 0;
        streams::id last = 0;
    };

    sim::cluster cluster;
    peer caller;
    peer called;

    pair_of_peers(std::uint64_t seed, network_options options) : cluster(seed, options) {
        add("caller", caller);
        add("called", called);
    }
    ~pair_of_peers() {
        caller.links.reset();
        called.links.reset();
    }

    void add(const std::string& name, peer& peer) {
        process& host =
            cluster.add({.name = name, .clock = {}, .disk = {}}, [this, &peer](auto& self) {
                peer.links = std::make_unique<streams>(
                    cluster,
                    self,
                    streams::callbacks{
                        .opened =
                            [&peer](streams::id id) {
                                ++peer.opened;
                                peer.last = id;
                            },
                        .received = [&peer](
                                        streams::id,
                                        std::string_view bytes) { peer.received += bytes; },
                        .ended =
                            [&peer](streams::id) {
                                ++peer.ended;
                            }},
                    streams::options{});
            });
        host.start();
    }
    streams::id connect() {
        const auto result = caller.links->open(cluster.address_of("called"));
        run(2s);
        return result;
    }
    void run(monotonic::duration span) {
        cluster.simulation.run_until(cluster.simulation.now() + span);
    }
};

TEST_CASE("bytes arrive in order and whole, whatever becomes of packets") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        pair_of_peers peers(seed, bad_network);
        const auto link = peers.caller.links->open(peers.cluster.address_of("called"));
        std::string sent;
        for (int n = 0; n < 50; ++n) {
            sent += std::to_string(n) + " ";
            peers.caller.links->send(link, std::to_string(n) + " ");
            peers.run(20ms);
        }
        peers.run(1min);
        CHECK(peers.called.received == sent);
        CHECK(peers.called.opened == 1);
        CHECK(peers.caller.ended + peers.called.ended == 0);
    }
}

TEST_CASE("what was sent before a close arrives, and then the other end hears of it") {
    pair_of_peers peers(1, bad_network);
    const auto link = peers.connect();
    peers.caller.links->send(link, "last words");
    peers.caller.links->close(link);
    peers.run(1min);
    CHECK(peers.called.received == "last words");
    CHECK(peers.called.ended == 1);
    CHECK_FALSE(peers.caller.links->is_open(link));
}

TEST_CASE("who speaks on a connection that the other end has dropped is told that it is gone") {
    pair_of_peers peers(1, {});
    const auto link = peers.connect();
    peers.called.links->drop(peers.called.last);
    peers.run(1min);
    CHECK(peers.caller.ended == 0);
    peers.caller.links->send(link, "anybody there?");
    peers.run(1s);
    CHECK(peers.caller.ended == 1);
}

TEST_CASE(
    "a connection to a peer that died ends, at the latest when nothing was confirmed for long") {
    pair_of_peers peers(1, {});
    const auto link = peers.connect();
    peers.called.links.reset();
    peers.cluster.at("called").crash();
    peers.caller.links->send(link, "anybody there?");
    peers.run(7s);
    CHECK(peers.caller.ended == 0);
    peers.run(2s);
    CHECK(peers.caller.ended == 1);
}

TEST_CASE("a peer's next life knows nothing of the connections of the last one") {
    pair_of_peers peers(1, {});
    const auto link = peers.connect();
    peers.called.links.reset();
    peers.cluster.at("called").crash();
    peers.cluster.at("called").start();
    peers.caller.links->send(link, "go on");
    peers.run(1s);
    CHECK(peers.caller.ended == 1);
    CHECK(peers.called.received.empty());
}

}  // namespace
}  // namespace muster::sim
