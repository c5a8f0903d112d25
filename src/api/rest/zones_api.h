#pragma once

#include "api/operations/registry.h"
#include "services/cluster/zones.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace muster::api {

// /api/v1/zones: what zones there are, what is in them, and what admins do with them. Reads are
// answered from memory.
class zones_api {
public:
    struct dependencies {
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

    zones_api(clock& time, dependencies deps) : time_(time), given_(std::move(deps)) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);
    async<reply> add(call call);
    async<reply> show(call call);
    async<reply> change(call call);
    async<reply> remove(call call);
    async<reply> stats(call call);
    async<std::size_t> accepted_in(ledger& records, std::string zone);

    clock& time_;
    dependencies given_;
};

}  // namespace muster::api
