#include "api/rest/job_request.h"

#include "api/rest/job_events.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace muster::api {
namespace {

TEST_CASE("a position in a job's returns is read back as it was written") {
    for (const auto& text :
         {result_position{.sequence = 0, .page = {}},
          result_position{.sequence = 17, .page = std::string()},
          result_position{.sequence = 17, .page = std::string("\x01-\xff")}})
        CHECK(parse_result_position(to_string(text)) == text);
    for (const auto* const text : {"", "-", "x", "1-z", "1-abc", "-1"})
        CHECK_FALSE(parse_result_position(text).has_value());
}

TEST_CASE("a moment is a time of UTC or a span from now") {
    const wall_time now(std::chrono::microseconds(1'000'000));
    CHECK(parse_moment("+2h", now).value() == now + std::chrono::hours(2));
    CHECK(
        parse_moment("1970-01-02T00:00:01Z", now).value().time_since_epoch()
        == std::chrono::seconds(86'401));
    CHECK(
        parse_moment("1970-01-01T00:01Z", now).value().time_since_epoch()
        == std::chrono::seconds(60));
    for (const auto* const text :
         {"", "+", "1970-02-30T00:00:00Z", "1970-01-01T24:00Z", "1970-01-01 00:00Z", "tomorrow"})
        CHECK(parse_moment(text, now).error().code() == errc::invalid);
}

TEST_CASE("a request's amounts are numbers or texts, and what is not known is named") {
    const auto read = [](const char* text) {
        auto body = json_body::parse(text).value();
        return read_job_request(body, wall_time());
    };
    const auto request =
        read(R"({"query":"*","function":"test.ping","batch":10,"canary":"5%","on_return":false})")
            .value();
    CHECK(request.spec.rollout.batch == parse_amount("10").value());
    CHECK(request.spec.rollout.canary == parse_amount("5%").value());
    CHECK_FALSE(request.spec.rollout.on_return);
    CHECK(request.spec.arguments == "{}");
    const auto wrong = [&](const char* text) {
        return read(text).error().detail();
    };
    CHECK(wrong(R"({"query":"*","function":"x","batch":"many"})").contains("`batch`"));
    CHECK(wrong(R"({"query":"*","function":"x","windows":"never"})").contains("`windows`"));
    CHECK(wrong(R"({"query":"*","function":"x","rate":"fast"})").contains("`rate`"));
    CHECK(wrong(R"({"query":"*","function":"x","retries":1000})").contains("`retries`"));
    CHECK(wrong(R"({"query":"*","systems":["web1"],"function":"x"})").contains("exactly one"));
}

TEST_CASE("a chain is asked for by its steps, and has their time unless somebody says otherwise") {
    const auto read = [](const char* text) {
        auto body = json_body::parse(text).value();
        return read_job_request(body, wall_time());
    };
    constexpr auto chain =
        R"({"query":"*","steps":[{"function":"test.ping","timeout":"10m"},{"function":"x"}]})";
    const auto request = read(chain).value().spec;
    CHECK(request.function == "chain.run");
    CHECK(request.arguments.starts_with(R"({"steps":[{"function":"test.ping")"));
    CHECK(request.timeout == std::chrono::minutes(70));
    const auto bounded = read(R"({"query":"*","steps":[{"function":"x"}],"timeout":"5m"})").value();
    CHECK(bounded.spec.timeout == std::chrono::minutes(5));
    CHECK(read(R"({"query":"*","steps":[],"function":"x"})").error().detail().contains("combined"));
}

TEST_CASE("what is known to change nothing ignores windows, all else respects them") {
    const auto rule = [](const std::string& work) {
        auto body = json_body::parse(R"({"query":"*",)" + work + "}").value();
        return read_job_request(body, wall_time()).value().spec.windows;
    };
    using enum job_spec::window_rule;
    for (const auto* const text :
         {R"("function":"test.ping")",
          R"("function":"facts.get")",
          R"("function":"packages.refresh")",
          R"("function":"files.deploy","arguments":{"files":[],"test":true})",
          R"("steps":[{"function":"test.ping"},{"function":"facts.get"}])",
          R"("function":"system.reboot","windows":"ignore")"}) {
        INFO(text);
        CHECK(rule(text) == ignore);
    }
    for (const auto* const text :
         {R"("function":"cmd.run","arguments":{"cmd":"uptime"})",
          R"("function":"system.reboot")",
          R"("function":"files.deploy","arguments":{"files":[],"test":false})",
          R"("function":"packages.change","arguments":{"action":"upgrade"})",
          R"("function":"not.known")",
          R"("steps":[{"function":"test.ping"},{"function":"system.reboot"}])",
          R"("function":"test.ping","windows":"respect")"}) {
        INFO(text);
        CHECK(rule(text) == respect);
    }
    CHECK(rule(R"("function":"cmd.run","windows":"start")") == start);
    CHECK(rule(R"("function":"cmd.run","windows":"override")") == override);
}

TEST_CASE("a query may be of one of Salt's target types, and may not be about pillar") {
    const auto read = [](const char* text) {
        auto body = json_body::parse(text).value();
        return read_job_request(body, wall_time());
    };
    CHECK(
        read(R"({"query":"os:Debian","target_type":"grain","function":"x"})").value().query
        == "G@os:Debian");
    const auto wrong = [&](const char* text) {
        return read(text).error().detail();
    };
    CHECK(wrong(R"({"query":"a:b","target_type":"pillar","function":"x"})").contains("pillar"));
    CHECK(wrong(R"({"query":"not I@a:b","function":"x"})").contains("at 5"));
    CHECK(wrong(R"({"systems":["1"],"target_type":"glob","function":"x"})").contains("`query`"));
}

}  // namespace
}  // namespace muster::api
