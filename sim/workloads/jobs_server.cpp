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

std::shared_ptr<ledger> open_job_ledger(cluster& stage, process& host) {
    return open_ledger(stage, host, {.engine = "ledger", .database = "jobs"});
}

windows::window_store::dependencies window_surroundings(
    muster::ledger& ledger, process& host, runtime::logger& log) {
    return {
        .ledger = ledger,
        .clock = host.clock(),
        .zones = [](std::string_view) -> result<windows::zone_pointer> {
            return windows::time_zone::utc();
        },
        .log = log};
}

jobs_server::jobs_server(cluster& stage, process& host, options options)
    : host_(host),
      options_(std::move(options)),
      places_(stage, host, options_.places),
      records_(open_job_ledger(stage, host)),
      windows_(window_surroundings(*records_, host, *options_.log)),
      job_store_(*records_, host.clock()),
      durations_(job_store_, host.clock(), {}),
      book_(job_store_, *options_.log, {}),
      board_(job_store_, *options_.log, {}),
      steward_(
          {.jobs = job_store_,
           .open_jobs = book_,
           .task_states = board_,
           .clock = host.clock(),
           .log = *options_.log},
          {}),
      quotas_(
          {.metastore = places_.store(),
           .jobs = job_store_,
           .open_jobs = book_,
           .topology = places_.topology(),
           .clock = host.clock(),
           .log = *options_.log},
          {}),
      desk_(
          {.jobs = job_store_,
           .task_states = board_,
           .metastore = places_.store(),
           .presence = everybody_attached_},
          {}),
      known_(
          {.systems = systems_,
           .topology = places_.topology(),
           .lease = places_.lease(),
           .clock = host.clock()},
          {.name = host.name(), .instance = "data of " + host.name()}),
      channels_(
          {.stage = stage,
           .host = host,
           .known = known_,
           .tasks = inbox_,
           .kinds = *options_.kinds,
           .rules = *options_.rules},
          options_.habit),
      stored_windows_({.windows = windows_, .durations = durations_, .clock = host.clock()}),
      dispatcher_(dispatcher_surroundings(), dispatcher_options(host, options_.places.ttl)),
      grants_(
          {.metastore = places_.store(),
           .open_jobs = book_,
           .node = dispatcher_,
           .topology = places_.topology(),
           .lease = places_.lease(),
           .clock = host.clock(),
           .log = *options_.log},
          {.self = node_id(host.name()), .process = std::to_string(host.present().number)}) {
    // Who belongs to the fleet is not what this is about: it never changes.
    systems_.begin_reading();
    systems_.apply(*options_.fleet);
    systems_.end_reading();
}

dispatch::dispatcher::dependencies jobs_server::dispatcher_surroundings() {
    return {
        .jobs = job_store_,
        .open_jobs = book_,
        .systems = systems_,
        .topology = places_.topology(),
        .lease = places_.lease(),
        .clock = host_.clock(),
        .log = *options_.log,
        .inbox = inbox_,
        .agents = channels_,
        .windows = stored_windows_};
}

void jobs_server::start() {
    places_.start();
    const auto& active = places_.leading();
    host_.spawn("follow the maintenance windows", windows_.run());
    host_.spawn("follow the jobs", book_.run());
    host_.spawn("follow the tasks", board_.run());
    host_.spawn("see jobs through", steward_.run(active));
    host_.spawn("share out jobs' limits", quotas_.run(active));
    host_.spawn("hear of tasks", dispatcher_.read_inbox());
    host_.spawn("watch over tasks", dispatcher_.watch_clock());
    host_.spawn("know the node's systems", dispatcher_.keep_holdings());
    host_.spawn("look up tasks", dispatcher_.run_errands());
    host_.spawn("keep to jobs' limits", grants_.run());
    host_.spawn("bring tasks on record", dispatcher_.keep_returns());
    host_.spawn("bring payloads on record", dispatcher_.keep_payloads());
}

}  // namespace muster::sim
