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

void keep_text(
    std::map<system_number, std::string>& to, system_number who, const std::string& text) {
    if (text.empty()) {
        to.erase(who);
    } else {
        to.insert_or_assign(who, text);
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
    sets& to, system_number system_number, const std::vector<std::string>& labels) {
    for (auto& [label, systems] : to) {
        if (std::ranges::find(labels, label) == labels.end()) systems.remove(system_number);
    }
    for (const auto& each : labels) to[each].add(system_number);
    std::erase_if(to, [](const auto& each) { return each.second.empty(); });
}

void system_profile_store::apply(const std::vector<system_profile>& rows) {
    const std::lock_guard lock(guard_);
    for (const auto& row : rows) apply_locked(row);
}

void system_profile_store::apply_locked(const system_profile& row) {
    auto& version = versions_[row.system];
    if (row.version <= version) return;
    version = row.version;
    keep_text(names_, row.system, row.name);
    keep_text(descriptions_, row.system, row.description);
    if (row.locked) {
        locked_.add(row.system);
    } else {
        locked_.remove(row.system);
    }
    if (row.is_arriving()) {
        arriving_.add(row.system);
    } else {
        arriving_.remove(row.system);
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
    std::vector<system_number> system_numbers) const {
    profiles all;
    for (const auto each : system_numbers) all[each].system = each;
    for (std::size_t at = 0; at < system_numbers.size(); at += batch_rows) {
        table::condition keys{.column = "system", .compare = table::comparison::one_of};
        for (auto next = at; next < std::min(at + batch_rows, system_numbers.size()); ++next)
            keys.values.emplace_back(system_numbers[next].value());
        table::query query{.table = table_name(), .where = {std::move(keys)}, .limit = batch_rows};
        do {
            CO_TRY(const auto page, co_await ledger_.read(query));
            for (const auto& each : page.rows) {
                CO_TRY(auto row, decode_profile(each));
                const auto who = row.system;
                all.insert_or_assign(who, std::move(row));
            }
            query.after = page.next;
        } while (!query.after.empty());
    }
    co_return all;
}

async<system_profile> system_profile_store::read_one(system_number which) const {
    std::vector<system_number> system_numbers{which};
    CO_TRY(auto match, co_await read(std::move(system_numbers)));
    co_return std::move(match.at(which));
}

async<std::vector<system_number>> system_profile_store::write(profiles all) {
    std::vector<system_number> late;
    std::vector<system_profile> left;
    for (auto& [who, each] : all) left.push_back(std::move(each));
    for (std::size_t at = 0; at < left.size(); at += batch_rows) {
        const auto end = std::min(at + batch_rows, left.size());
        table::write rows{
            .table = table_name(), .rows = {}, .existing = table::replace_if_grows{"version"}};
        for (auto next = at; next < end; ++next) rows.rows.push_back(encode_profile(left[next]));
        table::batch change;
        change.writes.push_back(std::move(rows));
        CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
        const bool all_written = done.changed == end - at;
        for (auto next = at; next < end; ++next) {
            if (all_written) {
                apply({left[next]});
                continue;
            }
            CO_TRY(const auto now, co_await read_one(left[next].system));
            apply({now});
            if (now != left[next]) late.push_back(left[next].system);
        }
    }
    co_return late;
}

async<void> system_profile_store::change(
    std::vector<system_number> system_numbers, alteration alteration, std::string by) {
    if (system_numbers.size() > systems_max)
        co_return fail(
            errc::invalid,
            "at most " + std::to_string(systems_max) + " systems can be changed at once");
    for (int round = 0; round < attempts_max && !system_numbers.empty(); ++round) {
        CO_TRY(const auto before, co_await read(system_numbers));
        profiles profiles;
        for (const auto& [who, now] : before) {
            auto next = now;
            CO_CHECK_OK(alteration(next));
            CO_CHECK_OK(check(next));
            if (next == now) continue;
            next.version = now.version + 1;
            next.changed_by = by;
            next.changed = clock_.wall();
            profiles.emplace(who, std::move(next));
        }
        CO_TRY(system_numbers, co_await write(std::move(profiles)));
    }
    if (system_numbers.empty()) co_return result<void>();
    co_return fail(errc::unavailable, "others keep changing the same systems; try again");
}

std::string system_profile_store::name_of(system_number system_number) const {
    const std::lock_guard lock(guard_);
    const auto it = names_.find(system_number);
    return it == names_.end() ? std::string() : it->second;
}

std::string system_profile_store::description_of(system_number system_number) const {
    const std::lock_guard lock(guard_);
    const auto it = descriptions_.find(system_number);
    return it == descriptions_.end() ? std::string() : it->second;
}

bool system_profile_store::is_locked(system_number system_number) const {
    const std::lock_guard lock(guard_);
    return locked_.contains(system_number);
}

std::vector<std::string> system_profile_store::entitlements_of(system_number system_number) const {
    const std::lock_guard lock(guard_);
    std::vector<std::string> result;
    for (const auto& [label, systems] : entitlements_) {
        if (systems.contains(system_number)) result.push_back(label);
    }
    return result;
}

system_set system_profile_store::read_set(const sets& from, std::string_view label) const {
    const std::lock_guard lock(guard_);
    const auto it = from.find(label);
    return it == from.end() ? system_set() : it->second;
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

system_set system_profile_store::arriving() const {
    const std::lock_guard lock(guard_);
    return arriving_;
}

system_set system_profile_store::locked() const {
    const std::lock_guard lock(guard_);
    return locked_;
}

}  // namespace muster::fleet
