#include "services/fleet/group_store.h"

#include "core/lifecycle/labels.h"
#include "core/targeting/parser.h"
#include "services/fleet/fleet_tables.h"

#include <utility>

namespace muster::fleet {
namespace {

targeting::group_source to_group_source(
    std::shared_ptr<const group_store::groups> groups,
    const saved_group* override_group = nullptr) {
    return [groups = std::move(groups), override_group](const std::string& name) {
        if (override_group != nullptr && override_group->name == name)
            return std::optional<std::string>(override_group->definition);
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
    const std::lock_guard lock(mutex_);
    return current_;
}

result<targeting::query> group_store::parse(
    std::string_view text, targeting::dialect language) const {
    return targeting::query::parse(
        text, {.language = language, .groups = to_group_source(current())});
}

// Groups are few and change rarely, so any change copies the whole map.
void group_store::apply(const std::vector<saved_group>& rows) {
    const std::lock_guard lock(mutex_);
    auto updated = std::make_shared<groups>(*current_);
    for (const auto& row : rows) {
        auto& version = versions_[row.name];
        if (row.version <= version) continue;
        version = row.version;
        if (row.definition.empty())
            updated->erase(row.name);
        else
            updated->insert_or_assign(row.name, row);
    }
    current_ = std::move(updated);
}

async<void> group_store::reload() {
    auto fresh = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions;
    CO_TRY(const auto sequence, co_await rows_.read_all([&](std::vector<saved_group> rows) {
        for (auto& row : rows) {
            versions[row.name] = row.version;
            if (row.definition.empty())
                fresh->erase(row.name);
            else
                fresh->insert_or_assign(row.name, std::move(row));
        }
    }));
    const std::lock_guard lock(mutex_);
    rows_.rows().restart_at(sequence);
    versions_ = std::move(versions);
    current_ = std::move(fresh);
    co_return result<void>();
}

result<void> group_store::check(const saved_group& group) const {
    CHECK_OK(lifecycle::check_labels("group", {group.name}));
    if (group.description.size() > group_limits::description_bytes_max)
        return fail(errc::invalid, "group description is longer than 1024 bytes");
    if (group.definition.empty())
        return fail(errc::invalid, "`expression` is empty; use * for all systems");
    const auto parsed = targeting::query::parse(
        targeting::expression_of_group(group.definition),
        {.groups = to_group_source(current(), &group)});
    if (!parsed) return fail(parsed.error().with_context("group expression"));
    if (parsed->means_nobody())
        return fail(errc::invalid, "group expression: " + parsed->notes().front());
    // The groups that it uses may use it in turn.
    const auto parsed_itself =
        targeting::query::parse("N@" + group.name, {.groups = to_group_source(current(), &group)});
    if (!parsed_itself) return fail(parsed_itself.error().with_context("group expression"));
    if (parsed_itself->means_nobody())
        return fail(errc::invalid, "group expression: " + parsed_itself->notes().front());
    return {};
}

async<saved_group> group_store::write(saved_group group) {
    group.changed = clock_.wall();
    {
        const std::lock_guard lock(mutex_);
        group.version = versions_[group.name] + 1;
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(saved_groups_table),
         .rows = {encode_group(group)},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto written, co_await ledger_.write(std::move(change)));
    if (written.changed == 0)
        co_return fail(
            errc::conflict, "group \"" + group.name + "\" was modified concurrently; retry");
    apply({group});
    co_return group;
}

async<saved_group> group_store::put(saved_group group, existing_policy policy) {
    const auto groups = current();
    const bool exists = groups->contains(group.name);
    if (exists && policy == existing_policy::refuse)
        co_return fail(errc::conflict, "group \"" + group.name + "\" already exists");
    if (!exists && groups->size() >= group_limits::groups_max)
        co_return fail(
            errc::conflict,
            "limit of " + std::to_string(group_limits::groups_max) + " groups reached");
    CO_CHECK_OK(check(group));
    co_return co_await write(std::move(group));
}

async<void> group_store::remove(std::string name, std::string user) {
    const auto groups = current();
    if (!groups->contains(name))
        co_return fail(errc::not_found, "group \"" + name + "\" not found");
    for (const auto& [other_name, other_group] : *groups) {
        if (other_name == name) continue;
        const auto without = [&](const std::string& group_name) -> std::optional<std::string> {
            if (group_name == name) return std::nullopt;
            return to_group_source(groups)(group_name);
        };
        const auto parsed = targeting::query::parse("N@" + other_name, {.groups = without});
        if (parsed && parsed->means_nobody())
            co_return fail(
                errc::conflict,
                "group \"" + name + "\" is used by group \"" + other_name
                    + "\"; change or remove that group first");
    }
    CO_CHECK_OK(co_await write(
        {.name = std::move(name),
         .definition = {},
         .description = {},
         .changed_by = std::move(user)}));
    co_return result<void>();
}

}  // namespace muster::fleet
