#pragma once

#include "core/targeting/query.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/following/table_follower.h"
#include "runtime/log.h"
#include "services/fleet/saved_group.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace muster::fleet {

// Reads and writes the saved groups of the cluster. It caches all of them, because any expression
// may use them. Thread-safe except for run() and reload().
class group_store {
public:
    using groups = std::map<std::string, saved_group, std::less<>>;

    group_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    group_store(const group_store&) = delete;
    group_store& operator=(const group_store&) = delete;

    // Follows the groups until cancelled.
    boost::asio::awaitable<void> run() { return rows_.run(); }

    // The cached groups, without removed ones; may lag behind the ledger.
    std::shared_ptr<const groups> current() const;

    // Parses an expression with the cached groups.
    result<targeting::query> parse(
        std::string_view text, targeting::dialect language = targeting::dialect::automatic) const;

    enum class existing_policy { refuse, replace };
    // errc::invalid for an invalid group; errc::conflict when the group exists, or after a
    // concurrent change.
    async<saved_group> put(saved_group group, existing_policy policy);
    // errc::not_found; errc::conflict when other groups use it.
    async<void> remove(std::string name, std::string user);

    // Reads all new rows.
    async<void> refresh() { return rows_.refresh(); }
    // Reads all rows again and replaces the cache. Call on the strand of run().
    async<void> reload();

    void export_to(runtime::metrics& metrics) const { rows_.rows().export_to(metrics); }

private:
    result<void> check(const saved_group& group) const;
    async<saved_group> write(saved_group group);
    void apply(const std::vector<saved_group>& rows);

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex mutex_;
    std::shared_ptr<const groups> current_ = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions_;  // also of removed groups
    runtime::table_follower<saved_group> rows_;
};

}  // namespace muster::fleet
