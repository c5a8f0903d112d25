#include "services/fleet/facts_follower.h"

#include "core/fleet/change.h"
#include "services/fleet/fact_texts.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_row.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::fleet {
namespace {

constexpr auto wait_for_fleet = std::chrono::milliseconds(200);

}  // namespace

facts_follower::facts_follower(dependencies deps, options options)
    : deps_(deps),
      options_(options),
      rows_(
          {.ledger = deps.ledger, .clock = deps.clock, .log = deps.log},
          {.table = std::string(facts_table),
           .page_rows = options.page_rows,
           .wait_max = options.timeout},
          &facts_follower::decode,
          [this](std::vector<searchable_facts> rows) { apply(std::move(rows)); }) {
    deps_.systems.watch([this](std::span<const change> changes) {
        const std::lock_guard lock(guard_);
        for (const auto& each : changes) {
            const bool was = each.before && each.before->stage == enrolment::accepted
                             && each.before->number == each.after.number;
            if (each.after.stage == enrolment::accepted && !was)
                newcomers_.insert(each.after.print);
        }
    });
}

result<facts_follower::searchable_facts> facts_follower::decode(const table::row& cells) {
    TRY(const auto stored, decode_facts(cells));
    auto texts = fact_texts_of(stored.document);
    if (!texts) return fail(texts.error().within("facts of " + stored.print.str()));
    return searchable_facts{.print = stored.print, .texts = *std::move(texts)};
}

void facts_follower::apply(std::vector<searchable_facts> rows) {
    std::vector<search::told_facts> told_factses;
    for (auto& row : rows) {
        const auto record = deps_.systems.find(row.print);
        if (!record || record->stage != enrolment::accepted || !record->number) continue;
        told_factses.emplace_back(record->number, std::move(row.texts));
    }
    deps_.search.set_facts(told_factses);
}

async<void> facts_follower::read_newcomers() {
    while (true) {
        table::condition keys{.column = "fingerprint", .compare = table::comparison::one_of};
        std::vector<fingerprint> some;
        {
            const std::lock_guard lock(guard_);
            for (const auto& newcomer : newcomers_) {
                if (some.size() == options_.page_rows) break;
                some.push_back(newcomer);
            }
        }
        if (some.empty()) co_return result<void>();
        for (const auto& each : some) keys.values.push_back(key_cell(each));
        table::query question{
            .table = std::string(facts_table), .where = {std::move(keys)}, .limit = some.size()};
        do {
            CO_TRY(const auto page, co_await deps_.ledger.read(question));
            apply(rows_.decode(page.rows));
            question.after = page.next;
        } while (!question.after.empty());
        const std::lock_guard lock(guard_);
        for (const auto& each : some) newcomers_.erase(each);
    }
}

async<void> facts_follower::catch_up() {
    const bool first = !deps_.search.facts_complete();
    if (first) {
        // Whose facts are about to be read whole need not be fetched one by one.
        const std::lock_guard lock(guard_);
        if (rows_.rows().position() == 0) newcomers_.clear();
    }
    CO_CHECK_OK(co_await rows_.refresh());
    CO_CHECK_OK(co_await read_newcomers());
    if (first) {
        deps_.search.set_facts_complete();
        const auto sizes = deps_.search.read_sizes();
        deps_.log.info(
            "the systems' facts are read", {{"paths", sizes.paths}, {"values", sizes.values}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> facts_follower::run() {
    while (!deps_.systems.complete()) {
        const auto slept = co_await deps_.clock.sleep_for(wait_for_fleet);
        if (!slept) co_return;
    }
    co_await rows_.run([this] { return catch_up(); });
}

}  // namespace muster::fleet
