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

// Starts on newcomers what the activation key by which they came wants of them: its packages are
// installed, and the files of their configuration channels are written. Systems of the same key are
// taken together. Who they are is on record before jobs are made, under names of theirs, so that
// whoever goes on after a crash makes none twice. May run on several servers at once.
class activation_key_provisioner {
public:
    struct dependencies {
        fleet::system_profile_store& profiles;
        const fleet::accept_rule_store& rules;
        const configuration::deployment& deployed;
        jobs::job_service& job_service;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit activation_key_provisioner(dependencies deps) : deps_(deps) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // Starts what is due now, for some at least.
    async<void> look();

private:
    using systems = std::vector<system_number>;
    using by_word = std::map<std::string, systems>;
    // Of some newcomers: those that nobody has taken, by their key, and those whom somebody took
    // and left, by what they were called together.
    struct waiting {
        by_word taken_by_nobody;
        by_word left_behind;
        std::map<std::string, std::string> keys;  // of those left behind
    };
    async<waiting> duplicate_machine_policy() const;
    async<void> take(std::string key, systems who);
    async<void> settle(std::string batch, std::string key, systems systems);
    async<void> start_packages(std::string batch, fleet::stored_rule by_key, systems systems);
    async<void> start_files(std::string batch, fleet::stored_rule by_key, systems systems);
    async<void> make(job_spec spec, fleet::system_set system_set, std::string claim);
    async<void> forget(systems systems);
    std::optional<fleet::stored_rule> rule_of(const std::string& key) const;

    dependencies deps_;
};

}  // namespace muster::provisioning
