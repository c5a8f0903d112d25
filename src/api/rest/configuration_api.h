#pragma once

#include "api/operations/registry.h"
#include "services/configuration/deployment.h"
#include "services/fleet/target_resolver.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace muster::api {

// /api/v1/configuration: deploys the files of configuration channels to systems. Systems with the
// same files share one files.deploy job. Jobs are created through the operation jobs.create, so its
// checks and audit entries apply. Thread-safe.
class configuration_api {
public:
    static constexpr std::size_t jobs_max = 100;

    struct dependencies {
        const configuration::deployment& deployment;
        const fleet::target_resolver& targets;
        const registry& operations;
        muster::clock& clock;
    };

    explicit configuration_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    struct plan {
        std::size_t matched = 0;
        std::size_t targets = 0;
        std::size_t left_out = 0;
        std::vector<configuration::deployment::part> parts;
    };
    // One job to create: systems with the same files, and a part of the files that fits into a job.
    struct job_part {
        std::vector<std::string> systems;
        std::string arguments;
        std::size_t files = 0;
    };

    async<reply> deploy(call call);
    async<reply> preview(call call);

    async<plan> build_plan(call call) const;
    async<std::vector<job_part>> split_into_jobs(
        plan plan, configuration::deployment::mode mode) const;
    async<boost::json::object> create_job(
        call request, job_part job_part, std::size_t number) const;

    dependencies deps_;
};

}  // namespace muster::api
