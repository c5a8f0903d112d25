#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/http/service.h"
#include "adapters/net/tls_context.h"
#include "adapters/os/zone_files.h"
#include "api/agent/packages_door.h"
#include "api/agent/system_api.h"
#include "api/operations/office.h"
#include "api/peer/join_api.h"
#include "api/peer/probe_api.h"
#include "api/rest/api_document.h"
#include "api/rest/audit_api.h"
#include "api/rest/cluster_api.h"
#include "api/rest/configuration_api.h"
#include "api/rest/groups_api.h"
#include "api/rest/login_api.h"
#include "api/rest/me_api.h"
#include "api/rest/nodes_api.h"
#include "api/rest/people_api.h"
#include "api/rest/rest_door.h"
#include "api/rest/rules_api.h"
#include "api/rest/schedules_api.h"
#include "api/rest/servers_api.h"
#include "api/rest/stats_api.h"
#include "api/rest/systems_api.h"
#include "api/rest/tags_api.h"
#include "api/rest/windows_api.h"
#include "api/rest/zones_api.h"
#include "api/xmlrpc/compatible_api.h"
#include "apps/muster/server/engine_opening.h"
#include "apps/muster/server/events_front.h"
#include "apps/muster/server/history_front.h"
#include "apps/muster/server/jobs_front.h"
#include "apps/muster/server/planned_work.h"
#include "apps/muster/server/revisions_front.h"
#include "apps/muster/server/scheduled_jobs.h"
#include "apps/muster/server/server_options.h"
#include "roles/driver/driver.h"
#include "roles/node/connections/channel_host.h"
#include "roles/node/connections/peer_api.h"
#include "roles/node/dispatch/dispatcher.h"
#include "roles/node/dispatch/grant_keeper.h"
#include "roles/node/dispatch/onlookers.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/announcer.h"
#include "services/cluster/engines.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/node_life.h"
#include "services/cluster/readiness.h"
#include "services/cluster/registration.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_follower.h"
#include "services/compatibility/number_book.h"
#include "services/configuration/config_office.h"
#include "services/configuration/content_sweeper.h"
#include "services/content/content_office.h"
#include "services/content/set_sweeper.h"
#include "services/content/sync_schedule.h"
#include "services/fleet/caretaker.h"
#include "services/fleet/enroller.h"
#include "services/fleet/fact_follower.h"
#include "services/fleet/fleet.h"
#include "services/fleet/follower.h"
#include "services/fleet/group_book.h"
#include "services/fleet/operations.h"
#include "services/fleet/registrar.h"
#include "services/fleet/rule_book.h"
#include "services/fleet/search.h"
#include "services/jobs/duration_reader.h"
#include "services/jobs/job_book.h"
#include "services/jobs/job_ledger.h"
#include "services/jobs/quota_keeper.h"
#include "services/jobs/steward.h"
#include "services/jobs/task_board.h"
#include "services/people/directory.h"
#include "services/presence/load.h"
#include "services/presence/presence.h"
#include "services/presence/publisher.h"
#include "services/presence/subscriber.h"
#include "services/provisioning/arrivals.h"
#include "services/retention/retention_keeper.h"
#include "services/windows/calendar_refresher.h"
#include "services/windows/window_book.h"

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
    struct surroundings {
        const server_options& how;
        const opened_engines& engines;
        clock& time;
        cluster::readiness& state;
        runtime::metrics& counted;
        runtime::logger& log;
        const api::front_desk& desk;
        std::string instance;  // which data directory this is
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
        std::function<result<api::join_api::authority>()> authority;
    };

    explicit workforce(surroundings around);
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
    cluster::announcer& bell() { return bell_; }
    const cluster::topology_cell& topology() const { return topology_; }
    const people::roster_cell& people() const { return people_; }

private:
    cluster::server_record own_record() const;
    driver::senses senses_of_driver();
    api::registry::senses senses_of_api();
    api::servers_api::surroundings surroundings_of_servers();
    std::vector<driver::load_report> loads_of_nodes() const;
    std::map<std::string, std::size_t> systems_by_state(const std::string& zone) const;
    result<fleet::system_set> systems_meant(const std::string& query) const;
    std::optional<std::int64_t> attached_to(node_number which) const;
    std::optional<std::string> zone_of(std::string_view system) const;
    std::optional<system_number> number_of(std::string_view system) const;
    repository::repository_reader::options repositories() const;
    bool has_group_label(system_number system, const std::string& group) const;
    dispatch::dispatcher::surroundings::window_state windows_now(
        const fleet::system_set& systems, const jobs::duration_history::measured& took) const;
    void make_driver();
    void make_node();
    void make_dispatcher();
    void make_revisions();
    void introduce_parts();
    void export_metrics();

    surroundings around_;
    std::atomic<const net::http::counters*> served_ = nullptr;
    cluster::announcer bell_;
    cluster::topology_cell topology_;
    cluster::lease_guard lease_;
    cluster::topology_follower topology_follower_;
    cluster::registration membership_;
    people::roster_cell people_;
    people::directory people_follower_;

    fleet::fleet systems_;
    fleet::search search_;
    fleet::fact_follower facts_follower_;
    fleet::group_book groups_;
    fleet::follower systems_follower_;
    fleet::registrar registrar_;
    fleet::rule_book rules_;
    fleet::enroller enroller_;
    fleet::caretaker caretaker_;
    fleet::operations operations_;

    os::zone_files zone_files_;
    windows::window_book windows_;

    jobs::job_ledger job_ledger_;
    jobs::duration_reader durations_;
    jobs::job_book job_book_;
    jobs::task_board task_board_;
    jobs::steward job_steward_;
    jobs::quota_keeper job_quotas_;
    retention::retention_keeper old_records_;

    presence::presence attached_;
    presence::load_board loads_;
    presence::subscriber sightings_;

    api::registry operations_of_api_;
    api::rest_door rest_;
    api::cluster_api cluster_;
    api::login_api login_;
    api::me_api me_;
    api::people_api people_api_;
    api::audit_api audit_;
    api::probe_api probes_;
    api::join_api joining_;
    api::nodes_api nodes_;
    api::zones_api zones_;
    api::system_api entry_;
    api::group_guard labels_{[this](std::string group) {
        return configuration_.channels.has_any(std::move(group));
    }};
    api::systems_api systems_api_;
    api::groups_api groups_api_;
    api::tags_api tags_api_{search_};
    api::rules_api rules_api_{rules_, around_.time, &labels_};
    planned_work planned_;
    api::windows_api windows_api_;
    windows::calendar_refresher calendars_;
    api::schedules_api schedules_api_;
    api::stats_api stats_{
        {.systems = systems_,
         .attached = attached_,
         .loads = loads_,
         .topology = topology_,
         .time = around_.time}};
    api::servers_line other_servers_{
        {.time = around_.time, .tls = around_.peer_tls}, around_.how.asking};
    api::servers_api servers_{surroundings_of_servers()};
    jobs_front jobs_;
    compatibility::number_book numbers_;
    configuration::config_office configuration_;
    configuration::content_sweeper unused_contents_{
        configuration_.files, around_.time, around_.log};
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
         .time = around_.time}};
    content::content_office software_{
        {.engines = engines(),
         .time = around_.time,
         .log = around_.log,
         .repositories = repositories()}};
    api::packages_door installed_{systems_, software_.sets, around_.time};
    content::sync_schedule channels_due_{
        {.books = software_.books,
         .syncs = software_.syncs,
         .time = around_.time,
         .log = around_.log}};
    content::set_sweeper unused_lists_{
        {.sets = software_.sets,
         .books = software_.books,
         .found = search_,
         .time = around_.time,
         .log = around_.log}};
    xmlrpc_api::compatible_api compatible_;
    provisioning::arrivals newcomers_{
        {.profiles = configuration_.profiles,
         .rules = rules_,
         .deployed = deployed_,
         .makes = jobs_.desk(),
         .time = around_.time,
         .log = around_.log}};
    events_front events_;
    scheduled_jobs scheduled_;
    scheduling::schedule_runner schedules_due_;

    history_front history_{
        {.records = *around_.engines.records,
         .topology = topology_,
         .time = around_.time,
         .log = around_.log,
         .start = [this] { return static_cast<std::uint64_t>(membership_.first_listed()); },
         .find =
             [this](api::call asked) {
                 return systems_api_.find_visible(std::move(asked));
             }},
        {.server = around_.how.name, .keep = around_.how.presence_kept}};

    std::optional<revisions_front> revisions_;
    std::optional<driver::driver> driver_;
    std::optional<cluster::node_life> node_life_;
    std::optional<dispatch::dispatcher> dispatcher_;
    std::optional<dispatch::grant_keeper> grants_;
    std::optional<dispatch::onlookers> watching_;
    std::optional<node::channel_host> channels_;
    std::optional<node::peer_api> peers_;
    std::optional<presence::publisher> reports_;
};

}  // namespace muster::server
