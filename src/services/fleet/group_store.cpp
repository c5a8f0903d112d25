#include "services/fleet/group_store.h"

#include "core/lifecycle/labels.h"
#include "core/targeting/parser.h"
#include "services/fleet/fleet_tables.h"

#include <utility>

namespace muster::fleet {
namespace {

targeting::group_source source_of(
    std::shared_ptr<const group_store::groups> groups, const saved_group* instead = nullptr) {
    return [groups = std::move(groups), instead](const std::string& name) {
        if (instead != nullptr && instead->name == name)
            return std::optional<std::string>(instead->definition);
        const auto it = groups->find(name);
        return it == groups->end() ? std::optional<std::string>()
                                   : std::optional(it->second.definition);
    };
}

}  // namespace

group_store::group_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log)
    : ledger_(ledger),
      clock_(clock),
      rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = std::string(saved_groups_table)},
          &decode_group,
          [this](const std::vector<saved_group>& rows) { apply(rows); }) {}

std::shared_ptr<const group_store::groups> group_store::current() const {
    const std::lock_guard lock(guard_);
    return current_;
}

result<targeting::query> group_store::parse(
    std::string_view text, targeting::dialect language) const {
    return targeting::query::parse(text, {.language = language, .groups = source_of(current())});
}

// Groups are few and change rarely, so any change makes a new book.
void group_store::apply(const std::vector<saved_group>& rows) {
    const std::lock_guard lock(guard_);
    auto changed = std::make_shared<groups>(*current_);
    for (const auto& row : rows) {
        auto& version = versions_[row.name];
        if (row.version <= version) continue;
        version = row.version;
        if (row.definition.empty())
            changed->erase(row.name);
        else
            changed->insert_or_assign(row.name, row);
    }
    current_ = std::move(changed);
}

async<void> group_store::read_anew() {
    auto fresh = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions;
    CO_TRY(const auto up_to, co_await rows_.read_all([&](std::vector<saved_group> rows) {
        for (auto& row : rows) {
            versions[row.name] = row.version;
            if (row.definition.empty())
                fresh->erase(row.name);
            else
                fresh->insert_or_assign(row.name, std::move(row));
        }
    }));
    const std::lock_guard lock(guard_);
    rows_.rows().restart_at(up_to);
    versions_ = std::move(versions);
    current_ = std::move(fresh);
    co_return result<void>();
}

result<void> group_store::check(const saved_group& saved_group) const {
    CHECK_OK(lifecycle::check_labels("group", {saved_group.name}));
    if (saved_group.description.size() > group_limits::description_bytes_max)
        return fail(errc::invalid, "a group's description has at most 1024 bytes");
    if (saved_group.definition.empty())
        return fail(errc::invalid, "`expression` is empty; for all systems, say *");
    const auto parsed = targeting::query::parse(
        targeting::expression_of_group(saved_group.definition),
        {.groups = source_of(current(), &saved_group)});
    if (!parsed) return fail(parsed.error().within("the group's expression"));
    if (parsed->means_nobody())
        return fail(errc::invalid, "the group's expression: " + parsed->notes().front());
    // What it names may name it.
    const auto itself = targeting::query::parse(
        "N@" + saved_group.name, {.groups = source_of(current(), &saved_group)});
    if (!itself) return fail(itself.error().within("the group's expression"));
    if (itself->means_nobody())
        return fail(errc::invalid, "the group's expression: " + itself->notes().front());
    return {};
}

async<saved_group> group_store::write(saved_group saved_group) {
    saved_group.changed = clock_.wall();
    {
        const std::lock_guard lock(guard_);
        saved_group.version = versions_[saved_group.name] + 1;
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(saved_groups_table),
         .rows = {encode_group(saved_group)},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
    if (done.changed == 0)
        co_return fail(
            errc::conflict, "somebody else has just changed the group " + saved_group.name);
    apply({saved_group});
    co_return saved_group;
}

async<saved_group> group_store::put(saved_group saved_group, existing what) {
    const auto known = current();
    const bool there = known->contains(saved_group.name);
    if (there && what == existing::refuse)
        co_return fail(errc::conflict, "there is a group named " + saved_group.name + " already");
    if (!there && known->size() >= group_limits::groups_max)
        co_return fail(errc::conflict, "there are too many groups already");
    CO_CHECK_OK(check(saved_group));
    co_return co_await write(std::move(saved_group));
}

async<void> group_store::remove(std::string name, std::string by) {
    const auto existing = current();
    if (!existing->contains(name))
        co_return fail(errc::not_found, "there is no group named " + name);
    for (const auto& [other, group] : *existing) {
        if (other == name) continue;
        const auto without = [&](const std::string& requested) -> std::optional<std::string> {
            if (requested == name) return std::nullopt;
            return source_of(existing)(requested);
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
