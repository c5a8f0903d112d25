// Webhooks with a real receiver on loopback, on embedded engines.

#include "roles/events/courier.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/server.h"
#include "core/events/event_kind.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/events/webhook_message.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

constexpr auto secret = "a secret of some length";

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
    courier::surroundings around() {
        return {
            .events = events, .book = book, .time = time, .log = log, .names = [](std::int64_t) {
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

std::vector<std::string> numbers(int first, int last) {
    std::vector<std::string> all;
    for (int n = first; n <= last; ++n) all.push_back(std::to_string(n));
    return all;
}

// Without what came again after a courier had died.
std::vector<std::string> once(const std::vector<std::string>& taken) {
    std::vector<std::string> all;
    for (const auto& each : taken)
        if (std::ranges::find(all, each) == all.end()) all.push_back(each);
    return all;
}

// Runs a courier until `done`; then it is gone, in whatever it was doing.
boost::asio::awaitable<void> serve(
    world& on, std::string what, std::function<bool()> done, std::function<bool()> active) {
    courier serving(on.around(), world::quick());
    runtime::task_group work(
        co_await boost::asio::this_coro::executor,
        [](const std::string&, std::exception_ptr thrown) { std::rethrow_exception(thrown); });
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

void serve_until(world& on, const std::string& what, std::function<bool()> done) {
    harness::real_world loop;
    loop.run(serve(on, what, std::move(done), [] { return true; }));
}

TEST_CASE("a receiver gets what it wants in order and signed; who dies repeats a batch at most") {
    world on;
    REQUIRE(answer_of(on.book.add(on.hook("chat"), {})));
    on.write(1, 40);
    serve_until(on, "forty events", [&] { return on.there.taken().size() >= 40; });
    serve_until(on, "the note of it", [&] { return on.progress("chat").delivered == 40; });
    const auto first = on.there.taken();
    CHECK(once(first) == numbers(1, 40));
    CHECK(first.size() <= 40 + world::quick().batch);
    on.write(41, 60);
    serve_until(on, "the rest", [&] { return on.progress("chat").delivered == 60; });

    CHECK(once(on.there.taken()) == numbers(1, 60));
    CHECK(on.there.taken().size() == first.size() + 20);
    CHECK(on.there.forged == 0);
}

TEST_CASE("a receiver that refuses misses nothing, holds up nobody, and is seen to fail") {
    world on;
    REQUIRE(answer_of(on.book.add(on.hook("chat"), {})));
    REQUIRE(answer_of(on.book.add(on.hook("deaf"), {})));
    on.write(1, 20);
    serve_until(on, "chat has it all, deaf refused", [&] {
        return on.there.taken().size() >= 20 && on.there.refused >= 3
               && on.progress("deaf").failures >= 3;
    });
    CHECK(once(on.there.taken()) == numbers(1, 20));
    const auto deaf = on.progress("deaf");
    CHECK(deaf.last_error == "the receiver answered with 500");
    CHECK(deaf.delivered == 0);
    CHECK(deaf.failing_since.has_value());
    CHECK(deaf.position == event_position());

    on.there.well = false;
    on.write(21, 50);
    serve_until(on, "chat refused", [&] { return on.progress("chat").failures >= 2; });
    on.there.well = true;
    serve_until(on, "chat is well", [&] { return on.progress("chat").delivered == 50; });
    CHECK(once(on.there.taken()) == numbers(1, 50));
}

TEST_CASE("a receiver that answers too late is asked again, and meanwhile nobody waits for it") {
    world on;
    REQUIRE(answer_of(on.book.add(on.hook("slow"), {})));
    REQUIRE(answer_of(on.book.add(on.hook("chat"), {})));
    on.write(1, 20);
    serve_until(on, "chat has it all, slow has nothing", [&] {
        return on.progress("chat").delivered == 20 && on.progress("slow").failures >= 1;
    });
    CHECK(on.progress("slow").delivered == 0);

    on.there.quick = true;
    serve_until(on, "slow has it all", [&] { return on.progress("slow").delivered == 20; });
    CHECK(on.progress("slow").failures == 0);
}

TEST_CASE("a receiver that nobody reaches is an error that says so") {
    world on;
    auto nobody = on.hook("nobody");
    nobody.url = "http://127.0.0.1:1/";
    REQUIRE(answer_of(on.book.add(nobody, {})));
    on.write(1, 3);
    serve_until(on, "a failure", [&] { return on.progress("nobody").failures >= 1; });
    CHECK_FALSE(on.progress("nobody").last_error.empty());
}

TEST_CASE("a webhook that was given up waits until somebody resumes it") {
    world on;
    REQUIRE(answer_of(on.book.add(on.hook("chat"), {})));
    auto one = answer_of(on.book.find("chat")).value();
    one.progress.given_up = true;
    one.progress.failures = 9;
    REQUIRE(answer_of(on.book.save("chat", one.progress, one.saved)));
    on.write(1, 5);
    REQUIRE(answer_of(on.book.add(on.hook("other"), {})));
    serve_until(on, "the other has it", [&] { return on.progress("other").delivered == 5; });
    CHECK(on.there.taken().size() == 5);

    REQUIRE(answer_of(on.book.resume("chat")));
    serve_until(on, "it has it too", [&] { return on.progress("chat").delivered == 5; });
    CHECK(on.there.taken().size() == 10);
}

TEST_CASE("of two who serve the same webhook one finds that the other was faster") {
    world on;
    REQUIRE(answer_of(on.book.add(on.hook("chat"), {})));
    const auto read = answer_of(on.book.find("chat")).value();
    REQUIRE(answer_of(on.book.save("chat", {.position = {.events = 3}}, read.saved)));
    const auto late = answer_of(on.book.save("chat", {.position = {.events = 2}}, read.saved));
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code() == errc::conflict);

    REQUIRE(answer_of(on.book.remove("chat")));
    CHECK(answer_of(on.book.find("chat")).error().code() == errc::not_found);
    CHECK(answer_of(on.book.remove("chat")).error().code() == errc::not_found);
}

TEST_CASE("a webhook goes over https or to this very machine, and has a secret") {
    world on;
    const auto refuses = [&](auto change) {
        auto hook = on.hook("chat");
        change(hook);
        const auto added = answer_of(on.book.add(hook, {}));
        return !added && added.error().code() == errc::invalid;
    };
    CHECK(refuses([](auto& hook) { hook.url = "http://example.org/"; }));
    CHECK(refuses([](auto& hook) { hook.url = "http://10.0.0.1/"; }));
    CHECK(refuses([](auto& hook) { hook.url = "ftp://127.0.0.1/"; }));
    CHECK(refuses([](auto& hook) { hook.url = "http://127.0.0.1.example.org/"; }));
    CHECK(refuses([](auto& hook) { hook.secret = "short"; }));
    CHECK(refuses([](auto& hook) { hook.kinds = {"nothing.*"}; }));
    CHECK(refuses([](auto& hook) { hook.name = "a/b"; }));
    CHECK(refuses([](auto& hook) { hook.authorities = "no certificate"; }));
    auto well = on.hook("well");
    well.url = "https://chat.acme.org/hook";
    CHECK(answer_of(on.book.add(well, {})));
    CHECK(answer_of(on.book.add(well, {})).error().code() == errc::conflict);
    CHECK(decode_webhook(encode(well)).value() == well);
}

TEST_CASE("a signature is what other programs make of the same key, time and body") {
    // printf '1.{}' | openssl dgst -sha256 -hmac 'a secret of some length'
    CHECK(
        webhook_signature(secret, "1", "{}")
        == "v1=fe073d07de269a8d2dcc12a6ca6631809e48fc2f27a1490485b7bae2da27a70b");
    CHECK(webhook_signature(secret, "1", "{}") != webhook_signature(secret, "2", "{}"));
}

}  // namespace
}  // namespace muster::events
