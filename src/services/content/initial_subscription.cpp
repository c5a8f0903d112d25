#include "services/content/initial_subscription.h"

#include "services/content/content_tables.h"

#include <algorithm>
#include <utility>

namespace muster::content {

std::vector<table::write> subscription_rows(
    const content_store& content_store, initial_subscription initial_subscription) {
    const auto base = content_store.find<channel>(initial_subscription.base);
    if (initial_subscription.base.empty() || !base || !base->parent.empty()) return {};
    std::erase_if(initial_subscription.children, [&](const std::string& each) {
        const auto child = content_store.find<channel>(each);
        return !child || child->parent != initial_subscription.base;
    });
    std::ranges::sort(initial_subscription.children);
    subscription subscription{
        .row =
            {.kind = record_kind::subscription,
             .name = std::to_string(initial_subscription.system.value())},
        .base = std::move(initial_subscription.base),
        .children = std::move(initial_subscription.children)};
    subscription.row.number = static_cast<std::uint32_t>(initial_subscription.system.value());
    subscription.row.changed_by = std::move(initial_subscription.by);
    subscription.row.changed = initial_subscription.now;
    return {
        {.table = std::string(content_records_table), .rows = {encode(to_record(subscription))}}};
}

std::vector<table::write> activation_subscriber::rows_for(
    const system_record& newcomer, const fleet::activation& key) {
    return subscription_rows(
        channels_,
        {.system = newcomer.number,
         .base = key.base_channel,
         .children = key.child_channels,
         .by = newcomer.accepted_by,
         .now = clock_.wall()});
}

}  // namespace muster::content
