#include "apps/muster/server/workforce.h"

#include "adapters/os/process_usage.h"
#include "services/schema/ledger_schema.h"

#include <algorithm>
#include <utility>

namespace muster::server {

workforce::workforce(dependencies deps)
    : deps_(std::move(deps)),
      bell_(*deps_.engines.bus, deps_.log),
      topology_follower_(*deps_.engines.metastore, deps_.time, topology_, deps_.log, {}),
      membership_(
          *deps_.engines.metastore,
          {.time = deps_.time,
           .noted = deps_.state,
           .guard = lease_,
           .topology = topology_,
           .log = deps_.log},
          {.own = own_record(), .ttl = deps_.how.lease_ttl}),
      people_follower_(*deps_.engines.metastore, deps_.time, people_, deps_.log, {}),
      search_(systems_),
      facts_follower_(
          {.records = *deps_.engines.records,
           .known = systems_,
           .fed = search_,
           .time = deps_.time,
           .log = deps_.log},
          {}),
      groups_(*deps_.engines.records, deps_.time, deps_.log),
      systems_follower_(*deps_.engines.records, systems_, deps_.time, deps_.log, {}),
      system_service_(
          {.engines = engines(),
           .known = systems_,
           .bell = bell_,
           .time = deps_.time,
           .told =
               [this](const fleet::key_event& key_event, std::span<const system_record> systems) {
                   for (auto& notice : fleet::notices_of(key_event, systems, deps_.time.wall()))
                       events_.writer().post(std::move(notice));
               }}),
      rules_(*deps_.engines.metastore, deps_.time, deps_.log),
      enrolment_service_(system_service_, rules_, deps_.how.enrolment),
      caretaker_(
          system_service_,
          systems_,
          deps_.time,
          deps_.log,
          {.crowded = deps_.how.enrolment.pool_max}),
      operations_(deps_.time),
      windows_(
          {.records = *deps_.engines.records,
           .time = deps_.time,
           .zones = [this](std::string_view name) { return zone_files_.find(name); },
           .log = deps_.log}),
      job_store_(*deps_.engines.records, deps_.time),
      durations_(job_store_, deps_.time, {}),
      open_jobs_(job_store_, deps_.log, {}),
      task_states_(job_store_, deps_.log, {}),
      job_supervisor_(
          {.records = job_store_,
           .book = open_jobs_,
           .board = task_states_,
           .time = deps_.time,
           .log = deps_.log},
          {}),
      job_quotas_(
          {.store = *deps_.engines.metastore,
           .records = job_store_,
           .book = open_jobs_,
           .topology = topology_,
           .time = deps_.time,
           .log = deps_.log},
          {}),
      old_records_(
          {.records = job_store_,
           .time = deps_.time,
           .log = deps_.log,
           .schema = schema::ledger_schema()},
          deps_.how.retention),
      sightings_(
          {.bus = *deps_.engines.bus,
           .time = deps_.time,
           .topology = topology_,
           .kept = attached_,
           .loads = loads_,
           .log = deps_.log},
          {}),
      operations_of_api_(deps_.time, senses_of_api()),
      rest_(operations_of_api_, deps_.desk),
      cluster_(deps_.state, deps_.how.name),
      login_(deps_.time, deps_.counted),
      me_(deps_.time),
      people_api_(deps_.time),
      audit_(deps_.time, [this](const std::string& name) { return jobs_.targets().one(name); }),
      probes_(deps_.time, {.tls = deps_.peer_tls}),
      joining_(
          deps_.desk, deps_.time, {.address = deps_.how.advertise, .authority = deps_.authority}),
      nodes_(
          deps_.time,
          {.attached = [this](node_number node_number) { return attached_to(node_number); },
           .common =
               [this](const std::string& node, bool there) {
                   return revisions_->standing_of(node, there);
               }}),
      zones_(
          deps_.time,
          {.systems = [this](const std::string& zone) { return systems_by_state(zone); },
           .accepted =
               [this](const std::string& zone) {
                   return systems_.accepted_in(zone);
               }}),
      entry_(
          {.known = systems_,
           .door = enrolment_service_,
           .places = topology_,
           .time = deps_.time,
           .counted = deps_.counted},
          deps_.how.entry),
      systems_api_(
          {.known = systems_,
           .keys = system_service_,
           .running = operations_,
           .seen = attached_,
           .places = topology_,
           .time = deps_.time,
           .found = search_,
           .groups = groups_,
           .schedules = &windows_,
           .guard = &labels_}),
      groups_api_(groups_, deps_.time),
      planned_(
          {.records = job_store_, .book = open_jobs_, .windows = windows_, .time = deps_.time}),
      windows_api_(
          {.book = windows_,
           .known = systems_,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .in_zones =
               [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                   return search_.in_zones(zones, among);
               },
           .time = deps_.time,
           .planned = &planned_,
           .authorities = deps_.how.authorities}),
      calendars_(
          {.book = windows_,
           .time = deps_.time,
           .log = deps_.log,
           .fetch = [this](std::string url) { return windows_api_.fetch(std::move(url)); },
           .fits =
               [this](const std::string& label, const windows::calendar& with) {
                   return windows_api_.keeps_planned(label, with);
               }},
          {.server = deps_.how.name, .interval = deps_.how.calendar_refresh}),
      schedules_api_(windows_, deps_.time),
      jobs_(
          {.records = job_store_,
           .board = task_states_,
           .store = *deps_.engines.metastore,
           .systems = systems_,
           .seen = attached_,
           .places = topology_,
           .windows = windows_,
           .durations = durations_,
           .time = deps_.time,
           .safe = deps_.how.jobs,
           .open = open_jobs_,
           .open_max = deps_.how.job_bounds.open_max,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .in_zones =
               [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                   return search_.in_zones(zones, among);
               },
           .peer_tls = deps_.peer_tls}),
      numbers_(*deps_.engines.records, *deps_.engines.metastore),
      configuration_({.engines = engines(), .time = deps_.time, .log = deps_.log}),
      compatible_(
          {.checks = operations_of_api_,
           .desk = deps_.desk,
           .fleet =
               {.known = systems_,
                .found = search_,
                .seen = attached_,
                .groups = groups_,
                .profiles = &configuration_.profiles},
           .groups = groups_,
           .keys = system_service_,
           .places = topology_,
           .time = deps_.time,
           .work =
               {.numbers = numbers_,
                .reads = jobs_.reader(),
                .targets = jobs_.targets(),
                .makes = jobs_.desk(),
                .open = open_jobs_,
                .windows = windows_,
                .records = *deps_.engines.records},
           .configuration = {.kept = configuration_, .rules = rules_},
           .software = software_,
           .asking = deps_.how.asking}),
      events_(
          {.records = *deps_.engines.records,
           .store = *deps_.engines.metastore,
           .bell = bell_,
           .topology = topology_,
           .systems = systems_,
           .seen = attached_,
           .windows = windows_,
           .jobs = job_store_,
           .open_jobs = open_jobs_,
           .board = task_states_,
           .time = deps_.time,
           .log = deps_.log,
           .webhooks = deps_.how.webhooks,
           .authorities = deps_.how.authorities}),
      scheduled_(
          {.desk = jobs_.desk(),
           .windows = windows_,
           .events = events_.log(),
           .time = deps_.time,
           .log = deps_.log,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .deployed = deployed_}),
      schedules_due_(
          {.book = windows_, .time = deps_.time, .log = deps_.log, .starts = scheduled_},
          deps_.how.name) {
    introduce_parts();
    make_revisions();
    if (deps_.how.has_role("driver")) make_driver();
    if (deps_.how.has_role("node")) make_node();
    export_metrics();
}

void workforce::make_driver() {
    driver_.emplace(
        driver::driver::dependencies{
            .store = *deps_.engines.metastore,
            .time = deps_.time,
            .topology = topology_,
            .announce = [this](stream::message message) { bell_.announce(std::move(message)); },
            .log = deps_.log},
        senses_of_driver(),
        driver::driver::options{
            .server = deps_.how.name,
            .plan_interval = deps_.how.plan_interval,
            .moves_per_step = deps_.how.moves_per_step});
    topology_follower_.on_change([this] { driver_->look(); });
}

void workforce::make_dispatcher() {
    dispatcher_.emplace(
        dispatch::dispatcher::dependencies{
            .records = job_store_,
            .book = open_jobs_,
            .systems = systems_,
            .topology = topology_,
            .lease = lease_,
            .time = deps_.time,
            .log = deps_.log,
            .send =
                [this](std::vector<dispatch::outgoing> frames) {
                    channels_->send(std::move(frames));
                },
            .windows =
                [this](
                    const fleet::system_set& systems,
                    const jobs::duration_history::measured& took) {
                    return windows_now(systems, took);
                },
            .measured =
                [this](job_spec work) {
                    return durations_.measure(std::move(work));
                }},
        dispatch::dispatcher::options{
            .self = node_id(deps_.how.name),
            .handover = deps_.how.lease_ttl,
            .node_points = deps_.how.job_bounds.node_points,
            .system_points = deps_.how.job_bounds.system_points,
            .jobs_max = deps_.how.job_bounds.open_max});
    grants_.emplace(
        dispatch::grant_reconciler::dependencies{
            .store = *deps_.engines.metastore,
            .book = open_jobs_,
            .node = *dispatcher_,
            .topology = topology_,
            .lease = lease_,
            .time = deps_.time,
            .log = deps_.log},
        dispatch::grant_reconciler::options{
            .self = node_id(deps_.how.name),
            .process = deps_.instance + "."
                       + std::to_string(deps_.time.wall().time_since_epoch().count())});
}

void workforce::make_node() {
    node_life_.emplace(
        *deps_.engines.metastore,
        cluster::node_record_reconciler::dependencies{
            .time = deps_.time,
            .topology = topology_,
            .announce = [this](stream::message message) { bell_.announce(std::move(message)); },
            .log = deps_.log},
        cluster::node_record_reconciler::options{
            .own =
                {.name = deps_.how.name,
                 .instance = deps_.instance,
                 .address = deps_.how.advertise},
            .wipe = [this] {
                dispatcher_->wipe();
                channels_->let_go_of_all();
            }});
    topology_follower_.on_change([this] { node_life_->look(); });
    make_dispatcher();
    watching_.emplace(deps_.time, [this](system_number to, muster::agent_protocol::Frame frame) {
        return channels_->send(to, std::move(frame));
    });
    watching_->output().export_to(deps_.counted);
    peers_.emplace(*watching_, deps_.time);
    channels_.emplace(
        node::agent_connection_server::dependencies{
            .known =
                {.systems = systems_, .topology = topology_, .lease = lease_, .time = deps_.time},
            .records = *deps_.engines.records,
            .tasks = dispatcher_->inbox(),
            .watching = *watching_,
            .log = deps_.log,
            .counted = deps_.counted},
        node::agent_connection_server::options{
            .own = {.name = deps_.how.name, .instance = deps_.instance},
            .channels = deps_.how.channels});
    systems_.watch([this](std::span<const fleet::change> changes) {
        channels_->heard_of(changes);
        dispatcher_->heard_of(changes);
    });
    dispatcher_->export_to(deps_.counted);
    reports_.emplace(
        presence::publisher::dependencies{
            .bus = *deps_.engines.bus,
            .time = deps_.time,
            .topology = topology_,
            .attached = channels_->attached(),
            .log = deps_.log,
            .used =
                [] {
                    const auto used = os::read_process_usage();
                    return presence::publisher::usage{
                        .cpu_seconds = used.cpu_seconds,
                        .cores = used.cores,
                        .memory_bytes = used.memory_bytes};
                },
            .noted = history_.notes()},
        presence::publisher::options{.node = deps_.how.name, .start = [this] {
                                         return static_cast<std::uint64_t>(
                                             membership_.first_listed());
                                     }});
}

net::http::channel_handler workforce::channels() {
    return channels_ ? channels_->handler() : nullptr;
}

void workforce::export_metrics() {
    deps_.counted.watch_counter(
        {"muster_announcements_dropped_total", "Messages the bus did not take."},
        [this] { return static_cast<double>(bell_.dropped()); });
    deps_.counted.watch_counter(
        {"muster_reports_malformed_total", "Reports of nodes that could not be read."},
        [this] { return static_cast<double>(sightings_.malformed()); });
    deps_.counted.watch_counter(
        {"muster_search_facts_left_out_total", "Facts not searchable: too many paths."},
        [this] { return static_cast<double>(search_.read_sizes().left_out); });
    systems_follower_.export_to(deps_.counted);
    facts_follower_.export_to(deps_.counted);
    groups_.export_to(deps_.counted);
    windows_.export_to(deps_.counted);
    open_jobs_.export_to(deps_.counted);
    task_states_.export_to(deps_.counted);
    configuration_.export_to(deps_.counted);
    software_.books.export_to(deps_.counted);
    events_.export_to(deps_.counted);
    if (driver_) driver_->export_to(deps_.counted);
    if (driver_) old_records_.export_to(deps_.counted);
}

}  // namespace muster::server
