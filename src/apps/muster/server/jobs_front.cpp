#include "apps/muster/server/jobs_front.h"

#include <utility>

namespace muster::server {
jobs_front::jobs_front(const surroundings& around)
    : windows_(around.windows, around.durations, around.time),
      targets_(
          {.known = around.systems,
           .seen = around.seen,
           .resolve = around.resolve,
           .in_zones = around.in_zones}),
      reader_(around.records, around.board, around.time),
      desk_(
          {.records = around.records,
           .board = around.board,
           .store = around.store,
           .attached = [this](const fleet::system_set& among) { return targets_.attached(among); },
           .windows = &windows_,
           .open_jobs =
               [&open = around.open] {
                   return open.size();
               }},
          {.safe = around.safe, .open_max = around.open_max}),
      jobs_(
          {.makes = desk_,
           .reads = reader_,
           .targets = targets_,
           .time = around.time,
           .windows = &windows_}),
      returns_(
          {.reads = reader_,
           .targets = targets_,
           .places = around.places,
           .time = around.time,
           .windows = &windows_,
           .where =
               [this](system_number system, job_id job) {
                   return running_.where(system, job);
               }}),
      nodes_(
          {.systems = around.systems,
           .places = around.places,
           .time = around.time,
           .tls = around.peer_tls}),
      output_({.reads = reader_, .targets = targets_, .nodes = nodes_, .time = around.time}),
      running_({.targets = targets_, .nodes = nodes_}) {}

result<void> jobs_front::declare(api::registry& to) {
    CHECK_OK(jobs_.declare(to));
    CHECK_OK(returns_.declare(to));
    CHECK_OK(output_.declare(to));
    return running_.declare(to);
}

}  // namespace muster::server
