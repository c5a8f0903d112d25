// What third parties ask about events, over TLS against the real parts on embedded engines.

#include "api/rest/events_api.h"

#include "api/rest/webhooks_api.h"
#include "core/events/event_kind.h"
#include "tests/fixtures/api/rest_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;
using harness::run_sync;

struct site : test::rest_fixture {
    events::event_log events_log{*records, clock};
    events::event_watcher tail{*records, clock, {}};
    events::webhook_store book{*store};
    events::webhook_address_policy gate{
        {.plain_http = true, .closed = {{.host = "0.0.0.0", .port = 8443}}}};
    struct web_systems final : system_directory {
        result<system_number> find(const std::string& named) const override {
            if (named == "web1") return system_number(1);
            if (named == "web2") return system_number(2);
            return fail(errc::not_found, "there is no system " + named);
        }
    };
    struct web_names final : events::system_names {
        std::string name_of(system_number system) const override {
            return "web" + std::to_string(system.value());
        }
        std::optional<std::string> zone_of(system_number system) const override {
            if (system > system_number(2)) return std::nullopt;
            return system == system_number(1) ? "eu" : "us";
        }
    };
    web_systems two_systems;
    web_names names;
    events_api events_part{
        {.log = events_log,
         .watcher = tail,
         .clock = clock,
         .systems = two_systems,
         .names = names,
         .streams_max = 2}};
    webhooks_api webhooks_part{
        {.webhooks = book, .log = events_log, .addresses = gate, .clock = clock}};

    site() : rest_fixture("events-api") {
        REQUIRE(events_part.declare(operations));
        REQUIRE(webhooks_part.declare(operations));
        serve();
    }
    ~site() { stop(); }

    // The events of a stream that ends by itself.
    std::string stream(const std::string& path, const std::string& last = "") {
        http::field_list fields{{"Accept", "text/event-stream"}};
        if (!last.empty()) fields.emplace_back("Last-Event-ID", last);
        return send("GET", path, {}, fields).body;
    }

    // Somebody of zone eu asks from now on.
    void ask_in_eu() {
        auto now = std::make_shared<cluster::topology>();
        for (const auto* const zone : {"eu", "us"}) now->zones[zone] = {.name = zone};
        places.publish(std::move(now));
        token = log_in("ada", {{.role = "viewer", .zone = "eu"}});
    }

    void write(
        const std::string& name,
        std::string_view kind,
        std::optional<std::int64_t> system = {},
        const std::string& zone = {},
        const std::string& data = R"({"why":"so"})") {
        event_record event;
        event.anchor = clock.wall();
        event.at = event.anchor;
        event.id = name;
        event.kind = std::string(kind);
        event.system = system;
        event.zone = zone;
        event.data = data;
        REQUIRE(run_sync(events_log.write({event})));
    }
};

std::vector<std::string> ids(const json::object& page) {
    std::vector<std::string> all;
    for (const auto& item : page.at("items").as_array())
        all.push_back(json::value_to<std::string>(item.at("id")));
    return all;
}

TEST_CASE("events come page by page, and a cursor goes on without a gap on either path") {
    site fixture;
    for (const auto* const name : {"a", "b", "c"}) fixture.write(name, events::kind::node_serving);
    const auto first = fixture.call("GET", "/api/v1/events?limit=2");
    CHECK(ids(first) == std::vector<std::string>{"a", "b"});
    CHECK(first.at("more").as_bool());
    const auto next = json::value_to<std::string>(first.at("next"));

    fixture.write("d", events::kind::node_faulty);
    const auto rest = fixture.call("GET", "/events?since=" + next);
    CHECK(ids(rest) == std::vector<std::string>{"c", "d"});
    CHECK_FALSE(rest.at("more").as_bool());
    const auto end = json::value_to<std::string>(rest.at("next"));
    CHECK(ids(fixture.call("GET", "/events?since=" + end)).empty());
    CHECK(ids(fixture.call("GET", "/events?since=now")).empty());
    CHECK(ids(fixture.call("GET", "/events?since=-1h")).size() == 4);
    CHECK(ids(fixture.call("GET", "/events?kind=node.faulty")) == std::vector<std::string>{"d"});
}

TEST_CASE("the newest events come first when asked so, and the end is where a follower goes on") {
    site fixture;
    for (const auto* const name : {"a", "b", "c"}) fixture.write(name, events::kind::node_serving);
    const auto first = fixture.call("GET", "/api/v1/events?order=newest&limit=2");
    CHECK(ids(first) == std::vector<std::string>{"c", "b"});
    CHECK(first.at("more").as_bool());
    const auto next = json::value_to<std::string>(first.at("next"));
    const auto end = json::value_to<std::string>(first.at("end"));

    fixture.write("d", events::kind::node_faulty);
    const auto rest = fixture.call("GET", "/events?order=newest&limit=2&before=" + next);

    CHECK(ids(rest) == std::vector<std::string>{"a"});
    CHECK_FALSE(rest.at("more").as_bool());
    CHECK(ids(fixture.call("GET", "/events?since=" + end)) == std::vector<std::string>{"d"});
    CHECK(
        ids(fixture.call("GET", "/events?order=newest&since=" + end))
        == std::vector<std::string>{"d"});
    CHECK(
        ids(fixture.call("GET", "/events?order=newest&kind=node.faulty"))
        == std::vector<std::string>{"d"});
    CHECK(
        ids(fixture.call("GET", "/events?order=oldest&limit=1")) == std::vector<std::string>{"a"});
}

TEST_CASE("going back and following do not go together, and each has its own cursor") {
    site fixture;
    fixture.write("a", events::kind::node_serving);
    CHECK(fixture.send("GET", "/events?before=1.0").status == 400);
    CHECK(fixture.send("GET", "/events?order=newest&before=yesterday").status == 400);
    CHECK(fixture.send("GET", "/events?order=newest&before=99.0").status == 400);
    CHECK(fixture.send("GET", "/events?order=youngest").status == 400);
    const http::field_list streams{{"Accept", "text/event-stream"}};
    CHECK(fixture.send("GET", "/events?order=newest&for=1ms", {}, streams).status == 400);
}

TEST_CASE("an event names its system, and one system's events can be asked for") {
    site fixture;
    fixture.write("a", events::kind::system_moved, 1);
    fixture.write("b", events::kind::system_moved, 2);
    const auto page = fixture.call("GET", "/events?system=web1");
    CHECK(ids(page) == std::vector<std::string>{"a"});
    const auto& one = page.at("items").at(0).as_object();
    CHECK(one.at("name").as_string() == "web1");
    CHECK(one.at("data").at("why").as_string() == "so");
}

TEST_CASE("somebody of one zone is told what happened there, in pages either way and streams") {
    site fixture;
    fixture.write("own", events::kind::system_moved, 1, "eu");
    fixture.write("other", events::kind::system_moved, 2, "us");
    fixture.write("came", events::kind::system_moved, 1, "us");
    fixture.write("gone", events::kind::system_deleted, 3, "eu");
    fixture.write("node", events::kind::node_faulty, {}, "eu");
    fixture.write("far", events::kind::node_faulty, {}, "us");
    fixture.write("job", events::kind::job_done);
    fixture.write("returned", events::kind::window_overrun, 1);
    CHECK(ids(fixture.call("GET", "/events")).size() == 8);

    fixture.ask_in_eu();
    const std::vector<std::string> observed{"own", "gone", "node", "returned"};
    CHECK(ids(fixture.call("GET", "/api/v1/events")) == observed);
    auto back = ids(fixture.call("GET", "/events?order=newest"));
    std::ranges::reverse(back);
    CHECK(back == observed);
    const auto first = fixture.call("GET", "/events?limit=2");
    CHECK(ids(first) == std::vector<std::string>{"own"});
    CHECK(first.at("more").as_bool());
    const auto streamed = fixture.stream("/events?for=1ms");
    for (const auto& entry : observed) CHECK(streamed.contains("\"id\":\"" + entry + "\""));
    for (const auto* const each : {"other", "came", "far", "job"})
        CHECK_FALSE(streamed.contains("\"id\":\"" + std::string(each) + "\""));
    CHECK(ids(fixture.call("GET", "/events?system=web1")).size() == 2);
}

TEST_CASE("of an event about many systems somebody of one zone sees their own") {
    site fixture;
    const auto* const both =
        R"({"systems":[{"name":"web2","zone":"us"},{"name":"web1","zone":"eu"}]})";
    const auto* const theirs = R"({"systems":[{"name":"web2","zone":"us"}]})";
    const auto* const nowhere = R"({"systems":[{"name":"new","zone":""}]})";
    fixture.write("both", events::kind::system_accepted, {}, "us", both);
    fixture.write("theirs", events::kind::system_accepted, {}, "us", theirs);
    fixture.write("nowhere", events::kind::system_rejected, {}, "", nowhere);
    fixture.ask_in_eu();
    const auto page = fixture.call("GET", "/events");
    REQUIRE(ids(page) == std::vector<std::string>{"both"});
    const auto& one = page.at("items").at(0).as_object();
    CHECK(one.at("zone").as_string() == "eu");
    CHECK(json::serialize(one.at("data")) == R"({"systems":[{"name":"web1","zone":"eu"}]})");
}

TEST_CASE(
    "a system of another zone is as one that is not there, and without the right all is shut") {
    site fixture;
    fixture.ask_in_eu();
    CHECK(fixture.send("GET", "/events?system=nobody").status == 404);
    CHECK(fixture.send("GET", "/events?system=web2").status == 404);
    fixture.token = fixture.log_in("bob", {});
    CHECK(fixture.send("GET", "/events").status == 403);
}

TEST_CASE("what cannot be asked for is refused with a sentence, and nobody is let in unknown") {
    site fixture;
    CHECK(fixture.send("GET", "/events?kind=nothing").status == 400);
    CHECK(fixture.send("GET", "/events?since=yesterday").status == 400);
    CHECK(fixture.send("GET", "/events?since=9.9").status == 400);
    CHECK(fixture.send("GET", "/events?job=7").status == 400);
    CHECK(fixture.send("GET", "/events?limit=0").status == 400);
    CHECK(fixture.send("GET", "/events?system=nobody").status == 404);
    fixture.token.clear();
    CHECK(fixture.send("GET", "/events").status == 401);
    CHECK(fixture.send("GET", "/api/v1/webhooks").status == 401);
}

TEST_CASE("a stream has the same events, and goes on behind the last one that a client has seen") {
    site fixture;
    fixture.write("a", events::kind::node_serving);
    fixture.write("b", events::kind::node_faulty);
    const auto all = fixture.stream("/events?for=1ms");
    CHECK(all.contains("event: node.serving\n"));
    CHECK(all.contains(R"("id":"b")"));
    const auto at = all.find("id: ") + 4;
    const auto first = all.substr(at, all.find('\n', at) - at);

    const auto rest = fixture.stream("/events?for=1ms", first);
    CHECK_FALSE(rest.contains(R"("id":"a")"));
    CHECK(rest.contains(R"("id":"b")"));
}

// Two streams are taken and not left; then a third one comes, and one of the two goes.
async<void> crowd(site* fixture) {
    http::client through({.clock = &fixture->clock, .tls = http::test::client_tls()});
    http::client_request ask{
        .url = "https://127.0.0.1:" + std::to_string(fixture->listening->port(0)) + "/events",
        .fields = {{"Accept", "text/event-stream"}, {"Authorization", "Bearer " + fixture->token}}};
    CO_TRY(auto first, co_await through.open(ask));
    CHECK(first.status() == 200);
    {
        CO_TRY(const auto second, co_await through.open(ask));
        CHECK(second.status() == 200);
        CO_TRY(const auto third, co_await through.send(ask));
        CHECK(third.status == 503);
        CHECK(third.field("retry-after").has_value());
        CHECK(third.body.contains("2 event streams"));
        // Pages are not limited by it.
        auto page = ask;
        page.fields.erase(page.fields.begin());
        CO_TRY(const auto read, co_await through.send(std::move(page)));
        CHECK(read.status == 200);
    }
    for (int tries = 0; tries < 1'000; ++tries) {
        CO_TRY(const auto again, co_await through.open(ask));
        if (again.status() == 200) co_return result<void>();
        CO_CHECK_OK(co_await fixture->clock.sleep_for(10ms));
    }
    co_return fail(errc::timed_out, "a seat that was left is not free");
}

TEST_CASE("there are so many streams at once, and who comes then is told when to come again") {
    site fixture;
    runtime::metrics metrics;
    fixture.events_part.export_to(metrics);
    const auto done = run_sync(crowd(&fixture));
    CHECK_MESSAGE(done.has_value(), (done ? "" : to_string(done.error())));
    CHECK_FALSE(metrics.text().contains("muster_event_streams_refused_total 0"));
}

TEST_CASE("a webhook's secret is shown once when the server made it, and never when it was given") {
    site fixture;
    const json::object desired{
        {"name", "chat"}, {"url", "https://chat.acme.org/"}, {"kinds", json::array{"job.*"}}};
    const auto result = fixture.call("POST", "/api/v1/webhooks", desired);
    CHECK(result.at("secret").as_string().size() == 48);
    auto own = desired;
    own["name"] = "own";
    own["secret"] = "my own secret of length";
    CHECK_FALSE(fixture.call("POST", "/api/v1/webhooks", own).contains("secret"));
    CHECK(fixture.send("POST", "/api/v1/webhooks", desired).status == 409);

    const auto listed = fixture.call("GET", "/api/v1/webhooks").at("items").as_array();
    REQUIRE(listed.size() == 2);
    for (const auto& element : listed) CHECK_FALSE(element.as_object().contains("secret"));
    CHECK(listed.at(0).at("state").as_string() == "delivering");
    CHECK_FALSE(fixture.send("GET", "/api/v1/webhooks/chat").body.contains("secret"));
}

TEST_CASE("a webhook that lags or failed is seen to, can be resumed and removed") {
    site fixture;
    fixture.call(
        "POST",
        "/api/v1/webhooks",
        {{"name", "chat"}, {"url", "http://127.0.0.1:1/"}, {"kinds", json::array{"node.*"}}});
    fixture.write("a", events::kind::node_serving);
    const auto one = run_sync(fixture.book.find("chat")).value();
    const auto worse = events::after_failure(
        one.progress, "nobody answers", fixture.clock.wall(), {.give_up_after = 0h});
    REQUIRE(run_sync(fixture.book.save("chat", worse, one.saved)));

    const auto output = fixture.call("GET", "/api/v1/webhooks/chat");
    CHECK(output.at("state").as_string() == "suspended");
    CHECK(output.at("last_error").as_string() == "nobody answers");
    CHECK(output.at("behind").to_number<int>() >= 1);
    fixture.call("POST", "/api/v1/webhooks/chat/resume");
    CHECK(fixture.call("GET", "/api/v1/webhooks/chat").at("state").as_string() == "delivering");
    fixture.call("DELETE", "/api/v1/webhooks/chat");
    CHECK(fixture.send("GET", "/api/v1/webhooks/chat").status == 404);
    CHECK(fixture.send("DELETE", "/api/v1/webhooks/chat").status == 404);

    const json::object outside{{"name", "x"}, {"url", "http://example.org/"}};
    CHECK(fixture.send("POST", "/api/v1/webhooks", outside).status == 400);
    const json::object inside{{"name", "x"}, {"url", "https://localhost:8443/api/v1/jobs"}};
    CHECK(fixture.send("POST", "/api/v1/webhooks", inside).status == 400);
    const json::object ahead{{"name", "x"}, {"url", "https://x.org/"}, {"since", "999.0"}};
    CHECK(fixture.send("POST", "/api/v1/webhooks", ahead).status == 400);
    const json::object misspelt{{"name", "x"}, {"url", "https://x.org/"}, {"kind", "job.*"}};
    CHECK(fixture.send("POST", "/api/v1/webhooks", misspelt).status == 400);
}

}  // namespace
}  // namespace muster::api
