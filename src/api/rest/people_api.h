#pragma once

#include "api/operations/registry.h"

namespace muster::api {

// Users, roles, tokens and sessions. services/people makes further checks, beyond the right of each
// operation. Thread-safe.
class people_api {
public:
    explicit people_api(muster::clock& clock) : clock_(clock) {}

    result<void> declare(registry& operations);

private:
    result<void> declare_users(registry& operations);
    result<void> declare_roles(registry& operations);
    result<void> declare_tokens(registry& operations);
    result<void> declare_sessions(registry& operations);

    async<reply> list_users(call call);
    async<reply> show_user(call call);
    async<reply> add_user(call call);
    async<reply> change_user(call call);
    async<reply> reset_password(call call);
    // Changes of the user in the path that return nothing.
    using user_method = async<void> (people::user_service::*)(people::identity, std::string);
    operation_handler user_handler(user_method user_method);
    async<reply> change_user_by(call call, user_method user_method);
    async<reply> await_change(async<void> work) const;

    async<reply> list_roles(call call);
    async<reply> show_role(call call);
    async<reply> add_role(call call);
    async<reply> change_role(call call);
    async<reply> remove_role(call call);

    async<reply> list_tokens(call call);
    async<reply> create_token(call call);
    async<reply> revoke_token(call call);

    async<reply> list_sessions(call call);
    async<reply> end_session(call call);

    muster::clock& clock_;
};

}  // namespace muster::api
