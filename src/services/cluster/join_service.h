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

// The stored part of a join token. Its key is the digest of the secret, its lease ends the token.
struct join_grant {
    std::string zone;  // of the new node; empty: the node goes to the pool
    std::string created_by;
    wall_time expires;
    std::string used_by;  // INSTANCE/NAME of the server that joined with it; empty: unused

    friend bool operator==(const join_grant&, const join_grant&) = default;
};
std::string encode(const join_grant& grant);
result<join_grant> decode_join_grant(std::string_view text);

// What an operator gives to a new server: a secret that admits one server, and the fingerprint of
// the CA it must find. "SECRET.FINGERPRINT", both hexadecimal.
struct join_token {
    std::string secret;
    std::string authority;  // "ab:cd:…"

    std::string str() const;
    static result<join_token> parse(std::string_view text);
};

// Admits servers to the cluster by join token. One transaction uses up the token and adds the node.
//
// Until it expires, a token admits the same data directory under the same name again, because the
// response may have been lost. It admits no other server.
class join_service {
public:
    static constexpr std::chrono::seconds lifetime_min{60};
    static constexpr std::chrono::seconds lifetime_max = std::chrono::hours(24 * 7);

    struct join_request {
        std::string name;
        std::string instance;
        std::string address;
        bool node = true;  // whether it has the node role
    };

    join_service(muster::metastore& metastore, muster::clock& clock)
        : metastore_(metastore), clock_(clock) {}

    // `digest` identifies the token without revealing it.
    async<void> grant(std::string digest, join_grant grant, std::chrono::seconds lifetime);

    // errc::denied when the token is unknown, used or expired; errc::conflict when another server
    // has the name.
    async<void> admit(std::string digest, join_request request);

private:
    struct stored_token {
        kv::entry entry;
        join_grant grant;
    };
    async<stored_token> find(std::string digest, std::string bearer);
    async<void> check_name(join_request request);
    async<kv::transaction> add_node(kv::transaction change, join_request request, std::string zone);

    metastore& metastore_;
    muster::clock& clock_;
};

}  // namespace muster::cluster
