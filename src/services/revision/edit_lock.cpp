#include "services/revision/edit_lock.h"

#include "services/revision/keys.h"

#include <charconv>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr auto turn_pause = 30ms;
constexpr auto unused_for = 60s;

std::int64_t number_in(const std::optional<kv::entry>& entry) {
    std::int64_t number = 0;
    if (entry) {
        const auto& text = entry->value;
        static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), number));
    }
    return number;
}

kv::condition as_it_was(std::string_view key, const kv::lookup& lookup) {
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
        .what = purpose,
        .user = std::move(user),
        .term = 0,
        .id = options_.names(),
        .since = deps_.clock.wall()};
}

async<kv::lease_id> edit_lock::lease() {
    {
        const std::lock_guard lock(guard_);
        used_ = deps_.clock.now();
        if (lease_) co_return lease_;
    }
    CO_TRY(const auto granted, co_await deps_.metastore.grant(options_.ttl));
    kv::lease_id spare = granted;
    {
        const std::lock_guard lock(guard_);
        if (!lease_) std::swap(lease_, spare);
    }
    // Somebody else was faster.
    if (spare) ignore_error(co_await deps_.metastore.revoke(spare), "it ends by itself");
    const std::lock_guard lock(guard_);
    co_return lease_ ? lease_ : granted;
}

void edit_lock::lost_lease(kv::lease_id lease_id) {
    const std::lock_guard lock(guard_);
    if (lease_ != lease_id) return;
    lease_ = {};
    leads_with_.clear();
}

async<std::optional<kv::revision>> edit_lock::put_claim(
    std::vector<kv::condition> when, leader_record leader, std::vector<kv::operation> also) {
    CO_TRY(const auto under, co_await lease());
    kv::transaction taking{.when = std::move(when), .then = std::move(also)};
    taking.when.emplace_back(kv::absent{std::string(keys::leader)});
    taking.then.emplace_back(
        kv::put{.key = std::string(keys::leader), .value = encode(leader), .lease = under});
    auto verdict = co_await deps_.metastore.commit(std::move(taking));
    const auto nobody = std::optional<kv::revision>();
    if (verdict) co_return verdict->committed ? std::optional(verdict->at) : nobody;
    if (verdict.error().code() == errc::not_found) {  // the lease has ended
        lost_lease(under);
        co_return nobody;
    }
    // Who gave up waiting for it knows as little as who got no answer.
    const bool in_doubt =
        verdict.error().code() == errc::timed_out || verdict.error().code() == errc::cancelled;
    const std::lock_guard lock(guard_);
    if (in_doubt && leader.what == leader_record::purpose::turn) strays_.insert(encode(leader));
    co_return fail(verdict.error());
}

async<std::optional<edit_lock::claim>> edit_lock::try_to_lead() {
    CO_TRY(const auto last, co_await deps_.metastore.get(std::string(keys::term)));
    auto record = own_record(leader_record::purpose::edit, "");
    record.term = number_in(last.found) + 1;
    claim result{.value = encode(record), .term = record.term};
    {
        const std::lock_guard lock(guard_);
        leads_with_.insert(result.value);  // also if nobody will know whether it was written
    }
    std::vector<kv::operation> also;
    also.emplace_back(
        kv::put{.key = std::string(keys::term), .value = std::to_string(record.term)});
    std::vector<kv::condition> when;
    when.push_back(as_it_was(keys::term, last));
    CO_TRY(const auto won, co_await put_claim(std::move(when), std::move(record), std::move(also)));
    if (!won) {
        const std::lock_guard lock(guard_);
        leads_with_.erase(result.value);
        co_return std::optional<claim>();
    }
    result.at = *won;
    deps_.log.info("leads the editing of common data", {{"term", result.term}});
    co_return result;
}

async<std::optional<edit_lock::claim>> edit_lock::held() {
    CO_TRY(const auto there, co_await deps_.metastore.get(std::string(keys::leader)));
    if (!there.found) co_return std::optional<claim>();
    CO_TRY(const auto record, decode_leader(there.found->value));
    {
        const std::lock_guard lock(guard_);
        if (leads_with_.contains(there.found->value))
            co_return claim{
                .value = there.found->value, .term = record.term, .at = there.found->modified};
    }
    CO_CHECK_OK(co_await clear_predecessor(*there.found));
    co_return std::optional<claim>();
}

async<edit_lock::seat> edit_lock::lead() {
    const instant until = deps_.clock.now() + options_.timeout;
    while (true) {
        CO_TRY(const auto there, co_await deps_.metastore.get(std::string(keys::leader)));
        if (!there.found) {
            CO_TRY(auto won, co_await try_to_lead());
            if (won) co_return seat{.own = std::move(won), .elected = true};
        } else {
            CO_TRY(auto record, decode_leader(there.found->value));
            {
                const std::lock_guard lock(guard_);
                used_ = deps_.clock.now();
                if (leads_with_.contains(there.found->value))
                    co_return seat{
                        .own = claim{
                            .value = there.found->value,
                            .term = record.term,
                            .at = there.found->modified}};
            }
            const bool leads = record.what == leader_record::purpose::edit;
            if (leads && record.server != options_.server)
                co_return seat{.other = std::move(record)};
            CO_TRY(const bool cleared, co_await clear_predecessor(*there.found));
            if (cleared) continue;
        }
        if (deps_.clock.now() > until)
            co_return fail(
                errc::unavailable,
                "no leader could be elected: others change common data; try again");
        CO_CHECK_OK(co_await deps_.clock.sleep_for(turn_pause));
    }
}

// A claim of this server that nobody here has made is that of the process before it, which is dead:
// a data directory has one process. Nobody need wait for the end of its lease.
async<bool> edit_lock::clear_predecessor(kv::entry there) {
    CO_TRY(const auto record, decode_leader(there.value));
    if (record.server != options_.server || record.address != options_.address) co_return false;
    {
        const std::lock_guard lock(guard_);
        const bool own = leads_with_.contains(there.value) || turns_.contains(there.value)
                         || strays_.contains(there.value);
        if (own) co_return false;
    }
    kv::transaction clearing;
    clearing.when.push_back(claim{.value = std::move(there.value)}.holds());
    clearing.then.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(clearing)));
    co_return verdict.committed;
}

async<edit_lock::claim> edit_lock::take_turn(std::string user, check allowed) {
    const instant until = deps_.clock.now() + options_.timeout;
    while (true) {
        CO_TRY(const auto store, co_await deps_.metastore.get(std::string(keys::draft)));
        std::optional<draft> now;
        if (store.found) {
            CO_TRY(now, decode_draft(store.found->value));
        }
        CO_CHECK_OK(allowed(now));
        auto record = own_record(leader_record::purpose::turn, user);
        claim claim{.value = encode(record)};
        {
            const std::lock_guard lock(guard_);
            turns_.insert(claim.value);
        }
        std::vector<kv::condition> when;
        when.push_back(as_it_was(keys::draft, store));
        const auto won = co_await put_claim(std::move(when), std::move(record), {});
        if (won && *won) co_return claim;
        {
            const std::lock_guard lock(guard_);
            turns_.erase(claim.value);
        }
        CO_CHECK_OK(won);
        CO_TRY(const auto there, co_await deps_.metastore.get(std::string(keys::leader)));
        if (there.found) {
            CO_CHECK_OK(co_await clear_predecessor(*there.found));
        }
        if (deps_.clock.now() > until)
            co_return fail(
                errc::unavailable, "others change common data at this moment; try again");
        CO_CHECK_OK(co_await deps_.clock.sleep_for(turn_pause));
    }
}

async<bool> edit_lock::let_go(claim held, std::vector<kv::operation> with) {
    kv::transaction giving;
    giving.when.push_back(held.holds());
    giving.then = std::move(with);
    giving.then.emplace_back(kv::erase{std::string(keys::leader)});
    const auto verdict = co_await deps_.metastore.commit(std::move(giving));
    const std::lock_guard lock(guard_);
    leads_with_.erase(held.value);
    turns_.erase(held.value);
    if (!verdict) {
        strays_.insert(std::move(held.value));
        co_return fail(verdict.error());
    }
    co_return verdict->committed;
}

void edit_lock::drop(const claim& held) {
    const std::lock_guard lock(guard_);
    strays_.insert(held.value);
}

// The key of a claim that was not given back in time would stay for as long as the lease does.
async<void> edit_lock::let_go_of_strays() {
    std::set<std::string> some;
    {
        const std::lock_guard lock(guard_);
        some = std::exchange(strays_, {});
    }
    result<void> all;
    for (const auto& each : some) {
        // One that fails is a stray again.
        const auto done = co_await let_go(claim{.value = each});
        if (!done) all = fail(done.error());
    }
    co_return all;
}

async<void> edit_lock::stay() {
    kv::lease_id held;
    bool needless = false;
    {
        const std::lock_guard lock(guard_);
        held = lease_;
        needless = leads_with_.empty() && used_ + unused_for < deps_.clock.now();
        if (needless) lease_ = {};
    }
    if (!held) co_return result<void>();
    if (needless) co_return co_await deps_.metastore.revoke(held);
    auto stored = co_await deps_.metastore.keep_alive(held);
    if (!stored && stored.error().code() == errc::not_found) {
        deps_.log.warning("no longer holds its lease for common data", {});
        lost_lease(held);
        co_return result<void>();
    }
    co_return stored;
}

boost::asio::awaitable<void> edit_lock::run() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 4;
    while (true) {
        auto done = co_await stay();
        if (done) done = co_await let_go_of_strays();
        if (!done && done.error().code() == errc::cancelled) co_return;
        const auto slept = co_await deps_.clock.sleep_for(pause);
        if (!slept) co_return;
    }
}

async<void> edit_lock::leave() {
    kv::lease_id held;
    {
        const std::lock_guard lock(guard_);
        held = std::exchange(lease_, {});
        leads_with_.clear();
    }
    if (!held) co_return result<void>();
    co_return co_await deps_.metastore.revoke(held);
}

}  // namespace muster::revision
