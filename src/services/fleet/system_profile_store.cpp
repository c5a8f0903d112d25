#include "services/fleet/system_profile_store.h"

#include "services/fleet/fleet_tables.h"

#include <algorithm>
#include <utility>

namespace muster::fleet {
namespace {

constexpr std::size_t batch_rows = 500;  // a profile may be large
constexpr int attempts_max = 10;

std::string table_name() {
    return std::string(system_profiles_table);
}

void set_text(
    std::map<system_number, std::string>& texts, system_number system, const std::string& text) {
    if (text.empty()) {
        texts.erase(system);
    } else {
        texts.insert_or_assign(system, text);
    }
}

}  // namespace

system_profile_store::system_profile_store(
    muster::ledger& ledger, muster::clock& clock, runtime::logger& log)
    : ledger_(ledger),
      clock_(clock),
      rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = table_name()},
          &decode_profile,
          [this](const std::vector<system_profile>& rows) { apply(rows); }) {}

void system_profile_store::apply(
    sets& sets_by_label, system_number system, const std::vector<std::string>& labels) {
    for (auto& [label, systems] : sets_by_label) {
        if (std::ranges::find(labels, label) == labels.end()) systems.remove(system);
    }
    for (const auto& label : labels) sets_by_label[label].add(system);
    std::erase_if(sets_by_label, [](const auto& entry) { return entry.second.empty(); });
}

void system_profile_store::apply(const std::vector<system_profile>& rows) {
    const std::lock_guard lock(mutex_);
    for (const auto& row : rows) apply_row(row);
}

void system_profile_store::apply_row(const system_profile& row) {
    auto& version = versions_[row.system];
    if (row.version <= version) return;
    version = row.version;
    set_text(names_, row.system, row.name);
    set_text(descriptions_, row.system, row.description);
    if (row.locked) {
        locked_.add(row.system);
    } else {
        locked_.remove(row.system);
    }
    if (row.needs_provisioning()) {
        unprovisioned_.add(row.system);
    } else {
        unprovisioned_.remove(row.system);
    }
    apply(channels_, row.system, row.config_channels);
    apply(entitlements_, row.system, row.entitlements);
    std::vector<std::string> labels;
    for (const auto& [label, text] : row.values) labels.push_back(label);
    apply(values_, row.system, labels);
    labels.clear();
    if (!row.activation_key.empty()) labels.push_back(row.activation_key);
    apply(keys_, row.system, labels);
}

async<system_profile_store::profiles> system_profile_store::read(
    std::vector<system_number> systems) const {
    system_profile_store::profiles profiles;
    for (const auto system : systems) profiles[system].system = system;
    for (std::size_t offset = 0; offset < systems.size(); offset += batch_rows) {
        table::condition keys{.column = "system", .compare = table::comparison::one_of};
        for (auto index = offset; index < std::min(offset + batch_rows, systems.size()); ++index)
            keys.values.emplace_back(systems[index].value());
        table::query query{.table = table_name(), .where = {std::move(keys)}, .limit = batch_rows};
        do {
            CO_TRY(const auto page, co_await ledger_.read(query));
            for (const auto& row : page.rows) {
                CO_TRY(auto profile, decode_profile(row));
                const auto system = profile.system;
                profiles.insert_or_assign(system, std::move(profile));
            }
            query.after = page.next;
        } while (!query.after.empty());
    }
    co_return profiles;
}

async<system_profile> system_profile_store::read_one(system_number system) const {
    std::vector<system_number> systems{system};
    CO_TRY(auto profiles, co_await read(std::move(systems)));
    co_return std::move(profiles.at(system));
}

async<std::vector<system_number>> system_profile_store::write(
    system_profile_store::profiles updated) {
    std::vector<system_number> conflicting;
    std::vector<system_profile> profiles;
    for (auto& [system, profile] : updated) profiles.push_back(std::move(profile));
    for (std::size_t offset = 0; offset < profiles.size(); offset += batch_rows) {
        const auto end = std::min(offset + batch_rows, profiles.size());
        table::write rows{
            .table = table_name(), .rows = {}, .existing = table::replace_if_grows{"version"}};
        for (auto index = offset; index < end; ++index)
            rows.rows.push_back(encode_profile(profiles[index]));
        table::batch change;
        change.writes.push_back(std::move(rows));
        CO_TRY(const auto written, co_await ledger_.write(std::move(change)));
        const bool all_written = written.changed == end - offset;
        for (auto index = offset; index < end; ++index) {
            if (all_written) {
                apply({profiles[index]});
                continue;
            }
            CO_TRY(const auto stored, co_await read_one(profiles[index].system));
            apply({stored});
            if (stored != profiles[index]) conflicting.push_back(profiles[index].system);
        }
    }
    co_return conflicting;
}

async<void> system_profile_store::change(
    std::vector<system_number> systems, update_function update, std::string user) {
    if (systems.size() > systems_max)
        co_return fail(
            errc::invalid, "a change is limited to " + std::to_string(systems_max) + " systems");
    for (int attempt = 0; attempt < attempts_max && !systems.empty(); ++attempt) {
        CO_TRY(const auto before, co_await read(systems));
        profiles updates;
        for (const auto& [system, current] : before) {
            auto updated = current;
            CO_CHECK_OK(update(updated));
            CO_CHECK_OK(check(updated));
            if (updated == current) continue;
            updated.version = current.version + 1;
            updated.changed_by = user;
            updated.changed = clock_.wall();
            updates.emplace(system, std::move(updated));
        }
        CO_TRY(systems, co_await write(std::move(updates)));
    }
    if (systems.empty()) co_return result<void>();
    co_return fail(errc::unavailable, "systems were modified concurrently; retry");
}

std::string system_profile_store::name_of(system_number system) const {
    const std::lock_guard lock(mutex_);
    const auto it = names_.find(system);
    return it == names_.end() ? std::string() : it->second;
}

std::string system_profile_store::description_of(system_number system) const {
    const std::lock_guard lock(mutex_);
    const auto it = descriptions_.find(system);
    return it == descriptions_.end() ? std::string() : it->second;
}

bool system_profile_store::is_locked(system_number system) const {
    const std::lock_guard lock(mutex_);
    return locked_.contains(system);
}

std::vector<std::string> system_profile_store::entitlements_of(system_number system) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> labels;
    for (const auto& [label, systems] : entitlements_) {
        if (systems.contains(system)) labels.push_back(label);
    }
    return labels;
}

system_set system_profile_store::read_set(const sets& sets_by_label, std::string_view label) const {
    const std::lock_guard lock(mutex_);
    const auto it = sets_by_label.find(label);
    return it == sets_by_label.end() ? system_set() : it->second;
}

system_set system_profile_store::with_channel(std::string_view label) const {
    return read_set(channels_, label);
}

system_set system_profile_store::with_value(std::string_view label) const {
    return read_set(values_, label);
}

system_set system_profile_store::with_key(std::string_view activation_key) const {
    return read_set(keys_, activation_key);
}

system_set system_profile_store::unprovisioned() const {
    const std::lock_guard lock(mutex_);
    return unprovisioned_;
}

system_set system_profile_store::with_lock() const {
    const std::lock_guard lock(mutex_);
    return locked_;
}

}  // namespace muster::fleet
