#include "sim/workloads/jobs_server.h"

#include "services/windows/window_gate.h"
#include "sim/engines/ledger.h"

#include <cmath>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

dispatch::dispatcher::options dispatcher_options(const process& host, std::chrono::seconds ttl) {
    dispatch::dispatcher::options how{.self = node_id(host.name()), .handover = ttl};
    how.payloads.piece_bytes = 300;  // so that a payload takes several
    how.payloads.piece_time = 3s;
    return how;
}

}  // namespace

std::shared_ptr<ledger> open_job_ledger(cluster& stage, process& host) {
    return open_ledger(stage, host, {.engine = "ledger", .database = "jobs"});
}

windows::window_book::surroundings window_surroundings(
    ledger& records, process& host, runtime::logger& log) {
    return {
        .records = records,
        .time = host.time(),
        .zones = [](std::string_view) -> result<windows::zone_pointer> {
            return windows::time_zone::utc();
        },
        .log = log};
}

jobs_server::jobs_server(cluster& stage, process& host, options how)
    : host_(host),
      how_(std::move(how)),
      places_(stage, host, how_.places),
      records_(open_job_ledger(stage, host)),
      windows_(window_surroundings(*records_, host, *how_.log)),
      job_ledger_(*records_, host.time()),
      book_(job_ledger_, *how_.log, {}),
      board_(job_ledger_, *how_.log, {}),
      steward_(
          {.records = job_ledger_,
           .book = book_,
           .board = board_,
           .time = host.time(),
           .log = *how_.log},
          {}),
      quotas_(
          {.store = places_.store(),
           .records = job_ledger_,
           .book = book_,
           .topology = places_.topology(),
           .time = host.time(),
           .log = *how_.log},
          {}),
      desk_(
          {.records = job_ledger_,
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
      dispatcher_(dispatcher_surroundings(), dispatcher_options(host, how_.places.ttl)),
      grants_(
          {.store = places_.store(),
           .book = book_,
           .node = dispatcher_,
           .topology = places_.topology(),
           .lease = places_.lease(),
           .time = host.time(),
           .log = *how_.log},
          {.self = node_id(host.name()), .process = std::to_string(host.present().number)}),
      channels_(
          {.stage = stage,
           .host = host,
           .known = known_,
           .tasks = dispatcher_.inbox(),
           .kinds = *how_.kinds,
           .rules = *how_.rules},
          how_.habit) {
    // Who belongs to the fleet is not what this is about: it never changes.
    systems_.begin_reading();
    systems_.apply(*how_.fleet);
    systems_.end_reading();
}

dispatch::dispatcher::surroundings jobs_server::dispatcher_surroundings() {
    return {
        .records = job_ledger_,
        .book = book_,
        .systems = systems_,
        .topology = places_.topology(),
        .lease = places_.lease(),
        .time = host_.time(),
        .log = *how_.log,
        .send =
            [this](std::vector<dispatch::outgoing> frames) { channels_.send(std::move(frames)); },
        .windows =
            [this](const fleet::system_set& systems, const jobs::duration_history::measured& took) {
                return windows_now(systems, took);
            }};
}

dispatch::dispatcher::surroundings::window_state jobs_server::windows_now(
    const fleet::system_set& systems, const jobs::duration_history::measured& took) const {
    const auto seconds = [](double count) {
        return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(count)));
    };
    const windows::admission_policy policy;
    const auto expected = windows::expected_duration(
        {.mean = seconds(took.mean), .deviation = seconds(took.deviation), .samples = took.samples},
        policy);
    auto seen = windows::gate_now(
        windows_.current().get(),
        systems,
        host_.time().wall(),
        {.expected = expected, .spare = dispatch::dispatcher::gate_holds},
        policy);
    return {.closed = std::move(seen.closed), .begin_by = std::move(seen.begin_by)};
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
