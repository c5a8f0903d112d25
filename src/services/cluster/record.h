#pragma once

#include "base/result.h"
#include "base/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

// Records of the cluster in the metastore, stored as JSON so that operators can read them. Readers
// ignore unknown members, because a newer server may have written them.

struct cluster_record {
    std::string id;         // created at the first start, never changes
    std::string authority;  // the CA's fingerprint
    wall_time made;

    friend bool operator==(const cluster_record&, const cluster_record&) = default;
};

struct server_record {
    std::string name;
    std::string instance;  // id of the data directory; distinguishes servers of the same name
    std::string address;   // where other servers reach it
    std::vector<std::string> roles;
    std::string version;
    wall_time started;

    friend bool operator==(const server_record&, const server_record&) = default;
};

std::string encode(const cluster_record& cluster);
std::string encode(const server_record& server);

// errc::corrupt when the text is not a valid record.
result<cluster_record> decode_cluster(std::string_view text);
result<server_record> decode_server(std::string_view text);

}  // namespace muster::cluster
