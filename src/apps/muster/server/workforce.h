#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/http/service.h"
#include "adapters/net/tls_context.h"
#include "adapters/os/time_zone_database.h"
#include "api/agent/agent_entry_api.h"
#include "api/agent/package_list_endpoint.h"
#include "api/operations/api_context.h"
#include "api/peer/join_api.h"
#include "api/peer/probe_api.h"
#include "api/rest/audit_api.h"
#include "api/rest/cluster_api.h"
#include "api/rest/configuration_api.h"
#include "api/rest/groups_api.h"
#include "api/rest/login_api.h"
#include "api/rest/nodes_api.h"
#include "api/rest/openapi_endpoint.h"
#include "api/rest/own_account_api.h"
#include "api/rest/people_api.h"
#include "api/rest/rest_endpoint.h"
#include "api/rest/rules_api.h"
#include "api/rest/schedules_api.h"
#include "api/rest/servers_api.h"
#include "api/rest/stats_api.h"
#include "api/rest/systems_api.h"
#include "api/rest/tags_api.h"
#include "api/rest/windows_api.h"
#include "api/rest/zones_api.h"
#include "api/xmlrpc/xmlrpc_api.h"
#include "apps/muster/server/engine_factory.h"
#include "apps/muster/server/event_services.h"
#include "apps/muster/server/job_rescheduler.h"
#include "apps/muster/server/job_services.h"
#include "apps/muster/server/presence_history_services.h"
#include "apps/muster/server/revision_services.h"
#include "apps/muster/server/scheduled_job_creator.h"
#include "apps/muster/server/server_options.h"
#include "roles/driver/driver.h"
#include "roles/node/connections/agent_connection_server.h"
#include "roles/node/connections/peer_api.h"
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/grant_reconciler.h"
#include "roles/node/dispatch/task_observers.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/bus_publisher.h"
#include "services/cluster/engines.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/readiness.h"
#include "services/cluster/registration.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_follower.h"
#include "services/compatibility/numeric_id_store.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/file_content_pruner.h"
#include "services/content/content_services.h"
#include "services/content/package_list_pruner.h"
#include "services/content/sync_schedule.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/bulk_operation_queue.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/evicted_key_pruner.h"
#include "services/fleet/facts_follower.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_service.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_store.h"
#include "services/jobs/job_supervisor.h"
#include "services/jobs/open_job_cache.h"
#include "services/jobs/quota_allocator.h"
#include "services/jobs/task_state_cache.h"
#include "services/people/people_follower.h"
#include "services/presence/load_cache.h"
#include "services/presence/presence_cache.h"
#include "services/presence/publisher.h"
#include "services/presence/subscriber.h"
#include "services/provisioning/activation_key_provisioner.h"
#include "services/retention/job_record_pruner.h"
#include "services/windows/calendar_refresher.h"
#include "services/windows/window_store.h"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::server {

// All that a server does for its cluster, by its roles. Made as soon as the engines are open, so
// that every route stands from the first moment; begins to work when the cluster is known. Lives on
// the server's control loop; what its routes need is thread-safe.
class workforce {
public:
    struct dependencies {
        const server_options& how;
        const opened_engines& engines;
        clock& time;
        cluster::readiness& state;
        runtime::metrics& counted;
        runtime::logger& log;
        const api::request_authenticator& desk;
        std::string instance;  // which data directory this is
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
        std::function<result<api::join_api::authority>()> authority;
    };

    explicit workforce(dependencies deps);
    workforce(const workforce&) = delete;
    workforce& operator=(const workforce&) = delete;

    // What the server's roles add to its TLS port.
    result<void> add_routes(net::http::router& to);
    net::http::channel_handler channels();  // none without the role node
    // What the public port counts; it must outlive its handlers.
    void tell_of(const net::http::counters& served) { served_ = &served; }

    void begin(runtime::task_group& work);

    // A planned stop, told to the cluster: after the work has ended.
    boost::asio::awaitable<void> leave();

    cluster::engines engines() const;
    cluster::bus_publisher& bell() { return bell_; }
    const cluster::topology_cache& topology() const { return topology_; }
    const people::people_cache& people() const { return people_; }

private:
    cluster::server_record own_record() const;
    driver::driver_inputs senses_of_driver();
    api::registry::dependencies senses_of_api();
    api::servers_api::dependencies surroundings_of_servers();
    std::vector<driver::load_report> loads_of_nodes() const;
    std::map<std::string, std::size_t> systems_by_state(const std::string& zone) const;
    result<fleet::system_set> systems_meant(const std::string& query) const;
    std::optional<std::int64_t> attached_to(node_number node_number) const;
    std::optional<std::string> zone_of(std::string_view system) const;
    std::optional<system_number> number_of(std::string_view system) const;
    repository::repository_reader::options repositories() const;
    bool has_group_label(system_number system, const std::string& group) const;
    dispatch::dispatcher::dependencies::window_state windows_now(
        const fleet::system_set& systems, const jobs::duration_history::measured& took) const;
    void make_driver();
    void make_node();
    void make_dispatcher();
    void make_revisions();
    void introduce_parts();
    void export_metrics();

    dependencies deps_;
    std::atomic<const net::http::counters*> served_ = nullptr;
    cluster::bus_publisher bell_;
    cluster::topology_cache topology_;
    cluster::lease_guard lease_;
    cluster::topology_follower topology_follower_;
    cluster::registration membership_;
    people::people_cache people_;
    people::people_follower people_follower_;

    fleet::system_cache systems_;
    fleet::search search_;
    fleet::facts_follower facts_follower_;
    fleet::group_store groups_;
    fleet::system_follower systems_follower_;
    fleet::system_service system_service_;
    fleet::accept_rule_store rules_;
    fleet::enrolment_service enrolment_service_;
    fleet::evicted_key_pruner caretaker_;
    fleet::bulk_operation_queue operations_;

    os::time_zone_database zone_files_;
    windows::window_store windows_;

    jobs::job_store job_store_;
    jobs::duration_reader durations_;
    jobs::open_job_cache open_jobs_;
    jobs::task_state_cache task_states_;
    jobs::job_supervisor job_supervisor_;
    jobs::quota_allocator job_quotas_;
    retention::job_record_pruner old_records_;

    presence::presence_cache attached_;
    presence::load_cache loads_;
    presence::subscriber sightings_;

    api::registry operations_of_api_;
    api::rest_endpoint rest_;
    api::cluster_api cluster_;
    api::login_api login_;
    api::own_account_api me_;
    api::people_api people_api_;
    api::audit_api audit_;
    api::probe_api probes_;
    api::join_api joining_;
    api::nodes_api nodes_;
    api::zones_api zones_;
    api::agent_entry_api entry_;
    api::group_guard labels_{[this](std::string group) {
        return configuration_.channels.has_any(std::move(group));
    }};
    api::systems_api systems_api_;
    api::groups_api groups_api_;
    api::tags_api tags_api_{search_};
    api::rules_api rules_api_{rules_, deps_.time, &labels_};
    job_rescheduler planned_;
    api::windows_api windows_api_;
    windows::calendar_refresher calendars_;
    api::schedules_api schedules_api_;
    api::stats_api stats_{
        {.systems = systems_,
         .attached = attached_,
         .loads = loads_,
         .topology = topology_,
         .time = deps_.time}};
    api::peer_servers_client other_servers_{
        {.time = deps_.time, .tls = deps_.peer_tls}, deps_.how.asking};
    api::servers_api servers_{surroundings_of_servers()};
    job_services jobs_;
    compatibility::numeric_id_store numbers_;
    configuration::configuration_services configuration_;
    configuration::file_content_pruner unused_contents_{
        configuration_.files, deps_.time, deps_.log};
    configuration::deployment deployed_{
        {.channels = configuration_.channels,
         .files = configuration_.files,
         .profiles = configuration_.profiles,
         .members_of = [this](const std::string& group) { return systems_meant("group:" + group); },
         .has_label =
             [this](system_number system, const std::string& group) {
                 return has_group_label(system, group);
             }}};
    api::configuration_api configuration_api_{
        {.deployed = deployed_,
         .targets = jobs_.targets(),
         .operations = operations_of_api_,
         .time = deps_.time}};
    content::content_services software_{
        {.engines = engines(),
         .time = deps_.time,
         .log = deps_.log,
         .repositories = repositories()}};
    api::package_list_endpoint installed_{systems_, software_.sets, deps_.time};
    content::sync_schedule channels_due_{
        {.books = software_.books, .syncs = software_.syncs, .time = deps_.time, .log = deps_.log}};
    content::package_list_pruner unused_lists_{
        {.sets = software_.sets,
         .books = software_.books,
         .found = search_,
         .time = deps_.time,
         .log = deps_.log}};
    xmlrpc_api::compatible_api compatible_;
    provisioning::activation_key_provisioner newcomers_{
        {.profiles = configuration_.profiles,
         .rules = rules_,
         .deployed = deployed_,
         .makes = jobs_.desk(),
         .time = deps_.time,
         .log = deps_.log}};
    event_services events_;
    scheduled_job_creator scheduled_;
    scheduling::schedule_runner schedules_due_;

    presence_history_services history_{
        {.records = *deps_.engines.records,
         .topology = topology_,
         .time = deps_.time,
         .log = deps_.log,
         .start = [this] { return static_cast<std::uint64_t>(membership_.first_listed()); },
         .find =
             [this](api::call call) {
                 return systems_api_.find_visible(std::move(call));
             }},
        {.server = deps_.how.name, .keep = deps_.how.presence_kept}};

    std::optional<revision_services> revisions_;
    std::optional<driver::driver> driver_;
    std::optional<cluster::node_record_reconciler> node_life_;
    std::optional<dispatch::dispatcher> dispatcher_;
    std::optional<dispatch::grant_reconciler> grants_;
    std::optional<dispatch::task_observers> watching_;
    std::optional<node::agent_connection_server> channels_;
    std::optional<node::peer_api> peers_;
    std::optional<presence::publisher> reports_;
};

}  // namespace muster::server
