#include "sim/workloads/revisions.h"

#include "ports/deadline.h"
#include "services/revision/keys.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
namespace keys = revision::keys;

constexpr auto timeout = 10s;
constexpr std::size_t sessions_max = 2;

template <class T>
result<void> outcome(const result<T>& done) {
    if (!done) return fail(done.error());
    return {};
}

// Whoever dies before the answer comes never knows, and says nothing.
bool did_not_happen(const result<void>& done) {
    return !done && done.error().code() != errc::timed_out
           && done.error().code() != errc::cancelled;
}

}  // namespace

void revisions::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    invariants_.emplace(cluster.simulation);
    // Not listed among the clients: it must not miss anything.
    process& observer =
        cluster.add({.name = "observer", .clock = {}, .disk = {}}, [this, &cluster](process& self) {
            self.spawn("observe", observe(self, open_metastore(cluster, self, "metastore")));
        });
    observer.start();
    if (options_.janitors == 1) {
        add_client(cluster, "janitor", [this, &cluster](process& self) {
            self.spawn(
                "tidy wrongly", tidy_wrongly(self, open_metastore(cluster, self, "metastore")));
        });
    }
    for (std::int64_t number = 1; number <= options_.servers; ++number) {
        add_client(cluster, fmt::format("server{}", number), [this](process& self) {
            const auto server = self.own<revisions_server>(
                *cluster_, self, revisions_server::options{.ttl = options_.ttl, .log = &log_});
            servers_[self.name()] = server;
            server->start();
            self.spawn("live", run_operator(self, server));
        });
    }
}

boost::asio::awaitable<void> revisions::run_operator(process& self, server target) {
    prng& random = self.simulation().random("deeds of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const auto done = co_await run_action(self, target);
        ++actions_;
        if (!done) ++refused_;
    }
}

async<void> revisions::run_action(process& self, server target) {
    prng& random = self.simulation().random("deeds of " + self.name());
    if (random.chance(150)) return change_directly(self, std::move(target));
    return edit(self, std::move(target));
}

named_value revisions::next_value(process& self) {
    prng& random = self.simulation().random("values of " + self.name());
    const auto group = random.below(static_cast<std::uint64_t>(options_.groups));
    return {.group = fmt::format("g{}", group), .value = fmt::format("v{}", ++values_)};
}

// As the API does it (api::draft_interceptor).
async<void> revisions::change_directly(process& self, server target) {
    auto acquisition = target->edit_lock().take_turn(self.name(), revision::may_change_directly);
    CO_TRY(const auto turn, co_await within(self.clock(), timeout, std::move(acquisition)));
    const auto value = next_value(self);
    invariants_->in_doubt(
        value.text());  // until its revision is there, and who knows whose that is
    const auto done = co_await within(self.clock(), timeout, target->set(value));
    std::vector<kv::operation> operations;
    if (done || done.error().code() == errc::timed_out) {
        const revision::direct_change note{
            .by = self.name(),
            .operation = "groups.replace",
            .subject = value.text(),
            .at = self.clock().wall()};
        const auto name = revision::note_name(self.name(), note.at.time_since_epoch().count());
        operations.emplace_back(
            kv::put{.key = keys::under(keys::notes, name), .value = encode(note)});
    }
    auto release = target->edit_lock().release(turn, std::move(operations));
    const auto released = co_await within(self.clock(), timeout, std::move(release));
    if (!released) target->edit_lock().release_later(turn);
    target->reconciler().wake();
    co_return outcome(done);
}

async<void> revisions::edit(process& self, server target) {
    auto finding = target->edit_lock().lead();
    CO_TRY(auto edit_lock, co_await within(self.clock(), timeout, std::move(finding)));
    if (edit_lock.elected) invariants_->elected(edit_lock.own->term);
    if (!edit_lock.own) co_return result<void>();  // the people there go on
    prng& random = self.simulation().random("deeds of " + self.name());
    if (sessions_.empty() || (sessions_.size() < sessions_max && random.chance(40)))
        co_return co_await begin(std::move(target), *std::move(edit_lock.own));
    auto edit = sessions_[random.below(sessions_.size())].edit;
    const auto newest = invariants_->newest_term();
    const auto term = edit_lock.own->term;
    const auto done = co_await continue_session(self, target, *std::move(edit_lock.own), edit);
    target->reconciler().wake();
    if (done) invariants_->written(term, newest);
    if (!done && done.error().code() == errc::not_found) forget(edit);
    co_return done;
}

void revisions::forget(const std::string& edit) {
    std::erase_if(sessions_, [&](const session& session) { return session.edit == edit; });
}

async<void> revisions::begin(server target, claim leadership) {
    const auto newest = invariants_->newest_term();
    const auto term = leadership.term;
    const auto begun = co_await target->drafts().begin(std::move(leadership), "anna", "");
    target->reconciler().wake();
    if (!begun) co_return fail(begun.error());
    invariants_->written(term, newest);
    sessions_.push_back({.edit = begun->editor.id, .drafted = {}});
    co_return result<void>();
}

async<void> revisions::continue_session(
    process& self, server target, claim leadership, std::string edit) {
    prng& random = self.simulation().random("deeds of " + self.name());
    const auto dice = random.below(100);
    if (dice < 65) co_return co_await draft(self, std::move(target), std::move(leadership), edit);
    if (dice < 72) co_return co_await drop(self, std::move(target), std::move(leadership), edit);
    if (dice < 78) {
        const auto ended = co_await target->drafts().end(std::move(leadership), edit);
        if (ended) forget(edit);
        co_return outcome(ended);
    }
    if (dice < 80) {
        const auto excused = invariants_->draft_may_be_discarded();
        const auto discarded = co_await target->drafts().discard(std::move(leadership), edit);
        if (discarded) forget(edit);
        if (did_not_happen(outcome(discarded))) invariants_->are_kept(excused);
        co_return outcome(discarded);
    }
    revision::application application{.by = "anna", .edit = edit, .since = {}};
    const auto applied =
        co_await target->drafts().begin_apply(std::move(leadership), std::move(application));
    if (applied) {
        ++applied_;
        forget(edit);
    }
    co_return outcome(applied);
}

async<void> revisions::draft(process& self, server target, claim leadership, std::string edit) {
    const auto value = next_value(self);
    const auto created = co_await target->drafts().add(
        std::move(leadership),
        {.operation = "groups.replace",
         .section = "groups",
         .name = value.text(),
         .arguments = "{}",
         .by = "anna",
         .edit = edit,
         .at = {}});
    if (!created) co_return fail(created.error());
    invariants_->drafted(value.text());
    for (auto& session : sessions_)
        if (session.edit == edit) session.drafted[value.text()] = created->number;
    co_return result<void>();
}

async<void> revisions::drop(process& self, server target, claim leadership, std::string edit) {
    prng& random = self.simulation().random("deeds of " + self.name());
    const auto owner = std::ranges::find(sessions_, edit, &session::edit);
    if (owner == sessions_.end() || owner->drafted.empty())
        co_return fail(errc::conflict, "no change to drop");
    auto chosen = owner->drafted.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(owner->drafted.size())));
    const auto number = chosen->second;
    const auto excused = invariants_->may_be_dropped({chosen->first});
    owner->drafted.erase(chosen);
    const auto dropped = co_await target->drafts().drop(std::move(leadership), edit, number);
    if (did_not_happen(dropped)) invariants_->are_kept(excused);
    co_return dropped;
}

boost::asio::awaitable<void> revisions::observe(
    process& self, std::shared_ptr<metastore> metastore) {
    while (true) {
        const auto head = co_await revision::read_head(metastore.get());
        if (head && *head) invariants_->check_head(**head);
        ignore_error(co_await self.clock().sleep_for(200ms), "never cancelled");
    }
}

// Erases what it saw a while ago, whatever it is by now: a planted bug.
boost::asio::awaitable<void> revisions::tidy_wrongly(
    process& self, std::shared_ptr<metastore> metastore) {
    while (!winding_down()) {
        const auto observed =
            co_await metastore->range({.prefix = std::string(keys::changes), .limit = 1});
        ignore_error(co_await self.clock().sleep_for(1s), "never cancelled");
        if (!observed || observed->entries.empty()) continue;
        kv::transaction tidying;
        tidying.then.emplace_back(kv::erase{observed->entries.front().key});
        ignore_error(co_await metastore->commit(std::move(tidying)), "the next write may succeed");
    }
}

// What keeps the cluster from being of one mind; empty: it is.
async<std::string> revisions::what_is_unsettled(std::shared_ptr<metastore> metastore) {
    CO_TRY(const auto head, co_await revision::read_head(metastore.get()));
    if (!head) co_return std::string("no revision was published");
    CO_TRY(const auto draft, co_await metastore->get(std::string(keys::draft)));
    if (draft.found) {
        CO_TRY(const auto now, revision::decode_draft(draft.found->value));
        if (revision::needs_leader(now)) co_return std::string("edit sessions are still open");
    }
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) co_return name + " is not running";
        if (!server->own_digests() || server->own_digests()->digests != head->sections)
            co_return name + " does not hold the newest revision";
        const auto view = server->known().read();
        if (!view->head || view->head->number != head->number)
            co_return name + " has not seen the newest revision";
        if (!view->notes.empty()) co_return std::string("changes are not published");
        const auto response = view->server_digests.find(name);
        if (response == view->server_digests.end() || response->second.digests != head->sections)
            co_return name + " has not reported its revision";
    }
    co_return std::string();
}

async<void> revisions::check_record(
    std::shared_ptr<metastore> metastore, std::shared_ptr<ledger> ledger) {
    revision::revision_store revision_store(*ledger);
    CO_TRY(const auto head, co_await revision::read_head(metastore.get()));
    std::vector<stored_revision> all;
    for (std::int64_t number = 1; number <= head->number; ++number) {
        CO_TRY(auto one, co_await revision_store.find(number));
        CO_TRY(
            const auto content, co_await revision_store.content(one.record.sections.at("groups")));
        all.push_back(
            {.record = std::move(one.record),
             .entries = std::move(one.entries),
             .groups = values_in(content)});
    }
    std::set<std::string> still;
    CO_TRY(const auto page, co_await metastore->range({.prefix = std::string(keys::changes)}));
    for (const auto& entry : page.entries) {
        CO_TRY(const auto change, revision::decode_change(entry.value));
        still.insert(change.name);
    }
    invariants_->check_end(all, still);
    co_return result<void>();
}

boost::asio::awaitable<void> revisions::check_at_end(process& checker) {
    const auto store = open_metastore(*cluster_, checker, "metastore");
    const auto records = open_common_ledger(*cluster_, checker);
    std::string missing = "no check was completed";
    for (int look = 0; look < 90 && !missing.empty(); ++look) {
        ignore_error(co_await checker.clock().sleep_for(2s), "never cancelled");
        const auto looked = co_await what_is_unsettled(store);
        missing = looked ? *looked : to_string(looked.error());
    }
    if (!missing.empty()) {
        checker.simulation().violated("revisions: not settled: " + missing);
        co_return;
    }
    const auto checked = co_await check_record(store, records);
    if (!checked)
        checker.simulation().violated(
            "revisions: reading at the end: " + to_string(checked.error()));
}

std::string revisions::summary() const {
    return fmt::format(
        "{} actions, {} failed; {} changes drafted, {} drafts to apply, {} revisions",
        actions_,
        refused_,
        invariants_->changes_drafted(),
        applied_,
        invariants_->revision_count());
}

}  // namespace muster::sim
