#pragma once

#include "adapters/os/password.h"
#include "core/access/attempt_limiter.h"
#include "core/access/lockout.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/people/people_snapshot.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace muster::people {

// User name and password of a login attempt.
struct credentials {
    std::string user;
    std::string password;
    std::string origin;  // address of the caller
};

// The attempt was not checked: too many failures of this user or address.
struct login_throttled {
    monotonic::duration wait;
};

// Checks passwords and slows down guessing in two ways. Too many failures within a minute make the
// user and the address wait, on each server separately. Too many failures in a row lock the user on
// all servers, for a time that doubles.
//
// Unknown user names take as long and are locked alike. Thread-safe.
class credential_check {
public:
    // External check, such as PAM: errc::denied for a wrong password.
    using external_check = std::function<async<void>(std::string user, std::string password)>;

    struct options {
        access::attempt_limiter::limits attempts = {};
        access::lockout_limits lock = {};
    };

    credential_check(
        muster::metastore& metastore,
        muster::clock& clock,
        options options,
        external_check external);

    // Returns the current user. The detail of errc::denied is for the audit trail, not for the
    // caller.
    using check_result = std::variant<versioned<user_record>, login_throttled>;
    async<check_result> check(credentials credentials);

    async<std::string> hash(std::string password) { return verifier_.hash(std::move(password)); }

    // Ends a lock. errc::not_found when the user is not locked.
    async<void> unlock(std::string user);
    // Users with failures, and how long each stays locked; nothing: not locked.
    async<std::map<std::string, std::optional<monotonic::duration>>> failures();

private:
    struct stored_failures {
        access::failed_logins logins;
        std::optional<kv::entry> entry;
    };

    std::optional<login_throttled> find_throttle(const credentials& credentials);
    void count_failure(const credentials& credentials);
    async<check_result> check_user(credentials credentials, versioned<user_record> user);
    async<check_result> refuse_unknown_user(credentials credentials);
    async<void> verify_password(user_record user, std::string password);
    async<stored_failures> read_failures(std::string user);
    async<void> write_failure(std::string user);
    async<void> erase_failures(stored_failures stored);

    metastore& metastore_;
    muster::clock& clock_;
    options options_;
    external_check external_;
    os::password_verifier verifier_;
    // Checked for users without a password, so that they take as long as others.
    std::string dummy_hash_;
    std::mutex mutex_;
    access::attempt_limiter attempts_;
    access::unknown_user_lockouts unknown_users_;
};

}  // namespace muster::people
