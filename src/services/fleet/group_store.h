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

// The saved groups of the cluster, followed into memory: every expression may name them.
// Thread-safe but for run().
class group_store {
public:
    using groups = std::map<std::string, saved_group, std::less<>>;

    group_store(muster::ledger& ledger, muster::clock& clock, runtime::logger& log);
    group_store(const group_store&) = delete;
    group_store& operator=(const group_store&) = delete;

    // Follows the groups until it is cancelled.
    boost::asio::awaitable<void> run() { return rows_.run(); }

    // As they were a moment ago; removed ones are not in it.
    std::shared_ptr<const groups> current() const;

    // Reads an expression with the groups as they are.
    result<targeting::query> parse(
        std::string_view text, targeting::dialect language = targeting::dialect::automatic) const;

    enum class existing { refuse, replace };
    // errc::invalid when it is no group, with what is wrong in it; errc::conflict when there is one
    // of this name, or somebody changed it at the same time.
    async<saved_group> put(saved_group saved_group, existing what);
    // errc::not_found; errc::conflict when other groups name it.
    async<void> remove(std::string name, std::string by);

    // Reads what is new now.
    async<void> catch_up() { return rows_.refresh(); }
    // Forgets what is in memory and reads everything. On the strand of run().
    async<void> read_anew();

    void export_to(runtime::metrics& to) const { rows_.rows().export_to(to); }

private:
    result<void> check(const saved_group& saved_group) const;
    async<saved_group> write(saved_group saved_group);
    void apply(const std::vector<saved_group>& rows);

    ledger& ledger_;
    muster::clock& clock_;
    mutable std::mutex guard_;
    std::shared_ptr<const groups> current_ = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions_;  // also of those that were removed
    runtime::table_follower<saved_group> rows_;
};

}  // namespace muster::fleet
