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

constexpr auto fleet_poll_interval = std::chrono::milliseconds(200);

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
    deps_.systems.watch([this](std::span<const fleet::change> changes) {
        const std::lock_guard lock(mutex_);
        for (const auto& change : changes) {
            const bool was_accepted = change.before && change.before->stage == enrolment::accepted
                                      && change.before->number == change.after.number;
            if (change.after.stage == enrolment::accepted && !was_accepted)
                accepted_.insert(change.after.print);
        }
    });
}

result<facts_follower::searchable_facts> facts_follower::decode(const table::row& row) {
    TRY(const auto stored, decode_facts(row));
    auto texts = parse_fact_texts(stored.document);
    if (!texts) return fail(texts.error().with_context("facts of " + stored.print.str()));
    return searchable_facts{.print = stored.print, .texts = *std::move(texts)};
}

void facts_follower::apply(std::vector<searchable_facts> rows) {
    std::vector<search::system_facts> facts;
    for (auto& row : rows) {
        const auto record = deps_.systems.find(row.print);
        if (!record || record->stage != enrolment::accepted || !record->number) continue;
        facts.emplace_back(record->number, std::move(row.texts));
    }
    deps_.search.set_facts(facts);
}

async<void> facts_follower::read_accepted() {
    while (true) {
        table::condition keys{.column = "fingerprint", .compare = table::comparison::one_of};
        std::vector<fingerprint> prints;
        {
            const std::lock_guard lock(mutex_);
            for (const auto& print : accepted_) {
                if (prints.size() == options_.page_rows) break;
                prints.push_back(print);
            }
        }
        if (prints.empty()) co_return result<void>();
        for (const auto& print : prints) keys.values.push_back(key_cell(print));
        table::query query{
            .table = std::string(facts_table), .where = {std::move(keys)}, .limit = prints.size()};
        do {
            CO_TRY(const auto page, co_await deps_.ledger.read(query));
            apply(rows_.decode(page.rows));
            query.after = page.next;
        } while (!query.after.empty());
        const std::lock_guard lock(mutex_);
        for (const auto& print : prints) accepted_.erase(print);
    }
}

async<void> facts_follower::refresh() {
    const bool first = !deps_.search.facts_complete();
    if (first) {
        // The first read covers these systems, so they need no separate read.
        const std::lock_guard lock(mutex_);
        if (rows_.rows().position() == 0) accepted_.clear();
    }
    CO_CHECK_OK(co_await rows_.refresh());
    CO_CHECK_OK(co_await read_accepted());
    if (first) {
        deps_.search.set_facts_complete();
        const auto sizes = deps_.search.read_sizes();
        deps_.log.info("facts loaded", {{"paths", sizes.paths}, {"values", sizes.values}});
    }
    co_return result<void>();
}

boost::asio::awaitable<void> facts_follower::run() {
    while (!deps_.systems.complete()) {
        const auto slept = co_await deps_.clock.sleep_for(fleet_poll_interval);
        if (!slept) co_return;
    }
    co_await rows_.run([this] { return refresh(); });
}

}  // namespace muster::fleet
