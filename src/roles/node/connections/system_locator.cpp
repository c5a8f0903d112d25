#include "roles/node/connections/system_locator.h"

namespace muster::node {

system_locator::known_system system_locator::look_up(const fingerprint& print) const {
    known_system known_system;
    known_system.now.lease_holds = !fenced();
    known_system.now.records_known = deps_.systems.complete();
    auto record = deps_.systems.find(print);
    if (!record) return known_system;
    known_system.now.stage = record->stage;
    known_system.now.number = record->number;
    known_system.zone = std::move(record->zone);
    if (record->stage != enrolment::accepted) return known_system;
    const auto topology = deps_.topology.read();
    known_system.now.place = place_of(*topology, known_system.zone, slot::of(print));
    return known_system;
}

std::optional<session::attach_context::owner> system_locator::place_of(
    const cluster::topology& topology, const std::string& zone, slot slot) const {
    const auto place = topology.place_of(zone, slot);
    if (place.node == nullptr) return std::nullopt;
    const bool ours = place.node->name == own_.name && place.node->instance == own_.instance;
    return session::attach_context::owner{
        .is_us = ours,
        .address = ours || place.server == nullptr ? std::string() : place.server->address,
        .since = place.since};
}

}  // namespace muster::node
