#pragma once

#include "adapters/net/http/router.h"
#include "roles/cluster/zones.h"
#include "roles/gateway/office.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace muster::gateway {

// /api/v1/zones: what zones there are, what is in them, and what admins do with them. Reads are
// answered from memory.
class zones_api {
public:
    struct senses {
        // Systems of a zone by the word for their state.
        std::function<std::map<std::string, std::size_t>(const std::string& zone)> systems =
            [](const std::string&) {
                return std::map<std::string, std::size_t>();
            };
        // Accepted systems of a zone: while there are any it is not removed.
        std::function<std::size_t(const std::string& zone)> accepted = [](const std::string&) {
            return std::size_t{0};
        };
    };

    zones_api(const front_desk& desk, clock& time, senses given)
        : desk_(desk), time_(time), given_(std::move(given)) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;

    answer list(net::http::request asked);
    answer add(net::http::request asked);
    answer show(net::http::request asked);
    answer change(net::http::request asked);
    answer remove(net::http::request asked);
    answer stats(net::http::request asked);

    async<void> recorded(visitor who, std::string what, std::string zone, result<void> outcome);
    net::http::handler calling(answer (zones_api::*method)(net::http::request));

    const front_desk& desk_;
    clock& time_;
    senses given_;
};

}  // namespace muster::gateway
