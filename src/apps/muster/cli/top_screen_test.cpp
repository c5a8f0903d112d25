#include "apps/muster/cli/top_screen.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>

using namespace muster::cli;

namespace {

boost::json::value stats() {
    return boost::json::parse(R"({"at":"2026-11-16T02:00:00Z","cluster":"c1",
        "systems":{"onboarded":2,"orphan":1,"new":4,"rejected":0,"deleted":0},
        "zones":[{"name":"default","nodes":2,"systems":3,"attached":2,"slots_unplaced":0}],
        "nodes":[{"name":"alpha","zone":"default","state":"serving","there":true,"slots":8192,
                  "attached":1,"attach_rate":0.5,"cpu":0.25,"headroom":0.75},
                 {"name":"beta\u001b[2J","zone":"default","state":"serving","there":false,
                  "slots":8192,"attached":7,"attach_rate":0,"cpu":null,"headroom":null}]})");
}

}  // namespace

TEST_CASE("the screen shows systems, zones and nodes, sorted as asked") {
    const auto by_name = render_top(stats(), top_order::name, {.columns = 120, .rows = 40});
    CHECK(by_name.find("2 onboarded, 1 orphan, 4 new") != std::string::npos);
    CHECK(by_name.find("alpha") < by_name.find("beta"));
    CHECK(by_name.find("25 %") != std::string::npos);

    const auto by_attached = render_top(stats(), top_order::attached, {.columns = 120, .rows = 40});
    CHECK(by_attached.find("beta") < by_attached.find("alpha"));
}

TEST_CASE("nothing a server says moves the cursor, and no line is wider than the screen") {
    const auto output = render_top(stats(), top_order::name, {.columns = 40, .rows = 8});

    CHECK(output.find('\x1b') == std::string::npos);
    CHECK(std::ranges::count(output, '\n') <= 8);
    std::size_t from = 0;
    while (from < output.size()) {
        const auto end = std::min(output.find('\n', from), output.size());
        CHECK(end - from <= 40);
        from = end + 1;
    }
}

TEST_CASE("an answer that is not what it should be is shown as far as it goes") {
    CHECK_FALSE(render_top(boost::json::value("?"), top_order::cpu, {}).empty());
    CHECK_FALSE(
        render_top(boost::json::parse(R"({"nodes":[1,"x",{}]})"), top_order::cpu, {}).empty());
}

TEST_CASE("the orders come round") {
    auto by = top_order::name;
    for (int n = 0; n < 4; ++n) by = next(by);
    CHECK(by == top_order::name);
}
