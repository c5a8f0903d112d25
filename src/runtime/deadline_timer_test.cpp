#include "runtime/deadline_timer.h"

#include "runtime/task_group.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::runtime {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Time passes when the test says so.
class held_clock final : public clock {
public:
    instant now() const override { return now_; }
    wall_time wall() const override { return {}; }
    async<void> sleep_until(instant when) override {
        return await_callback<void>([this, when](completion<void> done) {
            if (when <= now_) return done({});
            sleepers_.emplace(when, std::move(done));
        });
    }

    void pass(monotonic::duration span) {
        now_ += span;
        while (!sleepers_.empty() && sleepers_.begin()->first <= now_)
            sleepers_.extract(sleepers_.begin()).mapped()({});
    }

private:
    instant now_{1h};
    std::multimap<instant, completion<void>> sleepers_;
};

struct fixture final : deadline_owner {
    asio::io_context loop;
    held_clock clock;
    deadline_timer timer{clock};
    std::optional<instant> deadline;
    std::vector<instant> rung;
    std::function<void()> on_due = [] {
    };
    task_group tasks{loop.get_executor(), [](const std::string&, std::exception_ptr) {
                     }};

    fixture() = default;
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() override {
        tasks.cancel();
        run();
    }

    void start() {
        tasks.spawn("timer", timer.run(this));
        run();
    }
    std::optional<instant> next_deadline() const override { return deadline; }
    void deadline_due() override {
        rung.push_back(clock.now());
        deadline.reset();
        on_due();
    }
    void run() {
        loop.restart();
        loop.poll();
    }
    void pass(monotonic::duration span) {
        clock.pass(span);
        run();
    }
    void arm(monotonic::duration from_now) {
        deadline = clock.now() + from_now;
        timer.rearm(deadline);
        run();
    }
};

using instants = std::vector<instant>;

TEST_CASE("a timer rings when the deadline has come, and once") {
    fixture with;
    with.deadline = instant(1h + 10s);
    with.start();

    with.pass(9s);
    CHECK(with.rung.empty());
    with.pass(1s);
    with.pass(1h);

    CHECK(with.rung == instants{instant(1h + 10s)});
}

TEST_CASE("a timer without a deadline waits until it is given one") {
    fixture with;
    with.start();
    with.pass(1h);

    with.arm(5s);
    with.pass(5s);

    CHECK(with.rung == instants{instant(2h + 5s)});
}

TEST_CASE("a deadline that moves forward is rung for at its new time") {
    fixture with;
    with.deadline = instant(1h + 60s);
    with.start();

    with.arm(10s);
    with.pass(10s);

    CHECK(with.rung == instants{instant(1h + 10s)});
}

TEST_CASE("a deadline that moves back is not rung for at its old time") {
    fixture with;
    with.deadline = instant(1h + 10s);
    with.start();

    with.arm(60s);
    with.pass(10s);
    CHECK(with.rung.empty());
    with.pass(50s);

    CHECK(with.rung == instants{instant(1h + 60s)});
}

TEST_CASE("a deadline that has passed is rung for at once") {
    fixture with;
    with.deadline = instant(30min);
    with.start();

    with.pass(1ns);

    CHECK(with.rung.size() == 1);
}

TEST_CASE("a timer that is rung is due whatever its deadline") {
    fixture with;
    with.deadline = instant(2h);
    with.start();

    with.timer.trigger();
    with.run();

    CHECK(with.rung == instants{instant(1h)});
}

TEST_CASE("a timer that is rung before it runs is due when it runs") {
    fixture with;
    with.timer.trigger();

    with.start();

    CHECK(with.rung.size() == 1);
}

TEST_CASE("who rings while it is due does not make it due again") {
    fixture with;
    with.on_due = [&with] {
        with.timer.trigger();
    };
    with.start();

    with.timer.trigger();
    with.run();

    CHECK(with.rung.size() == 1);
}

TEST_CASE("a deadline that is set while it is due is waited for") {
    fixture with;
    with.deadline = instant(1h + 1s);
    with.on_due = [&with] {
        if (with.rung.size() > 1) return;
        with.deadline = with.clock.now() + 1s;
        with.timer.rearm(with.deadline);
    };
    with.start();

    with.pass(1s);
    with.pass(1s);
    with.pass(1h);

    CHECK(with.rung == instants{instant(1h + 1s), instant(1h + 2s)});
}

TEST_CASE("a timer that is cancelled ends and rings no more") {
    fixture with;
    with.deadline = instant(1h + 10s);
    with.start();

    with.tasks.cancel();
    with.run();
    with.pass(1h);

    CHECK(with.tasks.size() == 0);
    CHECK(with.rung.empty());
}

TEST_CASE("a timer can be run again after it was cancelled") {
    fixture with;
    with.start();
    with.tasks.cancel();
    with.run();
    task_group again(with.loop.get_executor(), [](const std::string&, std::exception_ptr) {});
    again.spawn("timer", with.timer.run(&with));
    with.run();

    with.arm(5s);
    with.pass(5s);

    CHECK(with.rung == instants{instant(1h + 5s)});
    again.cancel();
    with.run();
}

}  // namespace
}  // namespace muster::runtime
