#include "roles/fleet/fact_follower.h"

#include "core/fleet/change.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/fact_texts.h"
#include "roles/fleet/facts_row.h"
#include "roles/fleet/fleet.h"
#include "roles/fleet/system_row.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

using namespace std::chrono_literals;

constexpr auto pause_after_failure = 1s;
constexpr auto wait_for_fleet = 200ms;
constexpr std::size_t sequence_cell = 4;

table::query rows_behind(std::int64_t sequence, std::size_t limit) {
    return {
        .table = std::string(cluster::facts_table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = limit};
}

}  // namespace

fact_follower::fact_follower(surroundings around, options how) : around_(around), how_(how) {
    around_.known.watch([this](std::span<const change> changes) {
        const std::lock_guard lock(guard_);
        for (const auto& each : changes) {
            const bool was = each.before && each.before->stage == enrolment::accepted
                             && each.before->number == each.after.number;
            if (each.after.stage == enrolment::accepted && !was)
                newcomers_.insert(each.after.print);
        }
    });
}

// A document that cannot be read is told and passed over: one must not hide all others.
result<std::int64_t> fact_follower::feed(const std::vector<table::row>& rows) {
    std::vector<search::told_facts> told;
    std::int64_t up_to = read_up_to_;
    for (const auto& each : rows) {
        TRY(const auto stored, decode_facts(each));
        if (const auto* const at = std::get_if<std::int64_t>(&each.at(sequence_cell)))
            up_to = std::max(up_to, *at);
        const auto record = around_.known.find(stored.print);
        if (!record || record->stage != enrolment::accepted || !record->number) continue;
        auto texts = fact_texts_of(stored.document);
        if (!texts) {
            around_.log.warning(
                "facts of a system cannot be searched",
                {{"system", record->number.value()}, {"reason", to_string(texts.error())}});
            continue;
        }
        told.emplace_back(record->number, *std::move(texts));
    }
    around_.fed.set_facts(told);
    return up_to;
}

async<bool> fact_follower::read_page() {
    CO_TRY(
        const auto page, co_await around_.records.read(rows_behind(read_up_to_, how_.page_rows)));
    CO_TRY(read_up_to_, feed(page.rows));
    co_return !page.next.empty();
}

async<void> fact_follower::read_newcomers() {
    while (true) {
        table::condition keys{.column = "fingerprint", .compare = table::comparison::one_of};
        std::vector<fingerprint> some;
        {
            const std::lock_guard lock(guard_);
            for (const auto& each : newcomers_) {
                if (some.size() == how_.page_rows) break;
                some.push_back(each);
            }
        }
        if (some.empty()) co_return result<void>();
        for (const auto& each : some) keys.values.push_back(key_cell(each));
        table::query question{
            .table = std::string(cluster::facts_table),
            .where = {std::move(keys)},
            .limit = some.size()};
        do {
            CO_TRY(const auto page, co_await around_.records.read(question));
            CO_CHECK_OK(feed(page.rows));
            question.after = page.next;
        } while (!question.after.empty());
        const std::lock_guard lock(guard_);
        for (const auto& each : some) newcomers_.erase(each);
    }
}

async<void> fact_follower::catch_up() {
    const bool first = !around_.fed.facts_complete();
    if (first) {
        // Whose facts are about to be read whole need not be fetched one by one.
        const std::lock_guard lock(guard_);
        if (read_up_to_ == 0) newcomers_.clear();
    }
    for (bool more = true; more;) {
        CO_TRY(more, co_await read_page());
    }
    CO_CHECK_OK(co_await read_newcomers());
    if (first) {
        around_.fed.set_facts_complete();
        const auto sizes = around_.fed.read_sizes();
        around_.log.info(
            "the systems' facts are read", {{"paths", sizes.paths}, {"values", sizes.values}});
    }
    co_return result<void>();
}

async<void> fact_follower::wait_for_news() {
    const auto news = co_await around_.records.wait_for_change(
        std::string(cluster::facts_table), table::sequence(read_up_to_), how_.patience);
    if (!news) co_return fail(news.error());
    co_return result<void>();
}

boost::asio::awaitable<void> fact_follower::run() {
    while (!around_.known.complete()) {
        const auto slept = co_await around_.time.sleep_for(wait_for_fleet);
        if (!slept) co_return;
    }
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
            around_.log.warning("cannot follow the facts", {{"reason", to_string(done.error())}});
        const auto slept = co_await around_.time.sleep_for(pause_after_failure);
        if (!slept) co_return;
    }
}

}  // namespace muster::fleet
