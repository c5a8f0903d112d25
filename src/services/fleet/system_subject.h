#pragma once

#include "core/model/system.h"
#include "core/targeting/condition.h"
#include "services/presence/presence_lookup.h"

#include <span>
#include <string_view>

namespace muster::fleet {

// A system that a query is matched against. `state` matches the stage of the record (pooled,
// rejected, accepted, deleted) or the state that the system is told (new, orphan, onboarded,
// deleted). The arguments must outlive it.
class system_subject final : public targeting::subject {
public:
    system_subject(
        const system_record& record,
        const presence::presence_lookup& presence,
        std::span<const targeting::fact> facts = {})
        : record_(record), presence_(presence), facts_(facts) {}

    std::string_view name() const override { return record_.name; }
    bool has(targeting::field field, const targeting::text_pattern& test) const override;
    std::span<const targeting::fact> facts() const override { return facts_; }

private:
    bool in_state(const targeting::text_pattern& test) const;

    const system_record& record_;
    const presence::presence_lookup& presence_;
    std::span<const targeting::fact> facts_;
};

}  // namespace muster::fleet
