#include "services/revision/edit_state_follower.h"

#include "services/revision/keys.h"

#include <charconv>
#include <utility>
#include <variant>

namespace muster::revision {
namespace {

std::string name_under(std::string_view prefix, const std::string& key) {
    return key.substr(prefix.size());
}

std::int64_t number_of(const std::string& key) {
    std::int64_t number = 0;
    const auto text = name_under(keys::changes, key);
    static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), number));
    return number;
}

}  // namespace

edit_state_follower::edit_state_follower(
    muster::metastore& metastore,
    muster::clock& clock,
    edit_state_cache& cache,
    runtime::logger& log)
    : cache_(cache),
      log_(log),
      follower_(
          metastore,
          clock,
          log,
          {.on_read =
               [this](std::vector<kv::entry> entries, kv::revision revision) {
                   auto next = std::make_shared<edit_state_snapshot>();
                   next->at = revision;
                   for (const auto& entry : entries) apply(*next, entry);
                   cache_.publish(std::move(next));
                   if (listener_ != nullptr) listener_->wake();
               },
           .on_change =
               [this](const kv::change_batch& batch) {
                   auto next = std::make_shared<edit_state_snapshot>(*cache_.read());
                   next->at = batch.up_to;
                   for (const auto& change : batch.changes) {
                       const auto* const written = std::get_if<kv::written>(&change);
                       if (written != nullptr)
                           apply(*next, written->entry);
                       else
                           erase(*next, kv::key_of(change));
                   }
                   cache_.publish(std::move(next));
                   if (listener_ != nullptr) listener_->wake();
               }},
          {.prefix = std::string(keys::all), .subject = "edit state"}) {}

void edit_state_follower::apply(edit_state_snapshot& snapshot, const kv::entry& entry) const {
    const auto store = [&](auto decoded, auto&& put) {
        if (decoded) return put(*std::move(decoded));
        erase(snapshot, entry.key);
        log_.error(
            "unreadable edit state record ignored",
            {{"key", entry.key}, {"error", to_string(decoded.error())}});
    };
    const auto& key = entry.key;
    if (key == keys::leader)
        store(
            decode_leader(entry.value), [&](auto record) { snapshot.leader = std::move(record); });
    else if (key == keys::draft)
        store(decode_draft(entry.value), [&](auto record) {
            snapshot.current_draft = std::move(record);
        });
    else if (key == keys::head)
        store(
            decode_revision(entry.value), [&](auto record) { snapshot.head = std::move(record); });
    else if (key.starts_with(keys::changes))
        store(decode_change(entry.value), [&](auto record) {
            snapshot.changes.insert_or_assign(number_of(key), std::move(record));
        });
    else if (key.starts_with(keys::server_digests))
        store(decode_holding(entry.value), [&](auto record) {
            snapshot.server_digests.insert_or_assign(
                name_under(keys::server_digests, key), std::move(record));
        });
    else if (key.starts_with(keys::notes))
        store(decode_note(entry.value), [&](auto record) {
            snapshot.notes.insert_or_assign(name_under(keys::notes, key), std::move(record));
        });
}

void edit_state_follower::erase(edit_state_snapshot& snapshot, const std::string& key) {
    if (key == keys::leader) snapshot.leader.reset();
    if (key == keys::draft) snapshot.current_draft.reset();
    if (key == keys::head) snapshot.head.reset();
    if (key.starts_with(keys::changes)) snapshot.changes.erase(number_of(key));
    if (key.starts_with(keys::server_digests))
        snapshot.server_digests.erase(name_under(keys::server_digests, key));
    if (key.starts_with(keys::notes)) snapshot.notes.erase(name_under(keys::notes, key));
}

}  // namespace muster::revision
