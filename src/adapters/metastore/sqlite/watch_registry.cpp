#include "adapters/metastore/sqlite/watch_registry.h"

#include <algorithm>
#include <utility>

namespace muster::metastore_sqlite {

void watch_registry::add_wait(wait wait) {
    const auto it = watches_.find(wait.watch);
    if (it == watches_.end()) {
        if (watches_.size() >= watches_max_) {
            hits_.add_refused();
            wait.done(fail(
                errc::unavailable,
                "limit of " + std::to_string(watches_max_) + " watches reached"));
            return;
        }
        watches_.emplace(
            wait.watch, watch_state{std::move(wait.prefix), wait.from, std::move(wait.done)});
        return;
    }
    watch_state& state = it->second;
    auto previous = std::exchange(state.done, std::move(wait.done));
    // `state.from` may be later than the wait's: there are no changes of the prefix between.
    state.from = std::max(state.from, wait.from);
    if (previous)
        previous(fail(errc::cancelled, "wait was replaced by a later one of the same watch"));
}

void watch_registry::deliver(const kv::store& store) {
    for (auto& [watch, state] : watches_) {
        if (!state.done) continue;
        auto event = store.changes_since(state.prefix, state.from);
        if (event) {
            std::exchange(state.done, nullptr)(*std::move(event));
        } else {
            state.from = std::max(state.from, store.at().next());
        }
    }
}

void watch_registry::refuse_all(const error& reason) {
    for (auto& [watch, state] : watches_) {
        if (state.done) std::exchange(state.done, nullptr)(fail(reason));
    }
}

}  // namespace muster::metastore_sqlite
