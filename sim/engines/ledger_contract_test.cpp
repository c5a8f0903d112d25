#include "ports/contract/ledger_contract.h"

#include "sim/engines/contract_fixture.h"
#include "sim/engines/ledger.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 5;

class fixture final : public simulated_fixture<contract::ledger_fixture> {
public:
    explicit fixture(std::uint64_t seed)
        : simulated_fixture(seed, [](sim::cluster& cluster) -> process& {
              return add_ledger_engine(cluster, "ledger");
          }) {}

    std::shared_ptr<ledger> open(const std::string& database) override {
        return open_ledger(
            environment().cluster,
            environment().add_client(),
            {.engine = "ledger", .database = database});
    }
    bool can(contract::ledger_fault /*fault*/) const override { return true; }
};

}  // namespace

TEST_CASE("the simulated ledger keeps every promise of the port on a bad network") {
    for (const auto& test_case : contract::ledger_cases()) {
        SUBCASE(test_case.name) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after<fixture>(test_case, seed);
            }
        }
    }
}

TEST_CASE("the ledger contract under simulation is the same run for the same seed") {
    for (const auto& test_case : contract::ledger_cases()) {
        CAPTURE(test_case.name);
        CHECK(hash_after<fixture>(test_case, 42) == hash_after<fixture>(test_case, 42));
    }
}

}  // namespace muster::sim
