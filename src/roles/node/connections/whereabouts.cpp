#include "roles/node/connections/whereabouts.h"

namespace muster::node {

whereabouts::known_system whereabouts::look_up(const fingerprint& print) const {
    known_system found;
    found.now.lease_holds = !fenced();
    found.now.records_known = around_.systems.complete();
    auto record = around_.systems.find(print);
    if (!record) return found;
    found.now.stage = record->stage;
    found.now.number = record->number;
    found.zone = std::move(record->zone);
    if (record->stage != enrolment::accepted) return found;
    const auto known = around_.topology.read();
    found.now.place = place_of(*known, found.zone, slot::of(print));
    return found;
}

std::optional<session::circumstances::owner> whereabouts::place_of(
    const cluster::topology& known, const std::string& zone, slot which) const {
    const auto place = known.place_of(zone, which);
    if (place.node == nullptr) return std::nullopt;
    const bool ours = place.node->name == own_.name && place.node->instance == own_.instance;
    return session::circumstances::owner{
        .is_us = ours,
        .address = ours || place.server == nullptr ? std::string() : place.server->address,
        .since = place.since};
}

}  // namespace muster::node
