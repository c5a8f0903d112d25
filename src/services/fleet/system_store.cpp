#include "services/fleet/system_store.h"

#include "base/assert.h"
#include "core/lifecycle/enrolment.h"
#include "services/fleet/fleet_tables.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

std::string table_name() {
    return std::string(systems_table);
}

table::query to_query(std::span<const fingerprint> prints) {
    table::condition keys{.column = "fingerprint", .compare = table::comparison::one_of};
    for (const auto& print : prints) keys.values.push_back(key_cell(print));
    return {.table = table_name(), .where = {std::move(keys)}, .limit = prints.size()};
}

}  // namespace

async<system_store::stored_systems> system_store::read(std::vector<fingerprint> prints) {
    stored_systems systems;
    for (std::size_t offset = 0; offset < prints.size(); offset += table::query_limits::list_max) {
        const auto count = std::min(table::query_limits::list_max, prints.size() - offset);
        auto query = to_query(std::span(prints).subspan(offset, count));
        do {
            CO_TRY(const auto page, co_await ledger_.read(query));
            for (const auto& row : page.rows) {
                CO_TRY(auto stored, decode_system(row));
                const auto print = stored.record.print;
                systems.emplace(print, std::move(stored));
            }
            query.after = page.next;
        } while (!query.after.empty());
    }
    co_return systems;
}

async<std::vector<system_record>> system_store::write(
    std::vector<system_record> records, std::vector<table::write> extra_rows) {
    MUSTER_ASSERT(records.size() <= batch_records_max);
    table::write rows{
        .table = table_name(), .rows = {}, .existing = table::replace_if_grows{"version"}};
    const auto now = clock_.wall();
    for (const auto& record : records) rows.rows.push_back(encode_system(record, now));
    table::batch change;
    change.writes.push_back(std::move(rows));
    for (auto& extra : extra_rows) change.writes.push_back(std::move(extra));
    const auto row_count = table::row_count(change);
    const auto written = co_await ledger_.write(std::move(change));
    if (written && written->changed == row_count) co_return records;
    if (!written && written.error().code() != errc::timed_out) co_return fail(written.error());
    co_return co_await find_written(std::move(records));
}

async<std::vector<system_record>> system_store::find_written(std::vector<system_record> systems) {
    std::vector<fingerprint> prints;
    for (const auto& system : systems) prints.push_back(system.print);
    CO_TRY(const auto stored, co_await read(std::move(prints)));
    std::erase_if(systems, [&stored](const system_record& system) {
        const auto it = stored.find(system.print);
        return it == stored.end() || it->second.record != system;
    });
    co_return systems;
}

async<system_store::evicted_page> system_store::read_evicted(evicted_query request) {
    table::query query{
        .table = table_name(),
        .where =
            {{.column = "stage",
              .compare = table::comparison::equal,
              .values = {std::string(to_string(enrolment::evicted))}},
             {.column = "changed", .compare = table::comparison::less, .values = {request.before}},
             {.column = "version",
              .compare = request.mark == erasure_mark::set ? table::comparison::equal
                                                           : table::comparison::less,
              .values = {lifecycle::version_of_purged}}},
        .order = {"stage", "changed"},
        .after = std::move(request.after),
        .limit = request.limit};
    CO_TRY(auto page, co_await ledger_.read(std::move(query)));
    evicted_page result{.systems = {}, .next = std::move(page.next)};
    for (const auto& row : page.rows) {
        CO_TRY(auto stored, decode_system(row));
        result.systems.push_back(std::move(stored));
    }
    co_return result;
}

async<void> system_store::erase(std::vector<fingerprint> prints) {
    MUSTER_ASSERT(prints.size() <= batch_records_max);
    table::erasure systems{.table = table_name()};
    table::erasure facts{.table = std::string(facts_table)};
    for (const auto& print : prints) {
        systems.keys.push_back({key_cell(print)});
        facts.keys.push_back({key_cell(print)});
    }
    table::batch change;
    change.erasures.push_back(std::move(systems));
    change.erasures.push_back(std::move(facts));
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::fleet
