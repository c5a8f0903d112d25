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
        return fail(errc::invalid, "a name has 1 to 255 bytes");
    if (!table::is_utf8_without_nul(record.name))
        return fail(errc::invalid, "a name must be UTF-8 without a zero byte");
    if (record.document.size() > record_limits::document_bytes_max)
        return fail(errc::invalid, "there is too much in " + record.name + " already");
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

std::shared_ptr<const config_record_store::records> config_record_store::of(
    std::string_view kind) const {
    const std::lock_guard lock(guard_);
    const auto it = current_.find(kind);
    return it == current_.end() ? none_ : it->second;
}

std::optional<record> config_record_store::find(
    std::string_view kind, std::string_view name) const {
    const auto all = of(kind);
    const auto it = all->find(name);
    return it == all->end() ? std::nullopt : std::optional(it->second);
}

std::size_t config_record_store::count(std::string_view kind) const {
    return of(kind)->size();
}

// Records are few and change rarely, so any change makes a new book of its kind.
void config_record_store::apply(const std::vector<record>& rows) {
    const std::lock_guard lock(guard_);
    std::map<std::string, std::shared_ptr<records>> changed;  // by kind
    for (const auto& row : rows) {
        auto& version = versions_[{row.kind, row.name}];
        if (row.version <= version) continue;
        version = row.version;
        auto& of_kind = changed[row.kind];
        if (!of_kind) {
            const auto it = current_.find(row.kind);
            of_kind = it == current_.end() ? std::make_shared<records>()
                                           : std::make_shared<records>(*it->second);
        }
        if (row.document.empty())
            of_kind->erase(row.name);
        else
            of_kind->insert_or_assign(row.name, row);
    }
    for (auto& [kind, all] : changed) current_.insert_or_assign(kind, std::move(all));
}

async<void> config_record_store::catch_up() {
    CO_CHECK_OK(co_await rows_.refresh());
    const std::lock_guard lock(guard_);
    complete_ = true;
    co_return result<void>();
}

async<void> config_record_store::read_anew() {
    std::map<std::string, records, std::less<>> fresh;
    version_map versions;
    CO_TRY(const auto up_to, co_await rows_.read_all([&](std::vector<record> rows) {
        for (auto& row : rows) {
            versions[{row.kind, row.name}] = row.version;
            // A removal may come on a later page than what it removes.
            if (row.document.empty())
                fresh[row.kind].erase(row.name);
            else
                fresh[row.kind].insert_or_assign(row.name, std::move(row));
        }
    }));
    const std::lock_guard lock(guard_);
    rows_.rows().restart_at(up_to);
    versions_ = std::move(versions);
    current_.clear();
    for (auto& [kind, all] : fresh)
        current_.emplace(kind, std::make_shared<const records>(std::move(all)));
    complete_ = true;
    co_return result<void>();
}

bool config_record_store::complete() const {
    const std::lock_guard lock(guard_);
    return complete_;
}

// Version zero: there never was one.
async<record> config_record_store::look_up(std::string kind, std::string name) const {
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

async<record> config_record_store::alter(record_change record_change, decision decide) {
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(auto now, co_await look_up(record_change.kind, record_change.name));
        const bool there = !now.document.empty();
        CO_TRY(auto next, decide(there ? &now.document : nullptr));
        if (!next || (next->empty() && !there) || *next == now.document) {
            if (now.version > 0) apply({now});
            co_return now;
        }
        if (!there && count(record_change.kind) >= record_limits::records_max)
            co_return fail(errc::conflict, "there are too many of these already");
        record desired{
            .kind = record_change.kind,
            .name = record_change.name,
            .document = *std::move(next),
            .version = now.version + 1,
            .changed_by = record_change.by,
            .changed = clock_.wall()};
        CO_CHECK_OK(check_record(desired));
        table::batch change;
        change.writes.push_back(
            {.table = table_name(),
             .rows = {encode_record(desired)},
             .existing = table::replace_if_grows{"version"}});
        CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
        if (done.changed == 0) continue;
        apply({desired});
        co_return desired;
    }
    co_return fail(errc::unavailable, "others keep changing " + record_change.name + "; try again");
}

}  // namespace muster::configuration
