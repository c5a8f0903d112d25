#include "roles/node/facts_document.h"
#include "tests/node/town.h"

#include <doctest/doctest.h>

namespace muster::node::test {
namespace {

Frame facts_frame(const facts& all, const facts_difference& what, bool whole, std::string base) {
    Frame frame;
    auto& out = *frame.mutable_facts();
    out.set_whole(whole);
    out.set_base_digest(std::move(base));
    out.set_digest(pki::sha256(canonical_form(all)));
    for (const auto& [path, value] : what.set) (*out.mutable_set())[path] = value;
    for (const auto& path : what.removed) out.add_removed(path);
    return frame;
}

async<void> tell_facts(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));
    const facts first{{"cpu.count", "4"}, {"load", "1.50"}, {"os.name", "\"Debian, \\\"12\\\"\""}};
    CO_CHECK_OK(co_await web.say(facts_frame(first, {first, {}}, true, {})));
    CO_TRY(const auto taken, co_await web.hear());
    CHECK(taken.facts_taken().digest() == pki::sha256(canonical_form(first)));

    facts second = first;
    second["cpu.count"] = "8";
    second.erase("load");
    const auto change = difference(first, second);
    const auto base = pki::sha256(canonical_form(first));
    CO_CHECK_OK(co_await web.say(facts_frame(second, change, false, base)));
    CO_TRY(const auto merged, co_await web.hear());
    CHECK(merged.facts_taken().digest() == pki::sha256(canonical_form(second)));
    CHECK_FALSE(merged.facts_taken().wanted());

    CO_CHECK_OK(co_await web.say(facts_frame(first, change, false, "not the base")));
    CO_TRY(const auto wanted, co_await web.hear());
    CHECK(wanted.facts_taken().wanted());

    table::query question{.table = std::string(cluster::facts_table)};
    CO_TRY(const auto page, co_await all->records->read(question));
    REQUIRE(page.rows.size() == 1);
    CO_TRY(const auto row, fleet::decode_facts(page.rows.front()));
    CHECK(facts_of(row.document).value() == second);
    co_return result<void>();
}

async<void> attach_with_another_digest(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&all->time, all->where()));
    CO_CHECK_OK(co_await web.hello("the digest of facts that the ledger lost"));
    CO_TRY(const auto welcome, co_await web.hear());
    CHECK(welcome.has_welcome());
    CO_TRY(const auto asked, co_await web.hear());
    CHECK(asked.facts_taken().wanted());
    co_return result<void>();
}

}  // namespace

TEST_CASE("facts are brought on record whole and as differences, in their agent's own words") {
    town all;
    play(all, [&all] { return tell_facts(&all); });
}

TEST_CASE("an agent whose facts are not on record is asked for all of them") {
    town all;
    play(all, [&all] { return attach_with_another_digest(&all); });
}

}  // namespace muster::node::test
