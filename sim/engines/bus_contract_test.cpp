#include "ports/contract/bus_contract.h"

#include "sim/engines/bus.h"
#include "sim/engines/contract_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 10;

class fixture final : public simulated_fixture<contract::bus_fixture> {
public:
    explicit fixture(std::uint64_t seed)
        : simulated_fixture(seed, [](sim::cluster& cluster) -> process& {
              return add_bus_engine(cluster, "bus");
          }) {}

    std::shared_ptr<bus> open() override {
        const bus_client_options options{
            .calls = {}, .feed = {.messages_max = feed_messages_max()}};
        return open_bus(environment().cluster, environment().add_client(), "bus", options);
    }
    std::size_t feed_messages_max() const override { return 100; }
    bool can(contract::bus_fault /*fault*/) const override { return true; }
    boost::asio::awaitable<void> change_leader() override {
        return environment().change_leader(engine());
    }
};

}  // namespace

TEST_CASE("the simulated bus keeps every promise of the port on a bad network") {
    for (const auto& test_case : contract::bus_cases()) {
        SUBCASE(test_case.name) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after<fixture>(test_case, seed);
            }
        }
    }
}

TEST_CASE("the bus contract under simulation is the same run for the same seed") {
    for (const auto& test_case : contract::bus_cases()) {
        CAPTURE(test_case.name);
        CHECK(hash_after<fixture>(test_case, 42) == hash_after<fixture>(test_case, 42));
    }
}

}  // namespace muster::sim
