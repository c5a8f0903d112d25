#pragma once

#include "runtime/log.h"
#include "services/configuration/deployment.h"
#include "services/fleet/profile_book.h"
#include "services/fleet/rule_book.h"
#include "services/jobs/job_desk.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::provisioning {

// Starts on newcomers what the activation key by which they came wants of them: its packages are
// installed, and the files of their configuration channels are written. Systems of the same key are
// taken together. Who they are is on record before jobs are made, under names of theirs, so that
// whoever goes on after a crash makes none twice. May run on several servers at once.
class arrivals {
public:
    struct surroundings {
        fleet::profile_book& profiles;
        const fleet::rule_book& rules;
        const configuration::deployment& deployed;
        jobs::job_desk& makes;
        clock& time;
        runtime::logger& log;
    };

    explicit arrivals(surroundings around) : around_(around) {}

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
    async<waiting> newcomers() const;
    async<void> take(std::string key, systems who);
    async<void> settle(std::string batch, std::string key, systems who);
    async<void> start_packages(std::string batch, fleet::stored_rule by, systems who);
    async<void> start_files(std::string batch, fleet::stored_rule by, systems who);
    async<void> make(job_spec spec, fleet::system_set who, std::string claim);
    async<void> forget(systems who);
    std::optional<fleet::stored_rule> rule_of(const std::string& key) const;

    surroundings around_;
};

}  // namespace muster::provisioning
