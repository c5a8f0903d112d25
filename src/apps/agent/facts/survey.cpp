#include "apps/agent/facts/survey.h"

#include "apps/agent/facts/sources.h"

#include <cstdint>
#include <string>
#include <utility>

namespace muster::agent {
namespace {

void add_limits(collection& to, const kept_limits& limits) {
    const auto add = [&to](const std::string& name, std::int64_t limit) {
        if (limit > 0) to.add("agent.tasks." + name, limit);
    };
    add("running_max", limits.running_max);
    add("load_max_percent", limits.load_max_percent);
    add("free_memory_min", limits.free_memory_min);
}

}  // namespace

survey_outcome survey(const survey_options& how) {
    collection found;
    add_os_facts(found, how.root);
    add_name_facts(found, how.root);
    add_hardware_facts(found, how.root);
    add_virtualisation_facts(found, how.root);
    add_address_facts(found, how.root);
    add_disk_facts(found, how.root);
    if (!how.contact.empty()) found.add("contact", how.contact);
    add_limits(found, how.limits);
    // Last: what the machine says of itself cannot be overwritten by a file.
    if (!how.directory.empty()) add_written_facts(found, how.directory);
    return std::move(found).finish();
}

}  // namespace muster::agent
