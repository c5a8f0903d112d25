#pragma once

#include "ports/metastore.h"
#include "roles/config/record_book.h"
#include "roles/content/library.h"
#include "roles/fleet/group_book.h"
#include "roles/fleet/rule_book.h"
#include "roles/people/directory.h"
#include "roles/people/roster.h"
#include "roles/revision/source.h"
#include "roles/windows/window_book.h"

namespace muster::server {

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
    config::record_book* configuration = nullptr;
};

// `from` must outlive it.
revision::sources common_sources(const common_books& from);

}  // namespace muster::server
