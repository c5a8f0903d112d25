#pragma once

#include "core/model/system.h"
#include "core/table/batch.h"
#include "ports/clock.h"
#include "services/content/content_store.h"
#include "services/fleet/enrolment_service.h"

#include <string>
#include <vector>

namespace muster::content {

// The channels that a system comes into when it is taken in: what is written together with it.
struct initial_subscription {
    system_number system;
    std::string base;
    std::vector<std::string> children;
    std::string by;
    wall_time now;
};

// Nothing when there is no such base channel; children that are not its own are left out.
std::vector<table::write> subscription_rows(
    const content_store& content_store, initial_subscription initial_subscription);

// Subscribes whoever comes by an activation key to its channels.
class activation_subscriber final : public fleet::enrolment_extension {
public:
    activation_subscriber(const content_store& channels, muster::clock& clock)
        : channels_(channels), clock_(clock) {}

    std::vector<table::write> rows_for(
        const system_record& newcomer, const fleet::activation& key) override;

private:
    const content_store& channels_;
    muster::clock& clock_;
};

}  // namespace muster::content
