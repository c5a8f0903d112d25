#include "core/lifecycle/enrolment.h"

#include "base/assert.h"
#include "core/lifecycle/words.h"

#include <algorithm>
#include <utility>

namespace muster::lifecycle {
namespace {

bool is_letter_of_name(char letter) {
    constexpr std::string_view others = "-_.";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

std::string named(const system_record& known) {
    return known.name.empty() ? known.print.str() : known.name;
}

std::unexpected<error> refused(const system_record& known, const std::string& why) {
    return fail(errc::conflict, named(known) + " " + why);
}

// A row that is about to be erased takes no change: it would be lost with it.
result<void> check_standing(const system_record& known) {
    if (!is_purged(known)) return {};
    return fail(errc::unavailable, named(known) + " is being purged; try again in some minutes");
}

system_record following(const system_record& known) {
    MUSTER_ASSERT(known.version < version_of_purged - 1);
    auto next = known;
    ++next.version;
    return next;
}

std::vector<std::string> with(
    std::vector<std::string> words,
    const std::vector<std::string>& added,
    const std::vector<std::string>& removed = {}) {
    words.insert(words.end(), added.begin(), added.end());
    std::erase_if(
        words, [&](const std::string& each) { return std::ranges::count(removed, each) > 0; });
    return sorted_words(std::move(words));
}

void take_over(system_record& next, const system_record& replaced) {
    next.number = replaced.number;
    next.tags = with(std::move(next.tags), replaced.tags);
    next.groups = with(std::move(next.groups), replaced.groups);
    if (next.zone.empty()) next.zone = replaced.zone;
}

bool is_new_machine(const system_record& known, const std::optional<system_record>& same_machine) {
    return same_machine && same_machine->print != known.print;
}

}  // namespace

result<void> check(const enrol_request& said) {
    if (said.public_key.size() != 32)
        return fail(errc::invalid, "the key must be an Ed25519 key of 32 bytes");
    const bool name_well = !said.name.empty() && said.name.size() <= enrol_limits::name_bytes_max
                           && std::ranges::all_of(said.name, is_letter_of_name);
    if (!name_well)
        return fail(errc::invalid, "`name` must be 1 to 253 letters, digits, '-', '_' and '.'");
    const bool machine_well = said.machine_id.size() <= enrol_limits::machine_id_bytes_max
                              && std::ranges::all_of(said.machine_id, is_letter_of_name);
    if (!machine_well)
        return fail(errc::invalid, "`machine_id` must be at most 64 letters, digits and '-'");
    return {};
}

next_record enrol(
    const std::optional<system_record>& known,
    const enrol_request& said,
    const std::optional<system_record>& same_machine,
    wall_time now) {
    if (!known)
        return system_record{
            .print = said.print,
            .public_key = said.public_key,
            .name = said.name,
            .machine_id = said.machine_id,
            .stage = enrolment::pooled,
            .origin = said.origin,
            .enrolled = now,
            .replaces = same_machine ? same_machine->number : system_number()};
    CHECK_OK(check_standing(*known));
    if (known->stage == enrolment::deleted) return std::nullopt;
    auto next = following(*known);
    next.name = said.name;
    next.machine_id = said.machine_id;
    if (known->stage != enrolment::accepted) {
        next.origin = said.origin;
        next.replaces =
            is_new_machine(*known, same_machine) ? same_machine->number : system_number();
    }
    if (known->stage == enrolment::evicted) {
        next.stage = enrolment::pooled;
        next.enrolled = now;
    }
    const bool same = next.name == known->name && next.machine_id == known->machine_id
                      && next.origin == known->origin && next.replaces == known->replaces
                      && next.stage == known->stage;
    if (same) return std::nullopt;
    return next;
}

next_record accept(
    const system_record& known, const terms& given, const seat& free, wall_time now) {
    CHECK_OK(check_standing(known));
    switch (known.stage) {
        case enrolment::accepted:
            return std::nullopt;
        case enrolment::deleted:
            return refused(known, "is deleted for ever; its key cannot be accepted again");
        case enrolment::evicted:
            return refused(known, "is no longer in the pool");
        case enrolment::pooled:
        case enrolment::rejected:
            break;
    }
    auto next = following(known);
    next.stage = enrolment::accepted;
    next.number = free.number;
    next.zone = given.zone;
    next.tags = with(std::move(next.tags), given.tags);
    next.groups = with(std::move(next.groups), given.groups);
    next.accepted = now;
    next.accepted_by = given.by;
    if (free.replaced) {
        take_over(next, *free.replaced);
    } else {
        next.replaces = {};
    }
    MUSTER_ASSERT(next.number);
    if (next.zone.empty()) return refused(known, "cannot be accepted without a zone");
    return next;
}

next_record reject(const system_record& known) {
    CHECK_OK(check_standing(known));
    switch (known.stage) {
        case enrolment::rejected:
            return std::nullopt;
        case enrolment::accepted:
            return refused(known, "is accepted; delete it to ban it");
        case enrolment::deleted:
            return refused(known, "is deleted for ever");
        case enrolment::evicted:
            return refused(known, "is no longer in the pool");
        case enrolment::pooled:
            break;
    }
    auto next = following(known);
    next.stage = enrolment::rejected;
    return next;
}

next_record remove(
    const std::optional<system_record>& known, const fingerprint& print, wall_time now) {
    system_record next{.print = print, .enrolled = now};
    if (known) {
        CHECK_OK(check_standing(*known));
        if (known->stage == enrolment::deleted) return std::nullopt;
        next = *known;
    }
    next.stage = enrolment::deleted;
    next.version = version_of_deleted;
    return next;
}

next_record unregister(const system_record& known) {
    if (known.stage != enrolment::accepted) return refused(known, "is not accepted");
    auto next = following(known);
    ++next.unregistered;
    return next;
}

next_record move_to_zone(const system_record& known, const std::string& zone) {
    if (known.stage != enrolment::accepted) return refused(known, "is not accepted");
    if (known.zone == zone) return std::nullopt;
    auto next = following(known);
    next.zone = zone;
    return next;
}

result<void> check(const label_change& wanted) {
    CHECK_OK(check_words("tag", wanted.tags_added));
    CHECK_OK(check_words("tag", wanted.tags_removed));
    CHECK_OK(check_words("group", wanted.groups_added));
    return check_words("group", wanted.groups_removed);
}

next_record relabel(const system_record& known, const label_change& wanted) {
    CHECK_OK(check_standing(known));
    if (known.stage == enrolment::deleted || known.stage == enrolment::evicted)
        return refused(known, "is not there any more");
    auto next = following(known);
    next.tags = with(std::move(next.tags), wanted.tags_added, wanted.tags_removed);
    next.groups = with(std::move(next.groups), wanted.groups_added, wanted.groups_removed);
    if (next.tags == known.tags && next.groups == known.groups) return std::nullopt;
    CHECK_OK(check_words("tag", next.tags));
    CHECK_OK(check_words("group", next.groups));
    return next;
}

next_record evict(const system_record& known) {
    if (known.stage != enrolment::pooled && known.stage != enrolment::rejected)
        return refused(known, "is not in the pool");
    auto next = following(known);
    next.stage = enrolment::evicted;
    return next;
}

bool is_purged(const system_record& known) {
    return known.version == version_of_purged;
}

next_record purge(const system_record& known) {
    if (known.stage != enrolment::evicted) return refused(known, "is there again");
    if (is_purged(known)) return std::nullopt;
    auto next = known;
    next.version = version_of_purged;
    return next;
}

}  // namespace muster::lifecycle
