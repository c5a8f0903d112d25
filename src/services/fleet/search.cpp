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

constexpr std::size_t facts_at_once = 32;

// Asks presence and the records for what is not in the index.
class live_fields final : public targeting::other_fields {
public:
    live_fields(const system_cache& system_cache, const presence::presence_lookup& where)
        : systems_(system_cache), where_(where) {}

    system_set among(
        const field_condition& field_condition, const system_set& within) const override {
        switch (field_condition.which) {
            case field::state:
                return in_state(field_condition.test, within);
            case field::node:
                return chosen(within, [&](system_number system_number) {
                    return field_condition.test.matches(where_.node_of(system_number));
                });
            case field::print:
                if (field_condition.test.is_literal())
                    return with_print(field_condition.test.source(), within);
                break;
            case field::machine:
                if (field_condition.test.is_literal())
                    return with_machine(field_condition.test.source(), within);
                break;
            case field::name:
            case field::tag:
            case field::group:
            case field::zone:
            case field::number:
                MUSTER_ASSERT(false);
        }
        return chosen(within, [&](system_number system_number) {
            const auto record = systems_.find(system_number);
            return record
                   && system_subject(*record, where_)
                          .has(field_condition.which, field_condition.test);
        });
    }

private:
    template <class Predicate>
    static system_set chosen(const system_set& within, Predicate predicate) {
        std::vector<std::uint32_t> matches;
        within.for_each([&](system_number system_number) {
            if (predicate(system_number))
                matches.push_back(static_cast<std::uint32_t>(system_number.value()));
        });
        return system_set::of(matches);
    }

    // An accepted system is an orphan or onboarded.
    system_set in_state(const targeting::text_pattern& test, const system_set& within) const {
        if (test.matches(to_string(enrolment::accepted))) return within;
        const bool orphans = test.matches(to_string(system_state::orphan));
        const bool onboarded = test.matches(to_string(system_state::onboarded));
        if (orphans == onboarded) return orphans ? within : system_set();
        return chosen(within, [&](system_number system_number) {
            return where_.attached(system_number) == onboarded;
        });
    }

    system_set with_print(const std::string& text, const system_set& within) const {
        const auto print = fingerprint::parse(text);
        const auto record = print ? systems_.find(*print) : std::nullopt;
        // A fingerprint has one spelling here; any other names nobody.
        const bool match =
            record && record->number && print->str() == text && within.contains(record->number);
        return match ? system_set{record->number} : system_set();
    }

    system_set with_machine(const std::string& id, const system_set& within) const {
        if (id.empty()) return {};
        system_set match;
        for (const auto& each : systems_.find_machine(id))
            if (within.contains(each.number)) match.add(each.number);
        return match;
    }

    const system_cache& systems_;
    const presence::presence_lookup& where_;
};

}  // namespace

search::search(system_cache& system_cache)
    : systems_(system_cache), index_(std::make_unique<targeting::index>()) {
    system_cache.watch([this](std::span<const change> changes) {
        const std::unique_lock lock(guard_);
        index_->apply(changes);
    });
}

search::~search() = default;

result<system_set> search::resolve(
    const targeting::query& query, const presence::presence_lookup& where) const {
    if (!systems_.complete())
        return fail(errc::unavailable, "the server is still reading the fleet");
    if (query.needs_facts() && !facts_complete())
        return fail(errc::unavailable, "the server is still reading the systems' facts");
    system_set match;
    {
        const std::shared_lock lock(guard_);
        match = index_->answer(query, live_fields(systems_, where));
    }
    CHECK_OK(query.check_effort());
    return match;
}

system_set search::in_zones(const std::set<std::string>& zones, const system_set& among) const {
    const std::shared_lock lock(guard_);
    return index_->in_zones(zones, among);
}

search::counted_tags search::tags(
    tag_page tag_page, const std::optional<std::set<std::string>>& zones) const {
    const std::shared_lock lock(guard_);
    const auto& all = index_->systems();
    return index_->counted_tags(
        {.after = tag_page.after, .limit = tag_page.limit},
        zones ? index_->in_zones(*zones, all) : all);
}

std::vector<std::string> search::missing(const targeting::query& query) const {
    const auto names = query.listed_names();
    const std::shared_lock lock(guard_);
    return index_->missing(names);
}

// A few at a time: who asks meanwhile waits for these, and not for a whole page of the ledger.
void search::set_facts(std::span<const told_facts> told_factses) {
    while (!told_factses.empty()) {
        const auto some = told_factses.first(std::min(told_factses.size(), facts_at_once));
        told_factses = told_factses.subspan(some.size());
        const std::unique_lock lock(guard_);
        for (const auto& [who, facts] : some) index_->set_facts(who, facts);
    }
}

std::vector<targeting::fact> search::facts_of(system_number system_number) const {
    const std::shared_lock lock(guard_);
    return index_->facts_of(system_number);
}

search::sizes search::read_sizes() const {
    const std::shared_lock lock(guard_);
    return {
        .systems = index_->systems().size(),
        .values = index_->facts().values(),
        .paths = index_->facts().paths(),
        .left_out = index_->facts().left_out()};
}

}  // namespace muster::fleet
