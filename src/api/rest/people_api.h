#pragma once

#include "api/operations/registry.h"

namespace muster::api {

// Users, roles, tokens and sessions, as admins see them. What may be done to whom is decided by
// services/people, beyond the right that each operation needs.
class people_api {
public:
    explicit people_api(muster::clock& clock) : clock_(clock) {}

    result<void> declare(registry& to);

private:
    result<void> declare_users(registry& to);
    result<void> declare_roles(registry& to);
    result<void> declare_tokens(registry& to);
    result<void> declare_sessions(registry& to);

    async<reply> list_users(call call);
    async<reply> show_user(call call);
    async<reply> add_user(call call);
    async<reply> change_user(call call);
    async<reply> reset_password(call call);
    // What is done to the user that the path names, and has no other answer than that it is done.
    using user_deed = async<void> (people::user_service::*)(people::identity, std::string);
    action to_user(user_deed user_deed);
    async<reply> do_to_user(call call, user_deed user_deed);
    async<reply> done_after(async<void> work) const;

    async<reply> list_roles(call call);
    async<reply> show_role(call call);
    async<reply> add_role(call call);
    async<reply> change_role(call call);
    async<reply> remove_role(call call);

    async<reply> list_tokens(call call);
    async<reply> make_token(call call);
    async<reply> revoke_token(call call);

    async<reply> list_sessions(call call);
    async<reply> end_session(call call);

    muster::clock& clock_;
};

}  // namespace muster::api
