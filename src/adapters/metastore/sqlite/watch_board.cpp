#include "adapters/metastore/sqlite/watch_board.h"

#include <algorithm>
#include <utility>

namespace muster::metastore_sqlite {

void watch_board::expect(wait what) {
    const auto known = watches_.find(what.watch);
    if (known == watches_.end()) {
        if (watches_.size() >= watches_max_) {
            hits_.refused();
            what.done(fail(
                errc::unavailable,
                "there are " + std::to_string(watches_max_) + " watches already, the limit"));
            return;
        }
        watches_.emplace(
            what.watch, place{std::move(what.prefix), what.from, std::move(what.done)});
        return;
    }
    place& here = known->second;
    auto given_up = std::exchange(here.done, std::move(what.done));
    // The place may be ahead of what the watch has taken: nothing of its prefix lies between.
    here.from = std::max(here.from, what.from);
    if (given_up) given_up(fail(errc::cancelled, "the watch asked again"));
}

void watch_board::deliver(const kv::store& from) {
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

void watch_board::refuse_all(const error& why) {
    for (auto& [watch, here] : watches_) {
        if (here.done) std::exchange(here.done, nullptr)(fail(why));
    }
}

}  // namespace muster::metastore_sqlite
