#include "services/revision/drift_monitor.h"

#include "services/revision/keys.h"
#include "services/revision/notices.h"

#include <algorithm>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr auto telling_interval = 1s;

std::string in_words(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

}  // namespace

// Whether it holds something else than before.
bool drift_monitor::take_stock() {
    std::vector<std::shared_ptr<const void>> stamps;
    for (const auto& each : deps_.from) stamps.push_back(each.stamp());
    if (own_ && stamps == stamps_) return false;
    const auto held = held_by(deps_.from);
    if (!held) return false;
    stamps_ = std::move(stamps);
    auto now = digests_of(*held);
    if (own_ && own_->of == now) return false;
    own_ = held_digests{.of = std::move(now), .since = deps_.clock.wall()};
    return true;
}

async<void> drift_monitor::tell() {
    kv::transaction change;
    change.then.emplace_back(
        kv::put{.key = keys::under(keys::owned_systems, options_.server), .value = encode(*own_)});
    CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    told_ = true;
    told_at_ = deps_.clock.now();
    co_return result<void>();
}

async<void> drift_monitor::heal(std::vector<std::string> names) {
    const auto now = deps_.clock.now();
    if (healed_at_ != instant{} && healed_at_ + options_.grace > now) co_return result<void>();
    healed_at_ = now;
    for (const auto& each : deps_.from) {
        if (std::ranges::find(names, each.name) == names.end()) continue;
        CO_CHECK_OK(co_await each.read_anew());
    }
    co_return result<void>();
}

async<void> drift_monitor::look() {
    if (take_stock()) told_ = false;
    if (!own_) co_return result<void>();
    const bool may_tell = told_at_ == instant{} || told_at_ + telling_interval < deps_.clock.now();
    if (!told_ && may_tell) {
        CO_CHECK_OK(co_await tell());
    }
    const auto view = deps_.edit_state.read();
    const bool can_judge = view->head && view->head->form == form;
    if (!can_judge) co_return result<void>();
    const auto which = differing(view->head->sections, own_->of);
    const auto at = deps_.clock.wall();
    if (which.empty()) {
        differs_since_.reset();
        if (!std::exchange(drifted_, false)) co_return result<void>();
        deps_.log.info("holds the newest revision again", {{"revision", view->head->number}});
        deps_.events.post(drift_notice(options_.server, true, {}, at));
        co_return result<void>();
    }
    if (!differs_since_) differs_since_ = at;
    const auto stands = judge(
        view->head->sections,
        own_,
        {.published = view->head->made, .now = at, .grace = options_.grace});
    if (stands != sync_state::drifted) co_return result<void>();
    if (!std::exchange(drifted_, true)) {
        deps_.log.warning(
            "this server's common data is not that of the newest revision; reads it anew",
            {{"revision", view->head->number}, {"differs", in_words(which)}});
        deps_.events.post(drift_notice(options_.server, false, which, at));
    }
    co_return co_await heal(which);
}

}  // namespace muster::revision
