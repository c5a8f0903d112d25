#pragma once

#include "adapters/os/password.h"
#include "core/access/attempt_limiter.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "roles/cluster/engines.h"
#include "roles/cluster/record.h"
#include "roles/gateway/audit.h"

#include <mutex>
#include <optional>
#include <string>

namespace muster::gateway {

// Who may come in. Users and sessions are in the metastore, so a login holds on every server and
// outlives a restart; a session ends with its lease. Of a token only its digest is stored.
// Thread-safe.
class accounts {
public:
    struct options {
        std::chrono::seconds session_lifetime = std::chrono::hours(12);
        access::attempt_limiter::limits attempts = {};
    };
    struct credentials {
        std::string user;
        std::string password;
        std::string origin;  // the address they came from
    };
    struct session {
        std::string token;
        std::string user;
        wall_time expires;
    };
    // Refused before anything was looked at: too many failures.
    struct too_many {
        monotonic::duration wait;
    };

    accounts(cluster::engines where, clock& time, audit_trail& audit, options how);

    std::optional<too_many> check_rate(const credentials& who);

    // errc::denied, without saying why, when user and password do not belong together. Every
    // attempt that gets here is recorded before it is answered.
    async<session> login(credentials who);

    // The user a token belongs to; errc::denied when it is unknown or over.
    async<std::string> user_of(std::string token);

private:
    async<void> check_password(credentials who);
    async<session> open_session(std::string user);
    void note(const credentials& who, const result<void>& outcome);

    cluster::engines where_;
    clock& time_;
    audit_trail& audit_;
    options how_;
    os::password_verifier verifier_;
    std::string
        nobodys_hash_;  // checked for unknown users, so that they take as long as known ones
    std::mutex guard_;
    access::attempt_limiter attempts_;
};

inline constexpr std::size_t user_name_bytes_max = 128;

}  // namespace muster::gateway
