#include "sim/network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

struct pair_of_hosts {
    explicit pair_of_hosts(network_options options) : net(simulation, options) {
        net.listen(web1, simulation.kernel(), [this](address, std::string bytes) {
            web1_heard.push_back(std::move(bytes));
        });
        net.listen(web2, simulation.kernel(), [this](address, std::string bytes) {
            web2_heard.push_back(std::move(bytes));
        });
    }

    void send_to_web2(int count) {
        for (int i = 0; i < count; ++i) net.send(web1, web2, std::to_string(1000 + i));
        simulation.run_until(simulation.now() + 10s);
    }

    sim::simulation simulation{7};
    network net;
    address web1 = net.join("web1");
    address web2 = net.join("web2");
    std::vector<std::string> web1_heard;
    std::vector<std::string> web2_heard;
};

TEST_CASE("a good network delivers every packet once and in order") {
    pair_of_hosts hosts({});

    hosts.send_to_web2(500);

    CHECK(hosts.web2_heard.size() == 500);
    CHECK(std::ranges::is_sorted(hosts.web2_heard));
}

TEST_CASE("a bad network loses, doubles and reorders about as often as it is told to") {
    pair_of_hosts lossy({.loss_per_mille = 200});
    lossy.send_to_web2(1000);
    CHECK(lossy.web2_heard.size() > 700);
    CHECK(lossy.web2_heard.size() < 900);

    pair_of_hosts doubling({.duplicate_per_mille = 200});
    doubling.send_to_web2(1000);
    CHECK(doubling.web2_heard.size() > 1100);
    CHECK(doubling.web2_heard.size() < 1300);

    pair_of_hosts reordering({.reorder_per_mille = 200});
    reordering.send_to_web2(1000);
    CHECK(reordering.web2_heard.size() == 1000);
    CHECK_FALSE(std::ranges::is_sorted(reordering.web2_heard));
}

TEST_CASE("a cut in one direction leaves the other, and heal mends all") {
    pair_of_hosts hosts({});
    hosts.net.cut(hosts.web1, hosts.web2, direction::outbound);

    hosts.send_to_web2(3);
    hosts.net.send(hosts.web2, hosts.web1, "still here");
    hosts.simulation.run_until(hosts.simulation.now() + 1s);
    CHECK(hosts.web2_heard.empty());
    CHECK(hosts.web1_heard.size() == 1);

    hosts.net.heal();
    hosts.send_to_web2(3);
    CHECK(hosts.web2_heard.size() == 3);
}

TEST_CASE("a packet for a life that has ended is never heard") {
    pair_of_hosts hosts({});
    life& former = hosts.simulation.begin_life();
    bool heard = false;
    hosts.net.listen(hosts.web2, former, [&](address, std::string) { heard = true; });

    hosts.net.send(hosts.web1, hosts.web2, "too late");
    hosts.simulation.end_life(former);
    hosts.simulation.run_until(instant{} + 1s);

    CHECK_FALSE(heard);
}

}  // namespace
}  // namespace muster::sim
