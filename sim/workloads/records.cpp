#include "sim/workloads/records.h"

#include "sim/engines/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::sim {

using namespace std::chrono_literals;

namespace {

constexpr const char* table_name = "records";

table::schema records_schema() {
    table::definition definition{
        .name = table_name,
        .columns =
            {{.name = "writer", .type = table::column_type::text},
             {.name = "number", .type = table::column_type::integer}},
        .key = {"writer", "number"},
        .sequenced = table::sequencing::by_commit};
    return {
        .migrations = {
            {.version = 1,
             .description = "what the simulated writers write",
             .steps = {table::create_table{std::move(definition)}}}}};
}

// Batch n has the rows 2n-1 and 2n.
table::batch batch_of(const std::string& writer, std::int64_t number) {
    table::write rows{.table = table_name};
    rows.rows.push_back({writer, 2 * number - 1});
    rows.rows.push_back({writer, 2 * number});
    return {.writes = {std::move(rows)}};
}

table::query rows_behind(std::int64_t sequence) {
    return {
        .table = table_name,
        .where =
            {{.column = "sequence", .compare = table::comparison::greater, .values = {sequence}}},
        .order = {"sequence"},
        .limit = 100};
}

boost::asio::awaitable<void> migrate(process& self, std::shared_ptr<muster::ledger> ledger) {
    while (true) {
        const auto done = co_await ledger->migrate(records_schema());
        if (done) co_return;
        ignore_error(co_await self.clock().sleep_for(100ms), "never cancelled");
    }
}

}  // namespace

std::shared_ptr<ledger> records::open(process& host) {
    return open_ledger(*cluster_, host, {.engine = "ledger", .database = "records"});
}

void records::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    for (std::int64_t i = 1; i <= options_.writers; ++i) {
        add_client(cluster, fmt::format("writing{}", i), [this](process& self) {
            self.spawn("write", write(self, open(self)));
        });
    }
    for (std::int64_t i = 1; i <= options_.followers; ++i) {
        add_client(cluster, fmt::format("following{}", i), [this](process& self) {
            self.spawn("follow", follow(self, open(self)));
        });
    }
}

boost::asio::awaitable<void> records::write(process& self, std::shared_ptr<muster::ledger> ledger) {
    co_await migrate(self, ledger);
    prng& random = self.simulation().random("writing of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const std::int64_t number = acknowledged_[self.name()] + 1;
        const auto written = co_await ledger->write(batch_of(self.name(), number));
        if (written) acknowledged_[self.name()] = number;  // in doubt: the same batch again
    }
}

boost::asio::awaitable<void> records::follow(
    process& self, std::shared_ptr<muster::ledger> ledger) {
    co_await migrate(self, ledger);
    while (true) {
        const std::int64_t behind = views_[self.name()].up_to;
        const auto change =
            co_await ledger->wait_for_change(table_name, table::sequence(behind), 2s);
        if (!change) continue;
        const auto rows = co_await ledger->read(rows_behind(behind));
        if (rows) check_rows(self, *rows);
    }
}

records::row_name records::name_of(const table::row& cells) {
    return {std::get<std::string>(cells.at(0)), std::get<std::int64_t>(cells.at(1))};
}

void records::check_rows(process& self, const table::page& rows) {
    follower_view& follower_view = views_[self.name()];
    for (const auto& row : rows.rows) {
        const auto [writer, number] = name_of(row);
        const auto sequence = std::get<std::int64_t>(row.at(2));
        if (sequence < follower_view.up_to) {
            self.simulation().violated(self.name() + " saw the sequence go back");
        }
        if (!follower_view.seen.emplace(writer, number).second) {
            self.simulation().violated(self.name() + " saw a row twice");
        }
        // A writer's rows are written one batch after the other.
        if (number > 1 && !follower_view.seen.contains({writer, number - 1})) {
            self.simulation().violated(fmt::format(
                "{} saw row {} of {} but not the previous row", self.name(), number, writer));
        }
        follower_view.up_to = std::max(follower_view.up_to, sequence);
    }
}

boost::asio::awaitable<void> records::check_at_end(process& checker) {
    ignore_error(co_await checker.clock().sleep_for(30s), "never cancelled");
    std::set<row_name> stored;
    table::query query = rows_behind(0);
    const auto from = open(checker);
    do {
        const auto page = co_await from->read(query);
        if (!page) {
            checker.simulation().violated("reading at the end: " + to_string(page.error()));
            co_return;
        }
        for (const auto& row : page->rows) stored.insert(name_of(row));
        query.after = page->next;
    } while (!query.after.empty());

    check_complete(checker.simulation(), "the table", stored);
    for (std::int64_t i = 1; i <= options_.followers; ++i) {
        const std::string name = fmt::format("following{}", i);
        check_complete(checker.simulation(), name, views_[name].seen);
        if (views_[name].seen != stored) {
            checker.simulation().violated(name + " has not seen all rows of the table");
        }
    }
}

void records::check_complete(
    sim::simulation& simulation,
    const std::string& follower_name,
    const std::set<row_name>& has) const {
    for (const auto& [writer, batches] : acknowledged_) {
        for (std::int64_t number = 1; number <= 2 * batches; ++number) {
            if (has.contains({writer, number})) continue;
            return simulation.violated(
                fmt::format("{} has no row {} of {}", follower_name, number, writer));
        }
    }
}

std::string records::summary() const {
    std::int64_t batches = 0;
    for (const auto& [writer, number] : acknowledged_) batches += number;
    return fmt::format("{} batches acknowledged", batches);
}

}  // namespace muster::sim
