// What the parts of a server ask each other.
#include "adapters/os/process_usage.h"
#include "apps/muster/server/workforce.h"
#include "core/jobs/window_rules.h"
#include "services/content/initial_subscription.h"
#include "services/windows/window_admission.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::server {

void workforce::make_revisions() {
    const bool gateway = deps_.how.has_role("gateway");
    revisions_.emplace(
        revision_services::dependencies{
            .books =
                {.store = *deps_.engines.metastore,
                 .groups = groups_,
                 .windows = windows_,
                 .rules = rules_,
                 .people = people_,
                 .directory = gateway ? &people_follower_ : nullptr,
                 .software = gateway ? &software_.books : nullptr,
                 .configuration = gateway ? &configuration_.records : nullptr},
            .records = *deps_.engines.records,
            .operations = operations_of_api_,
            .others =
                [this](std::string_view name, const api::value& arguments) {
                    return compatible_.methods().find_named(name, arguments);
                },
            .desk = deps_.desk,
            .time = deps_.time,
            .log = deps_.log,
            .told = [this](event_record event) { events_.writer().post(std::move(event)); },
            .peer_tls = deps_.peer_tls},
        revision_services::options{
            .server = deps_.how.name,
            .address = deps_.how.advertise,
            .ttl = deps_.how.lease_ttl,
            .gateway = gateway,
            .rules = deps_.how.edits});
}

result<fleet::system_set> workforce::systems_meant(const std::string& query) const {
    const auto parsed = groups_.parse(query);
    if (!parsed) return fail(parsed.error().within("the query"));
    return search_.resolve(
        *parsed,
        {.attached =
             [this](system_number system_number) { return attached_.attached(system_number); },
         .node =
             [this](system_number system_number) {
                 const auto last = attached_.find(system_number);
                 const auto places = topology_.read();
                 const auto* const node = last ? places->find_node(last->node) : nullptr;
                 return node == nullptr ? std::string() : node->name;
             }});
}

dispatch::dispatcher::dependencies::window_state workforce::windows_now(
    const fleet::system_set& systems, const jobs::duration_history::measured& took) const {
    auto observed = windows::gate_now(
        windows_.current().get(),
        systems,
        deps_.time.wall(),
        {.expected = jobs::expected_of(took), .spare = dispatch::dispatcher::gate_holds},
        {});
    return {.closed = std::move(observed.closed), .begin_by = std::move(observed.begin_by)};
}

std::optional<system_number> workforce::number_of(std::string_view system) const {
    const auto match = jobs_.targets().one(std::string(system));
    return match ? std::optional(*match) : std::nullopt;
}

std::optional<std::string> workforce::zone_of(std::string_view system) const {
    const auto number = number_of(system);
    if (!number) return std::nullopt;
    const auto record = systems_.find(*number);
    return record ? std::optional(record->zone) : std::nullopt;
}

// As webhooks: nobody sends a server to the cluster itself.
repository::repository_reader::options workforce::repositories() const {
    auto how = deps_.how.repositories;
    how.addresses.closed = [this] {
        auto all = deps_.how.webhooks.closed;
        std::ranges::move(servers_in(*topology_.read()), std::back_inserter(all));
        return all;
    };
    return how;
}

bool workforce::has_group_label(system_number system, const std::string& group) const {
    const auto record = systems_.find(system);
    return record && std::ranges::find(record->groups, group) != record->groups.end();
}

std::optional<std::int64_t> workforce::attached_to(node_number node_number) const {
    const auto counts = attached_.by_node();
    const auto it = counts.find(node_number);
    if (it == counts.end()) return std::nullopt;
    return static_cast<std::int64_t>(it->second.attached);
}

std::map<std::string, std::size_t> workforce::systems_by_state(const std::string& zone) const {
    const auto accepted = systems_.accepted_in(zone);
    const auto attached = std::min(attached_.attached_in(zone), accepted);
    return {{"onboarded", attached}, {"orphan", accepted - attached}};
}

cluster::engines workforce::engines() const {
    return {
        .metastore = *deps_.engines.metastore,
        .records = *deps_.engines.records,
        .bus = *deps_.engines.bus};
}

cluster::server_record workforce::own_record() const {
    return {
        .name = deps_.how.name,
        .instance = deps_.instance,
        .address = deps_.how.advertise,
        .roles = deps_.how.roles,
        .version = MUSTER_VERSION,
        .started = deps_.time.wall()};
}

std::vector<driver::load_report> workforce::loads_of_nodes() const {
    const auto topology = topology_.read();
    std::vector<driver::load_report> load_reports;
    for (const auto& [name, load] : loads_.all()) {
        const auto node = topology->nodes.find(name);
        if (node == topology->nodes.end()) continue;
        load_reports.push_back(
            {.node = node->second.number,
             .systems = static_cast<double>(load.last.attached),
             .cpu_seconds = load.last.cpu_seconds,
             .cores = static_cast<double>(load.last.cores),
             .at = load.last.at});
    }
    return load_reports;
}

driver::driver_inputs workforce::senses_of_driver() {
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

api::registry::dependencies workforce::senses_of_api() {
    return {
        .zone_of_system = [this](std::string_view name) { return zone_of(name); },
        .number_of_system = [this](std::string_view name) { return number_of(name); },
        .missing_nodes =
            [this] {
                const auto oldest = deps_.time.now() - presence::subscriber::options().silence_max;
                return presence::missing_nodes(*topology_.read(), attached_, oldest);
            }};
}

api::servers_api::dependencies workforce::surroundings_of_servers() {
    return {
        .topology = topology_,
        .others = other_servers_,
        .time = deps_.time,
        .counted = [this] { return served_.load(); },
        .used =
            [] {
                const auto used = os::read_process_usage();
                return api::servers_api::usage{
                    .cpu_seconds = used.cpu_seconds,
                    .cores = used.cores,
                    .memory_bytes = used.memory_bytes};
            },
        .self = deps_.how.name};
}

// Parts that were made before what they ask for.
void workforce::introduce_parts() {
    systems_.ask_presence(
        [this](system_number system_number) { return attached_.attached(system_number); });
    // Who is taken in by an activation key is subscribed to its channels in the same write.
    enrolment_service_.write_also(
        [this](const system_record& newcomer, const fleet::activation& key) {
            return content::subscription_rows(
                software_.books,
                {.system = newcomer.number,
                 .base = key.base_channel,
                 .children = key.child_channels,
                 .by = newcomer.accepted_by,
                 .now = deps_.time.wall()});
        });
}

}  // namespace muster::server
