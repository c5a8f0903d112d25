#include "runtime/following/row_follower.h"

#include "core/table/row_reader.h"
#include "runtime/metrics.h"

#include <algorithm>
#include <utility>

namespace muster::runtime {
namespace {

constexpr auto no_wait = std::chrono::milliseconds(0);

// The sequence of the last row of a page. Rows are sorted by sequence.
result<std::int64_t> last_sequence_of(
    const std::string& table, const row_follower::page& rows, std::int64_t after) {
    if (rows.empty()) return after;
    return table::sequence_of(table, rows.back());
}

}  // namespace

row_follower::row_follower(dependencies deps, options options)
    : deps_(deps), options_(std::move(options)) {}

row_follower::read_position row_follower::current() const {
    const std::scoped_lock lock(mutex_);
    return position_;
}

std::int64_t row_follower::position() const {
    return current().sequence;
}

bool row_follower::is_current(const read_position& start) const {
    return current().restarts == start.restarts;
}

void row_follower::advance(const read_position& start, std::int64_t last_sequence) {
    const std::scoped_lock lock(mutex_);
    if (position_.restarts == start.restarts)
        position_.sequence = std::max(position_.sequence, last_sequence);
}

void row_follower::skip_to(std::int64_t sequence) {
    const std::scoped_lock lock(mutex_);
    position_.sequence = std::max(position_.sequence, sequence);
}

void row_follower::restart_at(std::int64_t sequence) {
    const std::scoped_lock lock(mutex_);
    position_.sequence = sequence;
    ++position_.restarts;
}

async<table::page> row_follower::read_page(std::int64_t after) {
    table::query query{
        .table = options_.table,
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {after}}},
        .order = {std::string(table::sequence_column)},
        .limit = options_.page_rows};
    return deps_.ledger.read(std::move(query));
}

async<void> row_follower::refresh(page_handler apply) {
    for (bool more = true; more;) {
        const auto start = current();
        CO_TRY(auto page, co_await read_page(start.sequence));
        // The page was read before the restart and is obsolete.
        if (!is_current(start)) continue;
        CO_TRY(
            const auto last_sequence, last_sequence_of(options_.table, page.rows, start.sequence));
        more = !page.next.empty();
        if (page.rows.empty()) continue;
        CO_CHECK_OK(co_await apply(std::move(page.rows)));
        advance(start, last_sequence);
        // After a restart during the application there is more to read.
        more = more || !is_current(start);
    }
    co_return result<void>();
}

async<std::int64_t> row_follower::read_all(page_handler apply) {
    std::int64_t last_sequence = 0;
    for (bool more = true; more;) {
        CO_TRY(auto page, co_await read_page(last_sequence));
        CO_TRY(last_sequence, last_sequence_of(options_.table, page.rows, last_sequence));
        more = !page.next.empty();
        if (page.rows.empty()) continue;
        CO_CHECK_OK(co_await apply(std::move(page.rows)));
    }
    co_return last_sequence;
}

async<void> row_follower::wait() {
    const table::sequence after(position());
    CO_CHECK_OK(co_await deps_.ledger.wait_for_change(options_.table, after, options_.wait_max));
    co_return result<void>();
}

async<std::int64_t> row_follower::newest() {
    CO_TRY(
        const auto newest,
        co_await deps_.ledger.wait_for_change(options_.table, table::sequence(), no_wait));
    co_return newest.value();
}

async<void> row_follower::probe() {
    CO_CHECK_OK(co_await newest());
    co_return result<void>();
}

void row_follower::begin_outage(const muster::error& error) {
    if (std::exchange(outage_, true)) return;
    outage_began_ = deps_.clock.now();
    deps_.log.warning(
        "table follow failed", {{"table", options_.table}, {"error", to_string(error)}});
}

void row_follower::end_outage() {
    outage_ = false;
    const auto duration = std::chrono::duration<double>(deps_.clock.now() - outage_began_);
    deps_.log.info(
        "table follow resumed", {{"table", options_.table}, {"seconds", duration.count()}});
}

// An outage has ended when rows can be read and waited for. The wait may take long, so a probe
// checks this.
boost::asio::awaitable<void> row_follower::run(step refresh, step wait) {
    while (true) {
        auto done = co_await refresh();
        if (done && outage_) {
            done = co_await probe();
            if (done) end_outage();
        }
        if (done) done = co_await wait();
        if (done) continue;
        if (done.error().code() == errc::cancelled) co_return;
        begin_outage(done.error());
        const auto pause = co_await deps_.clock.sleep_for(options_.retry_pause);
        if (!pause) co_return;
    }
}

void row_follower::report_unreadable(std::int64_t sequence, const muster::error& error) {
    bool limit_reached = false;
    {
        const std::scoped_lock lock(mutex_);
        if (reported_.contains(sequence)) return;
        limit_reached = reported_.size() >= unreadable_remembered_max;
        if (!limit_reached) reported_.insert(sequence);
        ++*unreadable_;
        if (limit_reached && std::exchange(limit_logged_, true)) return;
    }
    if (limit_reached) {
        deps_.log.warning(
            "further unreadable rows not logged",
            {{"table", options_.table}, {"logged", unreadable_remembered_max}});
        return;
    }
    deps_.log.warning(
        "unreadable row skipped",
        {{"table", options_.table}, {"sequence", sequence}, {"error", to_string(error)}});
}

void row_follower::export_to(metrics& metrics) const {
    metrics.watch_counter(
        {"muster_rows_unreadable_total",
         "Total number of unreadable ledger rows skipped since start.",
         {{"table", options_.table}}},
        [count = unreadable_] { return static_cast<double>(count->load()); });
}

}  // namespace muster::runtime
