#pragma once

#include "base/endpoint.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::runtime {

// Addresses of engines. They never hold a secret: a password in a URL is refused; it belongs in a
// file.
struct sqlite_url {
    std::string path;
    friend bool operator==(const sqlite_url&, const sqlite_url&) = default;
};
struct memory_url {
    friend bool operator==(const memory_url&, const memory_url&) = default;
};
struct etcd_url {
    std::vector<endpoint> members;
    friend bool operator==(const etcd_url&, const etcd_url&) = default;
};
struct nats_url {
    std::vector<endpoint> members;
    friend bool operator==(const nats_url&, const nats_url&) = default;
};
struct postgresql_url {
    std::string text;  // as libpq takes it
    friend bool operator==(const postgresql_url&, const postgresql_url&) = default;
};
using engine_url = std::variant<sqlite_url, memory_url, etcd_url, nats_url, postgresql_url>;

result<engine_url> parse_engine_url(std::string_view text);

// The part before the colon: "etcd".
std::string_view scheme_of(std::string_view url);

}  // namespace muster::runtime
