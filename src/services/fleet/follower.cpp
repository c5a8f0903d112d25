#include "services/fleet/follower.h"

#include "services/fleet/fleet_tables.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::fleet {

follower::follower(ledger& records, fleet& kept, clock& time, runtime::logger& log, options how)
    : kept_(kept),
      time_(time),
      log_(log),
      gap_max_(how.gap_max),
      rows_(
          {.records = records, .time = time, .log = log},
          {.table = std::string(systems_table),
           .page_rows = how.page_rows,
           .wait_max = how.patience},
          &decode_system,
          [this](std::vector<stored_system> rows) { apply(std::move(rows)); }) {}

void follower::apply(std::vector<stored_system> rows) {
    std::vector<system_record> systems;
    systems.reserve(rows.size());
    for (auto& each : rows) systems.push_back(std::move(each.record));
    kept_.apply(systems);
}

async<void> follower::catch_up() {
    const auto began = time_.now();
    const bool never = current_at_ == instant();
    if (!reading_all_ && (never || began - current_at_ > gap_max_)) {
        rows_.rows().restart_at(0);
        reading_all_ = true;
        kept_.begin_reading();
    }
    CO_CHECK_OK(co_await rows_.refresh());
    if (reading_all_) {
        reading_all_ = false;
        kept_.end_reading();
        log_.info(
            "the fleet is read",
            {{"systems", kept_.count(enrolment::accepted)},
             {"pooled", kept_.count(enrolment::pooled)}});
    }
    current_at_ = began;
    co_return result<void>();
}

}  // namespace muster::fleet
