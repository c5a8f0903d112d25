#include "sim/workloads/workload.h"

#include "base/assert.h"
#include "sim/workloads/counters.h"
#include "sim/workloads/deliveries.h"
#include "sim/workloads/jobs.h"
#include "sim/workloads/leases.h"
#include "sim/workloads/onboarding.h"
#include "sim/workloads/placement.h"
#include "sim/workloads/records.h"
#include "sim/workloads/revisions.h"
#include "sim/workloads/watchers.h"

#include <fmt/format.h>

#include <functional>

namespace muster::sim {

namespace {

using maker = std::function<std::unique_ptr<workload>(const workload_numbers& numbers)>;

struct known_workload {
    workload_numbers defaults;
    maker make;
};

const std::map<std::string, known_workload>& known_workloads() {
    static const std::map<std::string, known_workload> existing{
        {"counters",
         {{{"clients", 5}, {"counters", 3}, {"think_ms", 200}},
          [](const workload_numbers& n) {
              return std::make_unique<counters>(counters::options{
                  .clients = n.at("clients"),
                  .counters = n.at("counters"),
                  .think = std::chrono::milliseconds(n.at("think_ms"))});
          }}},
        {"jobs",
         {{{"servers", 3},
           {"systems", 20},
           {"think_ms", 4'000},
           {"agent_trouble_ms", 1'500},
           {"ttl_s", 3},
           {"disaster_timeout_s", 10},
           {"places", 3},
           {"forgetful", 0},
           {"hasty", 0}},
          [](const workload_numbers& n) {
              return std::make_unique<jobs_workload>(jobs_workload::options{
                  .servers = n.at("servers"),
                  .systems = n.at("systems"),
                  .think = std::chrono::milliseconds(n.at("think_ms")),
                  .agent_trouble = std::chrono::milliseconds(n.at("agent_trouble_ms")),
                  .ttl = std::chrono::seconds(n.at("ttl_s")),
                  .disaster_timeout = std::chrono::seconds(n.at("disaster_timeout_s")),
                  .places = n.at("places"),
                  .forgetful = n.at("forgetful"),
                  .hasty = n.at("hasty")});
          }}},
        {"watchers",
         {{{"clients", 3}},
          [](const workload_numbers& n) {
              return std::make_unique<watchers>(n.at("clients"));
          }}},
        {"leases",
         {{{"clients", 3}, {"ttl_s", 3}},
          [](const workload_numbers& n) {
              return std::make_unique<leases>(leases::options{
                  .clients = n.at("clients"), .ttl = std::chrono::seconds(n.at("ttl_s"))});
          }}},
        {"deliveries",
         {{{"publishers", 3}, {"readers", 2}, {"think_ms", 200}},
          [](const workload_numbers& n) {
              return std::make_unique<deliveries>(deliveries::options{
                  .publishers = n.at("publishers"),
                  .readers = n.at("readers"),
                  .think = std::chrono::milliseconds(n.at("think_ms"))});
          }}},
        {"onboarding",
         {{{"servers", 3}, {"systems", 60}, {"pool", 12}, {"think_ms", 300}, {"blind_writers", 0}},
          [](const workload_numbers& n) {
              return std::make_unique<onboarding>(onboarding::options{
                  .servers = n.at("servers"),
                  .systems = n.at("systems"),
                  .pool = n.at("pool"),
                  .think = std::chrono::milliseconds(n.at("think_ms")),
                  .blind_writers = n.at("blind_writers")});
          }}},
        {"placement",
         {{{"servers", 5},
           {"systems", 5'000},
           {"ttl_s", 3},
           {"disaster_timeout_s", 15},
           {"moves_per_step", slot::count},
           {"drains_per_mille", 10},
           {"zombies", 0},
           {"miscounters", 0}},
          [](const workload_numbers& n) {
              return std::make_unique<placement_zone>(placement_zone::options{
                  .servers = n.at("servers"),
                  .systems = n.at("systems"),
                  .ttl = std::chrono::seconds(n.at("ttl_s")),
                  .disaster_timeout = std::chrono::seconds(n.at("disaster_timeout_s")),
                  .moves_per_step = n.at("moves_per_step"),
                  .drains_per_mille = n.at("drains_per_mille"),
                  .zombies = n.at("zombies"),
                  .miscounters = n.at("miscounters")});
          }}},
        {"records",
         {{{"writers", 3}, {"followers", 2}, {"think_ms", 500}},
          [](const workload_numbers& n) {
              return std::make_unique<records>(records::options{
                  .writers = n.at("writers"),
                  .followers = n.at("followers"),
                  .think = std::chrono::milliseconds(n.at("think_ms"))});
          }}},
        {"revisions",
         {{{"servers", 3}, {"groups", 4}, {"think_ms", 1'500}, {"ttl_s", 3}, {"janitors", 0}},
          [](const workload_numbers& n) {
              return std::make_unique<revisions>(revisions::options{
                  .servers = n.at("servers"),
                  .groups = n.at("groups"),
                  .think = std::chrono::milliseconds(n.at("think_ms")),
                  .ttl = std::chrono::seconds(n.at("ttl_s")),
                  .janitors = n.at("janitors")});
          }}},
    };
    return existing;
}

}  // namespace

std::string_view to_string(engine_kind kind) {
    switch (kind) {
        case engine_kind::metastore:
            return "metastore";
        case engine_kind::bus:
            return "bus";
        case engine_kind::ledger:
            return "ledger";
    }
    MUSTER_ASSERT(false);
}

process& workload::add_client(
    sim::cluster& cluster, const std::string& name, process::start_function on_start) {
    clients_.push_back(name);
    process_options options{.name = name, .clock = cluster.draw_clock(name), .disk = {}};
    process& result = cluster.add(std::move(options), std::move(on_start));
    result.start();
    return result;
}

result<std::unique_ptr<workload>> make_workload(
    const std::string& name, const workload_numbers& numbers) {
    const auto it = known_workloads().find(name);
    if (it == known_workloads().end()) {
        return fail(errc::invalid, "workload \"" + name + "\" not found");
    }
    workload_numbers complete = it->second.defaults;
    for (const auto& [key, number] : numbers) {
        const auto existing = complete.find(key);
        if (existing == complete.end()) {
            return fail(
                errc::invalid, fmt::format("workload \"{}\" has no option \"{}\"", name, key));
        }
        if (number < 1 || number > 100'000) {
            return fail(
                errc::invalid, fmt::format("workload \"{}\": {} is out of range", name, key));
        }
        existing->second = number;
    }
    return it->second.make(complete);
}

std::vector<std::string> workload_names() {
    std::vector<std::string> names;
    for (const auto& [name, known] : known_workloads()) names.push_back(name);
    return names;
}

}  // namespace muster::sim
