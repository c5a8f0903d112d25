#include "ports/contract/metastore_contract.h"

#include "sim/engines/contract_fixture.h"
#include "sim/engines/metastore.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 10;

class fixture final : public simulated_fixture<contract::metastore_fixture> {
public:
    explicit fixture(std::uint64_t seed)
        : simulated_fixture(seed, [](sim::cluster& cluster) -> process& {
              return add_metastore_engine(cluster, "metastore");
          }) {}

    std::shared_ptr<metastore> open() override {
        return open_metastore(environment().cluster, environment().add_client(), "metastore");
    }
    bool can(contract::metastore_fault /*fault*/) const override { return true; }
    boost::asio::awaitable<void> change_leader() override {
        return environment().change_leader(engine());
    }
};

}  // namespace

TEST_CASE("the simulated metastore keeps every promise of the port on a bad network") {
    for (const auto& test_case : contract::metastore_cases()) {
        SUBCASE(test_case.name) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after<fixture>(test_case, seed);
            }
        }
    }
}

TEST_CASE("a contract under simulation is the same run for the same seed") {
    for (const auto& test_case : contract::metastore_cases()) {
        CAPTURE(test_case.name);
        CHECK(hash_after<fixture>(test_case, 42) == hash_after<fixture>(test_case, 42));
    }
}

}  // namespace muster::sim
