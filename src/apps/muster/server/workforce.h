#pragma once

#include "adapters/net/http/router.h"
#include "adapters/net/http/service.h"
#include "adapters/net/tls_context.h"
#include "adapters/os/zone_files.h"
#include "apps/muster/server/engine_opening.h"
#include "apps/muster/server/events_front.h"
#include "apps/muster/server/history_front.h"
#include "apps/muster/server/jobs_front.h"
#include "apps/muster/server/planned_work.h"
#include "apps/muster/server/revisions_front.h"
#include "apps/muster/server/scheduled_jobs.h"
#include "apps/muster/server/server_options.h"
#include "roles/cluster/announcer.h"
#include "roles/cluster/engines.h"
#include "roles/cluster/lease_guard.h"
#include "roles/cluster/node_life.h"
#include "roles/cluster/number_book.h"
#include "roles/cluster/readiness.h"
#include "roles/cluster/registration.h"
#include "roles/cluster/topology.h"
#include "roles/cluster/topology_follower.h"
#include "roles/compat/arrivals.h"
#include "roles/compat/compatible_api.h"
#include "roles/config/config_office.h"
#include "roles/config/content_sweeper.h"
#include "roles/content/content_office.h"
#include "roles/content/packages_door.h"
#include "roles/content/set_sweeper.h"
#include "roles/content/sync_schedule.h"
#include "roles/dispatch/dispatcher.h"
#include "roles/dispatch/grant_keeper.h"
#include "roles/dispatch/onlookers.h"
#include "roles/driver/driver.h"
#include "roles/fleet/caretaker.h"
#include "roles/fleet/enroller.h"
#include "roles/fleet/fact_follower.h"
#include "roles/fleet/fleet.h"
#include "roles/fleet/follower.h"
#include "roles/fleet/group_book.h"
#include "roles/fleet/operations.h"
#include "roles/fleet/registrar.h"
#include "roles/fleet/rule_book.h"
#include "roles/fleet/search.h"
#include "roles/gateway/api_document.h"
#include "roles/gateway/audit_api.h"
#include "roles/gateway/cluster_api.h"
#include "roles/gateway/configuration_api.h"
#include "roles/gateway/groups_api.h"
#include "roles/gateway/join_api.h"
#include "roles/gateway/login_api.h"
#include "roles/gateway/me_api.h"
#include "roles/gateway/nodes_api.h"
#include "roles/gateway/office.h"
#include "roles/gateway/people_api.h"
#include "roles/gateway/probe_api.h"
#include "roles/gateway/rest_door.h"
#include "roles/gateway/rules_api.h"
#include "roles/gateway/schedules_api.h"
#include "roles/gateway/servers_api.h"
#include "roles/gateway/stats_api.h"
#include "roles/gateway/system_api.h"
#include "roles/gateway/systems_api.h"
#include "roles/gateway/tags_api.h"
#include "roles/gateway/windows_api.h"
#include "roles/gateway/zones_api.h"
#include "roles/jobs/duration_reader.h"
#include "roles/jobs/job_book.h"
#include "roles/jobs/job_ledger.h"
#include "roles/jobs/quota_keeper.h"
#include "roles/jobs/steward.h"
#include "roles/jobs/task_board.h"
#include "roles/node/channel_host.h"
#include "roles/node/peer_api.h"
#include "roles/people/directory.h"
#include "roles/presence/load.h"
#include "roles/presence/presence.h"
#include "roles/presence/publisher.h"
#include "roles/presence/subscriber.h"
#include "roles/retention/retention_keeper.h"
#include "roles/windows/calendar_refresher.h"
#include "roles/windows/window_book.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"

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
        const gateway::front_desk& desk;
        std::string instance;  // which data directory this is
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
        std::function<result<gateway::join_api::authority>()> authority;
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
    gateway::registry::senses senses_of_api();
    gateway::servers_api::surroundings surroundings_of_servers();
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

    gateway::registry operations_of_api_;
    gateway::rest_door rest_;
    gateway::cluster_api cluster_;
    gateway::login_api login_;
    gateway::me_api me_;
    gateway::people_api people_api_;
    gateway::audit_api audit_;
    gateway::probe_api probes_;
    gateway::join_api joining_;
    gateway::nodes_api nodes_;
    gateway::zones_api zones_;
    gateway::system_api entry_;
    gateway::group_guard labels_{[this](std::string group) {
        return configuration_.channels.has_any(std::move(group));
    }};
    gateway::systems_api systems_api_;
    gateway::groups_api groups_api_;
    gateway::tags_api tags_api_{search_};
    gateway::rules_api rules_api_{rules_, around_.time, &labels_};
    planned_work planned_;
    gateway::windows_api windows_api_;
    windows::calendar_refresher calendars_;
    gateway::schedules_api schedules_api_;
    gateway::stats_api stats_{
        {.systems = systems_,
         .attached = attached_,
         .loads = loads_,
         .topology = topology_,
         .time = around_.time}};
    gateway::servers_line other_servers_{
        {.time = around_.time, .tls = around_.peer_tls}, around_.how.asking};
    gateway::servers_api servers_{surroundings_of_servers()};
    jobs_front jobs_;
    cluster::number_book numbers_;
    config::config_office configuration_;
    config::content_sweeper unused_contents_{configuration_.files, around_.time, around_.log};
    config::deployment deployed_{
        {.channels = configuration_.channels,
         .files = configuration_.files,
         .profiles = configuration_.profiles,
         .members_of = [this](const std::string& group) { return systems_meant("group:" + group); },
         .has_label =
             [this](system_number system, const std::string& group) {
                 return has_group_label(system, group);
             }}};
    gateway::configuration_api configuration_api_{
        {.deployed = deployed_,
         .targets = jobs_.targets(),
         .operations = operations_of_api_,
         .time = around_.time}};
    content::content_office software_{
        {.engines = engines(),
         .time = around_.time,
         .log = around_.log,
         .repositories = repositories()}};
    content::packages_door installed_{systems_, software_.sets, around_.time};
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
    compat::compatible_api compatible_;
    compat::arrivals newcomers_{
        {.profiles = configuration_.profiles,
         .rules = rules_,
         .deployed = deployed_,
         .makes = jobs_.desk(),
         .time = around_.time,
         .log = around_.log}};
    events_front events_;
    scheduled_jobs scheduled_;
    windows::schedule_runner schedules_due_;

    history_front history_{
        {.records = *around_.engines.records,
         .topology = topology_,
         .time = around_.time,
         .log = around_.log,
         .start = [this] { return static_cast<std::uint64_t>(membership_.first_listed()); },
         .find =
             [this](gateway::call asked) {
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
