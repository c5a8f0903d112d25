#include "apps/agent/tasks/live_output_sender.h"

#include "adapters/agent_protocol/task_frames.h"
#include "runtime/clock.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

constexpr session::task_name uptime{.job = 7, .attempt = 1};

// What a node sees; it has room only when the test says so.
struct watching_node final : node_sender {
    bool has_room = true;
    std::string seen;
    std::uint64_t end = 0;
    std::size_t pieces = 0;
    std::size_t ends = 0;

    void send(const agent_protocol::Frame& /*frame*/) override { FAIL("not output"); }
    bool send_bulk(const agent_protocol::Frame& /*frame*/) override {
        FAIL("not output");
        return false;
    }
    bool send_output(const agent_protocol::Frame& frame) override {
        if (!has_room) return false;
        const auto& piece = frame.output();
        CHECK(agent_protocol::to_task_name(piece.task()) == uptime);
        if (piece.offset() > end) seen += "<" + std::to_string(piece.offset() - end) + ">";
        seen += piece.content();
        end = piece.offset() + piece.content().size();
        pieces += piece.content().empty() ? 0 : 1;
        ends += piece.ended() ? 1 : 0;
        return true;
    }
};

struct watched_output {
    runtime::system_clock clock;
    std::shared_ptr<watching_node> node = std::make_shared<watching_node>();
    live_output_sender taps{clock};
    boost::asio::io_context loop;

    watched_output() {
        taps.attached(node);
        boost::asio::co_spawn(loop, taps.run(), [](const std::exception_ptr&) {});
    }
    void until(const std::function<bool()>& holds) {
        const auto timeout = clock.now() + 20s;
        while (!holds() && clock.now() < timeout) {
            loop.restart();
            loop.run_one_for(20ms);
        }
        REQUIRE(holds());
    }
};

TEST_CASE("nothing is shown until it is wanted, and then what came last comes first") {
    watched_output shown;
    shown.taps.add_output(uptime, "before ");
    shown.loop.poll();
    CHECK(shown.node->seen.empty());

    shown.taps.subscribe(uptime, 30s);
    shown.until([&] { return shown.node->seen == "before "; });
    shown.taps.add_output(uptime, "after");
    shown.until([&] { return shown.node->seen == "before after"; });
    shown.taps.end_output(uptime);
    CHECK(shown.node->ends == 1);
}

TEST_CASE("a want may come before the task does, and without its attempt") {
    watched_output shown;
    shown.taps.subscribe({.job = uptime.job, .attempt = 0}, 30s);
    shown.loop.poll();
    shown.taps.add_output(uptime, "at last");
    shown.until([&] { return shown.node->seen == "at last"; });
}

TEST_CASE("when the way is blocked it waits, and what the tail cannot hold is a gap") {
    watched_output shown;
    shown.taps.subscribe(uptime, 30s);
    shown.taps.add_output(uptime, "first");
    shown.until([&] { return shown.node->seen == "first"; });
    shown.node->has_room = false;
    const std::string flood(3 * live_output_sender::tail_bytes_max, 'x');
    shown.taps.add_output(uptime, flood);
    shown.node->has_room = true;

    shown.until([&] { return shown.node->end == 5 + flood.size(); });
    const auto lost = flood.size() - live_output_sender::tail_bytes_max;
    CHECK(shown.node->seen.starts_with("first<" + std::to_string(lost) + ">xxx"));
    CHECK(
        shown.node->pieces
        == 1 + live_output_sender::tail_bytes_max / live_output_sender::piece_bytes_max);
}

TEST_CASE("a task that writes without end is shown at a bounded rate") {
    watched_output shown;
    shown.taps.subscribe(uptime, 30s);
    const auto began = shown.clock.now();
    shown.until([&] {
        shown.taps.add_output(uptime, std::string(live_output_sender::piece_bytes_max, 'x'));
        return shown.node->pieces >= 5;
    });
    CHECK(shown.clock.now() - began >= 4 * live_output_sender::interval);
}

TEST_CASE("a stop, a lost channel and the end of the lease each end what is shown") {
    for (const int how : {0, 1, 2}) {
        CAPTURE(how);
        watched_output shown;
        shown.taps.subscribe(uptime, how == 2 ? 50ms : 30'000ms);
        shown.taps.add_output(uptime, "seen");
        shown.until([&] { return shown.node->seen == "seen"; });
        if (how == 0) shown.taps.unsubscribe(uptime);
        if (how == 1) shown.taps.channel_lost();
        if (how == 2) {
            const auto over = shown.clock.now() + 60ms;
            shown.until([&] { return shown.clock.now() > over; });
        }
        shown.taps.add_output(uptime, " unseen");
        shown.taps.end_output(uptime);
        CHECK(shown.node->seen == "seen");
        CHECK(shown.node->ends == 0);
    }
}

}  // namespace
}  // namespace muster::agent
