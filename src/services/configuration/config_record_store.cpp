#include "services/configuration/config_record_store.h"

#include "core/table/utf8.h"
#include "services/configuration/configuration_tables.h"

#include <utility>

namespace muster::configuration {
namespace {

constexpr int attempts_max = 10;

std::string table_name() {
    return std::string(config_records_table);
}

result<void> check_record(const record& record) {
    if (record.name.empty() || record.name.size() > record_limits::name_bytes_max)
        return fail(errc::invalid, "name must be 1 to 255 bytes");
    if (!table::is_utf8_without_nul(record.name))
        return fail(errc::invalid, "name must be UTF-8 without a zero byte");
    if (record.document.size() > record_limits::document_bytes_max)
        return fail(
            errc::invalid, record.kind + " record \"" + record.name + "\" is larger than 64 KiB");
    return {};
}

}  // namespace

config_record_store::config_record_store(
    muster::ledger& ledger, muster::clock& clock, runtime::logger& log)
    : ledger_(ledger),
      clock_(clock),
      rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = table_name()},
          &decode_record,
          [this](const std::vector<record>& rows) { apply(rows); }) {}

std::shared_ptr<const config_record_store::records> config_record_store::all_of(
    std::string_view kind) const {
    const std::lock_guard lock(mutex_);
    const auto it = current_.find(kind);
    return it == current_.end() ? none_ : it->second;
}

std::optional<record> config_record_store::find(
    std::string_view kind, std::string_view name) const {
    const auto records_of_kind = all_of(kind);
    const auto it = records_of_kind->find(name);
    return it == records_of_kind->end() ? std::nullopt : std::optional(it->second);
}

std::size_t config_record_store::count(std::string_view kind) const {
    return all_of(kind)->size();
}

// Records are few and change rarely, so each change copies all records of its kind.
void config_record_store::apply(const std::vector<record>& rows) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::shared_ptr<records>> changed;  // by kind
    for (const auto& row : rows) {
        auto& version = versions_[{row.kind, row.name}];
        if (row.version <= version) continue;
        version = row.version;
        auto& kind_records = changed[row.kind];
        if (!kind_records) {
            const auto it = current_.find(row.kind);
            kind_records = it == current_.end() ? std::make_shared<records>()
                                                : std::make_shared<records>(*it->second);
        }
        if (row.document.empty())
            kind_records->erase(row.name);
        else
            kind_records->insert_or_assign(row.name, row);
    }
    for (auto& [kind, kind_records] : changed)
        current_.insert_or_assign(kind, std::move(kind_records));
}

async<void> config_record_store::refresh() {
    CO_CHECK_OK(co_await rows_.refresh());
    const std::lock_guard lock(mutex_);
    complete_ = true;
    co_return result<void>();
}

async<void> config_record_store::reload() {
    std::map<std::string, records, std::less<>> loaded;
    version_map versions;
    CO_TRY(const auto sequence, co_await rows_.read_all([&](std::vector<record> rows) {
        for (auto& row : rows) {
            versions[{row.kind, row.name}] = row.version;
            // A removal may come on a later page than what it removes.
            if (row.document.empty())
                loaded[row.kind].erase(row.name);
            else
                loaded[row.kind].insert_or_assign(row.name, std::move(row));
        }
    }));
    const std::lock_guard lock(mutex_);
    rows_.rows().restart_at(sequence);
    versions_ = std::move(versions);
    current_.clear();
    for (auto& [kind, kind_records] : loaded)
        current_.emplace(kind, std::make_shared<const records>(std::move(kind_records)));
    complete_ = true;
    co_return result<void>();
}

bool config_record_store::complete() const {
    const std::lock_guard lock(mutex_);
    return complete_;
}

// Version zero: the record never existed.
async<record> config_record_store::read_row(std::string kind, std::string name) const {
    table::query query{
        .table = table_name(),
        .where =
            {{.column = "kind", .compare = table::comparison::equal, .values = {kind}},
             {.column = "name", .compare = table::comparison::equal, .values = {name}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty())
        co_return record{.kind = std::move(kind), .name = std::move(name), .document = {}};
    co_return decode_record(page.rows.front());
}

async<record> config_record_store::alter(record_change target, decision decide) {
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(auto current, co_await read_row(target.kind, target.name));
        const bool exists = !current.document.empty();
        CO_TRY(auto next, decide(exists ? &current.document : nullptr));
        if (!next || (next->empty() && !exists) || *next == current.document) {
            if (current.version > 0) apply({current});
            co_return current;
        }
        if (!exists && count(target.kind) >= record_limits::records_max)
            co_return fail(
                errc::conflict,
                "limit of " + std::to_string(record_limits::records_max) + " " + target.kind
                    + " records reached");
        record updated{
            .kind = target.kind,
            .name = target.name,
            .document = *std::move(next),
            .version = current.version + 1,
            .changed_by = target.by,
            .changed = clock_.wall()};
        CO_CHECK_OK(check_record(updated));
        table::batch change;
        change.writes.push_back(
            {.table = table_name(),
             .rows = {encode_record(updated)},
             .existing = table::replace_if_grows{"version"}});
        CO_TRY(const auto outcome, co_await ledger_.write(std::move(change)));
        if (outcome.changed == 0) continue;
        apply({updated});
        co_return updated;
    }
    co_return fail(
        errc::unavailable,
        target.kind + " record \"" + target.name + "\" was modified concurrently; retry");
}

}  // namespace muster::configuration
