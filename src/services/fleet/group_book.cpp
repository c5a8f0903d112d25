#include "services/fleet/group_book.h"

#include "core/lifecycle/words.h"
#include "core/targeting/parser.h"
#include "services/fleet/fleet_tables.h"

#include <utility>

namespace muster::fleet {
namespace {

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

group_book::group_book(ledger& records, clock& time, runtime::logger& log)
    : records_(records),
      time_(time),
      rows_(
          {.records = records, .time = time, .log = log},
          {.table = std::string(saved_groups_table)},
          &decode_group,
          [this](const std::vector<saved_group>& rows) { apply(rows); }) {}

std::shared_ptr<const group_book::groups> group_book::current() const {
    const std::lock_guard lock(guard_);
    return current_;
}

result<targeting::query> group_book::parse(
    std::string_view text, targeting::dialect language) const {
    return targeting::query::parse(text, {.language = language, .groups = source_of(current())});
}

// Groups are few and change rarely, so any change makes a new book.
void group_book::apply(const std::vector<saved_group>& rows) {
    const std::lock_guard lock(guard_);
    auto changed = std::make_shared<groups>(*current_);
    for (const auto& each : rows) {
        auto& version = versions_[each.name];
        if (each.version <= version) continue;
        version = each.version;
        if (each.definition.empty())
            changed->erase(each.name);
        else
            changed->insert_or_assign(each.name, each);
    }
    current_ = std::move(changed);
}

async<void> group_book::read_anew() {
    auto fresh = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions;
    CO_TRY(const auto up_to, co_await rows_.read_all([&](std::vector<saved_group> rows) {
        for (auto& each : rows) {
            versions[each.name] = each.version;
            if (each.definition.empty())
                fresh->erase(each.name);
            else
                fresh->insert_or_assign(each.name, std::move(each));
        }
    }));
    const std::lock_guard lock(guard_);
    rows_.rows().restart_at(up_to);
    versions_ = std::move(versions);
    current_ = std::move(fresh);
    co_return result<void>();
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
        {.table = std::string(saved_groups_table),
         .rows = {encode_group(wanted)},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await records_.write(std::move(change)));
    if (done.changed == 0)
        co_return fail(errc::conflict, "somebody else has just changed the group " + wanted.name);
    apply({wanted});
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
