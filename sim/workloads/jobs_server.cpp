#include "sim/workloads/jobs_server.h"

#include "sim/engines/ledger.h"

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

dispatch::dispatcher::options dispatcher_options(const process& host, std::chrono::seconds ttl) {
    dispatch::dispatcher::options options{.self = node_id(host.name()), .handover = ttl};
    options.payloads.piece_bytes = 300;  // so that a payload takes several
    options.payloads.piece_time = 3s;
    return options;
}

}  // namespace

std::shared_ptr<ledger> open_job_ledger(sim::cluster& cluster, process& host) {
    return open_ledger(cluster, host, {.engine = "ledger", .database = "jobs"});
}

windows::window_store::dependencies window_dependencies(
    muster::ledger& ledger, process& host, runtime::logger& log) {
    return {
        .ledger = ledger,
        .clock = host.clock(),
        .zones = [](std::string_view) -> result<windows::time_zone_pointer> {
            return windows::time_zone::utc();
        },
        .log = log};
}

jobs_server::jobs_server(sim::cluster& cluster, process& host, options options)
    : host_(host),
      options_(std::move(options)),
      placement_(cluster, host, options_.placement),
      ledger_(open_job_ledger(cluster, host)),
      windows_(window_dependencies(*ledger_, host, *options_.log)),
      job_store_(*ledger_, host.clock()),
      durations_(job_store_, host.clock(), {}),
      open_jobs_(job_store_, *options_.log, {}),
      task_states_(job_store_, *options_.log, {}),
      supervisor_(
          {.jobs = job_store_,
           .open_jobs = open_jobs_,
           .task_states = task_states_,
           .clock = host.clock(),
           .log = *options_.log},
          {}),
      quotas_(
          {.metastore = placement_.store(),
           .jobs = job_store_,
           .open_jobs = open_jobs_,
           .topology = placement_.topology(),
           .clock = host.clock(),
           .log = *options_.log},
          {}),
      job_service_(
          {.jobs = job_store_,
           .task_states = task_states_,
           .metastore = placement_.store(),
           .presence = everybody_attached_},
          {}),
      locator_(
          {.systems = systems_,
           .topology = placement_.topology(),
           .lease = placement_.lease(),
           .clock = host.clock()},
          {.name = host.name(), .instance = "data of " + host.name()}),
      channels_(
          {.cluster = cluster,
           .host = host,
           .locator = locator_,
           .tasks = inbox_,
           .kinds = *options_.kinds,
           .invariants = *options_.invariants},
          options_.injected_bug),
      stored_windows_({.windows = windows_, .durations = durations_, .clock = host.clock()}),
      dispatcher_(dispatcher_dependencies(), dispatcher_options(host, options_.placement.ttl)),
      grants_(
          {.metastore = placement_.store(),
           .open_jobs = open_jobs_,
           .node = dispatcher_,
           .topology = placement_.topology(),
           .lease = placement_.lease(),
           .clock = host.clock(),
           .log = *options_.log},
          {.self = node_id(host.name()), .process = std::to_string(host.current_life().number)}) {
    // The fleet never changes in this workload.
    systems_.begin_reading();
    systems_.apply(*options_.fleet);
    systems_.end_reading();
}

dispatch::dispatcher::dependencies jobs_server::dispatcher_dependencies() {
    return {
        .jobs = job_store_,
        .open_jobs = open_jobs_,
        .systems = systems_,
        .topology = placement_.topology(),
        .lease = placement_.lease(),
        .clock = host_.clock(),
        .log = *options_.log,
        .inbox = inbox_,
        .agents = channels_,
        .windows = stored_windows_};
}

void jobs_server::start() {
    placement_.start();
    const auto& active = placement_.leading();
    host_.spawn("follow the maintenance windows", windows_.run());
    host_.spawn("follow the jobs", open_jobs_.run());
    host_.spawn("follow the tasks", task_states_.run());
    host_.spawn("supervise jobs", supervisor_.run(active));
    host_.spawn("allocate job quotas", quotas_.run(active));
    host_.spawn("read task reports", dispatcher_.read_inbox());
    host_.spawn("check task deadlines", dispatcher_.watch_clock());
    host_.spawn("follow systems of the node", dispatcher_.follow_systems());
    host_.spawn("look up tasks", dispatcher_.run_ledger_work());
    host_.spawn("reconcile job grants", grants_.run());
    host_.spawn("write task results", dispatcher_.write_results());
    host_.spawn("write payloads", dispatcher_.write_payloads());
}

}  // namespace muster::sim
