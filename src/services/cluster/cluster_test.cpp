#include "base/iso_time.h"
#include "services/cluster/readiness.h"
#include "services/cluster/record.h"
#include "services/schema/ledger_schema.h"

#include <doctest/doctest.h>

namespace muster::cluster {
namespace {

const wall_time noon =
    std::chrono::sys_days(std::chrono::year(2027) / 3 / 1) + std::chrono::hours(12);

TEST_CASE("every record reads back as it was written") {
    const cluster_record cluster{.id = "c1", .authority = "aa:bb", .made = noon};
    const server_record server{
        .name = "muster-1",
        .instance = "i1",
        .address = "muster-1:8443",
        .roles = {"driver", "gateway"},
        .version = "0.1.0",
        .started = noon};

    CHECK(decode_cluster(encode(cluster)).value() == cluster);
    CHECK(decode_server(encode(server)).value() == server);
}

TEST_CASE("what is not a record is corrupt, and the wrong member is named") {
    CHECK(decode_cluster("").error().code() == errc::corrupt);
    CHECK(decode_cluster("[1]").error().code() == errc::corrupt);
    CHECK(decode_cluster(R"({"id":"c1"})").error().detail().contains("authority"));
    CHECK(decode_cluster(R"({"id":"c1","authority":"a","made":"soon"})")
              .error()
              .detail()
              .contains("made"));
    CHECK(decode_cluster(R"({"id":"c1","authority":"a","made":1,"newer":1})").has_value());
}

TEST_CASE("times are written as ISO 8601 in UTC") {
    CHECK(iso_time(noon) == "2027-03-01T12:00:00Z");
}

TEST_CASE("the ledger's schema is valid") {
    const auto tables = table::catalog::of(schema::ledger_schema());

    REQUIRE(tables.has_value());
    CHECK(tables->find("audit").has_value());
    CHECK(tables->find("cluster").has_value());
}

TEST_CASE("a server is ready when it serves, is a member and all its engines answer") {
    readiness state;
    for (const auto all_engine : all_engines) CHECK(state.record_check(all_engine, {}, noon));
    state.set_member(true);
    CHECK_FALSE(state.read().is_ready());
    state.set_stage(stage::serving);
    CHECK(state.read().is_ready());

    CHECK(state.record_check(engine::ledger, fail(errc::unavailable, "gone"), noon));
    CHECK_FALSE(state.record_check(engine::ledger, fail(errc::unavailable, "gone"), noon));
    CHECK_FALSE(state.read().is_ready());
    CHECK(state.read().state_of(engine::ledger).detail.contains("gone"));

    CHECK(state.record_check(engine::ledger, {}, noon));
    CHECK(state.read().is_ready());
    state.set_stage(stage::draining);
    CHECK_FALSE(state.read().is_ready());
}

TEST_CASE("an engine that is away is told of again with another reason, and now and then") {
    using namespace std::chrono_literals;
    readiness state;
    const auto hears = [&](std::string reason, std::chrono::seconds later) {
        return state.record_check(
            engine::ledger, fail(errc::unavailable, std::move(reason)), noon + later);
    };

    CHECK(hears("connection refused", 0s));
    CHECK_FALSE(hears("wrong password", 1s));  // reasons that take turns do not fill the log
    CHECK(hears("wrong password", 5s));
    CHECK_FALSE(hears("wrong password", 64s));
    CHECK(hears("wrong password", 65s));
}

}  // namespace
}  // namespace muster::cluster
