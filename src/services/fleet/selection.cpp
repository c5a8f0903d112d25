#include "services/fleet/selection.h"

#include "core/fleet/compact_system_record.h"
#include "services/fleet/yield_to_loop.h"

#include <utility>

namespace muster::fleet {
namespace {

constexpr std::size_t visit_batch = 500;  // systems between two yields
constexpr std::size_t visited_max = 200'000;

const presence::presence_lookup no_presence;

// Tests systems one by one; the matching accepted systems are known beforehand.
class selection_filter {
public:
    static result<selection_filter> create(search_dependencies deps, selection selection) {
        selection_filter result(deps, std::move(selection));
        const auto& request = result.selection_;
        const bool accepted =
            request.stages.empty() || request.stages.contains(enrolment::accepted);
        if (!request.query || !accepted) return result;
        TRY(result.matches_,
            deps.search.resolve(
                *request.query, request.presence ? *request.presence : no_presence));
        return result;
    }

    // Copies records under the lock; they are tested outside of it.
    std::optional<fingerprint> copy_batch(
        const std::optional<fingerprint>& after, std::vector<system_record>& records) const {
        return deps_.systems.visit(
            after, visit_batch, [&](const fingerprint& print, const compact_system_record& record) {
                if (!selection_.stages.empty() && !selection_.stages.contains(record.stage()))
                    return;
                const bool excluded = selection_.query && record.stage() == enrolment::accepted
                                      && !matches_.contains(record.number());
                if (!excluded) records.push_back(record.unpack(print));
            });
    }

    bool matches(const system_record& system) const {
        const bool other_zone =
            selection_.zones && !system.zone.empty() && !selection_.zones->contains(system.zone);
        if (other_zone) return false;
        if (!selection_.query || system.stage == enrolment::accepted) return true;
        return selection_.query->matches(
            system_subject(system, selection_.presence ? *selection_.presence : no_presence));
    }

    result<void> check_effort() const {
        return selection_.query ? selection_.query->check_effort() : result<void>();
    }

private:
    selection_filter(search_dependencies deps, selection selection)
        : deps_(deps), selection_(std::move(selection)) {}

    search_dependencies deps_;
    selection selection_;
    system_set matches_;  // accepted systems that match the query, if there is one
};

}  // namespace

async<selected_page> select_page(
    search_dependencies deps,
    selection selection,
    std::optional<fingerprint> after,
    std::size_t count) {
    CO_TRY(const auto filter, selection_filter::create(deps, std::move(selection)));
    selected_page page;
    std::size_t visited = 0;
    while (visited < visited_max) {
        std::vector<system_record> batch;
        after = filter.copy_batch(after, batch);
        for (auto& system : batch) {
            if (!filter.matches(system)) continue;
            page.systems.push_back(std::move(system));
            if (page.systems.size() < count) continue;
            page.next = page.systems.back().print;
            co_return page;
        }
        CO_CHECK_OK(filter.check_effort());
        if (!after) co_return page;
        visited += visit_batch;
        co_await yield_to_loop();
    }
    page.next = after;
    co_return page;
}

async<std::vector<fingerprint>> select_all(
    search_dependencies deps, selection selection, std::size_t count_max) {
    CO_TRY(const auto filter, selection_filter::create(deps, std::move(selection)));
    std::vector<fingerprint> prints;
    std::optional<fingerprint> after;
    do {
        std::vector<system_record> batch;
        after = filter.copy_batch(after, batch);
        for (const auto& system : batch)
            if (filter.matches(system)) prints.push_back(system.print);
        if (prints.size() > count_max)
            co_return fail(
                errc::invalid, "query matches more than " + std::to_string(count_max) + " systems");
        CO_CHECK_OK(filter.check_effort());
        co_await yield_to_loop();
    } while (after);
    co_return prints;
}

}  // namespace muster::fleet
