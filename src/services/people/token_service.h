#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/people/identity.h"
#include "services/people/people_snapshot.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::people {

// Creates, lists and revokes tokens. A token authenticates a program as a user, with the same or
// fewer rights than the user has at that time. Thread-safe.
class token_service {
public:
    static constexpr std::chrono::seconds lifetime_default = std::chrono::days(90);
    static constexpr std::chrono::seconds lifetime_max = std::chrono::days(5 * 366);

    struct token_request {
        std::string user;  // the actor, or a user whom the actor may change
        std::string purpose = {};
        std::vector<access::grant> grants = {};  // narrow the grants of the user; none: all of them
        std::optional<access::rights> rights = {};  // narrow the rights; nothing: all of them
        std::chrono::seconds lifetime = lifetime_default;
    };
    struct created_token {
        std::string secret;  // shown once
        std::string id;
        token_record record;
    };
    struct listed {
        std::string id;
        token_record record;
        bool valid = false;  // not expired, and of the current generation
    };

    token_service(muster::metastore& metastore, const people_cache& people, muster::clock& clock)
        : metastore_(metastore), people_(people), clock_(clock) {}

    // A token cannot create tokens of its own user, because they would outlive it.
    async<created_token> create(identity actor, token_request request);

    // The cached tokens, of one user or of all.
    std::vector<listed> list(const std::optional<std::string>& user) const;

    // Revokes an own token, or one of a user whom the actor may change; at once, on every server.
    async<void> revoke(identity actor, std::string id);

private:
    result<void> check(const token_request& request) const;
    std::vector<std::string> find_expired(const std::string& user) const;

    metastore& metastore_;
    const people_cache& people_;
    muster::clock& clock_;
};

}  // namespace muster::people
