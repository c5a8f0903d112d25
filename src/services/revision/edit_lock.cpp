#include "services/revision/edit_lock.h"

#include "services/revision/keys.h"

#include <charconv>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr auto retry_pause = 30ms;
constexpr auto lease_idle_max = 60s;

std::int64_t parse_term(const std::optional<kv::entry>& entry) {
    std::int64_t number = 0;
    if (entry) {
        const auto& text = entry->value;
        static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), number));
    }
    return number;
}

kv::condition unchanged_condition(std::string_view key, const kv::lookup& lookup) {
    if (!lookup.found) return kv::absent{std::string(key)};
    return kv::unchanged{.key = std::string(key), .modified = lookup.found->modified};
}

}  // namespace

kv::condition edit_lock::claim::holds() const {
    return kv::value_is{.key = std::string(keys::leader), .value = value};
}

edit_lock::edit_lock(dependencies deps, options options)
    : deps_(deps), options_(std::move(options)) {}

leader_record edit_lock::own_record(leader_record::purpose purpose, std::string user) const {
    return {
        .server = options_.server,
        .address = options_.address,
        .kind = purpose,
        .user = std::move(user),
        .term = 0,
        .id = options_.names(),
        .since = deps_.clock.wall()};
}

async<kv::lease_id> edit_lock::acquire_lease() {
    {
        const std::lock_guard lock(mutex_);
        last_use_ = deps_.clock.now();
        if (lease_) co_return lease_;
    }
    CO_TRY(const auto granted, co_await deps_.metastore.grant(options_.ttl));
    kv::lease_id spare = granted;
    {
        const std::lock_guard lock(mutex_);
        if (!lease_) std::swap(lease_, spare);
    }
    // Another coroutine acquired a lease meanwhile.
    if (spare) ignore_error(co_await deps_.metastore.revoke(spare), "the lease expires");
    const std::lock_guard lock(mutex_);
    co_return lease_ ? lease_ : granted;
}

void edit_lock::on_lease_lost(kv::lease_id lease) {
    const std::lock_guard lock(mutex_);
    if (lease_ != lease) return;
    lease_ = {};
    leader_claims_.clear();
}

async<std::optional<kv::revision>> edit_lock::put_claim(
    std::vector<kv::condition> conditions,
    leader_record leader,
    std::vector<kv::operation> operations) {
    CO_TRY(const auto lease, co_await acquire_lease());
    kv::transaction transaction{.when = std::move(conditions), .then = std::move(operations)};
    transaction.when.emplace_back(kv::absent{std::string(keys::leader)});
    transaction.then.emplace_back(
        kv::put{.key = std::string(keys::leader), .value = encode(leader), .lease = lease});
    auto outcome = co_await deps_.metastore.commit(std::move(transaction));
    const auto not_acquired = std::optional<kv::revision>();
    if (outcome) co_return outcome->committed ? std::optional(outcome->at) : not_acquired;
    if (outcome.error().code() == errc::not_found) {  // the lease has ended
        on_lease_lost(lease);
        co_return not_acquired;
    }
    // After a timeout or a cancellation the claim may have been written.
    const bool in_doubt =
        outcome.error().code() == errc::timed_out || outcome.error().code() == errc::cancelled;
    const std::lock_guard lock(mutex_);
    if (in_doubt && leader.kind == leader_record::purpose::turn)
        pending_releases_.insert(encode(leader));
    co_return fail(outcome.error());
}

async<std::optional<edit_lock::claim>> edit_lock::try_to_lead() {
    CO_TRY(const auto last, co_await deps_.metastore.get(std::string(keys::term)));
    auto record = own_record(leader_record::purpose::edit, "");
    record.term = parse_term(last.found) + 1;
    claim own_claim{.value = encode(record), .term = record.term};
    {
        const std::lock_guard lock(mutex_);
        leader_claims_.insert(own_claim.value);  // the write may succeed without a response
    }
    std::vector<kv::operation> operations;
    operations.emplace_back(
        kv::put{.key = std::string(keys::term), .value = std::to_string(record.term)});
    std::vector<kv::condition> conditions;
    conditions.push_back(unchanged_condition(keys::term, last));
    CO_TRY(
        const auto claimed,
        co_await put_claim(std::move(conditions), std::move(record), std::move(operations)));
    if (!claimed) {
        const std::lock_guard lock(mutex_);
        leader_claims_.erase(own_claim.value);
        co_return std::optional<claim>();
    }
    own_claim.revision = *claimed;
    deps_.log.info("edit leadership acquired", {{"term", own_claim.term}});
    co_return own_claim;
}

async<std::optional<edit_lock::claim>> edit_lock::find_own_claim() {
    CO_TRY(const auto leader, co_await deps_.metastore.get(std::string(keys::leader)));
    if (!leader.found) co_return std::optional<claim>();
    CO_TRY(const auto record, decode_leader(leader.found->value));
    {
        const std::lock_guard lock(mutex_);
        if (leader_claims_.contains(leader.found->value))
            co_return claim{
                .value = leader.found->value,
                .term = record.term,
                .revision = leader.found->modified};
    }
    CO_CHECK_OK(co_await clear_predecessor(*leader.found));
    co_return std::optional<claim>();
}

async<edit_lock::leadership> edit_lock::lead() {
    const instant deadline = deps_.clock.now() + options_.timeout;
    while (true) {
        CO_TRY(const auto leader, co_await deps_.metastore.get(std::string(keys::leader)));
        if (!leader.found) {
            CO_TRY(auto own_claim, co_await try_to_lead());
            if (own_claim) co_return leadership{.own = std::move(own_claim), .elected = true};
        } else {
            CO_TRY(auto record, decode_leader(leader.found->value));
            {
                const std::lock_guard lock(mutex_);
                last_use_ = deps_.clock.now();
                if (leader_claims_.contains(leader.found->value))
                    co_return leadership{
                        .own = claim{
                            .value = leader.found->value,
                            .term = record.term,
                            .revision = leader.found->modified}};
            }
            const bool leads = record.kind == leader_record::purpose::edit;
            if (leads && record.server != options_.server)
                co_return leadership{.other = std::move(record)};
            CO_TRY(const bool cleared, co_await clear_predecessor(*leader.found));
            if (cleared) continue;
        }
        if (deps_.clock.now() > deadline)
            co_return fail(
                errc::unavailable,
                "no edit leader elected: common data is being changed by others; retry");
        CO_CHECK_OK(co_await deps_.clock.sleep_for(retry_pause));
    }
}

// A claim of this server that this process did not write is that of its predecessor, which is dead:
// a data directory has one process. Removing the claim avoids waiting for the end of its lease.
async<bool> edit_lock::clear_predecessor(kv::entry entry) {
    CO_TRY(const auto record, decode_leader(entry.value));
    if (record.server != options_.server || record.address != options_.address) co_return false;
    {
        const std::lock_guard lock(mutex_);
        const bool own = leader_claims_.contains(entry.value) || turn_claims_.contains(entry.value)
                         || pending_releases_.contains(entry.value);
        if (own) co_return false;
    }
    kv::transaction transaction;
    transaction.when.push_back(claim{.value = std::move(entry.value)}.holds());
    transaction.then.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(transaction)));
    co_return outcome.committed;
}

async<edit_lock::claim> edit_lock::take_turn(std::string user, check allowed) {
    const instant deadline = deps_.clock.now() + options_.timeout;
    while (true) {
        CO_TRY(const auto stored, co_await deps_.metastore.get(std::string(keys::draft)));
        std::optional<draft> current;
        if (stored.found) {
            CO_TRY(current, decode_draft(stored.found->value));
        }
        CO_CHECK_OK(allowed(current));
        auto record = own_record(leader_record::purpose::turn, user);
        claim claim{.value = encode(record)};
        {
            const std::lock_guard lock(mutex_);
            turn_claims_.insert(claim.value);
        }
        std::vector<kv::condition> conditions;
        conditions.push_back(unchanged_condition(keys::draft, stored));
        const auto claimed = co_await put_claim(std::move(conditions), std::move(record), {});
        if (claimed && *claimed) co_return claim;
        {
            const std::lock_guard lock(mutex_);
            turn_claims_.erase(claim.value);
        }
        CO_CHECK_OK(claimed);
        CO_TRY(const auto leader, co_await deps_.metastore.get(std::string(keys::leader)));
        if (leader.found) {
            CO_CHECK_OK(co_await clear_predecessor(*leader.found));
        }
        if (deps_.clock.now() > deadline)
            co_return fail(errc::unavailable, "common data was modified concurrently; retry");
        CO_CHECK_OK(co_await deps_.clock.sleep_for(retry_pause));
    }
}

async<bool> edit_lock::release(claim held, std::vector<kv::operation> writes) {
    kv::transaction transaction;
    transaction.when.push_back(held.holds());
    transaction.then = std::move(writes);
    transaction.then.emplace_back(kv::erase{std::string(keys::leader)});
    const auto outcome = co_await deps_.metastore.commit(std::move(transaction));
    const std::lock_guard lock(mutex_);
    leader_claims_.erase(held.value);
    turn_claims_.erase(held.value);
    if (!outcome) {
        pending_releases_.insert(std::move(held.value));
        co_return fail(outcome.error());
    }
    co_return outcome->committed;
}

void edit_lock::release_later(const claim& held) {
    const std::lock_guard lock(mutex_);
    pending_releases_.insert(held.value);
}

// Retries failed releases: otherwise the lock is held until the lease ends.
async<void> edit_lock::release_pending() {
    std::set<std::string> pending;
    {
        const std::lock_guard lock(mutex_);
        pending = std::exchange(pending_releases_, {});
    }
    result<void> outcome;
    for (const auto& value : pending) {
        // A failed release is pending again.
        const auto released = co_await release(claim{.value = value});
        if (!released) outcome = fail(released.error());
    }
    co_return outcome;
}

async<void> edit_lock::renew_lease() {
    kv::lease_id lease;
    bool unused = false;
    {
        const std::lock_guard lock(mutex_);
        lease = lease_;
        unused = leader_claims_.empty() && last_use_ + lease_idle_max < deps_.clock.now();
        if (unused) lease_ = {};
    }
    if (!lease) co_return result<void>();
    if (unused) co_return co_await deps_.metastore.revoke(lease);
    auto renewed = co_await deps_.metastore.keep_alive(lease);
    if (!renewed && renewed.error().code() == errc::not_found) {
        deps_.log.warning(
            "lease of the draft lost; another server can take over",
            {{"hint", "the draft is kept"}});
        on_lease_lost(lease);
        co_return result<void>();
    }
    co_return renewed;
}

boost::asio::awaitable<void> edit_lock::run() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 4;
    while (true) {
        auto outcome = co_await renew_lease();
        if (outcome) outcome = co_await release_pending();
        if (!outcome && outcome.error().code() == errc::cancelled) co_return;
        const auto slept = co_await deps_.clock.sleep_for(pause);
        if (!slept) co_return;
    }
}

async<void> edit_lock::leave() {
    kv::lease_id lease;
    {
        const std::lock_guard lock(mutex_);
        lease = std::exchange(lease_, {});
        leader_claims_.clear();
    }
    if (!lease) co_return result<void>();
    co_return co_await deps_.metastore.revoke(lease);
}

}  // namespace muster::revision
