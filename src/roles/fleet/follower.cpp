#include "roles/fleet/follower.h"

#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/system_row.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_after_failure = 1s;

table::query rows_behind(std::int64_t sequence, std::size_t limit) {
    return {
        .table = std::string(cluster::systems_table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = limit};
}

}  // namespace

// A row that cannot be read is told and passed over: one must not hide all others.
async<bool> follower::read_page() {
    CO_TRY(const auto page, co_await records_.read(rows_behind(read_up_to_, how_.page_rows)));
    std::vector<system_record> rows;
    rows.reserve(page.rows.size());
    auto up_to = read_up_to_;
    for (const auto& each : page.rows) {
        CO_TRY(const auto sequence, sequence_of(each));
        up_to = std::max(up_to, sequence);
        auto stored = decode_system(each);
        if (!stored) {
            ++skipped_;
            log_.warning(
                "a system's row cannot be read and is passed over",
                {{"sequence", sequence}, {"reason", to_string(stored.error())}});
            continue;
        }
        rows.push_back(std::move(stored->record));
    }
    kept_.apply(rows);
    read_up_to_ = up_to;
    co_return !page.next.empty();
}

async<void> follower::catch_up() {
    const auto began = time_.now();
    const bool never = current_at_ == instant();
    if (!reading_all_ && (never || began - current_at_ > how_.gap_max)) {
        read_up_to_ = 0;
        reading_all_ = true;
        kept_.begin_reading();
    }
    for (bool more = true; more;) {
        CO_TRY(more, co_await read_page());
    }
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

async<void> follower::wait_for_news() {
    const auto news = co_await records_.wait_for_change(
        std::string(cluster::systems_table), table::sequence(read_up_to_), how_.patience);
    if (!news) co_return fail(news.error());
    co_return result<void>();
}

boost::asio::awaitable<void> follower::run() {
    bool well = true;
    while (true) {
        auto done = co_await catch_up();
        if (done) done = co_await wait_for_news();
        if (done) {
            well = true;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            log_.warning("cannot follow the fleet", {{"reason", to_string(done.error())}});
        const auto slept = co_await time_.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

}  // namespace muster::fleet
