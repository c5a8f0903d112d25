#include "services/revision/leadership.h"

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

kv::condition as_it_was(std::string_view key, const kv::lookup& seen) {
    if (!seen.found) return kv::absent{std::string(key)};
    return kv::unchanged{.key = std::string(key), .modified = seen.found->modified};
}

}  // namespace

kv::condition leadership::claim::holds() const {
    return kv::value_is{.key = std::string(keys::leader), .value = value};
}

leadership::leadership(surroundings around, options how) : around_(around), how_(std::move(how)) {}

leader_record leadership::own_record(leader_record::purpose what, std::string user) const {
    return {
        .server = how_.server,
        .address = how_.address,
        .what = what,
        .user = std::move(user),
        .term = 0,
        .id = how_.names(),
        .since = around_.time.wall()};
}

async<kv::lease_id> leadership::lease() {
    {
        const std::lock_guard lock(guard_);
        used_ = around_.time.now();
        if (lease_) co_return lease_;
    }
    CO_TRY(const auto granted, co_await around_.store.grant(how_.ttl));
    kv::lease_id spare = granted;
    {
        const std::lock_guard lock(guard_);
        if (!lease_) std::swap(lease_, spare);
    }
    // Somebody else was faster.
    if (spare) ignore_error(co_await around_.store.revoke(spare), "it ends by itself");
    const std::lock_guard lock(guard_);
    co_return lease_ ? lease_ : granted;
}

void leadership::lost_lease(kv::lease_id which) {
    const std::lock_guard lock(guard_);
    if (lease_ != which) return;
    lease_ = {};
    leads_with_.clear();
}

async<std::optional<kv::revision>> leadership::put_claim(
    std::vector<kv::condition> when, leader_record what, std::vector<kv::operation> also) {
    CO_TRY(const auto under, co_await lease());
    kv::transaction taking{.when = std::move(when), .then = std::move(also)};
    taking.when.emplace_back(kv::absent{std::string(keys::leader)});
    taking.then.emplace_back(
        kv::put{.key = std::string(keys::leader), .value = encode(what), .lease = under});
    auto verdict = co_await around_.store.commit(std::move(taking));
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
    if (in_doubt && what.what == leader_record::purpose::turn) strays_.insert(encode(what));
    co_return fail(verdict.error());
}

async<std::optional<leadership::claim>> leadership::try_to_lead() {
    CO_TRY(const auto last, co_await around_.store.get(std::string(keys::term)));
    auto record = own_record(leader_record::purpose::edit, "");
    record.term = number_in(last.found) + 1;
    claim made{.value = encode(record), .term = record.term};
    {
        const std::lock_guard lock(guard_);
        leads_with_.insert(made.value);  // also if nobody will know whether it was written
    }
    std::vector<kv::operation> also;
    also.emplace_back(
        kv::put{.key = std::string(keys::term), .value = std::to_string(record.term)});
    std::vector<kv::condition> when;
    when.push_back(as_it_was(keys::term, last));
    CO_TRY(const auto won, co_await put_claim(std::move(when), std::move(record), std::move(also)));
    if (!won) {
        const std::lock_guard lock(guard_);
        leads_with_.erase(made.value);
        co_return std::optional<claim>();
    }
    made.at = *won;
    around_.log.info("leads the editing of common data", {{"term", made.term}});
    co_return made;
}

async<std::optional<leadership::claim>> leadership::held() {
    CO_TRY(const auto there, co_await around_.store.get(std::string(keys::leader)));
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

async<leadership::seat> leadership::lead() {
    const instant until = around_.time.now() + how_.patience;
    while (true) {
        CO_TRY(const auto there, co_await around_.store.get(std::string(keys::leader)));
        if (!there.found) {
            CO_TRY(auto won, co_await try_to_lead());
            if (won) co_return seat{.own = std::move(won), .elected = true};
        } else {
            CO_TRY(auto record, decode_leader(there.found->value));
            {
                const std::lock_guard lock(guard_);
                used_ = around_.time.now();
                if (leads_with_.contains(there.found->value))
                    co_return seat{
                        .own = claim{
                            .value = there.found->value,
                            .term = record.term,
                            .at = there.found->modified}};
            }
            const bool leads = record.what == leader_record::purpose::edit;
            if (leads && record.server != how_.server) co_return seat{.other = std::move(record)};
            CO_TRY(const bool cleared, co_await clear_predecessor(*there.found));
            if (cleared) continue;
        }
        if (around_.time.now() > until)
            co_return fail(
                errc::unavailable,
                "no leader could be elected: others change common data; try again");
        CO_CHECK_OK(co_await around_.time.sleep_for(turn_pause));
    }
}

// A claim of this server that nobody here has made is that of the process before it, which is dead:
// a data directory has one process. Nobody need wait for the end of its lease.
async<bool> leadership::clear_predecessor(kv::entry there) {
    CO_TRY(const auto record, decode_leader(there.value));
    if (record.server != how_.server || record.address != how_.address) co_return false;
    {
        const std::lock_guard lock(guard_);
        const bool own = leads_with_.contains(there.value) || turns_.contains(there.value)
                         || strays_.contains(there.value);
        if (own) co_return false;
    }
    kv::transaction clearing;
    clearing.when.push_back(claim{.value = std::move(there.value)}.holds());
    clearing.then.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto verdict, co_await around_.store.commit(std::move(clearing)));
    co_return verdict.committed;
}

async<leadership::claim> leadership::take_turn(std::string user, check allowed) {
    const instant until = around_.time.now() + how_.patience;
    while (true) {
        CO_TRY(const auto seen, co_await around_.store.get(std::string(keys::draft)));
        std::optional<draft> now;
        if (seen.found) {
            CO_TRY(now, decode_draft(seen.found->value));
        }
        CO_CHECK_OK(allowed(now));
        auto record = own_record(leader_record::purpose::turn, user);
        claim made{.value = encode(record)};
        {
            const std::lock_guard lock(guard_);
            turns_.insert(made.value);
        }
        std::vector<kv::condition> when;
        when.push_back(as_it_was(keys::draft, seen));
        const auto won = co_await put_claim(std::move(when), std::move(record), {});
        if (won && *won) co_return made;
        {
            const std::lock_guard lock(guard_);
            turns_.erase(made.value);
        }
        CO_CHECK_OK(won);
        CO_TRY(const auto there, co_await around_.store.get(std::string(keys::leader)));
        if (there.found) {
            CO_CHECK_OK(co_await clear_predecessor(*there.found));
        }
        if (around_.time.now() > until)
            co_return fail(
                errc::unavailable, "others change common data at this moment; try again");
        CO_CHECK_OK(co_await around_.time.sleep_for(turn_pause));
    }
}

async<bool> leadership::let_go(claim held, std::vector<kv::operation> with) {
    kv::transaction giving;
    giving.when.push_back(held.holds());
    giving.then = std::move(with);
    giving.then.emplace_back(kv::erase{std::string(keys::leader)});
    const auto verdict = co_await around_.store.commit(std::move(giving));
    const std::lock_guard lock(guard_);
    leads_with_.erase(held.value);
    turns_.erase(held.value);
    if (!verdict) {
        strays_.insert(std::move(held.value));
        co_return fail(verdict.error());
    }
    co_return verdict->committed;
}

void leadership::drop(const claim& held) {
    const std::lock_guard lock(guard_);
    strays_.insert(held.value);
}

// The key of a claim that was not given back in time would stay for as long as the lease does.
async<void> leadership::let_go_of_strays() {
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

async<void> leadership::stay() {
    kv::lease_id held;
    bool needless = false;
    {
        const std::lock_guard lock(guard_);
        held = lease_;
        needless = leads_with_.empty() && used_ + unused_for < around_.time.now();
        if (needless) lease_ = {};
    }
    if (!held) co_return result<void>();
    if (needless) co_return co_await around_.store.revoke(held);
    auto kept = co_await around_.store.keep_alive(held);
    if (!kept && kept.error().code() == errc::not_found) {
        around_.log.warning("no longer holds its lease for common data", {});
        lost_lease(held);
        co_return result<void>();
    }
    co_return kept;
}

boost::asio::awaitable<void> leadership::run() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(how_.ttl) / 4;
    while (true) {
        auto done = co_await stay();
        if (done) done = co_await let_go_of_strays();
        if (!done && done.error().code() == errc::cancelled) co_return;
        const auto slept = co_await around_.time.sleep_for(pause);
        if (!slept) co_return;
    }
}

async<void> leadership::leave() {
    kv::lease_id held;
    {
        const std::lock_guard lock(guard_);
        held = std::exchange(lease_, {});
        leads_with_.clear();
    }
    if (!held) co_return result<void>();
    co_return co_await around_.store.revoke(held);
}

}  // namespace muster::revision
