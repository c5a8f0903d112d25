#include "ports/contract/ledger_contract.h"

#include "sim/engines/contract_fixture.h"
#include "sim/engines/ledger.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 5;

class fixture final : public contract::ledger_fixture {
public:
    explicit fixture(std::uint64_t seed)
        : stage_(seed), engine_(add_ledger_engine(stage_.stage, "ledger")) {
        engine_.start();
    }

    contract::world& where() override { return stage_.where; }
    std::shared_ptr<ledger> open(const std::string& database) override {
        return open_ledger(
            stage_.stage, stage_.add_client(), {.engine = "ledger", .database = database});
    }
    bool can(contract::ledger_fault /*fault*/) const override { return true; }

    boost::asio::awaitable<void> kill_engine() override { return stage_.kill(engine_); }
    boost::asio::awaitable<void> restart_engine() override { return stage_.restart(engine_); }
    boost::asio::awaitable<void> cut_link() override { return stage_.cut(engine_); }
    boost::asio::awaitable<void> heal_link() override { return stage_.heal(); }

    world& events() { return stage_.stage.world; }

private:
    contract_stage stage_;
    process& engine_;
};

std::uint64_t hash_after(const contract::ledger_promise& promise, std::uint64_t seed) {
    fixture under_test(seed);
    contract::check_promise(promise, under_test);
    CHECK(under_test.events().violations().empty());
    return under_test.events().hash();
}

}  // namespace

TEST_CASE("the simulated ledger keeps every promise of the port on a bad network") {
    for (const auto& promise : contract::ledger_promises()) {
        SUBCASE(promise.sentence) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after(promise, seed);
            }
        }
    }
}

TEST_CASE("the ledger contract under simulation is the same run for the same seed") {
    for (const auto& promise : contract::ledger_promises()) {
        CAPTURE(promise.sentence);
        CHECK(hash_after(promise, 42) == hash_after(promise, 42));
    }
}

}  // namespace muster::sim
