#include "sim/workloads/onboarding.h"

#include "services/cluster/keys.h"
#include "services/cluster/zone_service.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

constexpr const char* other_zone = "other";

fingerprint print_of(std::uint64_t number) {
    prng random(number);
    fingerprint::bytes_type bytes{};
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random.below(256));
    return fingerprint(bytes);
}

table::query rows_behind(std::int64_t sequence) {
    return {
        .table = std::string(muster::fleet::systems_table),
        .where =
            {{.column = "sequence", .compare = table::comparison::greater, .values = {sequence}}},
        .order = {"sequence"},
        .limit = 100};
}

async<std::map<fingerprint, system_record>> read_all(std::shared_ptr<ledger> ledger) {
    std::map<fingerprint, system_record> rows;
    auto query = rows_behind(0);
    do {
        CO_TRY(const auto page, co_await ledger->read(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto stored, fleet::decode_system(row));
            rows.insert_or_assign(stored.record.print, stored.record);
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return rows;
}

// Every fifth system is taken in by this rule.
fleet::stored_rule auto_rule() {
    fleet::stored_rule rule{.name = "auto"};
    rule.names = {"auto*"};
    rule.zone = "default";
    return rule;
}

}  // namespace

// Writes what it read a while ago whatever has become of it: a planted bug.
boost::asio::awaitable<void> onboarding::write_blindly(
    process& self, std::shared_ptr<ledger> ledger) {
    while (!winding_down()) {
        const auto rows = co_await read_all(ledger);
        ignore_error(co_await self.clock().sleep_for(20s), "never cancelled");
        if (!rows || rows->empty()) continue;
        table::batch change;
        change.writes.push_back(
            {.table = std::string(muster::fleet::systems_table),
             .rows = {},
             .existing = table::replace{}});
        for (const auto& [print, row] : *rows)
            change.writes.back().rows.push_back(fleet::encode_system(row, self.clock().wall()));
        ignore_error(co_await ledger->write(std::move(change)), "the next write may succeed");
    }
}

void onboarding::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    invariants_.emplace(cluster.simulation);
    // Not listed among the clients: it must not miss anything.
    process& observer =
        cluster.add({.name = "observer", .clock = {}, .disk = {}}, [this, &cluster](process& self) {
            self.spawn("observe", observe(self, open_fleet_ledger(cluster, self)));
        });
    observer.start();
    if (options_.blind_writers == 1) {
        add_client(cluster, "blind writer", [this, &cluster](process& self) {
            self.spawn("write blindly", write_blindly(self, open_fleet_ledger(cluster, self)));
        });
    }
    for (std::int64_t number = 1; number <= options_.servers; ++number) {
        add_client(cluster, fmt::format("server{}", number), [this, number](process& self) {
            const auto server = self.own<onboarding_server>(
                *cluster_,
                self,
                onboarding_server::options{
                    .pool_max = static_cast<std::size_t>(options_.pool),
                    .cleans_up = number == 1,
                    .log = &log_});
            servers_[self.name()] = server;
            server->start();
            self.spawn("disturb", disturb(self, server));
        });
    }
}

boost::asio::awaitable<void> onboarding::disturb(
    process& self, std::shared_ptr<onboarding_server> server) {
    prng& random = self.simulation().random("deeds of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    const auto store = open_metastore(*cluster_, self, "metastore");
    fleet::accept_rule_store rules(*store, self.clock(), log_);
    ignore_error(co_await rules.add(auto_rule()), "another server may have added it");
    muster::cluster::zone_service places(*store, self.clock());
    ignore_error(co_await places.add(other_zone, {}), "another server may have added it");
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const auto done = co_await do_something(self, server);
        ++actions_;
        if (!done) ++refused_;
    }
}

async<void> onboarding::do_something(process& self, std::shared_ptr<onboarding_server> server) {
    prng& random = self.simulation().random("deeds of " + self.name());
    const auto number = random.below(static_cast<std::uint64_t>(options_.systems));
    const auto print = print_of(number);
    fleet::system_service::targets targets;
    for (std::uint64_t left = 1 + random.below(5); left > 0; --left)
        targets.push_back(print_of(random.below(static_cast<std::uint64_t>(options_.systems))));
    const std::string zone = random.chance(500) ? "default" : other_zone;
    const auto outcome = [](const result<fleet::bulk_result>& done) -> result<void> {
        if (!done) return fail(done.error());
        return {};
    };
    const auto dice = random.below(100);
    if (dice < 45) co_return co_await knock(server, number);
    if (dice < 66) co_return co_await accept(server, print);
    if (dice < 67) co_return co_await remove(server, print);
    if (dice < 75) co_return outcome(co_await server->keys().reject(targets, "admin"));
    if (dice < 80) co_return outcome(co_await server->keys().unregister(targets, "admin"));
    if (dice < 85) co_return outcome(co_await server->keys().move(targets, zone, "admin"));
    if (dice < 90)
        co_return outcome(
            co_await server->keys().relabel(targets, {.tags_added = {zone}}, "admin"));
    co_return outcome(co_await server->keys().accept(
        targets,
        {.zone = zone, .accepted_by = "admin"},
        fleet::system_service::duplicate_machine_policy::replace));
}

async<void> onboarding::knock(std::shared_ptr<onboarding_server> server, std::uint64_t number) {
    fleet::enrolment_service::enrolment_input application{
        .request = {
            .print = print_of(number),
            .public_key = std::string(32, 'k'),
            .name = (number % 5 == 0 ? "auto" : "web") + std::to_string(number),
            .machine_id = "",
            .origin = "192.0.2.7"}};
    const bool was_deleted = invariants_->is_deleted(application.request.print);
    const auto print = application.request.print;
    const auto done = co_await server->door().enrol(std::move(application));
    if (!done) co_return fail(done.error());
    const auto* const enrolled = std::get_if<fleet::enrolment_service::enrolled>(&*done);
    if (enrolled == nullptr) co_return result<void>();
    const bool taken_in = enrolled->state == system_state::orphan && enrolled->changed;
    if (was_deleted && taken_in) cluster_->simulation.violated("deleted system was enrolled");
    if (taken_in) invariants_->accepted(print);
    co_return result<void>();
}

async<void> onboarding::accept(std::shared_ptr<onboarding_server> server, fingerprint print) {
    const bool was_deleted = invariants_->is_deleted(print);
    CO_TRY(
        const auto done,
        co_await server->keys().accept(
            {print},
            {.zone = "default", .accepted_by = "admin"},
            fleet::system_service::duplicate_machine_policy::replace));
    if (done.changed + done.unchanged == 0) co_return result<void>();
    if (was_deleted && done.changed > 0)
        cluster_->simulation.violated("deleted system was accepted");
    invariants_->accepted(print);
    co_return result<void>();
}

async<void> onboarding::remove(std::shared_ptr<onboarding_server> server, fingerprint print) {
    CO_TRY(const auto done, co_await server->keys().remove({print}, "admin"));
    if (done.changed + done.unchanged > 0) invariants_->deleted(print);
    co_return result<void>();
}

boost::asio::awaitable<void> onboarding::observe(process& self, std::shared_ptr<ledger> ledger) {
    std::int64_t behind = 0;
    while (true) {
        const auto page = co_await ledger->read(rows_behind(behind));
        if (page) {
            for (const auto& row : page->rows) {
                const auto stored = fleet::decode_system(row);
                if (!stored) {
                    self.simulation().violated("corrupt row: " + to_string(stored.error()));
                    co_return;
                }
                behind = std::max(behind, stored->sequence);
                invariants_->check_row(stored->record);
            }
        }
        ignore_error(co_await self.clock().sleep_for(200ms), "never cancelled");
    }
}

// What keeps the servers from knowing what the ledger holds; empty: they do.
async<std::string> onboarding::what_is_missing(std::shared_ptr<ledger> ledger) {
    CO_TRY(const auto rows, co_await read_all(std::move(ledger)));
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) co_return name + " is not running";
        std::size_t standing = 0;
        for (const auto& [print, row] : rows) {
            if (row.stage == enrolment::evicted) continue;
            ++standing;
            if (server->known().find(print) != row)
                co_return name + " has an outdated copy of " + row.name;
        }
        const auto counts = server->known().counts();
        const auto existing = counts.count(enrolment::pooled) + counts.count(enrolment::rejected)
                              + counts.count(enrolment::accepted)
                              + counts.count(enrolment::deleted);
        if (existing != standing) co_return name + " lists systems that do not exist";
    }
    co_return std::string();
}

boost::asio::awaitable<void> onboarding::check_at_end(process& checker) {
    const auto records = open_fleet_ledger(*cluster_, checker);
    std::string missing = "no check was completed";
    for (int look = 0; look < 90 && !missing.empty(); ++look) {
        ignore_error(co_await checker.clock().sleep_for(2s), "never cancelled");
        const auto looked = co_await what_is_missing(records);
        missing = looked ? *looked : to_string(looked.error());
    }
    if (!missing.empty()) checker.simulation().violated("not settled: " + missing);
    const auto rows = co_await read_all(records);
    if (rows) {
        invariants_->check_end(*rows);
    } else {
        checker.simulation().violated("reading at the end: " + to_string(rows.error()));
    }
}

std::string onboarding::summary() const {
    return fmt::format(
        "{} actions, {} failed; {} numbers assigned, {} systems deleted",
        actions_,
        refused_,
        invariants_->numbers_given(),
        invariants_->deletions());
}

}  // namespace muster::sim
