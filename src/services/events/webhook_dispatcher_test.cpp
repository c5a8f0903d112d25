// What receivers of webhooks get, and what becomes of those who do not take it.
#include "tests/fixtures/events/webhook_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::events::delivery_test {
namespace {

TEST_CASE("a receiver gets what it wants in order and signed; who dies repeats a batch at most") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    fixture.write(1, 40);
    serve_until(fixture, "forty events", [&] { return fixture.receiver.received().size() >= 40; });
    serve_until(
        fixture, "the note of it", [&] { return fixture.progress("chat").delivered == 40; });
    const auto first = fixture.receiver.received();
    CHECK(without_repeats(first) == numbers(1, 40));
    CHECK(first.size() <= 40 + fixture.dispatcher_options.batch);
    fixture.write(41, 60);
    serve_until(fixture, "the rest", [&] { return fixture.progress("chat").delivered == 60; });

    CHECK(without_repeats(fixture.receiver.received()) == numbers(1, 60));
    CHECK(fixture.receiver.received().size() == first.size() + 20);
    CHECK(fixture.receiver.forged == 0);
}

TEST_CASE("a receiver that refuses misses nothing, holds up nobody, and is seen to fail") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("deaf"), {})));
    fixture.write(1, 20);
    serve_until(fixture, "chat has it all, deaf refused", [&] {
        return fixture.receiver.received().size() >= 20 && fixture.receiver.refused >= 3
               && fixture.progress("deaf").failures >= 3;
    });
    CHECK(without_repeats(fixture.receiver.received()) == numbers(1, 20));
    const auto deaf = fixture.progress("deaf");
    CHECK(deaf.last_error == "HTTP status 500");
    CHECK(deaf.delivered == 0);
    CHECK(deaf.failing_since.has_value());
    CHECK(deaf.position == event_position());

    fixture.receiver.healthy = false;
    fixture.write(21, 50);
    serve_until(fixture, "chat refused", [&] { return fixture.progress("chat").failures >= 2; });
    fixture.receiver.healthy = true;
    serve_until(fixture, "chat is well", [&] { return fixture.progress("chat").delivered == 50; });
    CHECK(without_repeats(fixture.receiver.received()) == numbers(1, 50));
}

TEST_CASE("a receiver that answers too late is asked again, and meanwhile nobody waits for it") {
    webhook_fixture fixture;
    fixture.dispatcher_options.limits.first_byte_time = 300ms;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("slow"), {})));
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    fixture.write(1, 20);
    serve_until(fixture, "chat has it all, slow has nothing", [&] {
        return fixture.progress("chat").delivered == 20 && fixture.progress("slow").failures >= 1;
    });
    CHECK(fixture.progress("slow").delivered == 0);

    fixture.receiver.answers_quickly = true;
    serve_until(
        fixture, "slow has it all", [&] { return fixture.progress("slow").delivered == 20; });
    CHECK(fixture.progress("slow").failures == 0);
}

TEST_CASE("of a receiver that nobody reaches no more is told than that") {
    webhook_fixture fixture;
    auto nobody = fixture.hook("nobody");
    nobody.url = "http://127.0.0.1:1/";
    REQUIRE(run_sync(fixture.webhooks.add(nobody, {})));
    fixture.write(1, 3);
    serve_until(fixture, "a failure", [&] { return fixture.progress("nobody").failures >= 1; });
    CHECK(fixture.progress("nobody").last_error == "no response");
}

TEST_CASE("a webhook that was given up waits until somebody resumes it") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    auto one = run_sync(fixture.webhooks.find("chat")).value();
    one.progress.given_up = true;
    one.progress.failures = 9;
    REQUIRE(run_sync(fixture.webhooks.save("chat", one.progress, one.saved)));
    fixture.write(1, 5);
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("other"), {})));
    serve_until(
        fixture, "the other has it", [&] { return fixture.progress("other").delivered == 5; });
    CHECK(fixture.receiver.received().size() == 5);

    REQUIRE(run_sync(fixture.webhooks.resume("chat")));
    serve_until(fixture, "it has it too", [&] { return fixture.progress("chat").delivered == 5; });
    CHECK(fixture.receiver.received().size() == 10);
}

TEST_CASE("of two who serve the same webhook one finds that the other was faster") {
    webhook_fixture fixture;
    REQUIRE(run_sync(fixture.webhooks.add(fixture.hook("chat"), {})));
    const auto read = run_sync(fixture.webhooks.find("chat")).value();
    REQUIRE(run_sync(fixture.webhooks.save("chat", {.position = {.events = 3}}, read.saved)));
    const auto late =
        run_sync(fixture.webhooks.save("chat", {.position = {.events = 2}}, read.saved));
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code() == errc::conflict);

    REQUIRE(run_sync(fixture.webhooks.remove("chat")));
    CHECK(run_sync(fixture.webhooks.find("chat")).error().code() == errc::not_found);
    CHECK(run_sync(fixture.webhooks.remove("chat")).error().code() == errc::not_found);
}

TEST_CASE("a webhook goes over https or to this very machine, and has a secret") {
    webhook_fixture fixture;
    const auto refuses = [&](auto change) {
        auto hook = fixture.hook("chat");
        change(hook);
        const auto added = run_sync(fixture.webhooks.add(hook, {}));
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
    auto well = fixture.hook("well");
    well.url = "https://chat.acme.org/hook";
    CHECK(run_sync(fixture.webhooks.add(well, {})));
    CHECK(run_sync(fixture.webhooks.add(well, {})).error().code() == errc::conflict);
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
}  // namespace muster::events::delivery_test
