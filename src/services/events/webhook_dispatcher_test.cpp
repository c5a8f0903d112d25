// What receivers of webhooks get, and what becomes of those who do not take it.
#include "tests/fixtures/events/webhook_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::events::delivery_test {
namespace {

TEST_CASE("a receiver gets what it wants in order and signed; who dies repeats a batch at most") {
    world on;
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
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
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    REQUIRE(run_sync(on.book.add(on.hook("deaf"), {})));
    on.write(1, 20);
    serve_until(on, "chat has it all, deaf refused", [&] {
        return on.there.taken().size() >= 20 && on.there.refused >= 3
               && on.progress("deaf").failures >= 3;
    });
    CHECK(once(on.there.taken()) == numbers(1, 20));
    const auto deaf = on.progress("deaf");
    CHECK(deaf.last_error == "answered 500");
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
    REQUIRE(run_sync(on.book.add(on.hook("slow"), {})));
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    on.write(1, 20);
    serve_until(on, "chat has it all, slow has nothing", [&] {
        return on.progress("chat").delivered == 20 && on.progress("slow").failures >= 1;
    });
    CHECK(on.progress("slow").delivered == 0);

    on.there.quick = true;
    serve_until(on, "slow has it all", [&] { return on.progress("slow").delivered == 20; });
    CHECK(on.progress("slow").failures == 0);
}

TEST_CASE("of a receiver that nobody reaches no more is told than that") {
    world on;
    auto nobody = on.hook("nobody");
    nobody.url = "http://127.0.0.1:1/";
    REQUIRE(run_sync(on.book.add(nobody, {})));
    on.write(1, 3);
    serve_until(on, "a failure", [&] { return on.progress("nobody").failures >= 1; });
    CHECK(on.progress("nobody").last_error == "no answer");
}

TEST_CASE("a webhook that was given up waits until somebody resumes it") {
    world on;
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    auto one = run_sync(on.book.find("chat")).value();
    one.progress.given_up = true;
    one.progress.failures = 9;
    REQUIRE(run_sync(on.book.save("chat", one.progress, one.saved)));
    on.write(1, 5);
    REQUIRE(run_sync(on.book.add(on.hook("other"), {})));
    serve_until(on, "the other has it", [&] { return on.progress("other").delivered == 5; });
    CHECK(on.there.taken().size() == 5);

    REQUIRE(run_sync(on.book.resume("chat")));
    serve_until(on, "it has it too", [&] { return on.progress("chat").delivered == 5; });
    CHECK(on.there.taken().size() == 10);
}

TEST_CASE("of two who serve the same webhook one finds that the other was faster") {
    world on;
    REQUIRE(run_sync(on.book.add(on.hook("chat"), {})));
    const auto read = run_sync(on.book.find("chat")).value();
    REQUIRE(run_sync(on.book.save("chat", {.position = {.events = 3}}, read.saved)));
    const auto late = run_sync(on.book.save("chat", {.position = {.events = 2}}, read.saved));
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code() == errc::conflict);

    REQUIRE(run_sync(on.book.remove("chat")));
    CHECK(run_sync(on.book.find("chat")).error().code() == errc::not_found);
    CHECK(run_sync(on.book.remove("chat")).error().code() == errc::not_found);
}

TEST_CASE("a webhook goes over https or to this very machine, and has a secret") {
    world on;
    const auto refuses = [&](auto change) {
        auto hook = on.hook("chat");
        change(hook);
        const auto added = run_sync(on.book.add(hook, {}));
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
    CHECK(run_sync(on.book.add(well, {})));
    CHECK(run_sync(on.book.add(well, {})).error().code() == errc::conflict);
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
