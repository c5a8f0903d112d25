#pragma once

#include "base/result.h"
#include "base/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

// The cluster's small records, kept in the metastore as JSON so that an operator can read them with
// any tool. Unknown members are kept out of the way: a newer server may have written them.

struct cluster_record {
    std::string id;         // made at the first start, never changes
    std::string authority;  // the CA's fingerprint
    wall_time made;

    friend bool operator==(const cluster_record&, const cluster_record&) = default;
};

struct server_record {
    std::string name;
    std::string instance;  // which data directory: two servers of one name are told apart by it
    std::string address;   // where others reach it
    std::vector<std::string> roles;
    std::string version;
    wall_time started;

    friend bool operator==(const server_record&, const server_record&) = default;
};

std::string encode(const cluster_record& what);
std::string encode(const server_record& server);

// errc::corrupt when the text is not such a record.
result<cluster_record> decode_cluster(std::string_view text);
result<server_record> decode_server(std::string_view text);

}  // namespace muster::cluster
