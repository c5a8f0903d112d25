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

// What people wrote down about systems. Profiles are read when they are asked for; followed into
// memory is only what lists need of them: given names, descriptions, and which systems have a
// channel, a value, an entitlement or a lock, as sets. Thread-safe but for run().
class system_profile_store {
public:
    system_profile_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    system_profile_store(const system_profile_store&) = delete;
    system_profile_store& operator=(const system_profile_store&) = delete;

    // Follows the profiles until it is cancelled.
    boost::asio::awaitable<void> run() { return rows_.run(); }
    // Reads what is new now.
    async<void> catch_up() { return rows_.refresh(); }

    using profiles = std::map<system_number, system_profile>;
    // One for each of these systems, also for those about which nobody wrote anything.
    async<profiles> read(std::vector<system_number> system_numbers) const;
    async<system_profile> read_one(system_number which) const;

    // Changes a profile in place. An error leaves all of them as they are, unless others have
    // changed the same ones meanwhile; then what is written stays, and the same again does the
    // rest.
    using alteration = std::function<result<void>(system_profile&)>;
    async<void> change(
        std::vector<system_number> system_numbers, alteration alteration, std::string by);

    // As they were a moment ago.
    std::string name_of(system_number system_number) const;  // empty: its own
    std::string description_of(system_number system_number) const;
    bool is_locked(system_number system_number) const;
    std::vector<std::string> entitlements_of(system_number system_number) const;
    system_set with_channel(std::string_view label) const;
    system_set with_value(std::string_view label) const;
    system_set with_key(std::string_view activation_key) const;  // that came in by it
    system_set locked() const;
    system_set arriving() const;  // that came by a key, and nothing was started for them yet

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

    static constexpr std::size_t systems_max = 10'000;  // of one change

private:
    using sets = std::map<std::string, system_set, std::less<>>;

    void apply(const std::vector<system_profile>& rows);
    void apply_locked(const system_profile& row);
    static void apply(
        sets& to, system_number system_number, const std::vector<std::string>& labels);
    system_set read_set(const sets& from, std::string_view label) const;
    // Those that somebody else was faster with.
    async<std::vector<system_number>> write(profiles all);

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex guard_;
    std::map<system_number, std::int64_t> versions_;
    std::map<system_number, std::string> names_;
    std::map<system_number, std::string> descriptions_;
    system_set locked_;
    system_set arriving_;
    sets channels_;
    sets values_;
    sets entitlements_;
    sets keys_;
    runtime::table_follower<system_profile> rows_;
};

}  // namespace muster::fleet
