#include "services/people/authenticator.h"

#include "ports/deadline.h"
#include "services/people/address_limit_key.h"
#include "services/people/keys.h"

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

using namespace std::chrono_literals;

constexpr auto use_timeout = 1s;  // of a best-effort write
constexpr int uses_per_idle_limit = 10;
constexpr std::size_t last_uses_max = 50'000;

std::unexpected<error> not_logged_in() {
    return fail(errc::denied, "session expired or unknown; log in again");
}

template <class Record>
const versioned<Record>* find(const records<Record>& entries, const std::string& name) {
    const auto it = entries.find(name);
    return it == entries.end() ? nullptr : &it->second;
}

template <class Record>
versioned<Record> to_versioned(Record record, const kv::entry& entry) {
    return {.record = std::move(record), .modified = entry.modified, .lease = entry.lease};
}

const std::string& user_of(
    const std::variant<versioned<session_record>, versioned<token_record>>& entry) {
    return std::visit(
        [](const auto& known) -> const std::string& { return known.record.user; }, entry);
}

}  // namespace

access::zone_parents to_zone_parents(const cluster::topology& topology) {
    access::zone_parents tree;
    for (const auto& [name, zone] : topology.zones) tree.emplace(name, zone.parent);
    return tree;
}

access::permissions narrow_permissions(
    const access::permissions& user_permissions,
    const token_record& token,
    const access::roles& roles,
    const access::zone_parents& tree) {
    auto permissions = user_permissions;
    if (!token.grants.empty())
        permissions = permissions.within(access::permissions(token.grants, roles), tree);
    if (token.rights) permissions = permissions.only(*token.rights);
    return permissions;
}

authenticator::authenticator(dependencies deps, options options)
    : deps_(deps), options_(options), unknown_secrets_(options.unknown_secrets) {}

std::shared_ptr<const access::zone_parents> authenticator::tree() {
    auto topology = deps_.topology.read();
    const std::lock_guard lock(mutex_);
    if (topology != tree_topology_) {
        tree_ = std::make_shared<const access::zone_parents>(to_zone_parents(*topology));
        tree_topology_ = std::move(topology);
    }
    return tree_;
}

std::optional<authenticator::credential> authenticator::find_cached(
    const people_snapshot& snapshot, secret_kind kind, const std::string& digest) const {
    {
        const std::lock_guard lock(mutex_);
        if (ended_.contains(digest)) return std::nullopt;
    }
    authenticator::credential credential{.digest = digest, .entry = {}, .user = {}};
    if (kind == secret_kind::session) {
        const auto* it = find(*snapshot.sessions, digest);
        if (it == nullptr) return std::nullopt;
        credential.entry = *it;
    } else {
        const auto* it = find(*snapshot.tokens, digest);
        if (it == nullptr) return std::nullopt;
        credential.entry = *it;
    }
    const auto* user = find(*snapshot.users, user_of(credential.entry));
    if (user == nullptr) return std::nullopt;
    credential.user = user->record;
    if (!check(credential)) return std::nullopt;
    return credential;
}

async<authenticator::credential> authenticator::read_credential(
    secret_kind kind, std::string digest) {
    const bool session = kind == secret_kind::session;
    CO_TRY(
        const auto stored,
        co_await deps_.metastore.get(session ? keys::session(digest) : keys::token(digest)));
    if (!stored.found) co_return not_logged_in();
    authenticator::credential credential{.digest = std::move(digest), .entry = {}, .user = {}};
    if (session) {
        CO_TRY(auto record, decode_session(stored.found->value));
        credential.entry = to_versioned(std::move(record), *stored.found);
    } else {
        CO_TRY(auto record, decode_token(stored.found->value));
        credential.entry = to_versioned(std::move(record), *stored.found);
    }
    CO_TRY(const auto user, co_await deps_.metastore.get(keys::user(user_of(credential.entry))));
    if (!user.found) co_return not_logged_in();
    CO_TRY(credential.user, decode_user(user.found->value));
    CO_CHECK_OK(check(credential));
    co_return credential;
}

async<authenticator::credential> authenticator::read_limited(
    secret_kind kind, std::string digest, std::string origin) {
    const auto limit_key = "address " + address_limit_key(origin);
    {
        const std::lock_guard lock(mutex_);
        if (unknown_secrets_.wait_for(limit_key, deps_.clock.now()))
            co_return fail(
                errc::unavailable,
                "too many invalid credentials from this address; retry in a minute");
    }
    auto credential = co_await read_credential(kind, std::move(digest));
    if (!credential && credential.error().code() == errc::denied) {
        const std::lock_guard lock(mutex_);
        unknown_secrets_.failed(limit_key, deps_.clock.now());
    }
    co_return credential;
}

wall_time authenticator::last_seen(const std::string& digest, const session_record& session) const {
    const std::lock_guard lock(mutex_);
    const auto last_use = last_uses_.find(digest);
    return last_use == last_uses_.end() ? session.seen : std::max(session.seen, last_use->second);
}

result<void> authenticator::check(const credential& credential) const {
    if (credential.user.disabled) return not_logged_in();
    const auto now = deps_.clock.wall();
    if (const auto* session = std::get_if<session_entry>(&credential.entry)) {
        const auto& record = session->record;
        const bool idle = last_seen(credential.digest, record) + options_.idle_limit <= now;
        if (record.expires <= now || idle || record.era != credential.user.current.sessions)
            return not_logged_in();
        return {};
    }
    const auto& token = std::get<token_entry>(credential.entry).record;
    if (token.expires <= now || token.era != credential.user.current.tokens) return not_logged_in();
    return {};
}

identity authenticator::identity_of(const credential& credential, const people_snapshot& snapshot) {
    identity caller{
        .user = credential.user.name,
        .id = id_of_digest(credential.digest),
        .digest = credential.digest,
        .zones = tree()};
    const access::permissions user_permissions(credential.user.grants, *snapshot.role_rights);
    if (const auto* token = std::get_if<token_entry>(&credential.entry)) {
        caller.credential = identity::credential_kind::token;
        caller.may = narrow_permissions(
            user_permissions, token->record, *snapshot.role_rights, *caller.zones);
    } else {
        caller.credential = identity::credential_kind::session;
        caller.must_change = credential.user.must_change;
        if (!caller.must_change) caller.may = user_permissions;
    }
    return caller;
}

async<identity> authenticator::identify(std::string secret, std::string origin) {
    const auto kind = kind_of_secret(secret);
    if (!kind) co_return not_logged_in();
    const auto digest = digest_of(secret);
    const auto snapshot = deps_.people.read();
    auto credential = find_cached(*snapshot, *kind, digest);
    if (!credential) {
        CO_TRY(credential, co_await read_limited(*kind, digest, std::move(origin)));
    }
    auto caller = identity_of(*credential, *snapshot);
    if (*kind == secret_kind::session) caller.csrf = csrf_of(secret);
    if (should_record_use(*credential)) {
        auto recording = within(deps_.clock, use_timeout, record_use(*std::move(credential)));
        ignore_error(
            co_await std::move(recording), "written again after the next tenth of the idle limit");
    }
    co_return caller;
}

bool authenticator::is_still_valid(const identity& caller) {
    const auto kind = caller.credential == identity::credential_kind::session ? secret_kind::session
                                                                              : secret_kind::token;
    const auto snapshot = deps_.people.read();
    const auto credential = find_cached(*snapshot, kind, caller.digest);
    return credential && identity_of(*credential, *snapshot).may == caller.may;
}

// Returns true at most once per interval, so one request of this server records the use.
bool authenticator::should_record_use(const credential& credential) {
    const auto now = deps_.clock.wall();
    const std::lock_guard lock(mutex_);
    const auto last_use = last_uses_.find(credential.digest);
    if (const auto* session = std::get_if<session_entry>(&credential.entry)) {
        const auto interval = options_.idle_limit / uses_per_idle_limit;
        const auto last = last_use == last_uses_.end()
                              ? session->record.seen
                              : std::max(session->record.seen, last_use->second);
        if (now - last < interval) return false;
    } else {
        const auto today = std::chrono::floor<std::chrono::days>(now);
        const auto& token = std::get<token_entry>(credential.entry).record;
        if (token.last_used && *token.last_used >= today) return false;
        if (last_use != last_uses_.end() && last_use->second >= today) return false;
    }
    if (last_use == last_uses_.end() && last_uses_.size() >= last_uses_max) {
        const auto cutoff = now - std::max<std::chrono::seconds>(options_.idle_limit, 24h);
        std::erase_if(last_uses_, [cutoff](const auto& use) { return use.second < cutoff; });
        if (last_uses_.size() >= last_uses_max) last_uses_.clear();
    }
    last_uses_.insert_or_assign(credential.digest, now);
    return true;
}

// Writes only an unchanged record, so that an ended session does not come back.
async<void> authenticator::record_use(authenticator::credential credential) {
    kv::transaction change;
    const auto rewrite = [&](std::string key, std::string value, const auto& entry) {
        change.when.emplace_back(kv::unchanged{key, entry.modified});
        change.then.emplace_back(
            kv::put{.key = std::move(key), .value = std::move(value), .lease = entry.lease});
    };
    if (auto* session = std::get_if<session_entry>(&credential.entry)) {
        session->record.seen = deps_.clock.wall();
        rewrite(keys::session(credential.digest), encode(session->record), *session);
    } else {
        auto& token = std::get<token_entry>(credential.entry);
        token.record.last_used = std::chrono::floor<std::chrono::days>(deps_.clock.wall());
        rewrite(keys::token(credential.digest), encode(token.record), token);
    }
    const auto outcome = co_await deps_.metastore.commit(std::move(change));
    if (!outcome) co_return fail(outcome.error());
    co_return result<void>();
}

}  // namespace muster::people
