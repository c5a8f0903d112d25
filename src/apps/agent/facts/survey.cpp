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

survey_outcome survey(const survey_options& options) {
    collection collection;
    add_os_facts(collection, options.root);
    add_name_facts(collection, options.root);
    add_hardware_facts(collection, options.root);
    add_virtualisation_facts(collection, options.root);
    add_address_facts(collection, options.root);
    add_disk_facts(collection, options.root);
    if (!options.contact.empty()) collection.add("contact", options.contact);
    add_limits(collection, options.limits);
    // Last: what the machine says of itself cannot be overwritten by a file.
    if (!options.directory.empty()) add_written_facts(collection, options.directory);
    return std::move(collection).finish();
}

}  // namespace muster::agent
