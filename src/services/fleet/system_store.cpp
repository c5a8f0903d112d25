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

table::query rows_of(std::span<const fingerprint> prints) {
    table::condition keys{.column = "fingerprint", .compare = table::comparison::one_of};
    for (const auto& print : prints) keys.values.push_back(key_cell(print));
    return {.table = table_name(), .where = {std::move(keys)}, .limit = prints.size()};
}

}  // namespace

async<system_store::found> system_store::read(std::vector<fingerprint> prints) {
    found existing;
    for (std::size_t at = 0; at < prints.size(); at += table::query_limits::list_max) {
        const auto count = std::min(table::query_limits::list_max, prints.size() - at);
        auto question = rows_of(std::span(prints).subspan(at, count));
        do {
            CO_TRY(const auto page, co_await ledger_.read(question));
            for (const auto& row : page.rows) {
                CO_TRY(auto stored, decode_system(row));
                const auto print = stored.record.print;
                existing.emplace(print, std::move(stored));
            }
            question.after = page.next;
        } while (!question.after.empty());
    }
    co_return existing;
}

async<std::vector<system_record>> system_store::write(
    std::vector<system_record> records, std::vector<table::write> beside) {
    MUSTER_ASSERT(records.size() <= batch_records_max);
    table::write rows{
        .table = table_name(), .rows = {}, .existing = table::replace_if_grows{"version"}};
    const auto now = clock_.wall();
    for (const auto& record : records) rows.rows.push_back(encode_system(record, now));
    table::batch change;
    change.writes.push_back(std::move(rows));
    for (auto& each : beside) change.writes.push_back(std::move(each));
    const auto rows_all = table::row_count(change);
    const auto done = co_await ledger_.write(std::move(change));
    if (done && done->changed == rows_all) co_return records;
    if (!done && done.error().code() != errc::timed_out) co_return fail(done.error());
    co_return co_await standing(std::move(records));
}

async<std::vector<system_record>> system_store::standing(std::vector<system_record> systems) {
    std::vector<fingerprint> prints;
    for (const auto& each : systems) prints.push_back(each.print);
    CO_TRY(const auto there, co_await read(std::move(prints)));
    std::erase_if(systems, [&there](const system_record& system) {
        const auto now = there.find(system.print);
        return now == there.end() || now->second.record != system;
    });
    co_return systems;
}

async<system_store::evicted_page> system_store::read_evicted(evicted_query evicted_query) {
    table::query question{
        .table = table_name(),
        .where =
            {{.column = "stage",
              .compare = table::comparison::equal,
              .values = {std::string(to_string(enrolment::evicted))}},
             {.column = "changed",
              .compare = table::comparison::less,
              .values = {evicted_query.before}},
             {.column = "version",
              .compare = evicted_query.mark == erasure_mark::set ? table::comparison::equal
                                                                 : table::comparison::less,
              .values = {lifecycle::version_of_purged}}},
        .order = {"stage", "changed"},
        .after = std::move(evicted_query.after),
        .limit = evicted_query.limit};
    CO_TRY(auto page, co_await ledger_.read(std::move(question)));
    evicted_page read{.systems = {}, .next = std::move(page.next)};
    for (const auto& row : page.rows) {
        CO_TRY(auto stored, decode_system(row));
        read.systems.push_back(std::move(stored));
    }
    co_return read;
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
