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

// Somebody who says who they are.
struct credentials {
    std::string user;
    std::string password;
    std::string origin;  // the address they came from
};

// Not looked at: there were too many failures, by this user or from this address.
struct login_throttled {
    monotonic::duration wait;
};

// Whether a password is a user's. Guessing is slowed down in two ways: whoever failed too often
// within a minute waits, by name and by address, on each server for itself; and a user with too
// many failures in a row is locked for a while that doubles, on every server, which is written down
// at failures only. Names that are nobody's take as long and are locked alike. Thread-safe.
class credential_check {
public:
    // Asks somebody else, such as PAM: errc::denied when the password is not the user's.
    using outside_check = std::function<async<void>(std::string user, std::string password)>;

    struct options {
        access::attempt_limiter::limits attempts = {};
        access::lockout_limits lock = {};
    };

    credential_check(
        muster::metastore& metastore, muster::clock& clock, options options, outside_check outside);

    // The user as they stand now. errc::denied says why in its detail, which is for the audit trail
    // and not for whoever asked.
    using answer = std::variant<known<user_record>, login_throttled>;
    async<answer> check(credentials credentials);

    async<std::string> hash(std::string password) { return verifier_.hash(std::move(password)); }

    // Ends a lock. errc::not_found when there is none.
    async<void> unlock(std::string user);
    // Those with failures now, and how long each is locked; nothing: may try.
    async<std::map<std::string, std::optional<monotonic::duration>>> failures();

private:
    struct row {
        access::failed_logins failed;
        std::optional<kv::entry> entry;
    };

    std::optional<login_throttled> throttled(const credentials& credentials);
    void note_failure(const credentials& credentials);
    async<answer> check_user(credentials credentials, known<user_record> user);
    async<answer> refuse_stranger(credentials credentials);
    async<void> compare(user_record user, std::string password);
    async<row> failures_of(std::string user);
    async<void> write_failure(std::string user);
    async<void> forget_failures(row before);

    metastore& metastore_;
    muster::clock& clock_;
    options options_;
    outside_check outside_;
    os::password_verifier verifier_;
    // Checked for those without a password, so that they take as long as others.
    std::string nobodys_hash_;
    std::mutex guard_;
    access::attempt_limiter attempts_;
    access::strangers strangers_;
};

}  // namespace muster::people
