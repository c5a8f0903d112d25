// What a webhook dispatcher does not do: call where it must not, go on from nowhere, read secrets
// again.
#include "tests/fixtures/events/webhook_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::events::delivery_test {
namespace {

TEST_CASE("what a webhook may not call any more is not called, and is seen to fail") {
    world on;
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    on.write(1, 3);
    webhook_address_policy strict({.plain_http = false});
    std::swap(on.gate, strict);
    serve_until(on, "a failure", [&] { return on.progress("chat").failures >= 1; });
    CHECK(on.there.taken().empty());
    CHECK(on.progress("chat").last_error.contains("webhooks.plain_http"));

    std::swap(on.gate, strict);
    serve_until(on, "it has it", [&] { return on.progress("chat").delivered == 3; });
}

TEST_CASE("a webhook whose place nobody can go on from is given up for everybody to see") {
    world on;
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {.events = 1'000, .tasks = 0})));
    on.write(1, 3);
    serve_until(on, "it is given up", [&] { return on.progress("chat").given_up; });
    const auto after = on.progress("chat");
    CHECK(after.failures == 1);
    CHECK(after.last_error.contains("ahead of all events"));
    CHECK(after.failing_since.has_value());
}

// A metastore that counts who reads webhooks with their secrets.
class counting_store final : public metastore {
public:
    explicit counting_store(metastore& to) : to_(to) {}

    async<kv::lookup> get(std::string key) override {
        if (key.starts_with(webhook_store::hooks)) ++reads;
        return to_.get(std::move(key));
    }
    async<kv::page> range(kv::range_request request) override {
        if (request.prefix == webhook_store::hooks) ++reads;
        if (request.prefix == webhook_store::progresses) ++looks;
        return to_.range(std::move(request));
    }
    async<kv::verdict> commit(kv::transaction change) override {
        return to_.commit(std::move(change));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return to_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return to_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return to_.revoke(lease); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return to_.watch(std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override { return to_.compact(oldest); }

    std::atomic<int> reads = 0;
    std::atomic<int> looks = 0;

private:
    metastore& to_;
};

boost::asio::awaitable<void> serve_counted(world& on, counting_store& store) {
    webhook_store counted(store);
    event_watcher watcher(*on.records, on.clock, {.timeout = 50ms, .moment = 5ms});
    auto deps = on.around(watcher);
    webhook_dispatcher serving(
        {.events = deps.events,
         .watcher = watcher,
         .webhooks = counted,
         .addresses = deps.addresses,
         .clock = deps.clock,
         .log = deps.log,
         .names = deps.names},
        world::quick());
    runtime::task_group work(
        co_await boost::asio::this_coro::executor,
        [](const std::string&, std::exception_ptr thrown) { std::rethrow_exception(thrown); });
    work.spawn("follow events", watcher.follow_events());
    const std::atomic<bool> active = true;
    work.spawn("serve webhooks", serving.run(active, work));
    co_await harness::until(
        on.clock, "many looks", [&] { return store.looks >= 10 && on.there.taken().size() == 3; });
    CHECK(store.reads == 1);

    // Made anew under the same name it is another one, with another secret.
    auto anew = on.hook("chat");
    anew.secret = "another secret of length";
    const auto removed = co_await on.book.remove("chat");
    REQUIRE(removed.has_value());
    const auto added = co_await on.book.add(anew, {});
    REQUIRE(added.has_value());
    co_await harness::until(
        on.clock, "it came with the new secret", [&] { return on.there.forged >= 1; });
    CHECK(store.reads == 2);
    work.cancel();
    co_await work.join();
}

TEST_CASE("a webhook and its secret are read when it is made, and not with every look") {
    world on;
    counting_store store(*on.store);
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    on.write(1, 3);
    harness::real_event_loop loop;
    loop.run(serve_counted(on, store));
}

}  // namespace
}  // namespace muster::events::delivery_test
