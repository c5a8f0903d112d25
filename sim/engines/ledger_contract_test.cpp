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
        : simulated_fixture(
              seed, [](cluster& stage) -> process& { return add_ledger_engine(stage, "ledger"); }) {
    }

    std::shared_ptr<ledger> open(const std::string& database) override {
        return open_ledger(
            on().stage, on().add_client(), {.engine = "ledger", .database = database});
    }
    bool can(contract::ledger_fault /*fault*/) const override { return true; }
};

}  // namespace

TEST_CASE("the simulated ledger keeps every promise of the port on a bad network") {
    for (const auto& promise : contract::ledger_promises()) {
        SUBCASE(promise.sentence) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after<fixture>(promise, seed);
            }
        }
    }
}

TEST_CASE("the ledger contract under simulation is the same run for the same seed") {
    for (const auto& promise : contract::ledger_promises()) {
        CAPTURE(promise.sentence);
        CHECK(hash_after<fixture>(promise, 42) == hash_after<fixture>(promise, 42));
    }
}

}  // namespace muster::sim
