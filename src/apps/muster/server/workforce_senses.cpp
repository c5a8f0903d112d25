// What the parts of a server ask each other.
#include "adapters/os/process_usage.h"
#include "apps/muster/server/workforce.h"
#include "core/jobs/window_rules.h"
#include "services/content/newcomer.h"
#include "services/windows/window_gate.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::server {

void workforce::make_revisions() {
    const bool gateway = around_.how.has_role("gateway");
    revisions_.emplace(
        revisions_front::surroundings{
            .books =
                {.store = *around_.engines.metadata,
                 .groups = groups_,
                 .windows = windows_,
                 .rules = rules_,
                 .people = people_,
                 .directory = gateway ? &people_follower_ : nullptr,
                 .software = gateway ? &software_.books : nullptr,
                 .configuration = gateway ? &configuration_.records : nullptr},
            .records = *around_.engines.records,
            .operations = operations_of_api_,
            .others =
                [this](std::string_view name, const api::value& arguments) {
                    return compatible_.methods().find_named(name, arguments);
                },
            .desk = around_.desk,
            .time = around_.time,
            .log = around_.log,
            .told = [this](event_record what) { events_.writer().post(std::move(what)); },
            .peer_tls = around_.peer_tls},
        revisions_front::options{
            .server = around_.how.name,
            .address = around_.how.advertise,
            .ttl = around_.how.lease_ttl,
            .gateway = gateway,
            .rules = around_.how.edits});
}

result<fleet::system_set> workforce::systems_meant(const std::string& query) const {
    const auto parsed = groups_.parse(query);
    if (!parsed) return fail(parsed.error().within("the query"));
    return search_.resolve(
        *parsed,
        {.attached = [this](system_number which) { return attached_.attached(which); },
         .node =
             [this](system_number which) {
                 const auto last = attached_.find(which);
                 const auto places = topology_.read();
                 const auto* const node = last ? places->find_node(last->node) : nullptr;
                 return node == nullptr ? std::string() : node->name;
             }});
}

dispatch::dispatcher::surroundings::window_state workforce::windows_now(
    const fleet::system_set& systems, const jobs::duration_history::measured& took) const {
    auto seen = windows::gate_now(
        windows_.current().get(),
        systems,
        around_.time.wall(),
        {.expected = jobs::expected_of(took), .spare = dispatch::dispatcher::gate_holds},
        {});
    return {.closed = std::move(seen.closed), .begin_by = std::move(seen.begin_by)};
}

std::optional<system_number> workforce::number_of(std::string_view system) const {
    const auto found = jobs_.targets().one(std::string(system));
    return found ? std::optional(*found) : std::nullopt;
}

std::optional<std::string> workforce::zone_of(std::string_view system) const {
    const auto number = number_of(system);
    if (!number) return std::nullopt;
    const auto record = systems_.find(*number);
    return record ? std::optional(record->zone) : std::nullopt;
}

// As webhooks: nobody sends a server to the cluster itself.
repository::repository_reader::options workforce::repositories() const {
    auto how = around_.how.repositories;
    how.addresses.closed = [this] {
        auto all = around_.how.webhooks.closed;
        std::ranges::move(servers_in(*topology_.read()), std::back_inserter(all));
        return all;
    };
    return how;
}

bool workforce::has_group_label(system_number system, const std::string& group) const {
    const auto record = systems_.find(system);
    return record && std::ranges::find(record->groups, group) != record->groups.end();
}

std::optional<std::int64_t> workforce::attached_to(node_number which) const {
    const auto counts = attached_.by_node();
    const auto found = counts.find(which);
    if (found == counts.end()) return std::nullopt;
    return static_cast<std::int64_t>(found->second.attached);
}

std::map<std::string, std::size_t> workforce::systems_by_state(const std::string& zone) const {
    const auto accepted = systems_.accepted_in(zone);
    const auto attached = std::min(attached_.attached_in(zone), accepted);
    return {{"onboarded", attached}, {"orphan", accepted - attached}};
}

cluster::engines workforce::engines() const {
    return {
        .metadata = *around_.engines.metadata,
        .records = *around_.engines.records,
        .doorbell = *around_.engines.doorbell};
}

cluster::server_record workforce::own_record() const {
    return {
        .name = around_.how.name,
        .instance = around_.instance,
        .address = around_.how.advertise,
        .roles = around_.how.roles,
        .version = MUSTER_VERSION,
        .started = around_.time.wall()};
}

std::vector<driver::load_report> workforce::loads_of_nodes() const {
    const auto known = topology_.read();
    std::vector<driver::load_report> told;
    for (const auto& [name, load] : loads_.all()) {
        const auto node = known->nodes.find(name);
        if (node == known->nodes.end()) continue;
        told.push_back(
            {.node = node->second.number,
             .systems = static_cast<double>(load.last.attached),
             .cpu_seconds = load.last.cpu_seconds,
             .cores = static_cast<double>(load.last.cores),
             .at = load.last.at});
    }
    return told;
}

driver::senses workforce::senses_of_driver() {
    return {
        // Without the populations of slots a plan would move inhabited ones as if they were empty.
        .topology_complete =
            [this] { return topology_follower_.complete() && systems_.complete(); },
        .weights =
            [this](const std::string& zone) {
                placement::weights cost{};
                std::ranges::copy(systems_.population(zone), cost.begin());
                return cost;
            },
        .loads = [this] { return loads_of_nodes(); },
        .probe =
            [this](cluster::server_record peer, std::string address) {
                return probes_.ask(std::move(peer), std::move(address));
            }};
}

api::registry::senses workforce::senses_of_api() {
    return {
        .zone_of_system = [this](std::string_view one) { return zone_of(one); },
        .number_of_system = [this](std::string_view one) { return number_of(one); },
        .missing_nodes =
            [this] {
                const auto oldest =
                    around_.time.now() - presence::subscriber::options().silence_max;
                return presence::missing_nodes(*topology_.read(), attached_, oldest);
            }};
}

api::servers_api::surroundings workforce::surroundings_of_servers() {
    return {
        .topology = topology_,
        .others = other_servers_,
        .time = around_.time,
        .counted = [this] { return served_.load(); },
        .used =
            [] {
                const auto used = os::read_process_usage();
                return api::servers_api::usage{
                    .cpu_seconds = used.cpu_seconds,
                    .cores = used.cores,
                    .memory_bytes = used.memory_bytes};
            },
        .self = around_.how.name};
}

// Parts that were made before what they ask for.
void workforce::introduce_parts() {
    systems_.ask_presence([this](system_number which) { return attached_.attached(which); });
    // Who is taken in by an activation key is subscribed to its channels in the same write.
    enroller_.write_also([this](const system_record& newcomer, const fleet::activation& key) {
        return content::subscription_rows(
            software_.books,
            {.system = newcomer.number,
             .base = key.base_channel,
             .children = key.child_channels,
             .by = newcomer.accepted_by,
             .now = around_.time.wall()});
    });
}

}  // namespace muster::server
