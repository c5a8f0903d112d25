#include "api/xmlrpc/calls/systems_by_node_cache.h"

#include "core/presence/report.h"
#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>

namespace muster::xmlrpc_api {
namespace {

namespace asio = boost::asio;
using namespace test;

struct still_clock : clock {
    instant at;

    instant now() const override { return at; }
    wall_time wall() const override { return {}; }
    async<void> sleep_until(instant) override { co_return result<void>(); }
};

asio::awaitable<void> look(systems_by_node_cache& over) {
    const auto looked = co_await over.refresh();
    CHECK(looked.has_value());
}

TEST_CASE("others run while a fleet is looked over, however large it is") {
    xmlrpc_fixture fixture;
    systems_by_node_cache served(
        {.search = fixture.found,
         .groups = fixture.groups,
         .presence = fixture.seen,
         .clock = fixture.clock,
         .page_size = 1});
    CHECK(served.find(node_number(1)).error().code() == errc::unavailable);

    asio::io_context loop;
    std::size_t others = 0;
    bool done = false;
    std::function<void()> run_others = [&] {
        if (done) return;
        ++others;
        asio::post(loop, run_others);
    };
    asio::co_spawn(loop, look(served), [&](const std::exception_ptr& failure) {
        CHECK(!failure);
        done = true;
    });
    asio::post(loop, run_others);
    loop.run();

    // Once between each two of the four systems.
    CHECK(others >= 4);
    CHECK(served.find(node_number(1)).value() == fleet::system_set{system_number(1)});
    CHECK(served.find(node_number(2)).value().empty());
}

TEST_CASE("what was seen of a fleet is good for a second, and then it is looked over anew") {
    xmlrpc_fixture fixture;
    still_clock clock;
    systems_by_node_cache served(
        {.search = fixture.found,
         .groups = fixture.groups,
         .presence = fixture.seen,
         .clock = clock});
    REQUIRE(run_sync(served.refresh()).has_value());
    presence::report moved{.node = node_number(2), .zone = "default", .start = 1, .sequence = 1};
    moved.at = presence::to_seconds(fixture.clock.wall()) + 60;
    moved.attach_events.push_back({.system = system_number(1), .since = moved.at});
    REQUIRE(fixture.seen.apply(moved, fixture.clock.now()));

    REQUIRE(run_sync(served.refresh()).has_value());
    CHECK(served.find(node_number(1)).value().size() == 1);

    clock.at += systems_by_node_cache::fresh_period;
    REQUIRE(run_sync(served.refresh()).has_value());
    CHECK(served.find(node_number(1)).value().empty());
    CHECK(served.find(node_number(2)).value().size() == 1);
}

}  // namespace
}  // namespace muster::xmlrpc_api
