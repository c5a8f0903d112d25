#pragma once

#include "core/fleet/system_set.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/fleet/system_profile.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// Reads and writes system profiles. It caches only what lists need: names, descriptions, and the
// sets of systems with a channel, value, entitlement or lock. Thread-safe except for run().
class system_profile_store {
public:
    system_profile_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    system_profile_store(const system_profile_store&) = delete;
    system_profile_store& operator=(const system_profile_store&) = delete;

    // Follows the profiles until cancelled.
    boost::asio::awaitable<void> run() { return rows_.run(); }
    // Reads all new rows.
    async<void> refresh() { return rows_.refresh(); }

    using profiles = std::map<system_number, system_profile>;
    // One profile for each system; an empty one for systems without a row.
    async<profiles> read(std::vector<system_number> systems) const;
    async<system_profile> read_one(system_number system) const;

    // Updates profiles. An error leaves all of them unchanged, except after concurrent changes.
    // Then written profiles stay, and the same call again continues with the rest.
    using update_function = std::function<result<void>(system_profile&)>;
    async<void> change(
        std::vector<system_number> systems, update_function update, std::string user);

    // The following read the cache, which may lag behind the ledger.
    std::string name_of(system_number system) const;  // empty: none given
    std::string description_of(system_number system) const;
    bool is_locked(system_number system) const;
    std::vector<std::string> entitlements_of(system_number system) const;
    system_set with_channel(std::string_view label) const;
    system_set with_value(std::string_view label) const;
    system_set with_key(std::string_view activation_key) const;  // accepted by this key
    system_set with_lock() const;
    system_set unprovisioned() const;  // not provisioned yet

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

    static constexpr std::size_t systems_max = 10'000;  // per change

private:
    using sets = std::map<std::string, system_set, std::less<>>;

    void apply(const std::vector<system_profile>& rows);
    void apply_row(const system_profile& row);
    static void apply(
        sets& sets_by_label, system_number system, const std::vector<std::string>& labels);
    system_set read_set(const sets& sets_by_label, std::string_view label) const;
    // Returns the systems that changed concurrently.
    async<std::vector<system_number>> write(profiles updated);

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex mutex_;
    std::map<system_number, std::int64_t> versions_;
    std::map<system_number, std::string> names_;
    std::map<system_number, std::string> descriptions_;
    system_set locked_;
    system_set unprovisioned_;
    sets channels_;
    sets values_;
    sets entitlements_;
    sets keys_;
    runtime::table_follower<system_profile> rows_;
};

}  // namespace muster::fleet
