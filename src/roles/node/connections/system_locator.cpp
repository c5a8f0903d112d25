#include "roles/node/connections/system_locator.h"

namespace muster::node {

system_locator::located_system system_locator::find(const fingerprint& print) const {
    located_system system;
    system.context.lease_holds = !is_fenced();
    system.context.records_loaded = deps_.systems.complete();
    auto record = deps_.systems.find(print);
    if (!record) return system;
    system.context.stage = record->stage;
    system.context.number = record->number;
    system.zone = std::move(record->zone);
    if (record->stage != enrolment::accepted) return system;
    const auto topology = deps_.topology.read();
    system.context.owner = find_owner(*topology, system.zone, slot::of(print));
    return system;
}

std::optional<session::attach_context::slot_owner> system_locator::find_owner(
    const cluster::topology& topology, const std::string& zone, slot slot) const {
    const auto owner = topology.find_owner(zone, slot);
    if (owner.node == nullptr) return std::nullopt;
    const bool is_ours = owner.node->name == own_.name && owner.node->instance == own_.instance;
    return session::attach_context::slot_owner{
        .is_self = is_ours,
        .address = is_ours || owner.server == nullptr ? std::string() : owner.server->address,
        .since = owner.since};
}

}  // namespace muster::node
