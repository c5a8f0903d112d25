#include "services/cluster/election.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster {

// The lease's number makes the value of every term unique.
async<void> election::acquire(kv::lease_id lease, instant sent_at) {
    const auto value = fmt::format("{}#{}", options_.candidate, lease.value());
    kv::transaction change;
    change.when.emplace_back(kv::absent{options_.key});
    change.then.emplace_back(kv::put{.key = options_.key, .value = value, .lease = lease});
    change.then.emplace_back(kv::put{.key = options_.term_key, .value = options_.candidate});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return fail(errc::conflict, "another server is the leader");
    value_ = value;
    lease_ = lease;
    won_revision_ = outcome.at;
    guard_.on_lost();
    guard_.on_confirmed(sent_at, options_.ttl);
    co_return result<void>();
}

async<bool> election::try_to_win() {
    CO_TRY(const auto current, co_await metastore_.get(options_.key));
    if (current.found) co_return false;
    const instant sent_at = clock_.now();
    CO_TRY(const auto lease, co_await metastore_.grant(options_.ttl));
    const auto acquired = co_await acquire(lease, sent_at);
    if (acquired) co_return true;
    // Revoking the lease also withdraws a write whose outcome is unknown.
    ignore_error(co_await metastore_.revoke(lease), "the lease expires");
    if (acquired.error().code() == errc::conflict) co_return false;
    co_return fail(acquired.error());
}

async<void> election::hold() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 4;
    while (true) {
        CO_CHECK_OK(co_await clock_.sleep_for(pause));
        const instant sent_at = clock_.now();
        auto renewed = co_await metastore_.keep_alive(lease_);
        if (renewed) guard_.on_confirmed(sent_at, options_.ttl);
        if (!renewed && renewed.error().code() == errc::cancelled) co_return renewed;
        if (!renewed && (renewed.error().code() == errc::not_found || !is_leader()))
            co_return renewed;
    }
}

boost::asio::awaitable<void> election::run() {
    while (true) {
        const auto won = co_await try_to_win();
        if (!won && won.error().code() == errc::cancelled) co_return;
        if (won && *won) {
            log_.info("leadership acquired", {{"key", options_.key}});
            if (reader_ != nullptr) reader_->wake();
            const auto ended = co_await hold();
            if (ended.error().code() == errc::cancelled) co_return;
            log_.warning(
                "leadership lost", {{"key", options_.key}, {"error", to_string(ended.error())}});
            guard_.on_lost();
            // If the lease is still alive, revoking it lets another server lead at once.
            ignore_error(
                co_await metastore_.revoke(std::exchange(lease_, {})), "the lease expires");
            if (reader_ != nullptr) reader_->wake();
        }
        const auto slept = co_await clock_.sleep_for(options_.retry_interval);
        if (!slept) co_return;
    }
}

async<void> election::leave() {
    guard_.on_lost();
    if (!lease_) co_return result<void>();
    co_return co_await metastore_.revoke(std::exchange(lease_, kv::lease_id()));
}

std::string leader_of(std::string_view value) {
    return std::string(value.substr(0, value.rfind('#')));
}

}  // namespace muster::cluster
