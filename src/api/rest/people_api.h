#pragma once

#include "api/operations/registry.h"

namespace muster::api {

// Users, roles, tokens and sessions, as admins see them. What may be done to whom is decided by
// services/people, beyond the right that each operation needs.
class people_api {
public:
    explicit people_api(clock& time) : time_(time) {}

    result<void> declare(registry& to);

private:
    result<void> declare_users(registry& to);
    result<void> declare_roles(registry& to);
    result<void> declare_tokens(registry& to);
    result<void> declare_sessions(registry& to);

    async<reply> list_users(call asked);
    async<reply> show_user(call asked);
    async<reply> add_user(call asked);
    async<reply> change_user(call asked);
    async<reply> reset_password(call asked);
    // What is done to the user that the path names, and has no other answer than that it is done.
    using user_deed = async<void> (people::user_book::*)(people::identity, std::string);
    action to_user(user_deed what);
    async<reply> do_to_user(call asked, user_deed what);
    async<reply> done_after(async<void> work) const;

    async<reply> list_roles(call asked);
    async<reply> show_role(call asked);
    async<reply> add_role(call asked);
    async<reply> change_role(call asked);
    async<reply> remove_role(call asked);

    async<reply> list_tokens(call asked);
    async<reply> make_token(call asked);
    async<reply> revoke_token(call asked);

    async<reply> list_sessions(call asked);
    async<reply> end_session(call asked);

    clock& time_;
};

}  // namespace muster::api
