#pragma once

#include "ports/metastore.h"
#include "services/configuration/record_book.h"
#include "services/content/library.h"
#include "services/fleet/group_book.h"
#include "services/fleet/rule_book.h"
#include "services/people/directory.h"
#include "services/people/roster.h"
#include "services/revision/source.h"
#include "services/windows/window_book.h"

namespace muster::common_data {

// Where a server's common data is, section by section: groups, calendars, windows, policy, accept
// rules and, on one that serves people, roles and what content_sources.h has. How an item is
// written here is part of every revision's digest: whoever changes it counts revision::form up.
//
// Of a calendar with an address the address counts, not what was last found there; no secret is in
// any of it, digests of addresses and keys stand for them.
struct common_books {
    metastore& store;
    fleet::group_book& groups;
    windows::window_book& windows;
    fleet::rule_book& rules;
    const people::roster_cell& people;
    // Null: this server does not follow them.
    people::directory* directory = nullptr;
    content::library* software = nullptr;
    configuration::record_book* configuration = nullptr;
};

// `from` must outlive it.
revision::sources common_sources(const common_books& from);

}  // namespace muster::common_data
