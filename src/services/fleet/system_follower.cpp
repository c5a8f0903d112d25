#include "services/fleet/system_follower.h"

#include "services/fleet/fleet_tables.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::fleet {

system_follower::system_follower(
    muster::ledger& ledger,
    system_cache& systems,
    muster::clock& clock,
    runtime::logger& log,
    options options)
    : systems_(systems),
      clock_(clock),
      log_(log),
      gap_max_(options.gap_max),
      rows_(
          {.ledger = ledger, .clock = clock, .log = log},
          {.table = std::string(systems_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &decode_system,
          [this](std::vector<stored_system> rows) { apply(std::move(rows)); }) {}

void system_follower::apply(std::vector<stored_system> rows) {
    std::vector<system_record> systems;
    systems.reserve(rows.size());
    for (auto& row : rows) systems.push_back(std::move(row.record));
    systems_.apply(systems);
}

async<void> system_follower::refresh() {
    const auto start_time = clock_.now();
    const bool first_read = complete_at_ == instant();
    if (!reading_all_ && (first_read || start_time - complete_at_ > gap_max_)) {
        rows_.rows().restart_at(0);
        reading_all_ = true;
        failures_before_ = rows_.decode_failures();
        systems_.begin_reading();
    }
    CO_CHECK_OK(co_await rows_.refresh());
    if (reading_all_) {
        reading_all_ = false;
        using enum system_cache::unseen_systems;
        systems_.end_reading(rows_.decode_failures() == failures_before_ ? erase : keep);
        log_.info(
            "systems loaded",
            {{"systems", systems_.count(enrolment::accepted)},
             {"pooled", systems_.count(enrolment::pooled)}});
    }
    complete_at_ = start_time;
    co_return result<void>();
}

}  // namespace muster::fleet
