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

// What is done with tokens. They let programs in as a user, with as much or less of what the user
// may: a token never allows more than its user may at the time. Thread-safe.
class token_service {
public:
    static constexpr std::chrono::seconds lifetime_default = std::chrono::days(90);
    static constexpr std::chrono::seconds lifetime_max = std::chrono::days(5 * 366);

    struct token_request {
        std::string user;  // one's own, or somebody's whom the actor may change
        std::string purpose = {};
        std::vector<access::grant> grants = {};     // narrow the user's; none: all of them
        std::optional<access::rights> rights = {};  // these only; nothing: all of them
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
        bool good = false;  // not over, and of its user's era
    };

    token_service(
        muster::metastore& metastore, const people_cache& people_cache, muster::clock& clock)
        : metastore_(metastore), people_(people_cache), clock_(clock) {}

    // A token cannot make tokens of its own user's: they would outlive it.
    async<created_token> make(identity actor, token_request token_request);

    // As this server knows them; of one user, or all.
    std::vector<listed> list(const std::optional<std::string>& user) const;

    // One's own, or one of somebody whom the actor may change. At once, on every server.
    async<void> revoke(identity actor, std::string id);

private:
    result<void> check(const token_request& token_request) const;
    std::vector<std::string> ended_of(const std::string& user) const;

    metastore& metastore_;
    const people_cache& people_;
    muster::clock& clock_;
};

}  // namespace muster::people
