#include "services/revision/draft_service.h"

#include "services/revision/keys.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr int attempts_max = 20;
constexpr auto seen_write_interval = 15s;  // between writes of the last activity
constexpr std::size_t page_entries = 100;

std::unexpected<error> session_not_found(const std::string& edit) {
    return fail(
        errc::not_found,
        "edit session \"" + edit + "\" not found or ended; begin a new session, the draft is kept");
}

std::unexpected<error> too_many() {
    return fail(errc::unavailable, "draft was modified concurrently; retry");
}

editor* find_editor(draft& current, const std::string& edit) {
    const auto it = std::ranges::find(current.editors, edit, &editor::id);
    return it == current.editors.end() ? nullptr : &*it;
}

}  // namespace

async<std::optional<draft>> draft_service::read_draft() {
    CO_TRY(const auto stored, co_await metastore_.get(std::string(keys::draft)));
    if (!stored.found) co_return std::optional<draft>();
    CO_TRY(auto current, decode_draft(stored.found->value));
    co_return current;
}

async<std::vector<draft_change>> draft_service::changes() {
    CO_TRY(const auto current, co_await read_draft());
    std::vector<draft_change> changes;
    kv::range_request request{.prefix = std::string(keys::changes), .limit = page_entries};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(request));
        for (const auto& entry : page.entries) {
            CO_TRY(auto change, decode_change(entry.value));
            if (current && change.number > current->done) changes.push_back(std::move(change));
        }
        if (!page.more || page.entries.empty()) break;
        request.after = page.entries.back().key;
    }
    co_return changes;
}

// Empty after a concurrent change.
async<std::optional<draft>> draft_service::try_to_update(claim own_claim, const update_step& step) {
    CO_TRY(const auto stored, co_await metastore_.get(std::string(keys::draft)));
    std::optional<draft> before;
    if (stored.found) {
        CO_TRY(before, decode_draft(stored.found->value));
    }
    CO_TRY(auto updated, step(before));
    const std::optional<draft> remaining = updated.next ? *updated.next : before.value_or(draft{});
    if (!updated.write) co_return remaining;
    kv::transaction change;
    change.when.push_back(own_claim.holds());
    if (stored.found)
        change.when.emplace_back(
            kv::unchanged{.key = std::string(keys::draft), .modified = stored.found->modified});
    else
        change.when.emplace_back(kv::absent{std::string(keys::draft)});
    if (updated.condition) change.when.push_back(*std::move(updated.condition));
    change.then = std::move(updated.operations);
    if (updated.next)
        change.then.emplace_back(
            kv::put{.key = std::string(keys::draft), .value = encode(*updated.next)});
    else
        change.then.emplace_back(kv::erase{std::string(keys::draft)});
    if (updated.release_lock) change.then.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) co_return remaining;
    const auto leader = std::ranges::find(outcome.current, keys::leader, &kv::entry::key);
    if (leader == outcome.current.end() || leader->value != own_claim.value)
        co_return fail(errc::unavailable, "this server is no longer the leader; retry");
    co_return std::optional<draft>();
}

async<draft> draft_service::update(claim own_claim, update_step step) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto updated, co_await try_to_update(own_claim, step));
        if (updated) co_return *std::move(updated);
    }
    co_return too_many();
}

async<draft_service::session> draft_service::begin(
    claim own_claim, std::string user, std::string note) {
    const auto now = clock_.wall();
    const editor editor{
        .id = "e-" + new_id_(),
        .user = std::move(user),
        .note = std::move(note),
        .began = now,
        .seen = now};
    const auto draft_id = "d-" + new_id_();
    CO_TRY(const auto head, co_await metastore_.get(std::string(keys::head)));
    std::int64_t base = 0;
    if (head.found) {
        CO_TRY(const auto newest, decode_revision(head.found->value));
        base = newest.number;
    }
    CO_TRY(
        auto after,
        co_await update(
            std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
                CHECK_OK(may_begin(before, rules_));
                if (!before)
                    before = draft{.id = draft_id, .base = base, .since = now, .editors = {}};
                before->editors.push_back(editor);
                return draft_update{.next = std::move(before)};
            }));
    co_return session{.editor = editor, .draft = std::move(after)};
}

async<draft_service::session> draft_service::keep_alive(claim own_claim, std::string edit) {
    const auto now = clock_.wall();
    editor editor;
    CO_TRY(
        auto after,
        co_await update(
            std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
                auto* const current_editor = before ? find_editor(*before, edit) : nullptr;
                if (current_editor == nullptr) return session_not_found(edit);
                const bool outdated = current_editor->seen + seen_write_interval < now;
                if (outdated) current_editor->seen = now;
                editor = *current_editor;
                return draft_update{.next = std::move(before), .write = outdated};
            }));
    co_return session{.editor = std::move(editor), .draft = std::move(after)};
}

async<draft_service::session> draft_service::end(claim own_claim, std::string edit) {
    editor ended;
    CO_TRY(
        auto after,
        co_await update(
            std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
                auto* const current_editor = before ? find_editor(*before, edit) : nullptr;
                if (current_editor == nullptr) return session_not_found(edit);
                if (before->state == draft_state::applying)
                    return fail(
                        errc::conflict,
                        "draft is being applied; the edit session ends when the draft is applied");
                ended = *current_editor;
                std::erase_if(
                    before->editors, [&](const editor& editor) { return editor.id == edit; });
                const bool last = before->editors.empty();
                if (last && before->count == 0)
                    return draft_update{
                        .next = {},
                        .operations = {kv::erase_prefix{std::string(keys::changes)}},
                        .release_lock = true};
                return draft_update{.next = std::move(before), .release_lock = last};
            }));
    after.editors.erase(
        std::remove_if(
            after.editors.begin(),
            after.editors.end(),
            [&](const editor& editor) { return editor.id == edit; }),
        after.editors.end());
    co_return session{.editor = std::move(ended), .draft = std::move(after)};
}

async<draft_change> draft_service::add(claim own_claim, draft_change change) {
    const auto size = change.arguments.size();
    change.at = clock_.wall();
    CO_CHECK_OK(co_await update(
        std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
            if (!before) return session_not_found(change.edit);
            CHECK_OK(may_draft(*before, change.edit, size));
            change.number = ++before->last_number;
            ++before->count;
            before->bytes += static_cast<std::int64_t>(size);
            find_editor(*before, change.edit)->seen = change.at;
            draft_update update{.next = std::move(before)};
            update.operations.emplace_back(
                kv::put{.key = keys::change(change.number), .value = encode(change)});
            return update;
        }));
    co_return change;
}

// Empty after a concurrent change.
async<std::optional<draft>> draft_service::try_to_drop(
    claim own_claim, std::string edit, std::int64_t number) {
    const auto key = keys::change(number);
    CO_TRY(const auto stored, co_await metastore_.get(key));
    const auto missing = [&] {
        return fail(
            errc::not_found, "change \"" + std::to_string(number) + "\" not found in the draft");
    };
    if (!stored.found) co_return missing();
    CO_TRY(const auto change, decode_change(stored.found->value));
    const update_step remove_change = [&](std::optional<draft> before) -> result<draft_update> {
        if (!before) return session_not_found(edit);
        if (before->find(edit) == nullptr) return session_not_found(edit);
        if (before->state == draft_state::applying)
            return fail(errc::conflict, "draft is being applied; retry when the draft is applied");
        if (number <= before->done) return missing();
        --before->count;
        before->bytes -= static_cast<std::int64_t>(change.arguments.size());
        before->state = draft_state::open;
        before->error.clear();
        draft_update update{.next = std::move(before)};
        // A concurrent drop of the same change must not reduce the count twice.
        update.condition = kv::unchanged{.key = key, .modified = stored.found->modified};
        update.operations.emplace_back(kv::erase{key});
        return update;
    };
    co_return co_await try_to_update(std::move(own_claim), remove_change);
}

async<void> draft_service::drop(claim own_claim, std::string edit, std::int64_t number) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto dropped, co_await try_to_drop(own_claim, edit, number));
        if (dropped) co_return result<void>();
    }
    co_return too_many();
}

async<std::int64_t> draft_service::discard(claim own_claim, std::string edit) {
    CO_TRY(
        const auto before_discard,
        co_await update(
            std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
                if (!before) return session_not_found(edit);
                CHECK_OK(may_discard(*before, edit));
                return draft_update{
                    .next = {},
                    .operations = {kv::erase_prefix{std::string(keys::changes)}},
                    .release_lock = true};
            }));
    co_return before_discard.count;
}

async<draft> draft_service::begin_apply(claim own_claim, application application) {
    application.since = clock_.wall();
    co_return co_await update(
        std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
            if (!before) return session_not_found(application.edit);
            CHECK_OK(may_apply(*before, application.edit));
            before->state = draft_state::applying;
            before->applying = application;
            before->error.clear();
            return draft_update{.next = std::move(before)};
        });
}

async<draft> draft_service::record_progress(claim own_claim, application progress) {
    co_return co_await update(
        std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
            if (!before || before->state != draft_state::applying)
                return fail(errc::unavailable, "draft is no longer being applied");
            before->applying = progress;
            return draft_update{.next = std::move(before)};
        });
}

async<std::vector<editor>> draft_service::end_idle_sessions(claim own_claim) {
    const auto now = clock_.wall();
    std::vector<editor> ended;
    CO_CHECK_OK(co_await update(
        std::move(own_claim), [&](std::optional<draft> before) -> result<draft_update> {
            ended.clear();
            if (!before) return draft_update{.next = {}, .release_lock = true};
            ended = drop_idle(*before, now, rules_.idle_limit);
            const bool no_editors =
                before->editors.empty() && before->state != draft_state::applying;
            if (ended.empty() && !no_editors)
                return draft_update{.next = std::move(before), .write = false};
            if (no_editors && before->count == 0)
                return draft_update{
                    .next = {},
                    .operations = {kv::erase_prefix{std::string(keys::changes)}},
                    .release_lock = true};
            return draft_update{.next = std::move(before), .release_lock = no_editors};
        }));
    co_return ended;
}

}  // namespace muster::revision
