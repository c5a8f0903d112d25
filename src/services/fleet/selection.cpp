#include "services/fleet/selection.h"

#include "core/fleet/compact_system_record.h"
#include "services/fleet/let_others_run.h"

#include <utility>

namespace muster::fleet {
namespace {

constexpr std::size_t looked_at_once = 500;  // between two chances for others to run
constexpr std::size_t looked_at_max = 200'000;

const presence::presence_lookup nowhere;

// Asks systems one after the other; the accepted ones are known beforehand.
class sieve {
public:
    static result<sieve> make(searched_fleet among, selection selection) {
        sieve result(among, std::move(selection));
        const auto& request = result.what_;
        const bool accepted =
            request.stages.empty() || request.stages.contains(enrolment::accepted);
        if (!request.wanted || !accepted) return result;
        TRY(result.found_,
            among.found.resolve(*request.wanted, request.where ? *request.where : nowhere));
        return result;
    }

    // Records are copied under the lock and looked at outside of it.
    std::optional<fingerprint> copy_some(
        const std::optional<fingerprint>& after, std::vector<system_record>& into) const {
        return among_.known.visit(
            after,
            looked_at_once,
            [&](const fingerprint& print, const compact_system_record& compact_system) {
                if (!what_.stages.empty() && !what_.stages.contains(compact_system.stage())) return;
                const bool passed_over = what_.wanted
                                         && compact_system.stage() == enrolment::accepted
                                         && !found_.contains(compact_system.number());
                if (!passed_over) into.push_back(compact_system.unpack(print));
            });
    }

    bool meets(const system_record& system) const {
        const bool elsewhere =
            what_.zones && !system.zone.empty() && !what_.zones->contains(system.zone);
        if (elsewhere) return false;
        if (!what_.wanted || system.stage == enrolment::accepted) return true;
        return what_.wanted->matches(system_subject(system, what_.where ? *what_.where : nowhere));
    }

    result<void> check_effort() const {
        return what_.wanted ? what_.wanted->check_effort() : result<void>();
    }

private:
    sieve(searched_fleet among, selection selection) : among_(among), what_(std::move(selection)) {}

    searched_fleet among_;
    selection what_;
    system_set found_;  // of the accepted ones, if there is a query
};

}  // namespace

async<selected_page> select_page(
    searched_fleet among,
    selection selection,
    std::optional<fingerprint> after,
    std::size_t count) {
    CO_TRY(const auto chosen, sieve::make(among, std::move(selection)));
    selected_page page;
    std::size_t looked_at = 0;
    while (looked_at < looked_at_max) {
        std::vector<system_record> some;
        after = chosen.copy_some(after, some);
        for (auto& each : some) {
            if (!chosen.meets(each)) continue;
            page.systems.push_back(std::move(each));
            if (page.systems.size() < count) continue;
            page.next = page.systems.back().print;
            co_return page;
        }
        CO_CHECK_OK(chosen.check_effort());
        if (!after) co_return page;
        looked_at += looked_at_once;
        co_await let_others_run();
    }
    page.next = after;
    co_return page;
}

async<std::vector<fingerprint>> select_all(
    searched_fleet among, selection selection, std::size_t count_max) {
    CO_TRY(const auto chosen, sieve::make(among, std::move(selection)));
    std::vector<fingerprint> all;
    std::optional<fingerprint> after;
    do {
        std::vector<system_record> some;
        after = chosen.copy_some(after, some);
        for (const auto& each : some)
            if (chosen.meets(each)) all.push_back(each.print);
        if (all.size() > count_max)
            co_return fail(
                errc::invalid,
                "the query means more than " + std::to_string(count_max) + " systems");
        CO_CHECK_OK(chosen.check_effort());
        co_await let_others_run();
    } while (after);
    co_return all;
}

}  // namespace muster::fleet
