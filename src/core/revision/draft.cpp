#include "core/revision/draft.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::revision {
namespace {

// "2026-11-16 15:58 UTC", by the calendar itself: the core has no formatting of times.
std::string shown(wall_time when) {
    const auto minutes = std::chrono::floor<std::chrono::minutes>(when);
    const auto day = std::chrono::floor<std::chrono::days>(minutes);
    const std::chrono::year_month_day date(day);
    const auto rest = (minutes - day).count();
    const auto two = [](unsigned number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    };
    return std::to_string(static_cast<int>(date.year())) + "-"
           + two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day()))
           + " " + two(static_cast<unsigned>(rest / 60)) + ":"
           + two(static_cast<unsigned>(rest % 60)) + " UTC";
}

std::string told(const std::vector<editor>& editors) {
    std::string user;
    for (const auto& each : editors)
        user += (user.empty() ? "" : ", ") + each.user + " since " + shown(each.began);
    return user;
}

std::unexpected<error> session_over(std::string_view edit) {
    return fail(
        errc::not_found,
        "there is no editing session " + std::string(edit)
            + "; it ended, or was idle for too long: begin another one, the draft is kept");
}

std::unexpected<error> being_applied(const draft& now) {
    return fail(
        errc::conflict,
        "the draft is being applied by "
            + (now.applying ? now.applying->by : std::string("somebody"))
            + "; wait until that is done");
}

}  // namespace

std::string_view to_string(draft_state what) {
    switch (what) {
        case draft_state::open:
            return "open";
        case draft_state::applying:
            return "applying";
        case draft_state::halted:
            break;
    }
    return "halted";
}

std::optional<draft_state> parse_draft_state(std::string_view text) {
    for (const auto each : {draft_state::open, draft_state::applying, draft_state::halted})
        if (to_string(each) == text) return each;
    return std::nullopt;
}

const editor* draft::find(std::string_view edit) const {
    const auto it = std::ranges::find(editors, edit, &editor::id);
    return it == editors.end() ? nullptr : &*it;
}

result<void> may_begin(const std::optional<draft>& now, const editing_rules& rules) {
    if (!now) return {};
    if (now->state == draft_state::applying) return being_applied(*now);
    if (rules.single && !now->editors.empty())
        return fail(
            errc::conflict,
            "only one session may edit here (setting `edits.single`): " + told(now->editors));
    if (now->editors.size() >= draft_limits::editors_max)
        return fail(errc::conflict, "50 sessions edit already: " + told(now->editors));
    return {};
}

result<void> may_draft(const draft& now, std::string_view edit, std::size_t bytes) {
    if (now.find(edit) == nullptr) return session_over(edit);
    if (now.state == draft_state::applying) return being_applied(now);
    if (now.count >= draft_limits::changes_max)
        return fail(errc::conflict, "the draft has 1,000 changes already: apply it first");
    const auto size = static_cast<std::int64_t>(bytes);
    if (size > draft_limits::change_bytes_max)
        return fail(
            errc::invalid,
            "a change in a draft has at most 256 KiB: make this one by itself, while nobody edits");
    if (now.bytes + size > draft_limits::bytes_max)
        return fail(errc::conflict, "the draft has 16 MiB already: apply it first");
    return {};
}

result<void> may_apply(const draft& now, std::string_view edit) {
    if (now.find(edit) == nullptr) return session_over(edit);
    if (now.state == draft_state::applying) return being_applied(now);
    if (now.editors.size() > 1)
        return fail(
            errc::conflict,
            std::to_string(now.editors.size())
                + " sessions edit, and only one may when the draft is applied: "
                + told(now.editors));
    if (now.count == 0) return fail(errc::conflict, "the draft has no changes");
    return {};
}

result<void> may_discard(const draft& now, std::string_view edit) {
    if (now.find(edit) == nullptr) return session_over(edit);
    if (now.state == draft_state::applying) return being_applied(now);
    if (now.editors.size() > 1)
        return fail(
            errc::conflict,
            "others edit this draft, too: " + told(now.editors)
                + "; drop your own changes, or end your session");
    return {};
}

result<void> may_change_directly(const std::optional<draft>& now) {
    if (!now) return {};
    if (now->state == draft_state::applying) return being_applied(*now);
    if (now->editors.empty()) return {};
    return fail(
        errc::conflict,
        "common data is being edited by " + told(now->editors)
            + "; wait until that is applied, or join with: muster revisions edit begin");
}

bool needs_leader(const std::optional<draft>& now) {
    return now && (now->state == draft_state::applying || !now->editors.empty());
}

std::vector<editor> drop_idle(draft& from, wall_time now, std::chrono::seconds limit) {
    std::vector<editor> gone;
    std::erase_if(from.editors, [&](const editor& editor) {
        const bool applies = from.applying && from.applying->edit == editor.id;
        if (applies || editor.seen + limit > now) return false;
        gone.push_back(editor);
        return true;
    });
    return gone;
}

std::optional<std::int64_t> next_change(
    const application& progress,
    const std::vector<std::int64_t>& numbers,
    std::string_view digest_now,
    std::int64_t done_here) {
    const bool had_effect = progress.doing != 0 && digest_now != progress.before;
    // The one in doubt is done, or all before it are.
    const auto done = std::max(done_here, had_effect ? progress.doing : progress.doing - 1);
    const auto it = std::ranges::find_if(numbers, [&](std::int64_t each) { return each > done; });
    return it == numbers.end() ? std::nullopt : std::optional(*it);
}

}  // namespace muster::revision
