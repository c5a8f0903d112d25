#include "services/fleet/search.h"

#include "base/assert.h"
#include "core/targeting/index/index.h"
#include "services/fleet/fleet.h"
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
    live_fields(const fleet& known, const whereabouts_source& where)
        : known_(known), where_(where) {}

    system_set among(const field_condition& asked, const system_set& within) const override {
        switch (asked.which) {
            case field::state:
                return in_state(asked.test, within);
            case field::node:
                return chosen(within, [&](system_number who) {
                    return asked.test.matches(where_.node ? where_.node(who) : "");
                });
            case field::print:
                if (asked.test.is_literal()) return with_print(asked.test.source(), within);
                break;
            case field::machine:
                if (asked.test.is_literal()) return with_machine(asked.test.source(), within);
                break;
            case field::name:
            case field::tag:
            case field::group:
            case field::zone:
            case field::number:
                MUSTER_ASSERT(false);
        }
        return chosen(within, [&](system_number who) {
            const auto record = known_.find(who);
            return record && system_subject(*record, where_).has(asked.which, asked.test);
        });
    }

private:
    template <class Predicate>
    static system_set chosen(const system_set& within, Predicate wanted) {
        std::vector<std::uint32_t> found;
        within.for_each([&](system_number who) {
            if (wanted(who)) found.push_back(static_cast<std::uint32_t>(who.value()));
        });
        return system_set::of(found);
    }

    // An accepted system is an orphan or onboarded.
    system_set in_state(const targeting::text_pattern& test, const system_set& within) const {
        if (test.matches(to_string(enrolment::accepted))) return within;
        const bool orphans = test.matches(to_string(system_state::orphan));
        const bool onboarded = test.matches(to_string(system_state::onboarded));
        if (orphans == onboarded) return orphans ? within : system_set();
        return chosen(within, [&](system_number who) {
            return (where_.attached && where_.attached(who)) == onboarded;
        });
    }

    system_set with_print(const std::string& text, const system_set& within) const {
        const auto print = fingerprint::parse(text);
        const auto record = print ? known_.find(*print) : std::nullopt;
        // A fingerprint has one spelling here; any other names nobody.
        const bool found =
            record && record->number && print->str() == text && within.contains(record->number);
        return found ? system_set{record->number} : system_set();
    }

    system_set with_machine(const std::string& id, const system_set& within) const {
        if (id.empty()) return {};
        system_set found;
        for (const auto& each : known_.find_machine(id))
            if (within.contains(each.number)) found.add(each.number);
        return found;
    }

    const fleet& known_;
    const whereabouts_source& where_;
};

}  // namespace

search::search(fleet& known) : known_(known), index_(std::make_unique<targeting::index>()) {
    known.watch([this](std::span<const change> changes) {
        const std::unique_lock lock(guard_);
        index_->apply(changes);
    });
}

search::~search() = default;

result<system_set> search::resolve(
    const targeting::query& asked, const whereabouts_source& where) const {
    if (!known_.complete()) return fail(errc::unavailable, "the server is still reading the fleet");
    if (asked.needs_facts() && !facts_complete())
        return fail(errc::unavailable, "the server is still reading the systems' facts");
    system_set found;
    {
        const std::shared_lock lock(guard_);
        found = index_->answer(asked, live_fields(known_, where));
    }
    CHECK_OK(asked.check_effort());
    return found;
}

system_set search::in_zones(const std::set<std::string>& zones, const system_set& among) const {
    const std::shared_lock lock(guard_);
    return index_->in_zones(zones, among);
}

search::counted_tags search::tags(
    tag_page wanted, const std::optional<std::set<std::string>>& zones) const {
    const std::shared_lock lock(guard_);
    const auto& all = index_->systems();
    return index_->counted_tags(
        {.after = wanted.after, .limit = wanted.limit},
        zones ? index_->in_zones(*zones, all) : all);
}

std::vector<std::string> search::missing(const targeting::query& asked) const {
    const auto names = asked.listed_names();
    const std::shared_lock lock(guard_);
    return index_->missing(names);
}

// A few at a time: who asks meanwhile waits for these, and not for a whole page of the ledger.
void search::set_facts(std::span<const told_facts> told) {
    while (!told.empty()) {
        const auto some = told.first(std::min(told.size(), facts_at_once));
        told = told.subspan(some.size());
        const std::unique_lock lock(guard_);
        for (const auto& [who, facts] : some) index_->set_facts(who, facts);
    }
}

std::vector<targeting::fact> search::facts_of(system_number who) const {
    const std::shared_lock lock(guard_);
    return index_->facts_of(who);
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
