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

// The stores of a server's common data: groups, calendars, windows, policy, accept rules and, on
// gateways, roles and the sections of content_sources.h. The digest of a revision depends on how an
// item is written here: raise revision::form with every change of it.
//
// A calendar with an address is represented by the address, not by the fetched text. Sections hold
// no secrets: digests of addresses and keys stand for them.
struct common_data_dependencies {
    muster::metastore& metastore;
    fleet::group_store& groups;
    windows::window_store& windows;
    fleet::accept_rule_store& rules;
    const people::people_cache& people;
    // Null: this server does not follow them.
    people::people_follower* people_follower = nullptr;
    content::content_store* content = nullptr;
    configuration::config_record_store* configuration = nullptr;
};

// The stores of `deps` must outlive the sources.
revision::sources common_sources(const common_data_dependencies& deps);

}  // namespace muster::common_data
