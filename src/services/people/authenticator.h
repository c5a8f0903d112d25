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

// Lets people in and tells who asks.
//
// Who asks is told from memory. Only a secret that is not known there, or not as good, is looked up
// in the metastore before it is refused: it may be newer than what this server has heard of, such
// as a login on another one. Whoever comes with too many that are nobody's has to wait.
//
// A session ends when it was not used for `idle_limit`, and in any case after `session_lifetime`.
// That it is used is written down at most ten times an idle limit, so it may end up to a tenth of
// it earlier. Thread-safe.
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
        // Secrets that are nobody's, by address.
        access::attempt_limiter::limits strange_secrets = {.failures_max = 60};
    };
    struct opened_session {
        std::string secret;
        std::string user;
        wall_time expires;
        bool must_change = false;
        std::string csrf;
    };

    authenticator(dependencies deps, options options);

    // errc::denied, without saying why, when user and password do not belong together. Every
    // attempt that came to a comparison is recorded before it is answered.
    using login_answer = std::variant<opened_session, login_throttled>;
    async<login_answer> login(credentials credentials);

    // errc::denied when the secret is nobody's or over; errc::unavailable when the address has to
    // wait.
    async<identity> identify(std::string secret, std::string origin);

    // Whether whoever was let in would be now, and to as much: told from memory, and no use of the
    // session. For what goes on for long after it was asked for.
    bool still_lets_in(const identity& who);

    // Ends the session on every server, on this one at once; one that is over already is no error.
    async<void> logout(identity who);

private:
    static constexpr std::size_t ended_max = 10'000;

    using session_entry = known<session_record>;
    using token_entry = known<token_record>;
    struct pass {  // what was found of a secret
        std::string digest;
        std::variant<session_entry, token_entry> what;
        user_record user;
    };

    std::optional<pass> remembered(
        const people_snapshot& from, secret_kind kind, const std::string& digest) const;
    async<pass> look_up(secret_kind kind, std::string digest);
    async<pass> look_up_limited(secret_kind kind, std::string digest, std::string origin);
    result<void> check(const pass& pass) const;
    wall_time last_seen(const std::string& digest, const session_record& of) const;
    identity identity_of(const pass& pass, const people_snapshot& from);
    async<void> note_use(pass pass);
    bool take_turn_to_note(const pass& pass);
    std::shared_ptr<const access::zone_parents> tree();
    async<opened_session> open_session(known<user_record> user, std::string origin);
    async<void> make_room(std::string user);

    dependencies deps_;
    options options_;
    mutable std::mutex guard_;
    access::attempt_limiter strange_;
    // When this server last wrote down, or tried to, that a session or token is used.
    std::map<std::string, wall_time, std::less<>> noted_;
    // Sessions that were ended here, which the roster may not know yet.
    access::recent_names ended_{ended_max};
    std::shared_ptr<const cluster::topology> tree_from_;
    std::shared_ptr<const access::zone_parents> tree_ =
        std::make_shared<const access::zone_parents>();
};

// Zones and their parents, as rights are given by them.
access::zone_parents parents_of(const cluster::topology& topology);

// What the holder of a token may do of what its user may.
access::permissions narrowed(
    const access::permissions& users,
    const token_record& by,
    const access::roles& meanings,
    const access::zone_parents& tree);

}  // namespace muster::people
