#include "roles/config/record_book.h"

#include "core/table/utf8.h"
#include "roles/cluster/config_tables.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::config {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_after_failure = 1s;
constexpr auto patience = 5s;  // looks at least this often
constexpr std::size_t page_rows = 1'000;
constexpr int attempts_max = 10;

std::string table_name() {
    return std::string(cluster::config_records_table);
}

table::query rows_behind(std::int64_t sequence) {
    return {
        .table = table_name(),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = page_rows};
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
void record_book::apply(const record& row) {
    const std::lock_guard lock(guard_);
    auto& version = versions_[{row.kind, row.name}];
    if (row.version <= version) return;
    version = row.version;
    auto& kept = current_[row.kind];
    auto changed = kept ? std::make_shared<records>(*kept) : std::make_shared<records>();
    if (row.document.empty()) {
        changed->erase(row.name);
    } else {
        changed->insert_or_assign(row.name, row);
    }
    kept = std::move(changed);
}

async<void> record_book::catch_up() {
    for (bool more = true; more;) {
        CO_TRY(const auto page, co_await store_.read(rows_behind(read_up_to_)));
        for (const auto& each : page.rows) {
            CO_TRY(const auto row, decode_record(each));
            apply(row);
            if (const auto* const at = std::get_if<std::int64_t>(&each.back()))
                read_up_to_ = std::max(read_up_to_, *at);
        }
        more = !page.next.empty();
    }
    const std::lock_guard lock(guard_);
    complete_ = true;
    co_return result<void>();
}

async<void> record_book::read_anew() {
    std::map<std::string, records, std::less<>> fresh;
    version_map versions;
    std::int64_t up_to = 0;
    for (bool more = true; more;) {
        CO_TRY(const auto page, co_await store_.read(rows_behind(up_to)));
        for (const auto& each : page.rows) {
            CO_TRY(auto row, decode_record(each));
            versions[{row.kind, row.name}] = row.version;
            if (const auto* const at = std::get_if<std::int64_t>(&each.back()))
                up_to = std::max(up_to, *at);
            // A removal may come on a later page than what it removes.
            if (row.document.empty())
                fresh[row.kind].erase(row.name);
            else
                fresh[row.kind].insert_or_assign(row.name, std::move(row));
        }
        more = !page.next.empty();
    }
    const std::lock_guard lock(guard_);
    read_up_to_ = up_to;
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

boost::asio::awaitable<void> record_book::run() {
    while (true) {
        auto done = co_await catch_up();
        if (done) {
            const auto news = co_await store_.wait_for_change(
                table_name(), table::sequence(read_up_to_), patience);
            if (news) continue;
            done = fail(news.error());
        }
        if (done.error().code() == errc::cancelled) co_return;
        log_.warning("cannot follow the small records", {{"reason", to_string(done.error())}});
        const auto slept = co_await time_.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
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
            if (now.version > 0) apply(now);
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
        apply(wanted);
        co_return wanted;
    }
    co_return fail(errc::unavailable, "others keep changing " + what.name + "; try again");
}

}  // namespace muster::config
