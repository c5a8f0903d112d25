#include "ports/contract/bus_contract.h"

#include "sim/engines/bus.h"
#include "sim/engines/contract_fixture.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

constexpr std::uint64_t seeds = 10;

class fixture final : public contract::bus_fixture {
public:
    explicit fixture(std::uint64_t seed)
        : stage_(seed), engine_(add_bus_engine(stage_.stage, "bus")) {
        engine_.start();
    }

    contract::world& where() override { return stage_.where; }
    std::shared_ptr<bus> open() override {
        const bus_client_options options{
            .calls = {}, .feed = {.messages_max = feed_messages_max()}};
        return open_bus(stage_.stage, stage_.add_client(), "bus", options);
    }
    std::size_t feed_messages_max() const override { return 100; }
    bool can(contract::bus_fault /*fault*/) const override { return true; }

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

std::uint64_t hash_after(const contract::bus_promise& promise, std::uint64_t seed) {
    fixture under_test(seed);
    contract::check_promise(promise, under_test);
    CHECK(under_test.events().violations().empty());
    return under_test.events().hash();
}

}  // namespace

TEST_CASE("the simulated bus keeps every promise of the port on a bad network") {
    for (const auto& promise : contract::bus_promises()) {
        SUBCASE(promise.sentence) {
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                CAPTURE(seed);
                hash_after(promise, seed);
            }
        }
    }
}

TEST_CASE("the bus contract under simulation is the same run for the same seed") {
    for (const auto& promise : contract::bus_promises()) {
        CAPTURE(promise.sentence);
        CHECK(hash_after(promise, 42) == hash_after(promise, 42));
    }
}

}  // namespace muster::sim
