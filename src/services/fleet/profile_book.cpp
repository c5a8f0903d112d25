#include "services/fleet/profile_book.h"

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

profile_book::profile_book(ledger& records, clock& time, runtime::logger& log)
    : records_(records),
      time_(time),
      rows_(
          {.records = records, .time = time, .log = log},
          {.table = table_name()},
          &decode_profile,
          [this](const std::vector<system_profile>& rows) { apply(rows); }) {}

void profile_book::apply(sets& to, system_number who, const std::vector<std::string>& labels) {
    for (auto& [label, systems] : to) {
        if (std::ranges::find(labels, label) == labels.end()) systems.remove(who);
    }
    for (const auto& each : labels) to[each].add(who);
    std::erase_if(to, [](const auto& each) { return each.second.empty(); });
}

void profile_book::apply(const std::vector<system_profile>& rows) {
    const std::lock_guard lock(guard_);
    for (const auto& each : rows) apply_locked(each);
}

void profile_book::apply_locked(const system_profile& row) {
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

async<profile_book::profiles> profile_book::read(std::vector<system_number> which) const {
    profiles all;
    for (const auto each : which) all[each].system = each;
    for (std::size_t at = 0; at < which.size(); at += batch_rows) {
        table::condition keys{.column = "system", .compare = table::comparison::one_of};
        for (auto next = at; next < std::min(at + batch_rows, which.size()); ++next)
            keys.values.emplace_back(which[next].value());
        table::query asked{.table = table_name(), .where = {std::move(keys)}, .limit = batch_rows};
        do {
            CO_TRY(const auto page, co_await records_.read(asked));
            for (const auto& each : page.rows) {
                CO_TRY(auto row, decode_profile(each));
                const auto who = row.system;
                all.insert_or_assign(who, std::move(row));
            }
            asked.after = page.next;
        } while (!asked.after.empty());
    }
    co_return all;
}

async<system_profile> profile_book::read_one(system_number which) const {
    std::vector<system_number> one{which};
    CO_TRY(auto found, co_await read(std::move(one)));
    co_return std::move(found.at(which));
}

async<std::vector<system_number>> profile_book::write(profiles all) {
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
        CO_TRY(const auto done, co_await records_.write(std::move(change)));
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

async<void> profile_book::change(std::vector<system_number> which, alteration how, std::string by) {
    if (which.size() > systems_max)
        co_return fail(
            errc::invalid,
            "at most " + std::to_string(systems_max) + " systems can be changed at once");
    for (int round = 0; round < attempts_max && !which.empty(); ++round) {
        CO_TRY(const auto before, co_await read(which));
        profiles wanted;
        for (const auto& [who, now] : before) {
            auto next = now;
            CO_CHECK_OK(how(next));
            CO_CHECK_OK(check(next));
            if (next == now) continue;
            next.version = now.version + 1;
            next.changed_by = by;
            next.changed = time_.wall();
            wanted.emplace(who, std::move(next));
        }
        CO_TRY(which, co_await write(std::move(wanted)));
    }
    if (which.empty()) co_return result<void>();
    co_return fail(errc::unavailable, "others keep changing the same systems; try again");
}

std::string profile_book::name_of(system_number which) const {
    const std::lock_guard lock(guard_);
    const auto found = names_.find(which);
    return found == names_.end() ? std::string() : found->second;
}

std::string profile_book::description_of(system_number which) const {
    const std::lock_guard lock(guard_);
    const auto found = descriptions_.find(which);
    return found == descriptions_.end() ? std::string() : found->second;
}

bool profile_book::is_locked(system_number which) const {
    const std::lock_guard lock(guard_);
    return locked_.contains(which);
}

std::vector<std::string> profile_book::entitlements_of(system_number which) const {
    const std::lock_guard lock(guard_);
    std::vector<std::string> made;
    for (const auto& [label, systems] : entitlements_) {
        if (systems.contains(which)) made.push_back(label);
    }
    return made;
}

system_set profile_book::read_set(const sets& from, std::string_view label) const {
    const std::lock_guard lock(guard_);
    const auto found = from.find(label);
    return found == from.end() ? system_set() : found->second;
}

system_set profile_book::with_channel(std::string_view label) const {
    return read_set(channels_, label);
}

system_set profile_book::with_value(std::string_view label) const {
    return read_set(values_, label);
}

system_set profile_book::with_key(std::string_view activation_key) const {
    return read_set(keys_, activation_key);
}

system_set profile_book::arriving() const {
    const std::lock_guard lock(guard_);
    return arriving_;
}

system_set profile_book::locked() const {
    const std::lock_guard lock(guard_);
    return locked_;
}

}  // namespace muster::fleet
