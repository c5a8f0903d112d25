#include "adapters/metastore/sqlite/watch_registry.h"

#include <algorithm>
#include <utility>

namespace muster::metastore_sqlite {

void watch_registry::expect(wait wait) {
    const auto it = watches_.find(wait.watch);
    if (it == watches_.end()) {
        if (watches_.size() >= watches_max_) {
            hits_.refused();
            wait.done(fail(
                errc::unavailable,
                "there are " + std::to_string(watches_max_) + " watches already, the limit"));
            return;
        }
        watches_.emplace(
            wait.watch, place{std::move(wait.prefix), wait.from, std::move(wait.done)});
        return;
    }
    place& here = it->second;
    auto given_up = std::exchange(here.done, std::move(wait.done));
    // The place may be ahead of what the watch has taken: nothing of its prefix lies between.
    here.from = std::max(here.from, wait.from);
    if (given_up) given_up(fail(errc::cancelled, "the watch asked again"));
}

void watch_registry::deliver(const kv::store& from) {
    for (auto& [watch, here] : watches_) {
        if (!here.done) continue;
        auto event = from.changes_since(here.prefix, here.from);
        if (event) {
            std::exchange(here.done, nullptr)(*std::move(event));
        } else {
            here.from = std::max(here.from, from.at().next());
        }
    }
}

void watch_registry::refuse_all(const error& why) {
    for (auto& [watch, here] : watches_) {
        if (here.done) std::exchange(here.done, nullptr)(fail(why));
    }
}

}  // namespace muster::metastore_sqlite
