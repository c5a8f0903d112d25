#include "roles/node/dispatch/output_relay.h"

#include "runtime/clock.h"
#include "tests/harness/run_sync.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using harness::run_sync;
using jobs::output_piece;
using muster::agent_protocol::Frame;

constexpr job_id patch_night{4711};
constexpr system_number web1{7};
constexpr output_relay::task patch_on_web1{.system = web1, .job = patch_night};

// A relay whose agents are the test.
struct room final : agent_sender {
    runtime::system_clock clock;
    std::vector<std::pair<system_number, Frame>> sent;
    output_relay relay;

    explicit room(output_limits output_limits = {}) : relay(clock, *this, output_limits) {}

    bool send(system_number to, Frame frame) override {
        sent.emplace_back(to, std::move(frame));
        return true;
    }

    std::unique_ptr<output_relay::watcher> watch(output_relay::position from = {}) {
        return relay.watch(patch_on_web1, from).value();
    }
    void says(std::uint64_t offset, const std::string& content, std::uint32_t attempt = 1) {
        relay.on_frame(web1, output(offset, content, attempt));
    }
    static Frame output(
        std::uint64_t offset, const std::string& content, std::uint32_t attempt = 1) {
        Frame frame;
        auto& message = *frame.mutable_output();
        message.mutable_task()->set_job(patch_night.value());
        message.mutable_task()->set_attempt(attempt);
        message.set_offset(offset);
        message.set_content(content);
        return frame;
    }
    void ends(std::uint64_t offset) {
        auto frame = output(offset, "");
        frame.mutable_output()->set_ended(true);
        relay.on_frame(web1, frame);
    }
    // Runs the relay's own work beside until the piece is here.
    output_piece next(output_relay::watcher& by) {
        boost::asio::io_context loop;
        std::optional<result<output_piece>> message;
        boost::asio::co_spawn(loop, by.next(), [&](std::exception_ptr, result<output_piece> piece) {
            message.emplace(std::move(piece));
        });
        boost::asio::co_spawn(loop, relay.run(), [](const std::exception_ptr&) {});
        while (!message) loop.run_one();
        return message->value();
    }
    std::size_t wants() const {
        return static_cast<std::size_t>(std::ranges::count_if(sent, [](const auto& each) {
            return each.second.has_output_wanted() && !each.second.output_wanted().stop();
        }));
    }
    bool stopped() const { return !sent.empty() && sent.back().second.output_wanted().stop(); }
};

TEST_CASE("an agent is asked while somebody watches, and told when nobody does any more") {
    room fixture;
    fixture.says(0, "nobody listens");
    CHECK(fixture.sent.empty());

    auto first = fixture.watch();
    auto second = fixture.watch();
    REQUIRE(fixture.wants() == 2);
    const auto& request = fixture.sent.front().second.output_wanted();
    CHECK(fixture.sent.front().first == web1);
    CHECK(request.task().job() == patch_night.value());
    CHECK(request.lease_ms() == 30'000);

    first.reset();
    CHECK_FALSE(fixture.stopped());
    second.reset();
    CHECK(fixture.stopped());
}

TEST_CASE("every watcher is told everything, also one that came later") {
    room fixture;
    const auto early = fixture.watch();
    fixture.says(0, "one ");
    CHECK(fixture.next(*early) == output_piece{1, 0, "one ", false});
    fixture.says(4, "two");

    const auto late = fixture.watch();
    CHECK(fixture.next(*late) == output_piece{1, 0, "one two", false});
    CHECK(fixture.next(*early) == output_piece{1, 4, "two", false});
    fixture.ends(7);
    CHECK(fixture.next(*late) == output_piece{1, 7, "", true});
    CHECK(fixture.next(*early) == output_piece{1, 7, "", true});
}

TEST_CASE("who reads nothing misses what was too much, and holds up nobody") {
    room fixture({.tail_bytes_max = 10});
    const auto asleep = fixture.watch();
    const auto awake = fixture.watch();
    for (std::uint64_t n = 0; n < 1'000; ++n) {
        fixture.says(n * 5, "12345");
        CHECK(fixture.next(*awake) == output_piece{1, n * 5, "12345", false});
    }
    CHECK(fixture.next(*asleep) == output_piece{1, 4'990, "1234512345", false});
}

TEST_CASE("who comes back goes on where it was") {
    room fixture;
    const auto before = fixture.watch();
    fixture.says(0, "0123456789");
    const auto again = fixture.watch({.attempt = 1, .offset = 6});
    CHECK(fixture.next(*again) == output_piece{1, 6, "6789", false});
    const auto of_another = fixture.watch({.attempt = 3, .offset = 6});
    CHECK(fixture.next(*of_another) == output_piece{1, 0, "0123456789", false});
}

TEST_CASE("another attempt, or one that was run again, is shown from its beginning") {
    room fixture;
    const auto watcher = fixture.watch();
    fixture.says(0, "first try");
    CHECK(fixture.next(*watcher).content == "first try");
    fixture.says(0, "again", 1);
    CHECK(fixture.next(*watcher) == output_piece{1, 0, "again", false});
    fixture.says(0, "second", 2);
    fixture.says(20, "late word of the first", 1);
    CHECK(fixture.next(*watcher) == output_piece{2, 0, "second", false});
}

TEST_CASE("a report ends what is shown, after the last bytes had time to come") {
    room fixture({.tail_wait = 1ms});
    const auto watcher = fixture.watch();
    Frame reports;
    auto& report = *reports.mutable_reports()->add_reports();
    report.mutable_task()->set_job(patch_night.value());
    report.mutable_task()->set_attempt(1);
    fixture.says(0, "nearly all");
    fixture.relay.on_frame(web1, reports);
    fixture.says(10, " of it");

    CHECK(fixture.next(*watcher) == output_piece{1, 0, "nearly all of it", false});
    CHECK(fixture.next(*watcher) == output_piece{1, 16, "", true});
}

TEST_CASE("an agent that comes, and one that gets the task, is asked anew") {
    room fixture;
    const auto watcher = fixture.watch();
    Frame came;
    came.mutable_tasks_held()->set_all(true);
    fixture.relay.on_frame(web1, came);
    CHECK(fixture.wants() == 2);

    Frame took;
    took.mutable_tasks_held()->add_held()->mutable_task()->set_job(patch_night.value());
    fixture.relay.on_frame(web1, took);
    CHECK(fixture.wants() == 3);
    Frame other;
    other.mutable_tasks_held()->add_held()->mutable_task()->set_job(1);
    fixture.relay.on_frame(web1, other);
    fixture.relay.on_frame(system_number(8), came);
    CHECK(fixture.wants() == 3);
}

TEST_CASE("wants are said again before they end") {
    room fixture({.renewal = 0s});
    const auto watcher = fixture.watch();
    const auto before = fixture.wants();
    fixture.says(0, "x");
    CHECK(fixture.next(*watcher).content == "x");
    CHECK(fixture.wants() > before);
}

TEST_CASE("there are so many watchers and no more, of a node, a task and a system") {
    room node({.watchers_max = 2});
    const auto a = node.watch();
    const auto b = node.watch();
    CHECK(node.relay.watch(patch_on_web1, {}).error().code() == errc::unavailable);

    room task({.watchers_of_task_max = 1});
    auto only = task.watch();
    CHECK(task.relay.watch(patch_on_web1, {}).error().code() == errc::unavailable);
    CHECK(task.relay.watch({.system = system_number(8), .job = patch_night}, {}).has_value());
    only.reset();
    CHECK(task.relay.watch(patch_on_web1, {}).has_value());

    room system({.tasks_of_system_max = 1});
    const auto one = system.watch();
    const auto more = system.watch();
    CHECK(
        system.relay.watch({.system = web1, .job = job_id(1)}, {}).error().code()
        == errc::unavailable);
}

}  // namespace
}  // namespace muster::dispatch
