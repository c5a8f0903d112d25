#pragma once

#include "runtime/log.h"
#include "services/configuration/deployment.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/system_profile_store.h"
#include "services/jobs/job_service.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::provisioning {

// Starts the jobs of activation keys on new systems: installs the packages of the key and writes
// the files of its configuration channels. Systems of the same key are provisioned in one batch.
//
// The members of a batch are recorded before its jobs are created, and jobs have idempotency keys.
// So no job is created twice after a crash, or by several servers at once.
class activation_key_provisioner {
public:
    struct dependencies {
        fleet::system_profile_store& profiles;
        const fleet::accept_rule_store& rules;
        const configuration::deployment& deployment;
        jobs::job_service& job_service;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit activation_key_provisioner(dependencies deps) : deps_(deps) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();
    // Starts due provisioning for a bounded number of systems.
    async<void> run_once();

private:
    using systems = std::vector<system_number>;
    using systems_by_name = std::map<std::string, systems>;
    // Unprovisioned systems: those without a batch, by key, and those of abandoned batches, by
    // batch.
    struct unprovisioned_systems {
        systems_by_name unassigned;
        systems_by_name abandoned;
        std::map<std::string, std::string> keys;  // key of each abandoned batch
    };
    async<unprovisioned_systems> find_unprovisioned() const;
    async<void> provision(std::string key, systems systems);
    async<void> start_jobs(std::string batch, std::string key, systems systems);
    async<void> start_packages(std::string batch, fleet::stored_rule rule, systems systems);
    async<void> start_files(std::string batch, fleet::stored_rule rule, systems systems);
    async<void> create_job(job_spec spec, fleet::system_set targets, std::string idempotency_key);
    async<void> mark_provisioned(systems systems);
    std::optional<fleet::stored_rule> find_rule(const std::string& key) const;

    dependencies deps_;
};

}  // namespace muster::provisioning
