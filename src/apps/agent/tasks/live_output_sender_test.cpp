#include "apps/agent/tasks/live_output_sender.h"

#include "runtime/clock.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

constexpr session::task_name uptime{.job = 7, .attempt = 1};

// What a node sees; it has room only when the test says so.
struct room {
    runtime::system_clock time;
    bool has_room = true;
    std::string seen;
    std::uint64_t end = 0;
    std::size_t pieces = 0;
    std::size_t ends = 0;
    live_output_sender taps{time, [this](const live_output_sender::piece& piece) {
                                if (!has_room) return false;
                                if (piece.offset > end)
                                    seen += "<" + std::to_string(piece.offset - end) + ">";
                                seen += piece.content;
                                end = piece.offset + piece.content.size();
                                pieces += piece.content.empty() ? 0 : 1;
                                ends += piece.ended ? 1 : 0;
                                return true;
                            }};
    boost::asio::io_context loop;

    room() {
        boost::asio::co_spawn(loop, taps.run(), [](const std::exception_ptr&) {});
    }
    void until(const std::function<bool()>& holds) {
        const auto patience = time.now() + 20s;
        while (!holds() && time.now() < patience) {
            loop.restart();
            loop.run_one_for(20ms);
        }
        REQUIRE(holds());
    }
};

TEST_CASE("nothing is shown until it is wanted, and then what came last comes first") {
    room node;
    node.taps.wrote(uptime, "before ");
    node.loop.poll();
    CHECK(node.seen.empty());

    node.taps.want(uptime, 30s);
    node.until([&] { return node.seen == "before "; });
    node.taps.wrote(uptime, "after");
    node.until([&] { return node.seen == "before after"; });
    node.taps.ended(uptime);
    CHECK(node.ends == 1);
}

TEST_CASE("a want may come before the task does, and without its attempt") {
    room node;
    node.taps.want({.job = uptime.job, .attempt = 0}, 30s);
    node.loop.poll();
    node.taps.wrote(uptime, "at last");
    node.until([&] { return node.seen == "at last"; });
}

TEST_CASE("when the way is blocked it waits, and what the tail cannot hold is a gap") {
    room node;
    node.taps.want(uptime, 30s);
    node.taps.wrote(uptime, "first");
    node.until([&] { return node.seen == "first"; });
    node.has_room = false;
    const std::string flood(3 * live_output_sender::tail_bytes_max, 'x');
    node.taps.wrote(uptime, flood);
    node.has_room = true;

    node.until([&] { return node.end == 5 + flood.size(); });
    const auto lost = flood.size() - live_output_sender::tail_bytes_max;
    CHECK(node.seen.starts_with("first<" + std::to_string(lost) + ">xxx"));
    CHECK(
        node.pieces
        == 1 + live_output_sender::tail_bytes_max / live_output_sender::piece_bytes_max);
}

TEST_CASE("a task that writes without end is shown at a bounded rate") {
    room node;
    node.taps.want(uptime, 30s);
    const auto began = node.time.now();
    node.until([&] {
        node.taps.wrote(uptime, std::string(live_output_sender::piece_bytes_max, 'x'));
        return node.pieces >= 5;
    });
    CHECK(node.time.now() - began >= 4 * live_output_sender::interval);
}

TEST_CASE("a stop, a lost channel and the end of the lease each end what is shown") {
    for (const int how : {0, 1, 2}) {
        CAPTURE(how);
        room node;
        node.taps.want(uptime, how == 2 ? 50ms : 30'000ms);
        node.taps.wrote(uptime, "seen");
        node.until([&] { return node.seen == "seen"; });
        if (how == 0) node.taps.stop(uptime);
        if (how == 1) node.taps.channel_lost();
        if (how == 2) {
            const auto over = node.time.now() + 60ms;
            node.until([&] { return node.time.now() > over; });
        }
        node.taps.wrote(uptime, " unseen");
        node.taps.ended(uptime);
        CHECK(node.seen == "seen");
        CHECK(node.ends == 0);
    }
}

}  // namespace
}  // namespace muster::agent
