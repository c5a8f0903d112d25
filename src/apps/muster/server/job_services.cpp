#include "apps/muster/server/job_services.h"

#include <utility>

namespace muster::server {
job_services::job_services(const dependencies& deps)
    : windows_(deps.windows, deps.durations, deps.time),
      targets_(
          {.known = deps.systems,
           .seen = deps.seen,
           .resolve = deps.resolve,
           .in_zones = deps.in_zones}),
      reader_(deps.records, deps.board, deps.time),
      desk_(
          {.records = deps.records,
           .board = deps.board,
           .store = deps.store,
           .attached = [this](const fleet::system_set& among) { return targets_.attached(among); },
           .windows = &windows_,
           .open_jobs =
               [&open = deps.open] {
                   return open.size();
               }},
          {.safe = deps.safe, .open_max = deps.open_max}),
      jobs_(
          {.makes = desk_,
           .reads = reader_,
           .targets = targets_,
           .time = deps.time,
           .windows = &windows_}),
      returns_(
          {.reads = reader_,
           .targets = targets_,
           .places = deps.places,
           .time = deps.time,
           .windows = &windows_,
           .where =
               [this](system_number system, job_id job) {
                   return running_.where(system, job);
               }}),
      nodes_(
          {.systems = deps.systems,
           .places = deps.places,
           .time = deps.time,
           .tls = deps.peer_tls}),
      output_({.reads = reader_, .targets = targets_, .nodes = nodes_, .time = deps.time}),
      running_({.targets = targets_, .nodes = nodes_}) {}

result<void> job_services::declare(api::registry& to) {
    CHECK_OK(jobs_.declare(to));
    CHECK_OK(returns_.declare(to));
    CHECK_OK(output_.declare(to));
    return running_.declare(to);
}

}  // namespace muster::server
