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

// Conditions on systems; all of them must hold. The search finds accepted systems. Pooled systems
// have no number and no searchable facts, so they are tested one by one.
struct selection {
    std::set<enrolment> stages;                               // empty: any
    std::shared_ptr<const targeting::query> query = nullptr;  // null: all
    std::shared_ptr<const presence::presence_lookup> presence = nullptr;
    // Zones of the systems; pooled systems have no zone yet and always match. Nothing: any zone.
    std::optional<std::set<std::string>> zones = std::nullopt;
};

struct selected_page {
    std::vector<system_record> systems;
    std::optional<fingerprint> next;  // start of the next page; nothing at the end
};

// What a selection reads from. Both must outlive the call.
struct search_dependencies {
    const system_cache& systems;
    const fleet::search& search;
};

// Up to `count` systems after `after` in the order of fingerprints. It visits a bounded number of
// systems, so a page may be short or empty before the end. It yields to the event loop in between.
async<selected_page> select_page(
    search_dependencies deps,
    selection selection,
    std::optional<fingerprint> after,
    std::size_t count);

// All matching systems. errc::invalid when there are more than `count_max`.
async<std::vector<fingerprint>> select_all(
    search_dependencies deps, selection selection, std::size_t count_max);

}  // namespace muster::fleet
