#pragma once

#include "api/operations/registry.h"
#include "services/configuration/deployment.h"
#include "services/fleet/target_resolver.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::api {

// /api/v1/configuration: systems are brought to their configuration channels. Each gets its files
// by files.deploy; those that get the same files are one job, made as jobs.make makes it, so that
// what is checked, refused and written down is the same.
class configuration_api {
public:
    static constexpr std::size_t jobs_max = 100;

    struct dependencies {
        const configuration::deployment& deployed;
        const fleet::target_resolver& targets;
        const registry& operations;
        muster::clock& clock;
    };

    explicit configuration_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

private:
    struct plan {
        std::size_t meant = 0;
        std::size_t targets = 0;
        std::size_t left_out = 0;
        std::vector<configuration::deployment::part> parts;
    };
    // A job that is to be made: whose files fit into it.
    struct order {
        std::vector<std::string> systems;
        std::string arguments;
        std::size_t files = 0;
    };

    async<reply> deploy(call call);
    async<reply> preview(call call);

    async<plan> foresee(call call) const;
    async<std::vector<order>> orders_of(plan plan, configuration::deployment::mode mode) const;
    async<boost::json::object> make_job(call request, order order, std::size_t number) const;

    dependencies deps_;
};

}  // namespace muster::api
