#include "sim/workloads/jobs_server.h"

#include "services/windows/window_admission.h"
#include "sim/engines/ledger.h"

#include <cmath>
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
    ledger& records, process& host, runtime::logger& log) {
    return {
        .records = records,
        .time = host.time(),
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
      job_store_(*records_, host.time()),
      book_(job_store_, *options_.log, {}),
      board_(job_store_, *options_.log, {}),
      steward_(
          {.records = job_store_,
           .book = book_,
           .board = board_,
           .time = host.time(),
           .log = *options_.log},
          {}),
      quotas_(
          {.store = places_.store(),
           .records = job_store_,
           .book = book_,
           .topology = places_.topology(),
           .time = host.time(),
           .log = *options_.log},
          {}),
      desk_(
          {.records = job_store_,
           .board = board_,
           .store = places_.store(),
           .attached =
               [](const fleet::system_set& all) {
                   return all;
               }},
          {}),
      known_(
          {.systems = systems_,
           .topology = places_.topology(),
           .lease = places_.lease(),
           .time = host.time()},
          {.name = host.name(), .instance = "data of " + host.name()}),
      dispatcher_(dispatcher_surroundings(), dispatcher_options(host, options_.places.ttl)),
      grants_(
          {.store = places_.store(),
           .book = book_,
           .node = dispatcher_,
           .topology = places_.topology(),
           .lease = places_.lease(),
           .time = host.time(),
           .log = *options_.log},
          {.self = node_id(host.name()), .process = std::to_string(host.present().number)}),
      channels_(
          {.stage = stage,
           .host = host,
           .known = known_,
           .tasks = dispatcher_.inbox(),
           .kinds = *options_.kinds,
           .rules = *options_.rules},
          options_.habit) {
    // Who belongs to the fleet is not what this is about: it never changes.
    systems_.begin_reading();
    systems_.apply(*options_.fleet);
    systems_.end_reading();
}

dispatch::dispatcher::dependencies jobs_server::dispatcher_surroundings() {
    return {
        .records = job_store_,
        .book = book_,
        .systems = systems_,
        .topology = places_.topology(),
        .lease = places_.lease(),
        .time = host_.time(),
        .log = *options_.log,
        .send =
            [this](std::vector<dispatch::outgoing> frames) { channels_.send(std::move(frames)); },
        .windows =
            [this](const fleet::system_set& systems, const jobs::duration_history::measured& took) {
                return windows_now(systems, took);
            }};
}

dispatch::dispatcher::dependencies::window_state jobs_server::windows_now(
    const fleet::system_set& systems, const jobs::duration_history::measured& took) const {
    const auto seconds = [](double count) {
        return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(count)));
    };
    const windows::admission_policy policy;
    const auto expected = windows::expected_duration(
        {.mean = seconds(took.mean), .deviation = seconds(took.deviation), .samples = took.samples},
        policy);
    auto observed = windows::gate_now(
        windows_.current().get(),
        systems,
        host_.time().wall(),
        {.expected = expected, .spare = dispatch::dispatcher::gate_holds},
        policy);
    return {.closed = std::move(observed.closed), .begin_by = std::move(observed.begin_by)};
}

void jobs_server::start() {
    places_.start();
    const auto active = [this] {
        return places_.leads();
    };
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
