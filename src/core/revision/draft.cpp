#include "core/revision/draft.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::revision {
namespace {

// "2026-11-16 15:58 UTC"
std::string format_minute(wall_time time) {
    const auto minutes = std::chrono::floor<std::chrono::minutes>(time);
    const auto day = std::chrono::floor<std::chrono::days>(minutes);
    const std::chrono::year_month_day date(day);
    const auto rest = (minutes - day).count();
    const auto two_digits = [](unsigned number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    };
    return std::to_string(static_cast<int>(date.year())) + "-"
           + two_digits(static_cast<unsigned>(date.month())) + "-"
           + two_digits(static_cast<unsigned>(date.day())) + " "
           + two_digits(static_cast<unsigned>(rest / 60)) + ":"
           + two_digits(static_cast<unsigned>(rest % 60)) + " UTC";
}

std::string describe_editors(const std::vector<editor>& editors) {
    std::string text;
    for (const auto& editor : editors)
        text += (text.empty() ? "" : ", ") + editor.user + " since " + format_minute(editor.began);
    return text;
}

std::unexpected<error> session_ended(std::string_view edit) {
    return fail(
        errc::not_found,
        "edit session \"" + std::string(edit)
            + "\" not found: ended or idle for too long; begin a new session (the draft is kept)");
}

std::unexpected<error> being_applied(const revision::draft& draft) {
    return fail(
        errc::conflict,
        "draft is being applied by "
            + (draft.applying ? draft.applying->by : std::string("another user"))
            + "; retry when this has finished");
}

}  // namespace

std::string_view to_string(draft_state state) {
    switch (state) {
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
    for (const auto state : {draft_state::open, draft_state::applying, draft_state::halted})
        if (to_string(state) == text) return state;
    return std::nullopt;
}

const editor* draft::find(std::string_view edit) const {
    const auto it = std::ranges::find(editors, edit, &editor::id);
    return it == editors.end() ? nullptr : &*it;
}

result<void> may_begin(const std::optional<revision::draft>& draft, const editing_rules& rules) {
    if (!draft) return {};
    if (draft->state == draft_state::applying) return being_applied(*draft);
    if (rules.single && !draft->editors.empty())
        return fail(
            errc::conflict,
            "only one edit session is allowed (edits.single); open session: "
                + describe_editors(draft->editors));
    if (draft->editors.size() >= draft_limits::editors_max)
        return fail(
            errc::conflict,
            "limit of 50 edit sessions reached: " + describe_editors(draft->editors));
    return {};
}

result<void> may_draft(const revision::draft& draft, std::string_view edit, std::size_t bytes) {
    if (draft.find(edit) == nullptr) return session_ended(edit);
    if (draft.state == draft_state::applying) return being_applied(draft);
    if (draft.count >= draft_limits::changes_max)
        return fail(
            errc::conflict, "limit of 1000 changes per draft reached; apply the draft first");
    const auto size = static_cast<std::int64_t>(bytes);
    if (size > draft_limits::change_bytes_max)
        return fail(
            errc::invalid,
            "limit of 256 KiB per drafted change exceeded; make this change directly when no edit "
            "session is open");
    if (draft.bytes + size > draft_limits::bytes_max)
        return fail(errc::conflict, "limit of 16 MiB per draft reached; apply the draft first");
    return {};
}

result<void> may_apply(const revision::draft& draft, std::string_view edit) {
    if (draft.find(edit) == nullptr) return session_ended(edit);
    if (draft.state == draft_state::applying) return being_applied(draft);
    if (draft.editors.size() > 1)
        return fail(
            errc::conflict,
            std::to_string(draft.editors.size())
                + " edit sessions are open; end all but one to apply the draft: "
                + describe_editors(draft.editors));
    if (draft.count == 0) return fail(errc::conflict, "draft has no changes");
    return {};
}

result<void> may_discard(const revision::draft& draft, std::string_view edit) {
    if (draft.find(edit) == nullptr) return session_ended(edit);
    if (draft.state == draft_state::applying) return being_applied(draft);
    if (draft.editors.size() > 1)
        return fail(
            errc::conflict,
            "draft has other open edit sessions: " + describe_editors(draft.editors)
                + "; delete only your own changes, or end your session");
    return {};
}

result<void> may_change_directly(const std::optional<revision::draft>& draft) {
    if (!draft) return {};
    if (draft->state == draft_state::applying) return being_applied(*draft);
    if (draft->editors.empty()) return {};
    return fail(
        errc::conflict,
        "common data is being edited by " + describe_editors(draft->editors)
            + "; wait until the draft is applied, or join with: muster revisions edit begin");
}

bool needs_leader(const std::optional<revision::draft>& draft) {
    return draft && (draft->state == draft_state::applying || !draft->editors.empty());
}

std::vector<editor> drop_idle(revision::draft& draft, wall_time now, std::chrono::seconds limit) {
    std::vector<editor> idle;
    std::erase_if(draft.editors, [&](const editor& editor) {
        const bool applies = draft.applying && draft.applying->edit == editor.id;
        if (applies || editor.seen + limit > now) return false;
        idle.push_back(editor);
        return true;
    });
    return idle;
}

std::optional<std::int64_t> next_change(
    const application& progress,
    const std::vector<std::int64_t>& numbers,
    std::string_view current_digest,
    std::int64_t last_done) {
    const bool had_effect = progress.doing != 0 && current_digest != progress.before;
    // Either the change in doubt is done, or all changes before it.
    const auto done = std::max(last_done, had_effect ? progress.doing : progress.doing - 1);
    const auto it =
        std::ranges::find_if(numbers, [&](std::int64_t number) { return number > done; });
    return it == numbers.end() ? std::nullopt : std::optional(*it);
}

}  // namespace muster::revision
