// Every way to call every method, with arguments that are as it declares them, made from the
// declaration.

#include "base/iso_time.h"
#include "api/operations/json_value.h"
#include "tests/fixtures/api/compat_site.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
using access::right;
using api::shape;
using api::value;

constexpr const char* some_time = "2026-11-16T22:00:00Z";

// Something good, as small as it may be.
value good_for(const shape& wanted) {
    using kind = shape::kind;
    switch (wanted.what()) {
        case kind::flag:
            return true;
        case kind::integer:
            return std::max(wanted.least(), std::min<std::int64_t>(wanted.most(), 1));
        case kind::number:
            return 1.0;
        case kind::time:
            return *parse_iso_time(some_time);
        case kind::bytes:
            return value::bytes{std::string(static_cast<std::size_t>(wanted.least()), 'x')};
        case kind::list:
            return value::list(
                std::max<std::size_t>(1, static_cast<std::size_t>(wanted.least())),
                good_for(wanted.element()));
        case kind::map:
            return value::record();
        case kind::record: {
            value::record made;
            for (const auto& each : wanted.members())
                if (each.required) made.push_back({each.name, good_for(each.of)});
            return made;
        }
        case kind::anything:
        case kind::text:
            break;
    }
    if (!wanted.choices().empty()) return wanted.choices().front();
    std::string made = "sample";
    const auto least = static_cast<std::size_t>(wanted.least());
    if (wanted.what() == kind::text && made.size() < least) made.resize(least, 'x');
    return made;
}

value::record good_arguments(const method& which) {
    value::record made;
    for (const auto& each : which.what.takes) made.push_back({each.name, good_for(each.of)});
    return made;
}

api::visitor admin_of(const compat_site& site, const std::string& zone) {
    const auto all = access::all_rights();
    api::visitor made{people::identity{.user = "somebody"}, site.office, "192.0.2.7"};
    made.may = access::permissions(
        {{.role = "all", .zone = zone}},
        access::roles{{"all", access::rights(all.begin(), all.end())}});
    return made;
}

template <class Visit>
void for_every_way(const compat_site& site, Visit visit) {
    for (const auto& [name, ways] : site.api.methods().all()) {
        for (const auto* each : ways) visit(name, *each);
    }
}

async<std::size_t> count_of(answer given) {
    std::size_t count = 0;
    while (given.items) {
        CO_TRY(const auto some, co_await given.items());
        if (some.empty()) break;
        count += some.size();
    }
    co_return count;
}

// As the check of arguments by their declaration puts it.
bool blames_kind(const std::string& told) {
    return told.contains(" is wanted, not ") || told.contains("`: is missing")
           || told.contains("nothing of this name is known");
}

TEST_CASE("no method breaks on arguments that are as it declares them, or finds them wrong") {
    const compat_site site;
    std::size_t done = 0;
    for_every_way(site, [&](const std::string& name, const method& each) {
        CAPTURE(name);
        CAPTURE(each.what.takes.size());
        api::call asked(each.what, admin_of(site, ""), value(good_arguments(each)));
        auto given = answer_of(site.api.methods().perform(each, std::move(asked)));
        const auto told = given ? answer_of(count_of(*std::move(given))) : fail(given.error());
        if (told) ++done;
        const auto code = told ? errc::invalid : told.error().code();
        const auto detail = told ? std::string() : std::string(told.error().detail());
        CAPTURE(detail);
        CHECK_FALSE(blames_kind(detail));
        CHECK(code != errc::corrupt);
        CHECK(code != errc::timed_out);
    });
    CHECK(done > 100);
}

TEST_CASE("a text that is longer than a method takes is refused by its argument's name") {
    const compat_site site;
    std::size_t refused = 0;
    for_every_way(site, [&](const std::string& name, const method& each) {
        for (const auto& one : each.what.takes) {
            if (one.of.what() != shape::kind::text || !one.of.choices().empty()) continue;
            auto arguments = good_arguments(each);
            const auto place = std::ranges::find(arguments, one.name, &api::member::name);
            place->of = std::string(static_cast<std::size_t>(one.of.most()) + 1, 'x');
            CAPTURE(name);
            CAPTURE(one.name);
            api::call asked(each.what, admin_of(site, ""), value(std::move(arguments)));
            const auto given = answer_of(site.api.methods().perform(each, std::move(asked)));
            REQUIRE_FALSE(given.has_value());
            CHECK(given.error().code() == errc::invalid);
            CHECK(given.error().detail().contains("`" + one.name + "`"));
            ++refused;
        }
    });
    CHECK(refused > 100);
}

TEST_CASE("what a method needs in the whole cluster, a right in one zone does not give") {
    const compat_site site;
    std::size_t refused = 0;
    for_every_way(site, [&](const std::string& name, const method& each) {
        if (each.what.needed == right::none || each.what.needed == right::self) return;
        CAPTURE(name);
        api::call asked(each.what, admin_of(site, "default"), value(good_arguments(each)));
        const auto given = answer_of(site.api.methods().perform(each, std::move(asked)));
        const bool denied = !given && given.error().code() == errc::denied;
        if (each.what.within == api::scope::cluster) {
            CHECK(denied);
            ++refused;
        }
    });
    CHECK(refused > 25);
}

TEST_CASE("nothing that a method shows in one zone is of another") {
    compat_site site;
    // far4 is number 4, in a zone of its own; whoever may do all elsewhere asks for it by name,
    // by number and for everything.
    for_every_way(site, [&](const std::string& name, const method& each) {
        if (each.what.within == api::scope::cluster || each.what.changes()) return;
        auto arguments = good_arguments(each);
        for (auto& one : arguments) {
            if (one.name == "sid") one.of = 4;
            if (one.name == "sids") one.of = value::list{4};
            if (one.name == "searchTerm" || one.name == "regexp") one.of = "far4";
        }
        CAPTURE(name);
        api::call asked(each.what, admin_of(site, "default"), value(std::move(arguments)));
        auto given = answer_of(site.api.methods().perform(each, std::move(asked)));
        if (!given) {
            CHECK_FALSE(given.error().detail().contains("far4"));
            return;
        }
        std::string told = boost::json::serialize(api::to_json(given->content));
        while (given->items) {
            const auto some = answer_of(given->items());
            if (!some || some->empty()) break;
            for (const auto& one : *some) told += boost::json::serialize(api::to_json(one));
        }
        CHECK_FALSE(told.contains("far4"));
    });
}

// As it stands in a query; nothing for what cannot stand in one.
std::optional<std::string> in_query(const value& of) {
    if (const auto* const items = of.get<value::list>())
        return items->empty() ? std::string() : in_query(items->front());
    if (of.holds<value::record>() || of.holds<value::bytes>()) return std::nullopt;
    if (of.holds<wall_time>()) return some_time;
    if (const auto* const text = of.get<std::string>()) return *text;
    return boost::json::serialize(api::to_json(of));
}

TEST_CASE("every reading finds its form by the names in a query") {
    compat_site site;
    const auto key = site.log_in();
    const auto cookie = "pxt-session-cookie=" + key.substr(8, key.find('\n') - 8);
    for_every_way(site, [&](const std::string& name, const method& each) {
        if (each.what.method != api::verb::get) return;
        auto path = "/rhn/manager/api/" + name;
        std::ranges::replace(path, '.', '/');
        char before = '?';
        for (const auto& one : good_arguments(each)) {
            const auto text = in_query(one.of);
            if (!text) return;
            path += before + one.name + "=" + *text;
            before = '&';
        }
        const auto answered = site.send("", {.path = path, .method = "GET", .cookie = cookie});
        CAPTURE(path);
        CAPTURE(answered.body);
        CHECK(answered.status != 400);
        CHECK(answered.status < 500);
    });
}

}  // namespace
}  // namespace muster::xmlrpc_api
