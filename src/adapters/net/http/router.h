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

// Answers one request. An error becomes a problem+json answer. It lives on the connection's event
// loop and must neither block nor wait without a deadline of its own.
using handler = std::function<async<response>(request)>;

enum class caller {
    anyone,
    cluster_server,  // must have shown a certificate that the cluster's CA has signed
};

struct route {
    handler handle;
    caller allowed = caller::anyone;
    std::optional<std::size_t> body_bytes_max = std::nullopt;  // instead of the server's own limit
};

// Which handler answers which method and path. Patterns are paths whose segments may be `{name}`
// (one segment) or, as the last one, `{name...}` (the rest of the path). Literal segments win over
// captures. HEAD is answered by the route of GET.
class router {
public:
    router();
    router(router&&) noexcept;
    router& operator=(router&&) noexcept;
    router(const router&) = delete;
    router& operator=(const router&) = delete;
    ~router();

    // Refuses a pattern that is malformed or already taken for this method.
    result<void> add(std::string_view method, std::string_view pattern, route to);

    struct found {
        const route* to;
        captures values;
    };
    struct no_such_path {};
    struct no_such_method {
        std::string allowed;  // for the Allow field
    };
    struct malformed_path {};

    using outcome = std::variant<found, no_such_path, no_such_method, malformed_path>;
    outcome find(std::string_view method, std::string_view path) const;

private:
    struct node;
    struct segment;

    static std::optional<segment> parse_segment(std::string_view text);
    static std::unique_ptr<node>& child_of(node& parent, const segment& next);
    static std::string allowed_at(const node& leaf);
    const node* descend(const node& from, std::string_view rest, captures& values) const;

    std::unique_ptr<node> root_;
};

}  // namespace muster::net::http
