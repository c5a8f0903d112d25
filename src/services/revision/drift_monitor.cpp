#include "services/revision/drift_monitor.h"

#include "services/revision/keys.h"
#include "services/revision/notices.h"

#include <algorithm>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr auto publish_interval = 1s;

std::string join_names(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

bool drift_monitor::update_digests() {
    std::vector<std::shared_ptr<const void>> stamps;
    for (const auto& source : deps_.common_data) stamps.push_back(source.stamp());
    if (own_ && stamps == stamps_) return false;
    const auto held = held_sections(deps_.common_data);
    if (!held) return false;
    stamps_ = std::move(stamps);
    auto digests = digests_of(*held);
    if (own_ && own_->digests == digests) return false;
    own_ = held_digests{.digests = std::move(digests), .since = deps_.clock.wall()};
    return true;
}

async<void> drift_monitor::publish() {
    kv::transaction change;
    change.then.emplace_back(
        kv::put{.key = keys::under(keys::server_digests, options_.server), .value = encode(*own_)});
    CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    published_ = true;
    published_at_ = deps_.clock.now();
    co_return result<void>();
}

async<void> drift_monitor::reload(std::vector<std::string> names) {
    const auto now = deps_.clock.now();
    if (reloaded_at_ != instant{} && reloaded_at_ + options_.grace > now) co_return result<void>();
    reloaded_at_ = now;
    for (const auto& source : deps_.common_data) {
        if (std::ranges::find(names, source.name) == names.end()) continue;
        CO_CHECK_OK(co_await source.reload());
    }
    co_return result<void>();
}

async<void> drift_monitor::run_once() {
    if (update_digests()) published_ = false;
    if (!own_) co_return result<void>();
    const bool may_publish =
        published_at_ == instant{} || published_at_ + publish_interval < deps_.clock.now();
    if (!published_ && may_publish) {
        CO_CHECK_OK(co_await publish());
    }
    const auto snapshot = deps_.edit_state.read();
    const bool can_judge = snapshot->head && snapshot->head->form == form;
    if (!can_judge) co_return result<void>();
    const auto drifted_sections = differing_sections(snapshot->head->sections, own_->digests);
    const auto now = deps_.clock.wall();
    if (drifted_sections.empty()) {
        differs_since_.reset();
        if (!std::exchange(drifted_, false)) co_return result<void>();
        deps_.log.info("common data drift resolved", {{"revision", snapshot->head->number}});
        deps_.events.post(build_drift_event(options_.server, true, {}, now));
        co_return result<void>();
    }
    if (!differs_since_) differs_since_ = now;
    const auto state = find_sync_state(
        snapshot->head->sections,
        own_,
        {.published = snapshot->head->made, .now = now, .grace = options_.grace});
    if (state != sync_state::drifted) co_return result<void>();
    if (!std::exchange(drifted_, true)) {
        deps_.log.warning(
            "common data drift detected; reloading",
            {{"revision", snapshot->head->number}, {"sections", join_names(drifted_sections)}});
        deps_.events.post(build_drift_event(options_.server, false, drifted_sections, now));
    }
    co_return co_await reload(drifted_sections);
}

}  // namespace muster::revision
