#pragma once

#include "core/model/system.h"
#include "core/table/batch.h"
#include "services/content/content_store.h"

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

}  // namespace muster::content
