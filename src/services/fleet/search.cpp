#include "services/fleet/search.h"

#include "base/assert.h"
#include "core/targeting/index/index.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_subject.h"

#include <algorithm>
#include <mutex>

namespace muster::fleet {
namespace {

using targeting::field;
using targeting::field_condition;

constexpr std::size_t facts_batch = 32;

// Evaluates the fields that are not in the index, from presence and records.
class unindexed_fields final : public targeting::other_fields {
public:
    unindexed_fields(const system_cache& systems, const presence::presence_lookup& presence)
        : systems_(systems), presence_(presence) {}

    system_set among(
        const field_condition& condition, const system_set& candidates) const override {
        switch (condition.field) {
            case field::state:
                return in_state(condition.test, candidates);
            case field::node:
                return filter(candidates, [&](system_number system) {
                    return condition.test.matches(presence_.node_of(system));
                });
            case field::print:
                if (condition.test.is_literal())
                    return with_print(condition.test.source(), candidates);
                break;
            case field::machine:
                if (condition.test.is_literal())
                    return with_machine(condition.test.source(), candidates);
                break;
            case field::name:
            case field::tag:
            case field::group:
            case field::zone:
            case field::number:
                MUSTER_ASSERT(false);
        }
        return filter(candidates, [&](system_number system) {
            const auto record = systems_.find(system);
            return record
                   && system_subject(*record, presence_).has(condition.field, condition.test);
        });
    }

private:
    template <class Predicate>
    static system_set filter(const system_set& candidates, Predicate predicate) {
        std::vector<std::uint32_t> matches;
        candidates.for_each([&](system_number system) {
            if (predicate(system)) matches.push_back(static_cast<std::uint32_t>(system.value()));
        });
        return system_set::of(matches);
    }

    // An accepted system is an orphan or onboarded.
    system_set in_state(const targeting::text_pattern& test, const system_set& candidates) const {
        if (test.matches(to_string(enrolment::accepted))) return candidates;
        const bool orphans = test.matches(to_string(system_state::orphan));
        const bool onboarded = test.matches(to_string(system_state::onboarded));
        if (orphans == onboarded) return orphans ? candidates : system_set();
        return filter(candidates, [&](system_number system) {
            return presence_.is_attached(system) == onboarded;
        });
    }

    system_set with_print(const std::string& text, const system_set& candidates) const {
        const auto print = fingerprint::parse(text);
        const auto record = print ? systems_.find(*print) : std::nullopt;
        // A fingerprint matches in its canonical spelling only.
        const bool matches_print =
            record && record->number && print->str() == text && candidates.contains(record->number);
        return matches_print ? system_set{record->number} : system_set();
    }

    system_set with_machine(const std::string& id, const system_set& candidates) const {
        if (id.empty()) return {};
        system_set matches;
        for (const auto& record : systems_.find_machine(id))
            if (candidates.contains(record.number)) matches.add(record.number);
        return matches;
    }

    const system_cache& systems_;
    const presence::presence_lookup& presence_;
};

}  // namespace

search::search(system_cache& systems)
    : systems_(systems), index_(std::make_unique<targeting::index>()) {
    systems.watch([this](std::span<const change> changes) {
        const std::unique_lock lock(mutex_);
        index_->apply(changes);
    });
}

search::~search() = default;

result<system_set> search::resolve(
    const targeting::query& query, const presence::presence_lookup& presence) const {
    if (!systems_.complete())
        return fail(errc::unavailable, "the server is still loading the systems; retry later");
    if (query.needs_facts() && !facts_complete())
        return fail(
            errc::unavailable, "the server is still loading the facts of the systems; retry later");
    system_set systems;
    {
        const std::shared_lock lock(mutex_);
        systems = index_->evaluate(query, unindexed_fields(systems_, presence));
    }
    CHECK_OK(query.check_effort());
    return systems;
}

system_set search::in_zones(
    const std::set<std::string>& zones, const system_set& candidates) const {
    const std::shared_lock lock(mutex_);
    return index_->in_zones(zones, candidates);
}

search::counted_tags search::tags(
    tag_page page, const std::optional<std::set<std::string>>& zones) const {
    const std::shared_lock lock(mutex_);
    const auto& accepted = index_->systems();
    return index_->counted_tags(
        {.after = page.after, .limit = page.limit},
        zones ? index_->in_zones(*zones, accepted) : accepted);
}

std::vector<std::string> search::missing(const targeting::query& query) const {
    const auto names = query.listed_names();
    const std::shared_lock lock(mutex_);
    return index_->missing(names);
}

// Applies a few at a time, so that searches do not wait for a whole page of the ledger.
void search::set_facts(std::span<const system_facts> facts) {
    while (!facts.empty()) {
        const auto batch = facts.first(std::min(facts.size(), facts_batch));
        facts = facts.subspan(batch.size());
        const std::unique_lock lock(mutex_);
        for (const auto& [system, texts] : batch) index_->set_facts(system, texts);
    }
}

std::vector<targeting::fact> search::facts_of(system_number system) const {
    const std::shared_lock lock(mutex_);
    return index_->facts_of(system);
}

search::sizes search::read_sizes() const {
    const std::shared_lock lock(mutex_);
    return {
        .systems = index_->systems().size(),
        .values = index_->facts().values(),
        .paths = index_->facts().paths(),
        .left_out = index_->facts().left_out()};
}

}  // namespace muster::fleet
