#include "services/configuration/record_book.h"

#include "core/table/utf8.h"
#include "services/configuration/configuration_tables.h"

#include <utility>

namespace muster::configuration {
namespace {

constexpr int attempts_max = 10;

std::string table_name() {
    return std::string(config_records_table);
}

result<void> check_record(const record& wanted) {
    if (wanted.name.empty() || wanted.name.size() > record_limits::name_bytes_max)
        return fail(errc::invalid, "a name has 1 to 255 bytes");
    if (!table::is_utf8_without_nul(wanted.name))
        return fail(errc::invalid, "a name must be UTF-8 without a zero byte");
    if (wanted.document.size() > record_limits::document_bytes_max)
        return fail(errc::invalid, "there is too much in " + wanted.name + " already");
    return {};
}

}  // namespace

record_book::record_book(ledger& store, clock& time, runtime::logger& log)
    : store_(store),
      time_(time),
      rows_(
          {.records = store, .time = time, .log = log},
          {.table = table_name()},
          &decode_record,
          [this](const std::vector<record>& rows) { apply(rows); }) {}

std::shared_ptr<const record_book::records> record_book::of(std::string_view kind) const {
    const std::lock_guard lock(guard_);
    const auto found = current_.find(kind);
    return found == current_.end() ? none_ : found->second;
}

std::optional<record> record_book::find(std::string_view kind, std::string_view name) const {
    const auto all = of(kind);
    const auto found = all->find(name);
    return found == all->end() ? std::nullopt : std::optional(found->second);
}

std::size_t record_book::count(std::string_view kind) const {
    return of(kind)->size();
}

// Records are few and change rarely, so any change makes a new book of its kind.
void record_book::apply(const std::vector<record>& rows) {
    const std::lock_guard lock(guard_);
    std::map<std::string, std::shared_ptr<records>> changed;  // by kind
    for (const auto& each : rows) {
        auto& version = versions_[{each.kind, each.name}];
        if (each.version <= version) continue;
        version = each.version;
        auto& of_kind = changed[each.kind];
        if (!of_kind) {
            const auto kept = current_.find(each.kind);
            of_kind = kept == current_.end() ? std::make_shared<records>()
                                             : std::make_shared<records>(*kept->second);
        }
        if (each.document.empty())
            of_kind->erase(each.name);
        else
            of_kind->insert_or_assign(each.name, each);
    }
    for (auto& [kind, all] : changed) current_.insert_or_assign(kind, std::move(all));
}

async<void> record_book::catch_up() {
    CO_CHECK_OK(co_await rows_.refresh());
    const std::lock_guard lock(guard_);
    complete_ = true;
    co_return result<void>();
}

async<void> record_book::read_anew() {
    std::map<std::string, records, std::less<>> fresh;
    version_map versions;
    CO_TRY(const auto up_to, co_await rows_.read_all([&](std::vector<record> rows) {
        for (auto& each : rows) {
            versions[{each.kind, each.name}] = each.version;
            // A removal may come on a later page than what it removes.
            if (each.document.empty())
                fresh[each.kind].erase(each.name);
            else
                fresh[each.kind].insert_or_assign(each.name, std::move(each));
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

bool record_book::complete() const {
    const std::lock_guard lock(guard_);
    return complete_;
}

// Version zero: there never was one.
async<record> record_book::look_up(std::string kind, std::string name) const {
    table::query asked{
        .table = table_name(),
        .where =
            {{.column = "kind", .compare = table::comparison::equal, .values = {kind}},
             {.column = "name", .compare = table::comparison::equal, .values = {name}}},
        .limit = 1};
    CO_TRY(const auto page, co_await store_.read(std::move(asked)));
    if (page.rows.empty())
        co_return record{.kind = std::move(kind), .name = std::move(name), .document = {}};
    co_return decode_record(page.rows.front());
}

async<record> record_book::alter(deed what, decision decide) {
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(auto now, co_await look_up(what.kind, what.name));
        const bool there = !now.document.empty();
        CO_TRY(auto next, decide(there ? &now.document : nullptr));
        if (!next || (next->empty() && !there) || *next == now.document) {
            if (now.version > 0) apply({now});
            co_return now;
        }
        if (!there && count(what.kind) >= record_limits::records_max)
            co_return fail(errc::conflict, "there are too many of these already");
        record wanted{
            .kind = what.kind,
            .name = what.name,
            .document = *std::move(next),
            .version = now.version + 1,
            .changed_by = what.by,
            .changed = time_.wall()};
        CO_CHECK_OK(check_record(wanted));
        table::batch change;
        change.writes.push_back(
            {.table = table_name(),
             .rows = {encode_record(wanted)},
             .existing = table::replace_if_grows{"version"}});
        CO_TRY(const auto done, co_await store_.write(std::move(change)));
        if (done.changed == 0) continue;
        apply({wanted});
        co_return wanted;
    }
    co_return fail(errc::unavailable, "others keep changing " + what.name + "; try again");
}

}  // namespace muster::configuration
