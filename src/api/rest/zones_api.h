#pragma once

#include "services/cluster/zones.h"
#include "api/operations/registry.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace muster::api {

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

    zones_api(clock& time, senses given) : time_(time), given_(std::move(given)) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call asked);
    async<reply> add(call asked);
    async<reply> show(call asked);
    async<reply> change(call asked);
    async<reply> remove(call asked);
    async<reply> stats(call asked);
    async<std::size_t> accepted_in(ledger& records, std::string zone);

    clock& time_;
    senses given_;
};

}  // namespace muster::api
