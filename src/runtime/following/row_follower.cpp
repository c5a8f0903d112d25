#include "runtime/following/row_follower.h"

#include "core/table/row_reader.h"
#include "runtime/metrics.h"

#include <algorithm>
#include <utility>

namespace muster::runtime {
namespace {

constexpr auto no_wait = std::chrono::milliseconds(0);

// The sequence of the last row of a page; rows come in the order of their sequences.
result<std::int64_t> end_of(
    const std::string& table, const row_follower::page& rows, std::int64_t behind) {
    if (rows.empty()) return behind;
    return table::sequence_of(table, rows.back());
}

}  // namespace

row_follower::row_follower(dependencies needs, options options)
    : needs_(needs), options_(std::move(options)) {}

row_follower::place row_follower::current() const {
    const std::scoped_lock lock(guard_);
    return at_;
}

std::int64_t row_follower::position() const {
    return current().sequence;
}

bool row_follower::is_current(const place& from) const {
    return current().restarts == from.restarts;
}

void row_follower::advance(const place& from, std::int64_t up_to) {
    const std::scoped_lock lock(guard_);
    if (at_.restarts == from.restarts) at_.sequence = std::max(at_.sequence, up_to);
}

void row_follower::skip_to(std::int64_t sequence) {
    const std::scoped_lock lock(guard_);
    at_.sequence = std::max(at_.sequence, sequence);
}

void row_follower::restart_at(std::int64_t sequence) {
    const std::scoped_lock lock(guard_);
    at_.sequence = sequence;
    ++at_.restarts;
}

async<table::page> row_follower::read_page(std::int64_t behind) {
    table::query question{
        .table = options_.table,
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {behind}}},
        .order = {std::string(table::sequence_column)},
        .limit = options_.page_rows};
    return needs_.ledger.read(std::move(question));
}

async<void> row_follower::refresh(page_handler apply) {
    for (bool more = true; more;) {
        const auto from = current();
        CO_TRY(auto page, co_await read_page(from.sequence));
        // What was read belongs to before the restart: nobody wants it any more.
        if (!is_current(from)) continue;
        CO_TRY(const auto up_to, end_of(options_.table, page.rows, from.sequence));
        more = !page.next.empty();
        if (page.rows.empty()) continue;
        CO_CHECK_OK(co_await apply(std::move(page.rows)));
        advance(from, up_to);
        // After a restart during the application there is more to read.
        more = more || !is_current(from);
    }
    co_return result<void>();
}

async<std::int64_t> row_follower::read_all(page_handler apply) {
    std::int64_t up_to = 0;
    for (bool more = true; more;) {
        CO_TRY(auto page, co_await read_page(up_to));
        CO_TRY(up_to, end_of(options_.table, page.rows, up_to));
        more = !page.next.empty();
        if (page.rows.empty()) continue;
        CO_CHECK_OK(co_await apply(std::move(page.rows)));
    }
    co_return up_to;
}

async<void> row_follower::wait() {
    const table::sequence after(position());
    CO_CHECK_OK(co_await needs_.ledger.wait_for_change(options_.table, after, options_.wait_max));
    co_return result<void>();
}

async<std::int64_t> row_follower::newest() {
    CO_TRY(
        const auto last,
        co_await needs_.ledger.wait_for_change(options_.table, table::sequence(), no_wait));
    co_return last.value();
}

async<void> row_follower::probe() {
    CO_CHECK_OK(co_await newest());
    co_return result<void>();
}

void row_follower::begin_outage(const error& why) {
    if (std::exchange(outage_, true)) return;
    outage_began_ = needs_.clock.now();
    needs_.log.warning(
        "table follow failed", {{"table", options_.table}, {"error", to_string(why)}});
}

void row_follower::end_outage() {
    outage_ = false;
    const auto lasted = std::chrono::duration<double>(needs_.clock.now() - outage_began_);
    needs_.log.info(
        "table follow resumed", {{"table", options_.table}, {"seconds", lasted.count()}});
}

// An outage has ended when rows can be read and waited for: the wait itself may last, so a probe
// tells.
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
        const auto slept = co_await needs_.clock.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

void row_follower::report_unreadable(std::int64_t sequence, const error& why) {
    bool limit_reached = false;
    {
        const std::scoped_lock lock(guard_);
        if (reported_.contains(sequence)) return;
        limit_reached = reported_.size() >= unreadable_remembered_max;
        if (!limit_reached) reported_.insert(sequence);
        ++*unreadable_;
        if (limit_reached && std::exchange(limit_logged_, true)) return;
    }
    if (limit_reached) {
        needs_.log.warning(
            "further unreadable rows not logged",
            {{"table", options_.table}, {"logged", unreadable_remembered_max}});
        return;
    }
    needs_.log.warning(
        "unreadable row skipped",
        {{"table", options_.table}, {"sequence", sequence}, {"error", to_string(why)}});
}

void row_follower::export_to(metrics& to) const {
    to.watch_counter(
        {"muster_rows_unreadable_total",
         "Rows of ledger tables that could not be read and were skipped.",
         {{"table", options_.table}}},
        [count = unreadable_] { return static_cast<double>(count->load()); });
}

}  // namespace muster::runtime
