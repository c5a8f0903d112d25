#pragma once

#include "ports/metastore.h"
#include "services/configuration/config_record_store.h"
#include "services/content/content_store.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/group_store.h"
#include "services/people/people_follower.h"
#include "services/people/people_snapshot.h"
#include "services/revision/source.h"
#include "services/windows/window_store.h"

namespace muster::common_data {

// Where a server's common data is, section by section: groups, calendars, windows, policy, accept
// rules and, on one that serves people, roles and what content_sources.h has. How an item is
// written here is part of every revision's digest: whoever changes it counts revision::form up.
//
// Of a calendar with an address the address counts, not what was last found there; no secret is in
// any of it, digests of addresses and keys stand for them.
struct common_data_dependencies {
    metastore& store;
    fleet::group_store& groups;
    windows::window_store& windows;
    fleet::accept_rule_store& rules;
    const people::people_cache& people;
    // Null: this server does not follow them.
    people::people_follower* directory = nullptr;
    content::content_store* software = nullptr;
    configuration::config_record_store* configuration = nullptr;
};

// The stores of `deps` must outlive the sources.
revision::sources common_sources(const common_data_dependencies& deps);

}  // namespace muster::common_data
