#include "services/cluster/election.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster {

// The lease's number makes every term's claim another one.
async<void> election::take(kv::lease_id lease, instant sent) {
    const auto value = fmt::format("{}#{}", options_.candidate, lease.value());
    kv::transaction taking;
    taking.when.emplace_back(kv::absent{options_.key});
    taking.then.emplace_back(kv::put{.key = options_.key, .value = value, .lease = lease});
    taking.then.emplace_back(kv::put{.key = options_.mark, .value = options_.candidate});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(taking)));
    if (!verdict.committed) co_return fail(errc::conflict, "another one leads");
    value_ = value;
    lease_ = lease;
    won_at_ = verdict.at;
    guard_.lost();
    guard_.confirmed(sent, options_.ttl);
    co_return result<void>();
}

async<bool> election::try_to_win() {
    CO_TRY(const auto there, co_await metastore_.get(options_.key));
    if (there.found) co_return false;
    const instant sent = clock_.now();
    CO_TRY(const auto lease, co_await metastore_.grant(options_.ttl));
    const auto reserved = co_await take(lease, sent);
    if (reserved) co_return true;
    // A claim whose outcome is unknown ends with its lease, too.
    ignore_error(co_await metastore_.revoke(lease), "it ends by itself");
    if (reserved.error().code() == errc::conflict) co_return false;
    co_return fail(reserved.error());
}

async<void> election::stay() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 4;
    while (true) {
        CO_CHECK_OK(co_await clock_.sleep_for(pause));
        const instant sent = clock_.now();
        auto stored = co_await metastore_.keep_alive(lease_);
        if (stored) guard_.confirmed(sent, options_.ttl);
        if (!stored && stored.error().code() == errc::cancelled) co_return stored;
        if (!stored && (stored.error().code() == errc::not_found || !leads())) co_return stored;
    }
}

boost::asio::awaitable<void> election::run() {
    while (true) {
        const auto won = co_await try_to_win();
        if (!won && won.error().code() == errc::cancelled) co_return;
        if (won && *won) {
            log_.info("leads now", {{"as", options_.key}});
            if (reader_ != nullptr) reader_->wake();
            const auto ended = co_await stay();
            if (ended.error().code() == errc::cancelled) co_return;
            log_.warning(
                "leads no longer", {{"as", options_.key}, {"reason", to_string(ended.error())}});
            guard_.lost();
            // Should the lease still stand, nobody else need wait for its end.
            ignore_error(
                co_await metastore_.revoke(std::exchange(lease_, {})), "it ends by itself");
            if (reader_ != nullptr) reader_->wake();
        }
        const auto slept = co_await clock_.sleep_for(options_.look_interval);
        if (!slept) co_return;
    }
}

async<void> election::leave() {
    guard_.lost();
    if (!lease_) co_return result<void>();
    co_return co_await metastore_.revoke(std::exchange(lease_, kv::lease_id()));
}

std::string leader_of(std::string_view value) {
    return std::string(value.substr(0, value.rfind('#')));
}

}  // namespace muster::cluster
