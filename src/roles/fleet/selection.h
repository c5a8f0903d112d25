#pragma once

#include "core/targeting/query.h"
#include "ports/async.h"
#include "roles/fleet/fleet.h"
#include "roles/fleet/system_subject.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace muster::fleet {

// Which systems somebody means. All of these must hold.
struct selection {
    std::set<enrolment> stages;                                // empty: any
    std::shared_ptr<const targeting::query> wanted = nullptr;  // null: all
    std::shared_ptr<const whereabouts_source> where = nullptr;
};

struct selected_page {
    std::vector<system_record> systems;
    std::optional<fingerprint> next;  // where to go on; nothing at the end
};

// Up to `count` systems behind `after` in the order of fingerprints. Looks at a bounded number of
// systems, so a page may be short or empty though there are more. Lets others run in between.
async<selected_page> select_page(
    const fleet& among, selection what, std::optional<fingerprint> after, std::size_t count);

// All of them. errc::invalid when there are more than `count_max`.
async<std::vector<fingerprint>> select_all(
    const fleet& among, selection what, std::size_t count_max);

}  // namespace muster::fleet
