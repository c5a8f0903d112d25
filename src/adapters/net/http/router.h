#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "ports/async.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::net::http {

// Handles one request. An error becomes a problem+json response. The handler runs on the
// connection's event loop: it must not block or wait without a deadline.
using handler = std::function<async<response>(request)>;

enum class caller {
    anyone,
    cluster_server,  // has a certificate signed by the cluster's CA
};

struct route {
    handler handle;
    caller allowed = caller::anyone;
    std::optional<std::size_t> body_bytes_max = std::nullopt;  // overrides the server's limit
};

// Maps methods and paths to handlers. A pattern segment may be `{name}` (one segment) or, as the
// last one, `{name...}` (the rest of the path). Literal segments win over captures. The GET route
// also handles HEAD. Immutable once served, and then thread-safe.
class router {
public:
    router();
    router(router&&) noexcept;
    router& operator=(router&&) noexcept;
    router(const router&) = delete;
    router& operator=(const router&) = delete;
    ~router();

    // Refuses a malformed pattern and a second route for the same method and pattern.
    result<void> add(std::string_view method, std::string_view pattern, route route);

    struct match {
        const route* route;
        http::captures captures;
    };
    struct path_not_found {};
    struct method_not_found {
        std::string allowed;  // for the Allow field
    };
    struct malformed_path {};

    using outcome = std::variant<match, path_not_found, method_not_found, malformed_path>;
    outcome find(std::string_view method, std::string_view path) const;

private:
    struct node;
    struct segment;

    static std::optional<segment> parse_segment(std::string_view text);
    static std::unique_ptr<node>& child_for(node& parent, const segment& segment);
    static std::string allowed_methods(const node& leaf);
    const node* descend(const node& parent, std::string_view rest, captures& captures) const;

    std::unique_ptr<node> root_;
};

}  // namespace muster::net::http
