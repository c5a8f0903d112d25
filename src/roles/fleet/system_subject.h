#pragma once

#include "core/model/system.h"
#include "core/targeting/query.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::fleet {

// What queries about systems may ask for.
inline constexpr std::array<std::string_view, 9> system_fields{
    "name", "tag", "group", "zone", "state", "node", "fp", "number", "machine"};

// What is known of a system beside its record.
struct whereabouts {
    bool attached = false;
    std::string node;  // the name of the node it is or was attached to; empty: none
};
using whereabouts_source = std::function<whereabouts(system_number)>;

// One system, asked by a query. `state` is either what the record says (pooled, rejected, accepted,
// deleted) or what the system is told (new, orphan, onboarded, deleted). Both must outlive it.
class system_subject final : public targeting::subject {
public:
    system_subject(const system_record& record, const whereabouts_source& where)
        : record_(record), where_(where) {}

    bool meets(const targeting::term& condition) const override;

private:
    bool in_state(std::string_view pattern) const;
    const whereabouts& seen() const;

    const system_record& record_;
    const whereabouts_source& where_;
    mutable std::optional<whereabouts> seen_;  // asked for only when a query needs it
};

}  // namespace muster::fleet
