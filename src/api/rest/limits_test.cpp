#include "tests/fixtures/api/agent_entry_fixture.h"

namespace muster::api {
namespace {

using namespace test;
using namespace std::chrono_literals;

// What a system asks, three times, where two is the limit.
struct asked_thrice {
    std::string status;
    std::string enrol;
    std::string place;

    explicit asked_thrice(const agent_entry_api::options& options) {
        agent_entry_fixture fixture(options);
        fixture.read_fleet();
        const agent web1;
        for (int n = 0; n < 3; ++n) {
            const auto knocked = fixture.send("GET", "/system/status?fp=" + web1.print.str());
            status += knocked.status == 429 ? "x" : "+";
            enrol += fixture.enrol(web1, "web1").status == 429 ? "x" : "+";
            place += fixture.place(web1).status == 429 ? "x" : "+";
        }
    }
};

TEST_CASE("each question has a limit of one address and one of all, and proxies have the second") {
    constexpr access::rate twice{.interval = 1h, .burst = 2};
    agent_entry_api::options by_address;
    by_address.status.each = by_address.enrol.each = by_address.place.each = twice;
    agent_entry_api::options in_all;
    in_all.status.all = in_all.enrol.all = in_all.place.all = twice;
    auto by_proxy = by_address;
    by_proxy.proxies = {network::parse("127.0.0.0/8").value()};
    auto all_by_proxy = in_all;
    all_by_proxy.proxies = by_proxy.proxies;

    for (const auto& limited : {by_address, in_all, all_by_proxy}) {
        const asked_thrice system(limited);
        CHECK(system.status == "++x");
        CHECK(system.enrol == "++x");
        CHECK(system.place == "++x");
    }
    const asked_thrice behind(by_proxy);
    CHECK(behind.status == "+++");
    CHECK(behind.enrol == "+++");
    CHECK(behind.place == "+++");
}

}  // namespace
}  // namespace muster::api
