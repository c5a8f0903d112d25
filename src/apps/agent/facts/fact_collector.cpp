#include "apps/agent/facts/fact_collector.h"

#include "apps/agent/facts/sources.h"

#include <cstdint>
#include <string>
#include <utility>

namespace muster::agent {
namespace {

void add_limits(fact_builder& facts, const agent_limits& limits) {
    const auto add = [&facts](const std::string& name, std::int64_t limit) {
        if (limit > 0) facts.add("agent.tasks." + name, limit);
    };
    add("running_max", limits.running_max);
    add("load_max_percent", limits.load_max_percent);
    add("free_memory_min", limits.free_memory_min);
}

}  // namespace

collected_facts collect_facts(const fact_options& options) {
    fact_builder builder;
    add_os_facts(builder, options.root);
    add_name_facts(builder, options.root);
    add_hardware_facts(builder, options.root);
    add_virtualisation_facts(builder, options.root);
    add_address_facts(builder, options.root);
    add_disk_facts(builder, options.root);
    if (!options.contact.empty()) builder.add("contact", options.contact);
    add_limits(builder, options.limits);
    // Last: files cannot override facts of the machine.
    if (!options.directory.empty()) add_written_facts(builder, options.directory);
    return std::move(builder).finish();
}

}  // namespace muster::agent
