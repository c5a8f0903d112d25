#include "roles/fleet/group_book.h"

#include "core/lifecycle/words.h"
#include "core/targeting/parser.h"
#include "roles/cluster/ledger_schema.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_after_failure = 1s;
constexpr auto patience = 5s;  // looks at least this often
constexpr std::size_t page_rows = 1'000;
constexpr std::size_t sequence_cell = 6;

table::query rows_behind(std::int64_t sequence) {
    return {
        .table = std::string(cluster::saved_groups_table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = page_rows};
}

targeting::group_source source_of(
    std::shared_ptr<const group_book::groups> known, const saved_group* instead = nullptr) {
    return [known = std::move(known), instead](const std::string& name) {
        if (instead != nullptr && instead->name == name)
            return std::optional<std::string>(instead->definition);
        const auto found = known->find(name);
        return found == known->end() ? std::optional<std::string>()
                                     : std::optional(found->second.definition);
    };
}

}  // namespace

std::shared_ptr<const group_book::groups> group_book::current() const {
    const std::lock_guard lock(guard_);
    return current_;
}

result<targeting::query> group_book::parse(
    std::string_view text, targeting::dialect language) const {
    return targeting::query::parse(text, {.language = language, .groups = source_of(current())});
}

// Groups are few and change rarely, so any change makes a new book.
void group_book::apply(const saved_group& row) {
    const std::lock_guard lock(guard_);
    auto& version = versions_[row.name];
    if (row.version <= version) return;
    version = row.version;
    auto changed = std::make_shared<groups>(*current_);
    if (row.definition.empty())
        changed->erase(row.name);
    else
        changed->insert_or_assign(row.name, row);
    current_ = std::move(changed);
}

async<void> group_book::catch_up() {
    for (bool more = true; more;) {
        CO_TRY(const auto page, co_await records_.read(rows_behind(read_up_to_)));
        for (const auto& each : page.rows) {
            CO_TRY(const auto row, decode_group(each));
            apply(row);
            if (const auto* const at = std::get_if<std::int64_t>(&each.at(sequence_cell)))
                read_up_to_ = std::max(read_up_to_, *at);
        }
        more = !page.next.empty();
    }
    co_return result<void>();
}

async<void> group_book::read_anew() {
    auto fresh = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions;
    std::int64_t up_to = 0;
    for (bool more = true; more;) {
        CO_TRY(const auto page, co_await records_.read(rows_behind(up_to)));
        for (const auto& each : page.rows) {
            CO_TRY(auto row, decode_group(each));
            versions[row.name] = row.version;
            if (const auto* const at = std::get_if<std::int64_t>(&each.at(sequence_cell)))
                up_to = std::max(up_to, *at);
            if (!row.definition.empty()) fresh->insert_or_assign(row.name, std::move(row));
        }
        more = !page.next.empty();
    }
    const std::lock_guard lock(guard_);
    read_up_to_ = up_to;
    versions_ = std::move(versions);
    current_ = std::move(fresh);
    co_return result<void>();
}

boost::asio::awaitable<void> group_book::run() {
    while (true) {
        auto done = co_await catch_up();
        if (done) {
            const auto news = co_await records_.wait_for_change(
                std::string(cluster::saved_groups_table), table::sequence(read_up_to_), patience);
            if (news) continue;
            done = fail(news.error());
        }
        if (done.error().code() == errc::cancelled) co_return;
        log_.warning("cannot follow the saved groups", {{"reason", to_string(done.error())}});
        const auto slept = co_await time_.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

result<void> group_book::check(const saved_group& wanted) const {
    CHECK_OK(lifecycle::check_words("group", {wanted.name}));
    if (wanted.description.size() > group_limits::description_bytes_max)
        return fail(errc::invalid, "a group's description has at most 1024 bytes");
    if (wanted.definition.empty())
        return fail(errc::invalid, "`expression` is empty; for all systems, say *");
    const auto parsed = targeting::query::parse(
        targeting::expression_of_group(wanted.definition),
        {.groups = source_of(current(), &wanted)});
    if (!parsed) return fail(parsed.error().within("the group's expression"));
    if (parsed->means_nobody())
        return fail(errc::invalid, "the group's expression: " + parsed->notes().front());
    // What it names may name it.
    const auto itself =
        targeting::query::parse("N@" + wanted.name, {.groups = source_of(current(), &wanted)});
    if (!itself) return fail(itself.error().within("the group's expression"));
    if (itself->means_nobody())
        return fail(errc::invalid, "the group's expression: " + itself->notes().front());
    return {};
}

async<saved_group> group_book::write(saved_group wanted) {
    wanted.changed = time_.wall();
    {
        const std::lock_guard lock(guard_);
        wanted.version = versions_[wanted.name] + 1;
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(cluster::saved_groups_table),
         .rows = {encode_group(wanted)},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await records_.write(std::move(change)));
    if (done.changed == 0)
        co_return fail(errc::conflict, "somebody else has just changed the group " + wanted.name);
    apply(wanted);
    co_return wanted;
}

async<saved_group> group_book::put(saved_group wanted, existing what) {
    const auto known = current();
    const bool there = known->contains(wanted.name);
    if (there && what == existing::refuse)
        co_return fail(errc::conflict, "there is a group named " + wanted.name + " already");
    if (!there && known->size() >= group_limits::groups_max)
        co_return fail(errc::conflict, "there are too many groups already");
    CO_CHECK_OK(check(wanted));
    co_return co_await write(std::move(wanted));
}

async<void> group_book::remove(std::string name, std::string by) {
    const auto known = current();
    if (!known->contains(name)) co_return fail(errc::not_found, "there is no group named " + name);
    for (const auto& [other, group] : *known) {
        if (other == name) continue;
        const auto without = [&](const std::string& asked) -> std::optional<std::string> {
            if (asked == name) return std::nullopt;
            return source_of(known)(asked);
        };
        const auto parsed = targeting::query::parse("N@" + other, {.groups = without});
        if (parsed && parsed->means_nobody())
            co_return fail(
                errc::conflict, "the group " + other + " names it; change or remove that first");
    }
    CO_CHECK_OK(co_await write(
        {.name = std::move(name),
         .definition = {},
         .description = {},
         .changed_by = std::move(by)}));
    co_return result<void>();
}

}  // namespace muster::fleet
