#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/people/credential_check.h"
#include "services/people/identity.h"
#include "services/people/password_listener.h"
#include "services/people/people_snapshot.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::people {

// Creates, changes and removes users. Each call is one transaction on the current record.
//
// - Actors cannot give rights they do not have, or change a user with more rights (grant_checks.h).
// - The last enabled admin of the whole cluster cannot be removed, disabled or demoted, even by
//   concurrent changes (errc::conflict).
// - A new password, disabling and removal end all sessions and tokens of a user.
//
// Thread-safe.
class user_service {
public:
    struct dependencies {
        muster::metastore& metastore;
        const people_cache& people;
        muster::clock& clock;
        credential_check& checks;
        // Called after a password was changed, by its user or by an admin.
        password_listener* listener = nullptr;
    };
    struct new_user {
        std::string name;
        std::string full_name = {};
        std::string email = {};
        std::vector<access::grant> grants = {};
        user_kind kind = user_kind::person;
        bool pam = false;
        std::optional<std::string> password = {};  // nothing: generated
        bool must_change = true;                   // at the next login; always for a generated one
    };
    // Missing values stay unchanged.
    struct changes {
        std::optional<std::string> full_name = {};
        std::optional<std::string> email = {};
        std::optional<std::vector<access::grant>> grants = {};
        // Applied to the stored grants, so concurrent changes are kept. An existing grant stays;
        // errc::invalid when the user does not have the removed role.
        std::vector<access::grant> added_grants = {};
        std::optional<std::string> removed_role = {};  // in every zone
        std::optional<bool> pam = {};
        std::optional<kv::revision> expected = {};  // errc::conflict when the record is newer
    };
    struct added_user {
        versioned<user_record> user;
        std::string one_time_password;  // shown once; empty when none was generated
    };

    explicit user_service(dependencies deps) : deps_(std::move(deps)) {}

    async<added_user> add(identity actor, new_user request);
    async<versioned<user_record>> change(identity actor, std::string name, changes changes);
    async<void> remove(identity actor, std::string name);
    async<void> disable(identity actor, std::string name);
    async<void> enable(identity actor, std::string name);

    struct own_password {
        std::string current;
        std::string updated;
        std::string origin;  // address of the caller
    };
    // Requires the current password; guessing it is limited as at a login. Nothing: done.
    async<std::optional<login_throttled>> set_own_password(identity actor, own_password passwords);
    struct others_password {
        std::optional<std::string> password = {};  // nothing: generated
        bool must_change = true;                   // as for a new user
    };
    // Sets the password of another user. Returns the generated one, if none was given.
    async<std::string> set_password(identity actor, std::string name, others_password request);

    async<void> unlock(identity actor, std::string name);

    // Ends all sessions of a user: the actor, or a user whom the actor may change.
    async<void> end_sessions(identity actor, std::string name);

private:
    enum class authorization_mode { manager, own_account };
    struct user_update {
        // Returns the new record; nothing: the user is removed.
        std::function<result<std::optional<user_record>>(user_record current)> decide;
        std::optional<kv::revision> expected = {};
        authorization_mode mode = authorization_mode::manager;
    };

    async<versioned<user_record>> apply_update(
        identity actor, std::string name, user_update request);
    // Nothing: the record changed concurrently.
    async<std::optional<versioned<user_record>>> try_update(
        identity actor, std::string name, user_update request);
    async<kv::condition> find_other_admin(std::string excluded);
    async<versioned<user_record>> find(std::string name);
    async<void> erase_outdated(std::string name, credential_generations generations);

    dependencies deps_;
};

}  // namespace muster::people
