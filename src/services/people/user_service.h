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

// What is done with users. Each is one transaction on the record as it is now.
//
// - Nobody gives what they do not have, or changes somebody who has more (see standing.h).
// - There is always an enabled admin of the whole cluster, whoever else is changed at the same
//   time: the last one is not removed, disabled or stripped of it (errc::conflict).
// - Another password, being disabled and being removed end all sessions and tokens of a user.
//
// Thread-safe.
class user_service {
public:
    struct dependencies {
        muster::metastore& metastore;
        const people_cache& people;
        muster::clock& clock;
        credential_check& checks;
        // Told after a password was changed, by its user or another.
        password_listener* listener = nullptr;
    };
    struct new_user {
        std::string name;
        std::string full_name = {};
        std::string email = {};
        std::vector<access::grant> grants = {};
        user_kind kind = user_kind::person;
        bool pam = false;
        std::optional<std::string> password = {};  // nothing: one is made up
        bool must_change = true;  // it is good for choosing another one only; always if made up
    };
    // What is not given stays as it is.
    struct changes {
        std::optional<std::string> full_name = {};
        std::optional<std::string> email = {};
        std::optional<std::vector<access::grant>> grants = {};
        // Of the grants as they are when it is written: nobody else's change is lost by it. One
        // that is there already stays; errc::invalid when the role that is taken is not there.
        std::vector<access::grant> given = {};
        std::optional<std::string> role_taken = {};  // in every zone
        std::optional<bool> pam = {};
        std::optional<kv::revision> expected = {};  // errc::conflict when it was changed since
    };
    struct added {
        known<user_record> user;
        std::string one_time_password;  // shown once; empty when one was given, or none is needed
    };

    explicit user_service(dependencies deps) : deps_(std::move(deps)) {}

    async<added> add(identity actor, new_user new_user);
    async<known<user_record>> change(identity actor, std::string name, changes changes);
    async<void> remove(identity actor, std::string name);
    async<void> disable(identity actor, std::string name);
    async<void> enable(identity actor, std::string name);

    struct own_password {
        std::string before;
        std::string next;
        std::string origin;  // the address it came from
    };
    // Needs no right but the password so far, guessing of which is limited as at a login. Nothing:
    // done.
    async<std::optional<login_throttled>> set_own_password(
        identity actor, own_password own_password);
    struct others_password {
        std::optional<std::string> next = {};  // nothing: one is made up
        bool must_change = true;               // as of a new user
    };
    // Of somebody else. Answers the one that was made up, if none was given.
    async<std::string> set_password(
        identity actor, std::string name, others_password others_password);

    async<void> unlock(identity actor, std::string name);

    // Ends all sessions of a user, one's own or somebody's whom the actor may change.
    async<void> end_sessions(identity actor, std::string name);

private:
    enum class consent { of_manager, of_oneself };
    struct alteration {
        // The record as it is to be; nothing: none any more.
        std::function<result<std::optional<user_record>>(user_record before)> next;
        std::optional<kv::revision> expected = {};
        consent by = consent::of_manager;
    };

    async<known<user_record>> alter(identity actor, std::string name, alteration alteration);
    // Nothing: somebody else was faster.
    async<std::optional<known<user_record>>> try_alter(
        identity actor, std::string name, alteration alteration);
    async<kv::condition> another_chief(std::string besides);
    async<known<user_record>> find(std::string name);
    async<void> sweep(std::string name, credential_generations left);

    dependencies deps_;
};

}  // namespace muster::people
