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
    edit_state_cache& cell,
    runtime::logger& log)
    : cell_(cell),
      log_(log),
      from_(
          metastore,
          clock,
          log,
          {.read =
               [this](std::vector<kv::entry> all, kv::revision at) {
                   auto next = std::make_shared<edit_state_snapshot>();
                   next->at = at;
                   for (const auto& each : all) take(*next, each);
                   cell_.publish(std::move(next));
                   if (reader_ != nullptr) reader_->wake();
               },
           .changed =
               [this](const kv::change_batch& batch) {
                   auto next = std::make_shared<edit_state_snapshot>(*cell_.read());
                   next->at = batch.up_to;
                   for (const auto& change : batch.changes) {
                       const auto* const now = std::get_if<kv::written>(&change);
                       if (now != nullptr)
                           take(*next, now->now);
                       else
                           forget(*next, kv::key_of(change));
                   }
                   cell_.publish(std::move(next));
                   if (reader_ != nullptr) reader_->wake();
               }},
          {.prefix = std::string(keys::all), .what = "the editing of common data"}) {}

void edit_state_follower::take(edit_state_snapshot& into, const kv::entry& from) const {
    const auto keep = [&](auto decoded, auto&& put) {
        if (decoded) return put(*std::move(decoded));
        forget(into, from.key);
        log_.error(
            "a record of common data is not understood",
            {{"key", from.key}, {"reason", to_string(decoded.error())}});
    };
    const auto& key = from.key;
    if (key == keys::leader)
        keep(decode_leader(from.value), [&](auto read) { into.leader = std::move(read); });
    else if (key == keys::draft)
        keep(decode_draft(from.value), [&](auto read) { into.now = std::move(read); });
    else if (key == keys::head)
        keep(decode_revision(from.value), [&](auto read) { into.head = std::move(read); });
    else if (key.starts_with(keys::changes))
        keep(decode_change(from.value), [&](auto read) {
            into.changes.insert_or_assign(number_of(key), std::move(read));
        });
    else if (key.starts_with(keys::owned_systems))
        keep(decode_holding(from.value), [&](auto read) {
            into.owned_systems.insert_or_assign(
                name_under(keys::owned_systems, key), std::move(read));
        });
    else if (key.starts_with(keys::notes))
        keep(decode_note(from.value), [&](auto read) {
            into.notes.insert_or_assign(name_under(keys::notes, key), std::move(read));
        });
}

void edit_state_follower::forget(edit_state_snapshot& from, const std::string& key) {
    if (key == keys::leader) from.leader.reset();
    if (key == keys::draft) from.now.reset();
    if (key == keys::head) from.head.reset();
    if (key.starts_with(keys::changes)) from.changes.erase(number_of(key));
    if (key.starts_with(keys::owned_systems))
        from.owned_systems.erase(name_under(keys::owned_systems, key));
    if (key.starts_with(keys::notes)) from.notes.erase(name_under(keys::notes, key));
}

}  // namespace muster::revision
