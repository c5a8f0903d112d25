#pragma once

#include "core/targeting/query.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "roles/fleet/saved_group.h"
#include "runtime/log.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace muster::fleet {

// The saved groups of the cluster, followed into memory: every expression may name them.
// Thread-safe but for run().
class group_book {
public:
    using groups = std::map<std::string, saved_group, std::less<>>;

    group_book(ledger& records, clock& time, runtime::logger& log)
        : records_(records), time_(time), log_(log) {}

    // Follows the groups until it is cancelled.
    boost::asio::awaitable<void> run();

    // As they were a moment ago; removed ones are not in it.
    std::shared_ptr<const groups> current() const;

    // Reads an expression with the groups as they are.
    result<targeting::query> parse(
        std::string_view text, targeting::dialect language = targeting::dialect::automatic) const;

    enum class existing { refuse, replace };
    // errc::invalid when it is no group, with what is wrong in it; errc::conflict when there is one
    // of this name, or somebody changed it at the same time.
    async<saved_group> put(saved_group wanted, existing what);
    // errc::not_found; errc::conflict when other groups name it.
    async<void> remove(std::string name, std::string by);

    // Reads what is new now.
    async<void> catch_up();
    // Forgets what is in memory and reads everything. On the strand of run().
    async<void> read_anew();

private:
    result<void> check(const saved_group& wanted) const;
    async<saved_group> write(saved_group wanted);
    void apply(const saved_group& row);

    ledger& records_;
    clock& time_;
    runtime::logger& log_;
    std::int64_t read_up_to_ = 0;
    mutable std::mutex guard_;
    std::shared_ptr<const groups> current_ = std::make_shared<groups>();
    std::map<std::string, std::int64_t> versions_;  // also of those that were removed
};

}  // namespace muster::fleet
