#pragma once

#include "core/targeting/query.h"
#include "ports/async.h"
#include "services/fleet/search.h"
#include "services/fleet/system_cache.h"
#include "services/fleet/system_subject.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace muster::fleet {

// Which systems somebody means. All of these must hold. Accepted systems are found by the search;
// those that wait in the pool have neither numbers nor searchable facts and are asked one by one.
struct selection {
    std::set<enrolment> stages;                                // empty: any
    std::shared_ptr<const targeting::query> wanted = nullptr;  // null: all
    std::shared_ptr<const presence::presence_lookup> where = nullptr;
    // Where they are, or will be: those in the pool are in no zone yet. Nothing: anywhere.
    std::optional<std::set<std::string>> zones = std::nullopt;
};

struct selected_page {
    std::vector<system_record> systems;
    std::optional<fingerprint> next;  // where to go on; nothing at the end
};

// Where the fleet is and how it is searched. Both must outlive what is asked.
struct searched_fleet {
    const system_cache& known;
    const search& found;
};

// Up to `count` systems behind `after` in the order of fingerprints. Looks at a bounded number of
// systems, so a page may be short or empty though there are more. Lets others run in between.
async<selected_page> select_page(
    searched_fleet among, selection selection, std::optional<fingerprint> after, std::size_t count);

// All of them. errc::invalid when there are more than `count_max`.
async<std::vector<fingerprint>> select_all(
    searched_fleet among, selection selection, std::size_t count_max);

}  // namespace muster::fleet
