#include "core/access/right.h"

#include "base/prng.h"

#include <doctest/doctest.h>

using namespace muster::access;

namespace {

const zone_parents tree{{"europe", ""}, {"berlin", "europe"}, {"paris", "europe"}, {"asia", ""}};

permissions of(std::vector<grant> grants) {
    return permissions(grants, built_in_roles());
}

}  // namespace

TEST_CASE("a right's name leads back to it, and what is open to all cannot be given") {
    for (const auto all_right : all_rights()) CHECK(parse_right(to_string(all_right)) == all_right);
    CHECK_FALSE(parse_right("none"));
    CHECK_FALSE(parse_right("self"));
    CHECK_FALSE(parse_right("jobs"));
}

TEST_CASE("an admin of the cluster may do everything everywhere") {
    const auto admin = of({{.role = "admin", .zone = ""}});
    for (const auto all_right : all_rights()) {
        CHECK(admin.everywhere(all_right));
        CHECK(admin.in("berlin", all_right, tree));
    }
}

TEST_CASE("a grant covers its zone and those below, not those beside or above") {
    const auto someone = of({{.role = "operator", .zone = "europe"}});
    CHECK(someone.in("europe", right::jobs_run, tree));
    CHECK(someone.in("berlin", right::jobs_run, tree));
    CHECK_FALSE(someone.in("asia", right::jobs_run, tree));
    CHECK_FALSE(someone.everywhere(right::jobs_run));
    CHECK(someone.anywhere(right::jobs_run));
    CHECK(
        someone.zones(right::jobs_run, tree) == std::set<std::string>{"berlin", "europe", "paris"});

    const auto local = of({{.role = "operator", .zone = "berlin"}});
    CHECK_FALSE(local.in("europe", right::jobs_run, tree));
    CHECK_FALSE(local.in("paris", right::jobs_run, tree));
}

TEST_CASE("rights of several grants add up, each in its own zone") {
    const auto mixed = of({{.role = "viewer", .zone = ""}, {.role = "operator", .zone = "berlin"}});
    CHECK(mixed.in("asia", right::fleet_read, tree));
    CHECK_FALSE(mixed.in("asia", right::jobs_run, tree));
    CHECK(mixed.in("berlin", right::jobs_run, tree));
}

TEST_CASE("a role nobody knows gives nothing, and nobody has nothing but themselves") {
    const auto former = of({{.role = "janitor", .zone = ""}});
    for (const auto all_right : all_rights()) CHECK_FALSE(former.anywhere(all_right));
    CHECK(former.everywhere(right::self));
    CHECK(former.everywhere(right::none));
}

TEST_CASE("only admins may change people, override windows and apply a revision by default") {
    for (const auto& [role, given] : built_in_roles()) {
        if (role == "admin") continue;
        for (const auto what :
             {right::people_change, right::windows_override, right::common_apply}) {
            CAPTURE(role);
            CHECK_FALSE(given.contains(what));
        }
    }
}

TEST_CASE("a zone tree with a loop ends") {
    const zone_parents knot{{"a", "b"}, {"b", "a"}};
    CHECK_FALSE(lies_within("a", "c", knot));
    CHECK(lies_within("a", "b", knot));
}

namespace {

// Up to three grants of any role in any zone, the whole cluster among them.
permissions some_permissions(muster::prng& random) {
    const std::vector<std::string> roles{"admin", "operator", "viewer", "auditor"};
    const std::vector<std::string> zones{"", "europe", "berlin", "paris", "asia"};
    std::vector<grant> grants;
    for (auto left = random.below(4); left > 0; --left)
        grants.push_back(
            {.role = roles[random.below(roles.size())], .zone = zones[random.below(zones.size())]});
    return of(grants);
}

bool allows_all_of(const permissions& wide, const permissions& narrow) {
    for (const auto all_right : all_rights()) {
        if (narrow.everywhere(all_right) && !wide.everywhere(all_right)) return false;
        for (const auto& [zone, parent] : tree) {
            if (narrow.in(zone, all_right, tree) && !wide.in(zone, all_right, tree)) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("whoever covers somebody may do all that they may, everywhere, and nobody else covers") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        muster::prng random(seed);
        const auto one = some_permissions(random);
        const auto other = some_permissions(random);

        CHECK(one.covers(other, tree) == allows_all_of(one, other));
    }
}

TEST_CASE("what two allow together is in every zone what each of them allows there") {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        muster::prng random(seed);
        const auto one = some_permissions(random);
        const auto other = some_permissions(random);
        const auto both = one.within(other, tree);

        CHECK(both.within(one, tree) == both);
        for (const auto all_right : all_rights()) {
            CHECK(
                both.everywhere(all_right)
                == (one.everywhere(all_right) && other.everywhere(all_right)));
            for (const auto& [zone, parent] : tree)
                CHECK(
                    both.in(zone, all_right, tree)
                    == (one.in(zone, all_right, tree) && other.in(zone, all_right, tree)));
        }
    }
}

TEST_CASE("permissions of some rights only have no others") {
    const auto reader = of({{.role = "admin", .zone = ""}}).only({right::jobs_read});

    CHECK(reader.everywhere(right::jobs_read));
    CHECK_FALSE(reader.anywhere(right::jobs_run));
}
