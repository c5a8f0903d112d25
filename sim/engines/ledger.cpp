#include "sim/engines/ledger.h"

#include "sim/engines/ledger_machine.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

// How long the engine holds a wait that has nothing to tell; "may end early" says the port.
constexpr std::chrono::milliseconds hold_max = 500ms;

class client final : public ledger {
public:
    client(std::weak_ptr<caller> through, process_clock& clock, std::string database)
        : through_(std::move(through)), clock_(clock), database_(std::move(database)) {}

    async<void> migrate(table::schema schema) override {
        const ledger_request request = ledger_migrate{database_, std::move(schema)};
        return ask<void>(through_, request, in_doubt::ask_again);
    }
    async<std::int64_t> look(table::schema schema) override {
        const ledger_request request = ledger_look{database_, std::move(schema)};
        return ask<std::int64_t>(through_, request, in_doubt::ask_again);
    }
    async<table::summary> write(table::batch change) override {
        const ledger_request request = ledger_write{database_, std::move(change)};
        return ask<table::summary>(through_, request, in_doubt::ask_again_then_tell);
    }
    async<table::page> read(table::query question) override {
        const ledger_request request = ledger_read{database_, std::move(question)};
        return ask<table::page>(through_, request, in_doubt::ask_again);
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override {
        const instant until = clock_.now() + timeout;
        while (true) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now());
            const auto hold = std::clamp(left, std::chrono::milliseconds(0), hold_max);
            const ledger_request request = ledger_wait{database_, table, after};
            const auto last =
                co_await ask<table::sequence>(through_, request, in_doubt::ask_again, hold);
            const bool done = !last || *last > after || clock_.now() >= until;
            if (done) co_return last;
        }
    }

    async<void> ensure_partitions(table::partition_range partition_range) override {
        const ledger_request request = ledger_ensure{database_, std::move(partition_range)};
        return ask<void>(through_, request, in_doubt::ask_again);
    }
    async<void> retire(std::string table, wall_time before) override {
        const ledger_request request = ledger_retire{database_, std::move(table), before};
        return ask<void>(through_, request, in_doubt::ask_again);
    }
    async<ledger_identity> identity() override {
        const ledger_request request = ledger_identify{database_};
        return ask<ledger_identity>(through_, request, in_doubt::ask_again);
    }

private:
    std::weak_ptr<caller> through_;
    process_clock& clock_;
    std::string database_;
};

}  // namespace

process& add_ledger_engine(cluster& stage, std::string name, engine_options options) {
    process_options host{.name = name, .clock = stage.draw_clock(name), .disk = {}};
    return stage.add(std::move(host), [&stage, options](process& self) {
        auto what = std::make_unique<ledger_machine>(stage.world);
        const auto serving = self.own<engine>(stage, self, std::move(what), options);
        self.spawn("serve", serving->serve());
    });
}

std::shared_ptr<ledger> open_ledger(
    cluster& stage, process& host, ledger_place where, caller_options options) {
    return std::make_shared<client>(
        host.own<caller>(stage, host, where.engine, options), host.clock(), where.database);
}

}  // namespace muster::sim
