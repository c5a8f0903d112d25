#include "services/content/content_store.h"

#include "services/content/content_tables.h"

#include <algorithm>
#include <chrono>
#include <ranges>

namespace muster::content {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_between_looks = 5s;
constexpr std::size_t page_rows = 5'000;
constexpr std::size_t batch_rows = 2'000;

table::condition is(std::string column, table::value desired) {
    return {.column = std::move(column), .values = {std::move(desired)}};
}

}  // namespace

content_store::content_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log)
    : ledger_(ledger),
      clock_(clock),
      record_rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = std::string(content_records_table), .page_rows = page_rows},
          &decode_record,
          [this](std::vector<content_record> rows) {
              for (auto& row : rows) apply(std::move(row));
          }),
      package_rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = std::string(content_packages_table), .page_rows = page_rows},
          &decode_package,
          [this](std::vector<package_row> rows) {
              for (auto& row : rows) apply(std::move(row));
          }) {}

void content_store::export_to(runtime::metrics& to) const {
    record_rows_.rows().export_to(to);
    package_rows_.rows().export_to(to);
}

// Two readers may apply the same rows in another order than they read them.
template <class T>
void content_store::apply_record(result<T> record, const content_record& row) {
    auto& index = std::get<named_index<T>>(indexes_);
    const auto current = index.find(row.name);
    if (current && current->row.version > row.version) return;
    if (row.removed)
        index.erase(row.name);
    else if (record)
        index.put(*std::move(record));
    else
        record_rows_.rows().report_unreadable(row.sequence, record.error());
}

void content_store::apply(content_record row) {
    const content_record outline{
        .kind = row.kind,
        .name = row.name,
        .number = row.number,
        .version = row.version,
        .removed = row.removed,
        .document = {},
        .packages = {},
        .errata = {},
        .changed_by = row.changed_by,
        .changed = row.changed,
        .sequence = row.sequence};
    const std::pair place(row.kind, row.name);
    const std::unique_lock lock(mutex_);
    const auto gone = removed_.find(place);
    if (gone != removed_.end() && gone->second.version > row.version) return;
    if (row.removed)
        removed_.insert_or_assign(place, outline);
    else
        removed_.erase(place);
    const bool defines = row.kind == record_kind::channel || row.kind == record_kind::repository;
    if (defines && definitions_) definitions_ = std::make_shared<int>();
    switch (row.kind) {
        case record_kind::channel:
            apply_record(to_channel(std::move(row)), outline);
            break;
        case record_kind::repository:
            apply_record(to_repository(std::move(row)), outline);
            break;
        case record_kind::erratum:
            apply_record(to_erratum(std::move(row)), outline);
            break;
        case record_kind::profile:
            apply_record(to_profile(std::move(row)), outline);
            break;
        case record_kind::subscription:
            apply_record(to_subscription(std::move(row)), outline);
            break;
    }
}

void content_store::apply(package_row row) {
    auto identity = row.what.identity();
    const std::unique_lock lock(mutex_);
    if (row.removed) {
        packages_.erase(row.what.number);
        by_identity_.erase(identity);
        removed_packages_.insert_or_assign(std::move(identity), row.what.number);
        return;
    }
    removed_packages_.erase(identity);
    auto result = std::make_shared<const stored_package>(std::move(row.what));
    packages_.insert_or_assign(result->number, result);
    by_identity_.insert_or_assign(std::move(identity), std::move(result));
}

async<void> content_store::follow_records() {
    CO_CHECK_OK(co_await record_rows_.refresh());
    const std::unique_lock lock(mutex_);
    if (!definitions_) definitions_ = std::make_shared<int>();
    co_return result<void>();
}

std::shared_ptr<const void> content_store::definitions_stamp() const {
    const std::shared_lock lock(mutex_);
    return definitions_;
}

template <class T>
async<named_index<T>> content_store::read_index(
    record_kind kind, result<T> (*decode)(content_record)) {
    named_index<T> result;
    table::query query{
        .table = std::string(content_records_table),
        .where = {is("kind", std::string(to_string(kind)))},
        .limit = page_rows};
    do {
        CO_TRY(const auto page, co_await ledger_.read(query));
        for (auto& row : record_rows_.decode(page.rows)) {
            if (row.removed) continue;
            const auto sequence = row.sequence;
            if (auto record = decode(std::move(row))) {
                result.put(*std::move(record));
            } else {
                record_rows_.rows().report_unreadable(sequence, record.error());
            }
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return result;
}

// Rows that were applied meanwhile are discarded with the rest and read again.
async<void> content_store::reload() {
    const auto before = record_rows_.rows().position();
    CO_TRY(auto channels, co_await read_index<channel>(record_kind::channel, &to_channel));
    CO_TRY(
        auto repositories,
        co_await read_index<content_repository>(record_kind::repository, &to_repository));
    {
        const std::unique_lock lock(mutex_);
        std::get<named_index<channel>>(indexes_) = std::move(channels);
        std::get<named_index<content_repository>>(indexes_) = std::move(repositories);
        definitions_ = std::make_shared<int>();
    }
    record_rows_.rows().restart_at(before);
    co_return co_await follow_records();
}

// Packages last: what a channel names is looked up when it is asked for.
async<void> content_store::refresh() {
    CO_CHECK_OK(co_await follow_records());
    co_return co_await package_rows_.refresh();
}

boost::asio::awaitable<void> content_store::run() {
    return record_rows_.run(
        [this] { return refresh(); }, [this] { return clock_.sleep_for(pause_between_looks); });
}

package_ref content_store::find_package(std::uint32_t number) const {
    const std::shared_lock lock(mutex_);
    const auto it = packages_.find(number);
    return it == packages_.end() ? nullptr : it->second;
}

package_ref content_store::find_package(const std::string& identity) const {
    const std::shared_lock lock(mutex_);
    const auto it = by_identity_.find(identity);
    return it == by_identity_.end() ? nullptr : it->second;
}

std::vector<package_ref> content_store::packages_of(const packages::number_set& numbers) const {
    std::vector<package_ref> package_refs;
    package_refs.reserve(numbers.size());
    const std::shared_lock lock(mutex_);
    for (const auto number : numbers) {
        const auto it = packages_.find(number);
        if (it != packages_.end()) package_refs.push_back(it->second);
    }
    return package_refs;
}

std::vector<package_ref> content_store::all_packages() const {
    std::vector<package_ref> package_refs;
    {
        const std::shared_lock lock(mutex_);
        package_refs.reserve(packages_.size());
        for (const auto& [number, each] : packages_) package_refs.push_back(each);
    }
    std::ranges::sort(
        package_refs, {}, [](const package_ref& package_ref) { return package_ref->number; });
    return package_refs;
}

std::size_t content_store::package_count() const {
    const std::shared_lock lock(mutex_);
    return packages_.size();
}

std::shared_ptr<const packages::available_packages> content_store::shelf_of(
    const std::vector<std::string>& labels) const {
    std::string key;
    packages::number_set numbers;
    for (const auto& label : labels) {
        const auto match = find<channel>(label);
        if (!match) continue;
        key += label + "@" + std::to_string(match->row.version) + " ";
        numbers =
            numbers.empty() ? match->row.packages : packages::united(numbers, match->row.packages);
    }
    {
        const std::lock_guard lock(shelves_guard_);
        const auto it = shelves_.find(key);
        if (it != shelves_.end()) {
            it->second.used = ++shelf_uses_;
            return it->second.made;
        }
    }
    std::vector<packages::offer_ref> offers;
    for (auto& package : packages_of(numbers)) offers.push_back(std::move(package));
    const bool whole = offers.size() == numbers.size();
    auto result = std::make_shared<const packages::available_packages>(std::move(offers));
    if (!whole) return result;  // some were removed meanwhile, or are not read yet
    const std::lock_guard lock(shelves_guard_);
    shelves_.insert_or_assign(key, kept_shelf{.made = result, .used = ++shelf_uses_});
    if (shelves_.size() > library_limits::shelves_max)
        shelves_.erase(std::ranges::min_element(
            shelves_, {}, [](const auto& each) { return each.second.used; }));
    return result;
}

content_record content_store::begun_from(record_kind kind, const std::string& name) const {
    content_record content{.kind = kind, .name = name, .version = 0};
    const std::shared_lock lock(mutex_);
    const auto it = removed_.find({kind, name});
    if (it == removed_.end()) return content;
    content.number = it->second.number;
    content.version = it->second.version;
    return content;
}

std::uint32_t content_store::number_before(const std::string& identity) const {
    const std::shared_lock lock(mutex_);
    const auto it = removed_packages_.find(identity);
    return it == removed_packages_.end() ? 0 : static_cast<std::uint32_t>(it->second);
}

async<content_record> content_store::read_record(record_kind kind, std::string name) const {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(content_records_table),
             .where = {is("kind", std::string(to_string(kind))), is("name", name)},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(
            errc::not_found, std::string(to_string(kind)) + " \"" + name + "\" not found");
    co_return decode_record(page.rows.front());
}

async<package_row> content_store::read_package(std::uint32_t number) const {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(content_packages_table),
             .where = {is("number", std::int64_t{number})},
             .limit = 1}));
    if (page.rows.empty())
        co_return fail(errc::not_found, "package \"" + std::to_string(number) + "\" not found");
    co_return decode_package(page.rows.front());
}

async<void> content_store::write(content_record content) {
    std::vector<content_record> contents;
    contents.push_back(std::move(content));
    co_return co_await write(std::move(contents));
}

async<void> content_store::write(std::vector<content_record> contents) {
    const auto grown = table::replace_if_grows{"version"};
    for (std::size_t from = 0; from < contents.size(); from += batch_rows) {
        table::write rows{.table = std::string(content_records_table), .existing = grown};
        const auto end = std::min(contents.size(), from + batch_rows);
        for (auto at = from; at < end; ++at) {
            ++contents[at].version;
            contents[at].changed = clock_.wall();
            rows.rows.push_back(encode(contents[at]));
        }
        const auto count = rows.rows.size();
        table::batch change;
        change.writes.push_back(std::move(rows));
        CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
        if (done.changed < count)
            co_return fail(
                errc::conflict,
                std::string(to_string(contents[from].kind)) + " \"" + contents[from].name
                    + "\" was modified concurrently; retry");
    }
    co_return co_await refresh();
}

// Of two who bring the same package, one is on record: both find its number when they read it back.
async<void> content_store::write(std::vector<package_row> desired) {
    for (std::size_t from = 0; from < desired.size(); from += batch_rows) {
        table::write rows{
            .table = std::string(content_packages_table),
            .existing = table::replace_if_grows{"version"}};
        const auto end = std::min(desired.size(), from + batch_rows);
        for (auto at = from; at < end; ++at) rows.rows.push_back(encode(desired[at]));
        table::batch change;
        change.writes.push_back(std::move(rows));
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    }
    co_return co_await refresh();
}

}  // namespace muster::content
