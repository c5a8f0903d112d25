// What a webhook dispatcher does not do: call where it must not, go on from nowhere, read secrets
// again.
#include "tests/fixtures/events/webhook_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::events::delivery_test {
namespace {

TEST_CASE("what a webhook may not call any more is not called, and is seen to fail") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    fixture.write(1, 3);
    webhook_address_policy strict({.plain_http = false});
    std::swap(fixture.address_policy, strict);
    serve_until(fixture, "a failure", [&] { return fixture.progress("chat").failures >= 1; });
    CHECK(fixture.receiver.received().empty());
    CHECK(fixture.progress("chat").last_error.contains("webhooks.plain_http"));

    std::swap(fixture.address_policy, strict);
    serve_until(fixture, "it has it", [&] { return fixture.progress("chat").delivered == 3; });
}

TEST_CASE("a webhook whose place nobody can go on from is given up for everybody to see") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {.events = 1'000, .tasks = 0})));
    fixture.write(1, 3);
    serve_until(fixture, "it is given up", [&] { return fixture.progress("chat").given_up; });
    const auto after = fixture.progress("chat");
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
    async<kv::commit_result> commit(kv::transaction change) override {
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

boost::asio::awaitable<void> replace_webhook(webhook_fixture& fixture, counting_store& store) {
    co_await harness::until(fixture.clock, "many looks", [&] {
        return store.looks >= 10 && fixture.receiver.received().size() == 3;
    });
    CHECK(store.reads == 1);

    // Made anew under the same name it is another one, with another secret.
    auto anew = fixture.hook("chat");
    anew.secret = "another secret of length";
    const auto removed = co_await fixture.webhooks.remove("chat");
    REQUIRE(removed.has_value());
    const auto added = co_await fixture.webhooks.add(anew, {});
    REQUIRE(added.has_value());
    co_await harness::until(
        fixture.clock, "it came with the new secret", [&] { return fixture.receiver.forged >= 1; });
    CHECK(store.reads == 2);
}

TEST_CASE("a webhook and its secret are read when it is made, and not with every look") {
    webhook_fixture fixture;
    counting_store store(*fixture.metastore);
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    fixture.write(1, 3);
    webhook_store webhooks(store);
    const std::atomic<bool> active = true;
    harness::real_event_loop loop;
    loop.run(
        serve_during(fixture, webhooks, [&] { return replace_webhook(fixture, store); }, active));
}

}  // namespace
}  // namespace muster::events::delivery_test
