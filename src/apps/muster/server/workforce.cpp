#include "apps/muster/server/workforce.h"

#include "adapters/os/process_usage.h"
#include "services/schema/ledger_schema.h"

#include <algorithm>
#include <utility>

namespace muster::server {

workforce::workforce(surroundings around)
    : around_(std::move(around)),
      bell_(*around_.engines.doorbell, around_.log),
      topology_follower_(*around_.engines.metadata, around_.time, topology_, around_.log, {}),
      membership_(
          *around_.engines.metadata,
          {.time = around_.time,
           .noted = around_.state,
           .guard = lease_,
           .topology = topology_,
           .log = around_.log},
          {.own = own_record(), .ttl = around_.how.lease_ttl}),
      people_follower_(*around_.engines.metadata, around_.time, people_, around_.log, {}),
      search_(systems_),
      facts_follower_(
          {.records = *around_.engines.records,
           .known = systems_,
           .fed = search_,
           .time = around_.time,
           .log = around_.log},
          {}),
      groups_(*around_.engines.records, around_.time, around_.log),
      systems_follower_(*around_.engines.records, systems_, around_.time, around_.log, {}),
      registrar_(
          {.engines = engines(),
           .known = systems_,
           .bell = bell_,
           .time = around_.time,
           .told =
               [this](const fleet::key_event& what, std::span<const system_record> systems) {
                   for (auto& each : fleet::notices_of(what, systems, around_.time.wall()))
                       events_.writer().post(std::move(each));
               }}),
      rules_(*around_.engines.metadata, around_.time, around_.log),
      enroller_(registrar_, rules_, around_.how.enrolment),
      caretaker_(
          registrar_,
          systems_,
          around_.time,
          around_.log,
          {.crowded = around_.how.enrolment.pool_max}),
      operations_(around_.time),
      windows_(
          {.records = *around_.engines.records,
           .time = around_.time,
           .zones = [this](std::string_view name) { return zone_files_.find(name); },
           .log = around_.log}),
      job_ledger_(*around_.engines.records, around_.time),
      durations_(job_ledger_, around_.time, {}),
      job_book_(job_ledger_, around_.log, {}),
      task_board_(job_ledger_, around_.log, {}),
      job_steward_(
          {.records = job_ledger_,
           .book = job_book_,
           .board = task_board_,
           .time = around_.time,
           .log = around_.log},
          {}),
      job_quotas_(
          {.store = *around_.engines.metadata,
           .records = job_ledger_,
           .book = job_book_,
           .topology = topology_,
           .time = around_.time,
           .log = around_.log},
          {}),
      old_records_(
          {.records = job_ledger_,
           .time = around_.time,
           .log = around_.log,
           .schema = schema::ledger_schema()},
          around_.how.retention),
      sightings_(
          {.doorbell = *around_.engines.doorbell,
           .time = around_.time,
           .topology = topology_,
           .kept = attached_,
           .loads = loads_,
           .log = around_.log},
          {}),
      operations_of_api_(around_.time, senses_of_api()),
      rest_(operations_of_api_, around_.desk),
      cluster_(around_.state, around_.how.name),
      login_(around_.time, around_.counted),
      me_(around_.time),
      people_api_(around_.time),
      audit_(around_.time, [this](const std::string& one) { return jobs_.targets().one(one); }),
      probes_(around_.time, {.tls = around_.peer_tls}),
      joining_(
          around_.desk,
          around_.time,
          {.address = around_.how.advertise, .authority = around_.authority}),
      nodes_(
          around_.time,
          {.attached = [this](node_number which) { return attached_to(which); },
           .common =
               [this](const std::string& node, bool there) {
                   return revisions_->standing_of(node, there);
               }}),
      zones_(
          around_.time,
          {.systems = [this](const std::string& zone) { return systems_by_state(zone); },
           .accepted =
               [this](const std::string& zone) {
                   return systems_.accepted_in(zone);
               }}),
      entry_(
          {.known = systems_,
           .door = enroller_,
           .places = topology_,
           .time = around_.time,
           .counted = around_.counted},
          around_.how.entry),
      systems_api_(
          {.known = systems_,
           .keys = registrar_,
           .running = operations_,
           .seen = attached_,
           .places = topology_,
           .time = around_.time,
           .found = search_,
           .groups = groups_,
           .schedules = &windows_,
           .guard = &labels_}),
      groups_api_(groups_, around_.time),
      planned_(
          {.records = job_ledger_, .book = job_book_, .windows = windows_, .time = around_.time}),
      windows_api_(
          {.book = windows_,
           .known = systems_,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .in_zones =
               [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                   return search_.in_zones(zones, among);
               },
           .time = around_.time,
           .planned = &planned_,
           .authorities = around_.how.authorities}),
      calendars_(
          {.book = windows_,
           .time = around_.time,
           .log = around_.log,
           .fetch = [this](std::string url) { return windows_api_.fetch(std::move(url)); },
           .fits =
               [this](const std::string& label, const windows::calendar& with) {
                   return windows_api_.keeps_planned(label, with);
               }},
          {.server = around_.how.name, .interval = around_.how.calendar_refresh}),
      schedules_api_(windows_, around_.time),
      jobs_(
          {.records = job_ledger_,
           .board = task_board_,
           .store = *around_.engines.metadata,
           .systems = systems_,
           .seen = attached_,
           .places = topology_,
           .windows = windows_,
           .durations = durations_,
           .time = around_.time,
           .safe = around_.how.jobs,
           .open = job_book_,
           .open_max = around_.how.job_bounds.open_max,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .in_zones =
               [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                   return search_.in_zones(zones, among);
               },
           .peer_tls = around_.peer_tls}),
      numbers_(*around_.engines.records, *around_.engines.metadata),
      configuration_({.engines = engines(), .time = around_.time, .log = around_.log}),
      compatible_(
          {.checks = operations_of_api_,
           .desk = around_.desk,
           .fleet =
               {.known = systems_,
                .found = search_,
                .seen = attached_,
                .groups = groups_,
                .profiles = &configuration_.profiles},
           .groups = groups_,
           .keys = registrar_,
           .places = topology_,
           .time = around_.time,
           .work =
               {.numbers = numbers_,
                .reads = jobs_.reader(),
                .targets = jobs_.targets(),
                .makes = jobs_.desk(),
                .open = job_book_,
                .windows = windows_,
                .records = *around_.engines.records},
           .configuration = {.kept = configuration_, .rules = rules_},
           .software = software_,
           .asking = around_.how.asking}),
      events_(
          {.records = *around_.engines.records,
           .store = *around_.engines.metadata,
           .bell = bell_,
           .topology = topology_,
           .systems = systems_,
           .seen = attached_,
           .windows = windows_,
           .jobs = job_ledger_,
           .open_jobs = job_book_,
           .board = task_board_,
           .time = around_.time,
           .log = around_.log,
           .webhooks = around_.how.webhooks,
           .authorities = around_.how.authorities}),
      scheduled_(
          {.desk = jobs_.desk(),
           .windows = windows_,
           .events = events_.log(),
           .time = around_.time,
           .log = around_.log,
           .resolve = [this](const std::string& query) { return systems_meant(query); },
           .deployed = deployed_}),
      schedules_due_(
          {.book = windows_, .time = around_.time, .log = around_.log, .starts = scheduled_},
          around_.how.name) {
    introduce_parts();
    make_revisions();
    if (around_.how.has_role("driver")) make_driver();
    if (around_.how.has_role("node")) make_node();
    export_metrics();
}

void workforce::make_driver() {
    driver_.emplace(
        driver::driver::surroundings{
            .store = *around_.engines.metadata,
            .time = around_.time,
            .topology = topology_,
            .announce = [this](stream::message what) { bell_.announce(std::move(what)); },
            .log = around_.log},
        senses_of_driver(),
        driver::driver::options{
            .server = around_.how.name,
            .plan_interval = around_.how.plan_interval,
            .moves_per_step = around_.how.moves_per_step});
    topology_follower_.on_change([this] { driver_->look(); });
}

void workforce::make_dispatcher() {
    dispatcher_.emplace(
        dispatch::dispatcher::surroundings{
            .records = job_ledger_,
            .book = job_book_,
            .systems = systems_,
            .topology = topology_,
            .lease = lease_,
            .time = around_.time,
            .log = around_.log,
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
            .self = node_id(around_.how.name),
            .handover = around_.how.lease_ttl,
            .node_points = around_.how.job_bounds.node_points,
            .system_points = around_.how.job_bounds.system_points,
            .jobs_max = around_.how.job_bounds.open_max});
    grants_.emplace(
        dispatch::grant_keeper::surroundings{
            .store = *around_.engines.metadata,
            .book = job_book_,
            .node = *dispatcher_,
            .topology = topology_,
            .lease = lease_,
            .time = around_.time,
            .log = around_.log},
        dispatch::grant_keeper::options{
            .self = node_id(around_.how.name),
            .process = around_.instance + "."
                       + std::to_string(around_.time.wall().time_since_epoch().count())});
}

void workforce::make_node() {
    node_life_.emplace(
        *around_.engines.metadata,
        cluster::node_life::surroundings{
            .time = around_.time,
            .topology = topology_,
            .announce = [this](stream::message what) { bell_.announce(std::move(what)); },
            .log = around_.log},
        cluster::node_life::options{
            .own =
                {.name = around_.how.name,
                 .instance = around_.instance,
                 .address = around_.how.advertise},
            .wipe = [this] {
                dispatcher_->wipe();
                channels_->let_go_of_all();
            }});
    topology_follower_.on_change([this] { node_life_->look(); });
    make_dispatcher();
    watching_.emplace(around_.time, [this](system_number to, muster::agent_protocol::Frame frame) {
        return channels_->send(to, std::move(frame));
    });
    watching_->output().export_to(around_.counted);
    peers_.emplace(*watching_, around_.time);
    channels_.emplace(
        node::channel_host::surroundings{
            .known =
                {.systems = systems_, .topology = topology_, .lease = lease_, .time = around_.time},
            .records = *around_.engines.records,
            .tasks = dispatcher_->inbox(),
            .watching = *watching_,
            .log = around_.log,
            .counted = around_.counted},
        node::channel_host::options{
            .own = {.name = around_.how.name, .instance = around_.instance},
            .channels = around_.how.channels});
    systems_.watch([this](std::span<const fleet::change> changes) {
        channels_->heard_of(changes);
        dispatcher_->heard_of(changes);
    });
    dispatcher_->export_to(around_.counted);
    reports_.emplace(
        presence::publisher::surroundings{
            .doorbell = *around_.engines.doorbell,
            .time = around_.time,
            .topology = topology_,
            .attached = channels_->attached(),
            .log = around_.log,
            .used =
                [] {
                    const auto used = os::read_process_usage();
                    return presence::publisher::usage{
                        .cpu_seconds = used.cpu_seconds,
                        .cores = used.cores,
                        .memory_bytes = used.memory_bytes};
                },
            .noted = history_.notes()},
        presence::publisher::options{.node = around_.how.name, .start = [this] {
                                         return static_cast<std::uint64_t>(
                                             membership_.first_listed());
                                     }});
}

net::http::channel_handler workforce::channels() {
    return channels_ ? channels_->handler() : nullptr;
}

void workforce::export_metrics() {
    around_.counted.watch_counter(
        {"muster_announcements_dropped_total", "Messages the bus did not take."},
        [this] { return static_cast<double>(bell_.dropped()); });
    around_.counted.watch_counter(
        {"muster_reports_malformed_total", "Reports of nodes that could not be read."},
        [this] { return static_cast<double>(sightings_.malformed()); });
    around_.counted.watch_counter(
        {"muster_search_facts_left_out_total", "Facts not searchable: too many paths."},
        [this] { return static_cast<double>(search_.read_sizes().left_out); });
    systems_follower_.export_to(around_.counted);
    facts_follower_.export_to(around_.counted);
    groups_.export_to(around_.counted);
    windows_.export_to(around_.counted);
    job_book_.export_to(around_.counted);
    task_board_.export_to(around_.counted);
    configuration_.export_to(around_.counted);
    software_.books.export_to(around_.counted);
    events_.export_to(around_.counted);
    if (driver_) driver_->export_to(around_.counted);
    if (driver_) old_records_.export_to(around_.counted);
}

}  // namespace muster::server
