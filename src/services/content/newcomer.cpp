#include "services/content/newcomer.h"

#include "services/content/content_tables.h"

#include <algorithm>
#include <utility>

namespace muster::content {

std::vector<table::write> subscription_rows(const library& known, newcomer who) {
    const auto base = known.find<channel>(who.base);
    if (who.base.empty() || !base || !base->parent.empty()) return {};
    std::erase_if(who.children, [&](const std::string& each) {
        const auto child = known.find<channel>(each);
        return !child || child->parent != who.base;
    });
    std::ranges::sort(who.children);
    subscription wanted{
        .row = {.kind = record_kind::subscription, .name = std::to_string(who.system.value())},
        .base = std::move(who.base),
        .children = std::move(who.children)};
    wanted.row.number = static_cast<std::uint32_t>(who.system.value());
    wanted.row.changed_by = std::move(who.by);
    wanted.row.changed = who.now;
    return {
        {.table = std::string(content_records_table),
         .rows = {encode(to_record(wanted))}}};
}

}  // namespace muster::content
