#include "ports/contract/metastore_contract.h"

#include "sim/engines/contract_fixture.h"
#include "sim/engines/metastore.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 10;

class fixture final : public contract::metastore_fixture {
public:
    explicit fixture(std::uint64_t seed)
        : stage_(seed), engine_(add_metastore_engine(stage_.stage, "metastore")) {
        engine_.start();
    }

    contract::world& where() override { return stage_.where; }
    std::shared_ptr<metastore> open() override {
        return open_metastore(stage_.stage, stage_.add_client(), "metastore");
    }
    bool can(contract::metastore_fault /*fault*/) const override { return true; }

    boost::asio::awaitable<void> kill_engine() override { return stage_.kill(engine_); }
    boost::asio::awaitable<void> restart_engine() override { return stage_.restart(engine_); }
    boost::asio::awaitable<void> cut_link() override { return stage_.cut(engine_); }
    boost::asio::awaitable<void> heal_link() override { return stage_.heal(); }
    boost::asio::awaitable<void> change_leader() override { return stage_.stand_still(engine_); }

    world& events() { return stage_.stage.world; }

private:
    contract_stage stage_;
    process& engine_;
};

std::uint64_t hash_after(const contract::metastore_promise& promise, std::uint64_t seed) {
    fixture under_test(seed);
    contract::check_promise(promise, under_test);
    CHECK(under_test.events().violations().empty());
    return under_test.events().hash();
}

}  // namespace

TEST_CASE("the simulated metastore keeps every promise of the port on a bad network") {
    for (const auto& promise : contract::metastore_promises()) {
        SUBCASE(promise.sentence) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after(promise, seed);
            }
        }
    }
}

TEST_CASE("a contract under simulation is the same run for the same seed") {
    for (const auto& promise : contract::metastore_promises()) {
        CAPTURE(promise.sentence);
        CHECK(hash_after(promise, 42) == hash_after(promise, 42));
    }
}

}  // namespace muster::sim
