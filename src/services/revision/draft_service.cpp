#include "services/revision/draft_service.h"

#include "services/revision/keys.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr int attempts_max = 20;
constexpr auto seen_interval = 15s;  // that an editor is there is written down so often
constexpr std::size_t page_entries = 100;

std::unexpected<error> nothing_edited(const std::string& edit) {
    return fail(
        errc::not_found,
        "there is no editing session " + edit + "; it ended: begin another one, the draft is kept");
}

std::unexpected<error> too_many() {
    return fail(errc::unavailable, "too many change the draft at this moment; try again");
}

editor* find_in(draft& of, const std::string& edit) {
    const auto it = std::ranges::find(of.editors, edit, &editor::id);
    return it == of.editors.end() ? nullptr : &*it;
}

}  // namespace

async<std::optional<draft>> draft_service::look() {
    CO_TRY(const auto store, co_await metastore_.get(std::string(keys::draft)));
    if (!store.found) co_return std::optional<draft>();
    CO_TRY(auto read, decode_draft(store.found->value));
    co_return read;
}

async<std::vector<draft_change>> draft_service::changes() {
    CO_TRY(const auto now, co_await look());
    std::vector<draft_change> read;
    kv::range_request next{.prefix = std::string(keys::changes), .limit = page_entries};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(next));
        for (const auto& entry : page.entries) {
            CO_TRY(auto change, decode_change(entry.value));
            if (now && change.number > now->done) read.push_back(std::move(change));
        }
        if (!page.more || page.entries.empty()) break;
        next.after = page.entries.back().key;
    }
    co_return read;
}

// Nothing: somebody else was faster.
async<std::optional<draft>> draft_service::try_to_alter(claim as, const step& step) {
    CO_TRY(const auto store, co_await metastore_.get(std::string(keys::draft)));
    std::optional<draft> now;
    if (store.found) {
        CO_TRY(now, decode_draft(store.found->value));
    }
    CO_TRY(auto desired, step(now));
    const std::optional<draft> left = desired.next ? *desired.next : now.value_or(draft{});
    if (!desired.write) co_return left;
    kv::transaction change;
    change.when.push_back(as.holds());
    if (store.found)
        change.when.emplace_back(
            kv::unchanged{.key = std::string(keys::draft), .modified = store.found->modified});
    else
        change.when.emplace_back(kv::absent{std::string(keys::draft)});
    if (desired.on_condition) change.when.push_back(*std::move(desired.on_condition));
    change.then = std::move(desired.also);
    if (desired.next)
        change.then.emplace_back(
            kv::put{.key = std::string(keys::draft), .value = encode(*desired.next)});
    else
        change.then.emplace_back(kv::erase{std::string(keys::draft)});
    if (desired.demote) change.then.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) co_return left;
    const auto leader = std::ranges::find(verdict.current, keys::leader, &kv::entry::key);
    if (leader == verdict.current.end() || leader->value != as.value)
        co_return fail(errc::unavailable, "this server no longer leads; try again");
    co_return std::optional<draft>();
}

async<draft> draft_service::alter(claim as, step step) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto done, co_await try_to_alter(as, step));
        if (done) co_return *std::move(done);
    }
    co_return too_many();
}

async<draft_service::session> draft_service::begin(claim as, std::string user, std::string note) {
    const auto at = clock_.wall();
    const editor editor{
        .id = "e-" + names_(),
        .user = std::move(user),
        .note = std::move(note),
        .began = at,
        .seen = at};
    const auto draft_id = "d-" + names_();
    CO_TRY(const auto head, co_await metastore_.get(std::string(keys::head)));
    std::int64_t base = 0;
    if (head.found) {
        CO_TRY(const auto newest, decode_revision(head.found->value));
        base = newest.number;
    }
    CO_TRY(
        auto now,
        co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
            CHECK_OK(may_begin(before, rules_));
            if (!before) before = draft{.id = draft_id, .base = base, .since = at, .editors = {}};
            before->editors.push_back(editor);
            return outcome{.next = std::move(before)};
        }));
    co_return session{.who = editor, .now = std::move(now)};
}

async<draft_service::session> draft_service::stay(claim as, std::string edit) {
    const auto at = clock_.wall();
    editor editor;
    CO_TRY(
        auto now,
        co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
            auto* const found = before ? find_in(*before, edit) : nullptr;
            if (found == nullptr) return nothing_edited(edit);
            const bool worth_it = found->seen + seen_interval < at;
            if (worth_it) found->seen = at;
            editor = *found;
            return outcome{.next = std::move(before), .write = worth_it};
        }));
    co_return session{.who = std::move(editor), .now = std::move(now)};
}

async<draft_service::session> draft_service::end(claim as, std::string edit) {
    editor who;
    CO_TRY(
        auto now,
        co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
            auto* const found = before ? find_in(*before, edit) : nullptr;
            if (found == nullptr) return nothing_edited(edit);
            if (before->state == draft_state::applying)
                return fail(errc::conflict, "the draft is being applied; the session ends with it");
            who = *found;
            std::erase_if(before->editors, [&](const editor& editor) { return editor.id == edit; });
            const bool last = before->editors.empty();
            if (last && before->count == 0)
                return outcome{
                    .next = {},
                    .also = {kv::erase_prefix{std::string(keys::changes)}},
                    .demote = true};
            return outcome{.next = std::move(before), .demote = last};
        }));
    now.editors.erase(
        std::remove_if(
            now.editors.begin(),
            now.editors.end(),
            [&](const editor& editor) { return editor.id == edit; }),
        now.editors.end());
    co_return session{.who = std::move(who), .now = std::move(now)};
}

async<draft_change> draft_service::add(claim as, draft_change change) {
    const auto size = change.arguments.size();
    change.at = clock_.wall();
    CO_CHECK_OK(co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
        if (!before) return nothing_edited(change.edit);
        CHECK_OK(may_draft(*before, change.edit, size));
        change.number = ++before->last_number;
        ++before->count;
        before->bytes += static_cast<std::int64_t>(size);
        find_in(*before, change.edit)->seen = change.at;
        outcome result{.next = std::move(before)};
        result.also.emplace_back(
            kv::put{.key = keys::change(change.number), .value = encode(change)});
        return result;
    }));
    co_return change;
}

// Nothing: somebody else was faster.
async<std::optional<draft>> draft_service::try_to_drop(
    claim as, std::string edit, std::int64_t number) {
    const auto key = keys::change(number);
    CO_TRY(const auto store, co_await metastore_.get(key));
    const auto missing = [&] {
        return fail(
            errc::not_found, "there is no change " + std::to_string(number) + " in the draft");
    };
    if (!store.found) co_return missing();
    CO_TRY(const auto change, decode_change(store.found->value));
    const step without = [&](std::optional<draft> before) -> result<outcome> {
        if (!before) return nothing_edited(edit);
        if (before->find(edit) == nullptr) return nothing_edited(edit);
        if (before->state == draft_state::applying)
            return fail(errc::conflict, "the draft is being applied; wait until that is done");
        if (number <= before->done) return missing();
        --before->count;
        before->bytes -= static_cast<std::int64_t>(change.arguments.size());
        before->state = draft_state::open;
        before->error.clear();
        outcome result{.next = std::move(before)};
        // Who drops the same one at the same time must not take it off the count once more.
        result.on_condition = kv::unchanged{.key = key, .modified = store.found->modified};
        result.also.emplace_back(kv::erase{key});
        return result;
    };
    co_return co_await try_to_alter(std::move(as), without);
}

async<void> draft_service::drop(claim as, std::string edit, std::int64_t number) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto done, co_await try_to_drop(as, edit, number));
        if (done) co_return result<void>();
    }
    co_return too_many();
}

async<std::int64_t> draft_service::discard(claim as, std::string edit) {
    CO_TRY(
        const auto was,
        co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
            if (!before) return nothing_edited(edit);
            CHECK_OK(may_discard(*before, edit));
            return outcome{
                .next = {}, .also = {kv::erase_prefix{std::string(keys::changes)}}, .demote = true};
        }));
    co_return was.count;
}

async<draft> draft_service::begin_apply(claim as, application application) {
    application.since = clock_.wall();
    co_return co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
        if (!before) return nothing_edited(application.edit);
        CHECK_OK(may_apply(*before, application.edit));
        before->state = draft_state::applying;
        before->applying = application;
        before->error.clear();
        return outcome{.next = std::move(before)};
    });
}

async<draft> draft_service::note_progress(claim as, application progress) {
    co_return co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
        if (!before || before->state != draft_state::applying)
            return fail(errc::unavailable, "the draft is no longer being applied");
        before->applying = progress;
        return outcome{.next = std::move(before)};
    });
}

async<std::vector<editor>> draft_service::send_idle_away(claim as) {
    const auto at = clock_.wall();
    std::vector<editor> gone;
    CO_CHECK_OK(co_await alter(std::move(as), [&](std::optional<draft> before) -> result<outcome> {
        gone.clear();
        if (!before) return outcome{.next = {}, .demote = true};
        gone = drop_idle(*before, at, rules_.idle_limit);
        const bool nobody = before->editors.empty() && before->state != draft_state::applying;
        if (gone.empty() && !nobody) return outcome{.next = std::move(before), .write = false};
        if (nobody && before->count == 0)
            return outcome{
                .next = {}, .also = {kv::erase_prefix{std::string(keys::changes)}}, .demote = true};
        return outcome{.next = std::move(before), .demote = nobody};
    }));
    co_return gone;
}

}  // namespace muster::revision
