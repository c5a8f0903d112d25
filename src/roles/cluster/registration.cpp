#include "roles/cluster/registration.h"

#include "roles/cluster/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::cluster {
namespace {

constexpr auto retry_pause = std::chrono::seconds(1);

}  // namespace

async<void> registration::write_entry(kv::lease_id lease) {
    const auto key = keys::server(how_.own.name);
    CO_TRY(const auto there, co_await store_.get(key));
    kv::transaction change;
    if (there.found) {
        CO_TRY(const auto holder, decode_server(there.found->value));
        if (holder.instance != how_.own.instance)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "another server named {} is in the cluster, at {}; names must differ (setting "
                    "`name`)",
                    holder.name,
                    holder.address));
        change.when.push_back(kv::unchanged{key, there.found->modified});
    } else {
        change.when.push_back(kv::absent{key});
    }
    change.then.push_back(kv::put{.key = key, .value = encode(how_.own), .lease = lease});
    CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(errc::conflict, "the entry changed meanwhile");
    co_return result<void>();
}

async<void> registration::enlist() {
    CO_TRY(const auto lease, co_await store_.grant(how_.ttl));
    const auto written = co_await write_entry(lease);
    if (!written) {
        // The lease would end by itself; giving it back keeps a long wait from piling them up.
        ignore_error(co_await store_.revoke(lease), "it ends by itself");
        co_return written;
    }
    lease_ = lease;
    co_return result<void>();
}

async<void> registration::stay() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(how_.ttl) / 3;
    while (true) {
        CO_CHECK_OK(co_await time_.sleep_for(pause));
        auto kept = co_await store_.keep_alive(lease_);
        while (!kept && kept.error().code() != errc::not_found) {
            if (kept.error().code() == errc::cancelled) co_return kept;
            noted_.set_member(false);  // until we know better
            CO_CHECK_OK(co_await time_.sleep_for(retry_pause));
            kept = co_await store_.keep_alive(lease_);
        }
        CO_CHECK_OK(std::move(kept));
        noted_.set_member(true);
    }
}

boost::asio::awaitable<void> registration::keep() {
    std::string last_said;
    while (true) {
        auto outcome = co_await enlist();
        if (outcome) {
            noted_.set_member(true);
            log_.info("listed among the cluster's servers", {{"server", how_.own.name}});
            last_said.clear();
            outcome = co_await stay();
            noted_.set_member(false);
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        const auto said = to_string(outcome.error());
        if (std::exchange(last_said, said) != said)
            log_.warning("not listed among the cluster's servers", {{"reason", said}});
        const auto slept = co_await time_.sleep_for(retry_pause);
        if (!slept) co_return;
    }
}

async<void> registration::leave() {
    noted_.set_member(false);
    if (!lease_) co_return result<void>();
    co_return co_await store_.revoke(std::exchange(lease_, kv::lease_id()));
}

}  // namespace muster::cluster
