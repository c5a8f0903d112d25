#pragma once

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/server.h"
#include "core/events/event_kind.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/events/courier.h"
#include "roles/events/webhook_message.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/real_world.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Webhooks with a real receiver on loopback, on embedded engines.
namespace muster::events::delivery_test {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

inline constexpr auto secret = "a secret of some length";

// Somebody else's program: takes events while it is well.
class receiver {
public:
    explicit receiver(clock& time) : time_(time) {
        auto routes = std::make_shared<http::router>();
        const http::handler handle = [this](http::request asked) {
            return take(std::move(asked));
        };
        REQUIRE(routes->add("POST", "/{name}", {handle}));
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.where = {.host = "127.0.0.1", .port = 0},
             .tls = nullptr,
             .what = {.routes = std::move(routes)}});
        running_ =
            http::server::start({.listeners = std::move(listeners), .time = &time, .loops = 1})
                .value();
    }

    std::string url(const std::string& name) const {
        return "http://127.0.0.1:" + std::to_string(running_->port(0)) + "/" + name;
    }
    std::vector<std::string> taken() const {
        const std::lock_guard lock(guard_);
        return taken_;
    }

    std::atomic<bool> well = true;
    std::atomic<bool> quick = false;  // also the slow one
    std::atomic<int> refused = 0;
    std::atomic<int> forged = 0;

private:
    async<http::response> take(http::request asked) {
        CO_TRY(const auto body, co_await asked.body());
        const auto timestamp = std::string(asked.field("muster-timestamp").value_or(""));
        if (asked.field("muster-signature").value_or("")
            != webhook_signature(secret, timestamp, body))
            ++forged;
        if (asked.captured("name") == "slow" && !quick) {
            ++refused;
            CO_CHECK_OK(co_await time_.sleep_for(2s));
        }
        if (!well || asked.captured("name") == "deaf") {
            ++refused;
            co_return http::text(500, "not now");
        }
        const auto told = json::parse(body);
        const std::lock_guard lock(guard_);
        for (const auto& each : told.at("events").as_array())
            taken_.push_back(json::value_to<std::string>(each.at("id")));
        co_return http::text(204, "");
    }

    clock& time_;
    mutable std::mutex guard_;
    std::vector<std::string> taken_;
    std::unique_ptr<http::server> running_;
};

struct world {
    harness::temporary_directory where{"webhooks"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    event_log events{*records, time};
    webhook_book book{*store};
    webhook_gate gate{{.plain_http = true}};
    receiver there{time};

    world() { REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value()); }

    webhook_record hook(const std::string& name) const {
        return {
            .name = name,
            .url = there.url(name),
            .kinds = {"node.*"},
            .secret = secret,
            .authorities = {},
            .made_by = "admin",
            .made = wall_time(1s)};
    }
    courier::surroundings around(event_tail& tail) {
        return {
            .events = events,
            .tail = tail,
            .book = book,
            .gate = gate,
            .time = time,
            .log = log,
            .names = [](std::int64_t) {
                return std::string();
            }};
    }
    static courier::options quick() {
        return {
            .policy = {.first_pause = 20ms, .longest_pause = 100ms},
            .look = 50ms,
            .patience = 50ms,
            .note_interval = 1s,
            .batch = 7,
            .limits = {.first_byte_time = 300ms}};
    }
    void write(int first, int last) {
        std::vector<event_record> made;
        for (int n = first; n <= last; ++n) {
            event_record one;
            one.anchor = wall_time(std::chrono::seconds(n));
            one.at = one.anchor;
            one.id = std::to_string(n);
            one.kind = std::string(kind::node_serving);
            one.data = "{}";
            made.push_back(one);
            one.id += " is for others";
            one.kind = std::string(kind::calendar_changed);
            made.push_back(one);
        }
        REQUIRE(answer_of(events.write(std::move(made))).has_value());
    }
    webhook_progress progress(const std::string& name) {
        return answer_of(book.find(name)).value().progress;
    }
};

inline std::vector<std::string> numbers(int first, int last) {
    std::vector<std::string> all;
    for (int n = first; n <= last; ++n) all.push_back(std::to_string(n));
    return all;
}

// Without what came again after a courier had died.
inline std::vector<std::string> once(const std::vector<std::string>& taken) {
    std::vector<std::string> all;
    for (const auto& each : taken)
        if (std::ranges::find(all, each) == all.end()) all.push_back(each);
    return all;
}

// Runs a courier until `done`; then it is gone, in whatever it was doing.
inline boost::asio::awaitable<void> serve(
    world& on, std::string what, std::function<bool()> done, std::function<bool()> active) {
    event_tail tail(*on.records, on.time, {.patience = 50ms, .moment = 5ms});
    courier serving(on.around(tail), world::quick());
    runtime::task_group work(
        co_await boost::asio::this_coro::executor,
        [](const std::string&, std::exception_ptr thrown) { std::rethrow_exception(thrown); });
    work.spawn("follow events", tail.follow_events());
    work.spawn("follow returns", tail.follow_returns());
    work.spawn("serve webhooks", serving.run(std::move(active), work));
    std::exception_ptr failed;
    try {
        co_await harness::until(on.time, std::move(what), std::move(done));
    } catch (...) {
        failed = std::current_exception();
    }
    work.cancel();
    co_await work.join();
    if (failed) std::rethrow_exception(failed);
}

inline void serve_until(world& on, const std::string& what, std::function<bool()> done) {
    harness::real_world loop;
    loop.run(serve(on, what, std::move(done), [] { return true; }));
}

}  // namespace muster::events::delivery_test
