#pragma once

#include "core/access/attempt_limiter.h"
#include "core/access/recent_names.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/cluster/topology.h"
#include "services/people/audit.h"
#include "services/people/credential_check.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"
#include "services/people/secret.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace muster::people {

// Logs users in and identifies the caller of a request.
//
// It identifies callers from the cache. A secret that the cache does not accept is looked up in the
// metastore before it is refused, because it may be newer, such as a login on another server. An
// address with too many unknown secrets has to wait.
//
// A session ends when it was not used for `idle_limit`, and in any case after `session_lifetime`.
// Its use is recorded at most ten times per idle limit, so it may end up to a tenth of that
// earlier. Thread-safe.
class authenticator {
public:
    struct dependencies {
        muster::metastore& metastore;
        const people_cache& people;
        const cluster::topology_cache& topology;
        muster::clock& clock;
        audit_trail& audit;
        credential_check& checks;
    };
    struct options {
        std::chrono::seconds session_lifetime = std::chrono::hours(12);
        std::chrono::seconds idle_limit = std::chrono::minutes(60);
        // Unknown secrets, per address.
        access::attempt_limiter::limits unknown_secrets = {.failures_max = 60};
    };
    struct opened_session {
        std::string secret;
        std::string user;
        wall_time expires;
        bool must_change = false;
        std::string csrf;
    };

    authenticator(dependencies deps, options options);

    // errc::denied, without a reason, for a wrong user or password. Every attempt that was compared
    // is recorded before the response.
    using login_answer = std::variant<opened_session, login_throttled>;
    async<login_answer> login(credentials credentials);

    // errc::denied for an unknown or expired secret; errc::unavailable when the address has to
    // wait.
    async<identity> identify(std::string secret, std::string origin);

    // Whether the caller is still valid with the same rights. Reads the cache and does not count as
    // use of the session. For long-running responses.
    bool is_still_valid(const identity& caller);

    // Ends the session on every server; on this one at once. An ended session is no error.
    async<void> logout(identity caller);

private:
    static constexpr std::size_t ended_max = 10'000;

    using session_entry = versioned<session_record>;
    using token_entry = versioned<token_record>;
    struct credential {  // session or token of a secret
        std::string digest;
        std::variant<session_entry, token_entry> entry;
        user_record user;
    };

    std::optional<credential> find_cached(
        const people_snapshot& snapshot, secret_kind kind, const std::string& digest) const;
    async<credential> read_credential(secret_kind kind, std::string digest);
    async<credential> read_limited(secret_kind kind, std::string digest, std::string origin);
    result<void> check(const credential& credential) const;
    wall_time last_seen(const std::string& digest, const session_record& session) const;
    identity identity_of(const credential& credential, const people_snapshot& snapshot);
    async<void> record_use(credential credential);
    bool should_record_use(const credential& credential);
    std::shared_ptr<const access::zone_parents> tree();
    async<opened_session> open_session(versioned<user_record> user, std::string origin);
    async<void> end_oldest_session(std::string user);

    dependencies deps_;
    options options_;
    mutable std::mutex mutex_;
    access::attempt_limiter unknown_secrets_;
    // Time of the last recorded use, by digest, including failed attempts to record it.
    std::map<std::string, wall_time, std::less<>> last_uses_;
    // Sessions ended on this server, which the cache may still contain.
    access::recent_names ended_{ended_max};
    std::shared_ptr<const cluster::topology> tree_topology_;
    std::shared_ptr<const access::zone_parents> tree_ =
        std::make_shared<const access::zone_parents>();
};

// The parent of every zone, as needed to check rights.
access::zone_parents to_zone_parents(const cluster::topology& topology);

// The rights of a token: those of its user, narrowed by the grants and rights of the token.
access::permissions narrow_permissions(
    const access::permissions& user_permissions,
    const token_record& token,
    const access::roles& roles,
    const access::zone_parents& tree);

}  // namespace muster::people
