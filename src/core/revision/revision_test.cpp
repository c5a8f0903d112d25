#include "base/prng.h"
#include "core/revision/draft.h"
#include "core/revision/section.h"
#include "core/revision/sync_state.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

const wall_time noon{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 12h};

std::string random_text(prng& random) {
    std::string result;
    const auto size = random.below(6);
    for (std::uint64_t at = 0; at < size; ++at) result += "ab:\n0{\x01"[random.below(7)];
    return result;
}

section random_section(prng& random) {
    section result{.name = random_text(random), .items = {}};
    const auto size = random.below(4);
    for (std::uint64_t at = 0; at < size; ++at)
        result.items[random_text(random)] = random_text(random);
    return result;
}

draft edited_by(std::vector<std::string> users) {
    draft result{.id = "d", .since = noon, .editors = {}};
    for (auto& user : users)
        result.editors.push_back({.id = "e-" + user, .user = user, .began = noon, .seen = noon});
    result.count = 1;
    result.last_number = 1;
    return result;
}

TEST_CASE("two sections have the same canonical form exactly when they are equal") {
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto one = random_section(random);
        const auto other = random_section(random);
        CHECK((canonical(one) == canonical(other)) == (one == other));
        const auto back = read_canonical(canonical(one));
        REQUIRE(back.has_value());
        CHECK(*back == one);
    }
}

TEST_CASE("what is not a canonical form is refused, however near it is") {
    const section real{.name = "groups", .items = {{"a", "1"}, {"b", "2"}}};
    const auto text = canonical(real);
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto cut = read_canonical(text.substr(0, size));
        // Cut behind an item it is another section's form.
        if (cut) CHECK(canonical(*cut) == text.substr(0, size));
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto altered = text;
        altered[at] = static_cast<char>(altered[at] ^ 1);
        const auto read = read_canonical(altered);
        if (read) CHECK(canonical(*read) == altered);
    }
    CHECK_FALSE(read_canonical(text + "1:a\n1:1\n").has_value());  // out of order
    CHECK_FALSE(read_canonical("muster-section 1\n01:a\n").has_value());
}

TEST_CASE("a difference takes one section to the other, and says nothing of what stays") {
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto before = random_section(random);
        const auto after = random_section(random);
        auto items = before.items;
        for (const auto& each : diff(before, after)) {
            CHECK((each.before == nullptr) == !before.items.contains(each.name));
            if (each.before != nullptr && each.after != nullptr) CHECK(*each.before != *each.after);
            if (each.after == nullptr)
                items.erase(each.name);
            else
                items[each.name] = *each.after;
        }
        CHECK(items == after.items);
    }
}

TEST_CASE("a draft is applied by the only one who edits, and nobody changes things beside") {
    const auto alone = edited_by({"anna"});
    CHECK(may_apply(alone, "e-anna").has_value());
    CHECK(may_discard(alone, "e-anna").has_value());
    CHECK(may_apply(alone, "e-ben").error().code() == errc::not_found);
    CHECK_FALSE(may_change_directly(alone).has_value());

    const auto both = edited_by({"anna", "ben"});
    const auto refused = may_apply(both, "e-anna");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail().contains("anna since 2026-11-16 12:00 UTC, ben"));
    CHECK_FALSE(may_discard(both, "e-anna").has_value());
    CHECK(may_draft(both, "e-ben", 100).has_value());

    auto empty = alone;
    empty.count = 0;
    CHECK_FALSE(may_apply(empty, "e-anna").has_value());
    auto applying = alone;
    applying.state = draft_state::applying;
    CHECK_FALSE(may_apply(applying, "e-anna").has_value());
    CHECK_FALSE(may_draft(applying, "e-anna", 1).has_value());
    CHECK_FALSE(may_begin(applying, {}).has_value());
    applying.editors.clear();
    CHECK_FALSE(may_change_directly(applying).has_value());
    CHECK(needs_leader(applying));
}

TEST_CASE("a draft that nobody edits is in nobody's way, and the next editor finds it") {
    auto left = edited_by({});
    CHECK(may_change_directly(left).has_value());
    CHECK_FALSE(needs_leader(left));
    CHECK(may_begin(left, {.single = true}).has_value());
    CHECK(may_change_directly(std::nullopt).has_value());
    CHECK(may_begin(std::nullopt, {}).has_value());
}

TEST_CASE("one session at a time if so wished, and never more than the limit") {
    const auto one = edited_by({"anna"});
    CHECK(may_begin(one, {}).has_value());
    CHECK_FALSE(may_begin(one, {.single = true}).has_value());
    const auto many = edited_by(std::vector<std::string>(draft_limits::editors_max, "anna"));
    CHECK_FALSE(may_begin(many, {}).has_value());
}

TEST_CASE("a draft is bounded by changes and bytes") {
    auto full = edited_by({"anna"});
    CHECK(may_draft(full, "e-anna", draft_limits::change_bytes_max).has_value());
    CHECK_FALSE(may_draft(full, "e-anna", draft_limits::change_bytes_max + 1).has_value());
    full.count = draft_limits::changes_max;
    CHECK_FALSE(may_draft(full, "e-anna", 1).has_value());
    full.count = 1;
    full.bytes = draft_limits::bytes_max;
    CHECK_FALSE(may_draft(full, "e-anna", 1).has_value());
}

TEST_CASE("who was not seen for the limit edits no more, but for the one who applies") {
    auto some = edited_by({"anna", "ben", "cleo"});
    some.editors[1].seen = noon + 10min;
    some.applying = application{.by = "cleo", .edit = "e-cleo", .since = noon};
    const auto gone = drop_idle(some, noon + 31min, 30min);
    REQUIRE(gone.size() == 1);
    CHECK(gone[0].user == "anna");
    CHECK(some.editors.size() == 2);
}

TEST_CASE("a server that differs is behind at first, and drifted after the grace") {
    const digests published{{"groups", "1"}, {"roles", "2"}};
    const sync_context soon{.published = noon, .now = noon + 5s, .grace = 10s};
    auto late = soon;
    late.now = noon + 11s;
    const held_digests same{
        .digests = {{"groups", "1"}}, .since = noon - 1h};  // it does not follow roles
    const held_digests other{.digests = {{"groups", "0"}, {"roles", "2"}}, .since = noon - 1h};
    CHECK(find_sync_state(published, same, late) == sync_state::current);
    CHECK(find_sync_state(published, other, soon) == sync_state::behind);
    CHECK(find_sync_state(published, other, late) == sync_state::drifted);
    CHECK(differing_sections(published, other.digests) == std::vector<std::string>{"groups"});
    // It came to hold something else only now: that may be newer than what is published.
    CHECK(
        find_sync_state(published, held_digests{.digests = other.digests, .since = noon + 8s}, late)
        == sync_state::behind);
    CHECK(find_sync_state(published, std::nullopt, late) == sync_state::unknown);
    late.online = false;
    CHECK(find_sync_state(published, same, late) == sync_state::away);
}

// What processes share, and what survives them: the data, the journal, and how far an apply is.
struct world {
    section data{.name = "things", .items = {}};
    std::set<std::string> assigned;  // changed by changes that no digest shows
    std::vector<std::pair<std::int64_t, std::string>> journal;
    application progress;
    bool published = false;
    int carried_out = 0;
};

struct crash {};

// Gives up at its turn, once.
struct fuse {
    std::uint64_t left;
    void step() {
        if (left-- == 0) throw crash{};
    }
};

// Changes that would be seen if they were done twice, or not at all.
void carry_out(world& in, const std::string& change) {
    ++in.carried_out;
    const auto name = change.substr(1);
    switch (change[0]) {
        case '+':
            REQUIRE(in.data.items.emplace(name, "").second);
            break;
        case '-':
            REQUIRE(in.data.items.erase(name) == 1);
            break;
        case '.':
            in.data.items.at(name) += "x";
            break;
        default:
            in.assigned.insert(name);
    }
}

// A process that applies, from wherever the record says that it stands.
void apply(world& in, fuse& until) {
    std::vector<std::int64_t> numbers;
    for (const auto& [number, change] : in.journal) numbers.push_back(number);
    std::int64_t done_here = 0;
    while (true) {
        const auto now = canonical(in.data);
        const auto next = next_change(in.progress, numbers, now, done_here);
        if (!next) break;
        until.step();
        in.progress.doing = *next;  // one transaction
        in.progress.before = now;
        until.step();
        for (const auto& [number, change] : in.journal)
            if (number == *next) carry_out(in, change);
        until.step();
        done_here = *next;
    }
    until.step();
    in.published = true;
}

world random_draft(prng& random) {
    world result;
    std::set<std::string> there;
    std::int64_t number = 0;
    for (std::uint64_t count = 1 + random.below(8); count > 0; --count) {
        number += static_cast<std::int64_t>(1 + random.below(3));  // some were dropped
        const std::string name(1, static_cast<char>('a' + random.below(3)));
        const bool exists = there.contains(name);
        const auto kind = random.below(3);
        std::string change = "*" + name;
        if (kind == 0 && !exists) change = "+" + name;
        if (kind == 0 && exists) change = "-" + name;
        if (kind == 1 && exists) change = "." + name;
        if (change[0] == '+') there.insert(name);
        if (change[0] == '-') there.erase(name);
        result.journal.emplace_back(number, change);
    }
    return result;
}

TEST_CASE("an apply that dies at any step, and again, is finished with nothing done twice") {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        const auto begun = random_draft(random);
        auto desired = begun;
        for (const auto& [number, change] : desired.journal) carry_out(desired, change);
        const std::uint64_t steps = 3 * begun.journal.size() + 1;
        for (std::uint64_t first = 0; first <= steps; ++first) {
            CAPTURE(first);
            auto now = begun;
            fuse until{first};
            while (!now.published) {
                try {
                    apply(now, until);
                } catch (crash) {
                    until.left = random.below(steps + 1);
                }
            }
            CHECK(now.data == desired.data);
            CHECK(now.assigned == desired.assigned);
        }
    }
}

}  // namespace
}  // namespace muster::revision
