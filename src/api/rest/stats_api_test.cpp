#include "api/rest/stats_api.h"

#include "core/presence/report.h"
#include "tests/fixtures/api/rest_fixture.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

system_record system(std::uint32_t value, enrolment stage, std::string zone) {
    fingerprint::bytes_type bytes{};
    bytes.at(0) = static_cast<unsigned char>(value);
    system_record result{.print = fingerprint(bytes)};
    result.public_key = std::string(32, 'k');
    result.name = "s" + std::to_string(value);
    result.number = system_number(value);
    result.stage = stage;
    result.zone = std::move(zone);
    return result;
}

// Two accepted systems in eu, of which one is attached, three in us, one in the pool.
struct site : test::rest_fixture {
    fleet::system_cache systems;
    presence::presence_cache attached;
    presence::load_cache loads;
    stats_api part{
        {.systems = systems,
         .attached = attached,
         .loads = loads,
         .topology = places,
         .clock = clock}};

    site() : rest_fixture("stats-api") {
        auto now = std::make_shared<cluster::topology>();
        for (const auto* const zone : {"eu", "us"}) now->zones[zone] = {.name = zone};
        places.publish(std::move(now));
        const std::vector<system_record> all{
            system(1, enrolment::accepted, "eu"),
            system(2, enrolment::accepted, "eu"),
            system(3, enrolment::accepted, "us"),
            system(4, enrolment::accepted, "us"),
            system(5, enrolment::accepted, "us"),
            system(6, enrolment::pooled, "")};
        systems.begin_reading();
        systems.apply(all);
        systems.end_reading();
        attach(1, "eu", 1);
        attach(2, "us", 3);
        REQUIRE(part.declare(operations));
        serve();
    }
    ~site() { stop(); }

    void attach(std::int64_t node, const std::string& zone, std::int64_t index) {
        presence::report report{.node = node_number(node), .zone = zone, .start = 1, .sequence = 1};
        report.at = presence::to_seconds(clock.wall());
        report.attach_events.push_back({.system = system_number(index), .since = report.at});
        REQUIRE(attached.apply(report, clock.now()));
    }

    json::object counted() { return call("GET", "/api/v1/stats").at("systems").as_object(); }
};

TEST_CASE("systems are counted where the caller may look") {
    site fixture;
    const auto all = fixture.counted();
    CHECK(all.at("onboarded").to_number<int>() == 2);
    CHECK(all.at("orphan").to_number<int>() == 3);
    CHECK(all.at("new").to_number<int>() == 1);

    fixture.token = fixture.log_in("ada", {{.role = "viewer", .zone = "eu"}});
    const auto own = fixture.counted();
    CHECK(own.at("onboarded").to_number<int>() == 1);
    CHECK(own.at("orphan").to_number<int>() == 1);
    CHECK(own.at("new").to_number<int>() == 1);
    CHECK(fixture.call("GET", "/api/v1/stats").at("missing_nodes").as_array().empty());
}

}  // namespace
}  // namespace muster::api
