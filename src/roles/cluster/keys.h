#pragma once

#include <string>
#include <string_view>

namespace muster::cluster::keys {

// Where the cluster's small records are in the metastore.
inline constexpr std::string_view identity = "cluster/identity";
inline constexpr std::string_view servers = "servers/";
inline constexpr std::string_view users = "users/";
inline constexpr std::string_view sessions = "sessions/";

inline std::string server(std::string_view name) {
    return std::string(servers) + std::string(name);
}
inline std::string user(std::string_view name) {
    return std::string(users) + std::string(name);
}
inline std::string session(std::string_view digest) {
    return std::string(sessions) + std::string(digest);
}

}  // namespace muster::cluster::keys
