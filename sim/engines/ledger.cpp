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
    client(std::weak_ptr<engine_client> client, process_clock& clock, std::string database)
        : client_(std::move(client)), clock_(clock), database_(std::move(database)) {}

    async<void> migrate(table::schema schema) override {
        const ledger_request request = ledger_migrate{database_, std::move(schema)};
        return send_request<void>(client_, request, retry_mode::repeat);
    }
    async<std::int64_t> inspect(table::schema schema) override {
        const ledger_request request = ledger_inspect{database_, std::move(schema)};
        return send_request<std::int64_t>(client_, request, retry_mode::repeat);
    }
    async<table::summary> write(table::batch change) override {
        const ledger_request request = ledger_write{database_, std::move(change)};
        return send_request<table::summary>(client_, request, retry_mode::repeat_then_report);
    }
    async<table::page> read(table::query query) override {
        const ledger_request request = ledger_read{database_, std::move(query)};
        return send_request<table::page>(client_, request, retry_mode::repeat);
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override {
        const instant until = clock_.now() + timeout;
        while (true) {
            const auto remaining =
                std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now());
            const auto hold = std::clamp(remaining, std::chrono::milliseconds(0), hold_max);
            const ledger_request request = ledger_wait{database_, table, after};
            const auto last =
                co_await send_request<table::sequence>(client_, request, retry_mode::repeat, hold);
            const bool done = !last || *last > after || clock_.now() >= until;
            if (done) co_return last;
        }
    }

    async<void> ensure_partitions(table::partition_range partition_range) override {
        const ledger_request request =
            ledger_ensure_partitions{database_, std::move(partition_range)};
        return send_request<void>(client_, request, retry_mode::repeat);
    }
    async<void> drop_partitions(std::string table, wall_time before) override {
        const ledger_request request = ledger_drop_partitions{database_, std::move(table), before};
        return send_request<void>(client_, request, retry_mode::repeat);
    }
    async<ledger_identity> identity() override {
        const ledger_request request = ledger_identify{database_};
        return send_request<ledger_identity>(client_, request, retry_mode::repeat);
    }

private:
    std::weak_ptr<engine_client> client_;
    process_clock& clock_;
    std::string database_;
};

}  // namespace

process& add_ledger_engine(sim::cluster& cluster, std::string name, engine_options options) {
    process_options host{.name = name, .clock = cluster.draw_clock(name), .disk = {}};
    return cluster.add(std::move(host), [&cluster, options](process& self) {
        auto machine = std::make_unique<ledger_machine>(cluster.simulation);
        const auto engine_process = self.own<engine>(cluster, self, std::move(machine), options);
        self.spawn("serve", engine_process->serve());
    });
}

std::shared_ptr<ledger> open_ledger(
    sim::cluster& cluster, process& host, ledger_location location, engine_client_options options) {
    return std::make_shared<client>(
        host.own<engine_client>(cluster, host, location.engine, options),
        host.clock(),
        location.database);
}

}  // namespace muster::sim
