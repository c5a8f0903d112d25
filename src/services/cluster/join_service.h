#pragma once

#include "base/result.h"
#include "base/time.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/topology_record.h"

#include <chrono>
#include <string>
#include <string_view>

namespace muster::cluster {

// What is kept of a join token, under its digest and a lease that ends it.
struct join_grant {
    std::string zone;  // the node is taken into it at once; empty: it goes to the pool
    std::string by;    // who made it
    wall_time expires;
    std::string used_by;  // INSTANCE/NAME of the server that it let in; empty: nobody yet

    friend bool operator==(const join_grant&, const join_grant&) = default;
};
std::string encode(const join_grant& join_grant);
result<join_grant> decode_join_grant(std::string_view text);

// What an operator hands to a new server: a secret that opens the door to one server, and the
// fingerprint of the CA that must be behind it. "SECRET.FINGERPRINT", both hexadecimal.
struct join_token {
    std::string secret;
    std::string authority;  // "ab:cd:…"

    std::string str() const;
    static result<join_token> parse(std::string_view text);
};

// Lets servers into the cluster. A token is used up in the same transaction that takes the node
// in. Until it expires it opens the door again to the same data directory under the same name, for
// the answer may have been lost on the way; to nobody else.
class join_service {
public:
    static constexpr std::chrono::seconds lifetime_min{60};
    static constexpr std::chrono::seconds lifetime_max = std::chrono::hours(24 * 7);

    struct join_request {
        std::string name;
        std::string instance;
        std::string address;
        bool node = true;  // whether it has the role
    };

    join_service(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    // `digest` names the token without giving it away.
    async<void> grant(std::string digest, join_grant join_grant, std::chrono::seconds lifetime);

    // errc::denied when there is no such token (any more); errc::conflict when the name belongs to
    // somebody else.
    async<void> admit(std::string digest, join_request join_request);

private:
    struct parts {
        kv::entry token;
        join_grant grant;
    };
    async<parts> find(std::string digest, std::string wanted_by);
    async<void> check_name(join_request join_request);
    async<kv::transaction> with_node(
        kv::transaction change, join_request join_request, std::string zone);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::cluster
