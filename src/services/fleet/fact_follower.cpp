#include "services/fleet/fact_follower.h"

#include "core/fleet/change.h"
#include "services/fleet/fact_texts.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/fleet.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

constexpr auto wait_for_fleet = std::chrono::milliseconds(200);

}  // namespace

fact_follower::fact_follower(surroundings around, options how)
    : around_(around),
      how_(how),
      rows_(
          {.records = around.records, .time = around.time, .log = around.log},
          {.table = std::string(facts_table), .page_rows = how.page_rows, .wait_max = how.patience},
          &fact_follower::decode,
          [this](std::vector<searchable_facts> rows) { apply(std::move(rows)); }) {
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

result<fact_follower::searchable_facts> fact_follower::decode(const table::row& cells) {
    TRY(const auto stored, decode_facts(cells));
    auto texts = fact_texts_of(stored.document);
    if (!texts) return fail(texts.error().within("facts of " + stored.print.str()));
    return searchable_facts{.print = stored.print, .texts = *std::move(texts)};
}

void fact_follower::apply(std::vector<searchable_facts> rows) {
    std::vector<search::told_facts> told;
    for (auto& each : rows) {
        const auto record = around_.known.find(each.print);
        if (!record || record->stage != enrolment::accepted || !record->number) continue;
        told.emplace_back(record->number, std::move(each.texts));
    }
    around_.fed.set_facts(told);
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
            .table = std::string(facts_table), .where = {std::move(keys)}, .limit = some.size()};
        do {
            CO_TRY(const auto page, co_await around_.records.read(question));
            apply(rows_.decode(page.rows));
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
        if (rows_.rows().position() == 0) newcomers_.clear();
    }
    CO_CHECK_OK(co_await rows_.refresh());
    CO_CHECK_OK(co_await read_newcomers());
    if (first) {
        around_.fed.set_facts_complete();
        const auto sizes = around_.fed.read_sizes();
        around_.log.info(
            "the systems' facts are read", {{"paths", sizes.paths}, {"values", sizes.values}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> fact_follower::run() {
    while (!around_.known.complete()) {
        const auto slept = co_await around_.time.sleep_for(wait_for_fleet);
        if (!slept) co_return;
    }
    co_await rows_.run([this] { return catch_up(); });
}

}  // namespace muster::fleet
