#pragma once

#include "core/model/system.h"
#include "core/targeting/condition.h"
#include "services/presence/presence_lookup.h"

#include <span>
#include <string_view>

namespace muster::fleet {

// One system, asked by a query. `state` is either what the record says (pooled, rejected, accepted,
// deleted) or what the system is told (new, orphan, onboarded, deleted). All three must outlive it.
class system_subject final : public targeting::subject {
public:
    system_subject(
        const system_record& record,
        const presence::presence_lookup& where,
        std::span<const targeting::fact> facts = {})
        : record_(record), where_(where), told_(facts) {}

    std::string_view name() const override { return record_.name; }
    bool has(targeting::field which, const targeting::text_pattern& test) const override;
    std::span<const targeting::fact> facts() const override { return told_; }

private:
    bool in_state(const targeting::text_pattern& test) const;

    const system_record& record_;
    const presence::presence_lookup& where_;
    std::span<const targeting::fact> told_;
};

}  // namespace muster::fleet
